//! The fields of the protocol that the library reports of an event.
use crate::values::{base64, image};
use mysql_cdc::events::binlog_event::BinlogEvent;
use mysql_cdc::events::event_header::EventHeader;
use serde_json::{json, Value};

pub const NAMES: &[&str] = &[
    "offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled",
    "binlog_version", "server_version", "checksum_algorithm",
    "thread_id", "exec_time", "error_code", "database", "query", "status_variables", "xid", "next_position", "next_file",
    "intvar_type", "intvar_value", "variable_name", "variable_type", "variable_charset", "variable_value",
    "gtid", "gtid_flags", "previous_gtids", "rows_query", "log_name", "table_id", "table", "column_count",
    "rows_flags", "rows", "mariadb_gtid_flags", "gtid_list",
];

/// Returns an event's fields: those of the header, and those of its body.
pub fn reported(header: &EventHeader, event: &BinlogEvent, offset: u64) -> Value {
    let mut fields = json!({
        "offset": offset, "type": header.event_type, "timestamp": header.timestamp, "server_id": header.server_id,
        "length": header.event_length, "log_pos": header.next_event_position, "flags": header.event_flags,
        "handled": if matches!(event, BinlogEvent::UnknownEvent) { "ignored" } else { "known" },
    });
    if let Value::Object(body) = of_body(event) {
        fields.as_object_mut().unwrap().extend(body);
    }
    fields
}

fn of_body(event: &BinlogEvent) -> Value {
    match event {
        BinlogEvent::UnknownEvent => json!({}),
        BinlogEvent::FormatDescriptionEvent(e) => json!({
            "binlog_version": e.binlog_version, "server_version": e.server_version,
            "checksum_algorithm": format!("{:?}", e.checksum_type).to_lowercase(),
        }),
        BinlogEvent::QueryEvent(e) => json!({
            "thread_id": e.thread_id, "exec_time": e.duration, "error_code": e.error_code, "database": e.database_name,
            "query": e.sql_statement, "status_variables": base64(&e.status_variables),
        }),
        BinlogEvent::XidEvent(e) => json!({"xid": e.xid}),
        BinlogEvent::IntVarEvent(e) => json!({"intvar_type": e.intvar_type, "intvar_value": e.value}),
        BinlogEvent::UserVarEvent(e) => match &e.value {
            None => json!({"variable_name": e.name, "variable_value": null}),
            Some(value) => json!({
                "variable_name": e.name, "variable_type": value.var_type, "variable_charset": value.collation,
                "variable_value": value.value,
            }),
        },
        BinlogEvent::RotateEvent(e) => json!({"next_position": e.binlog_position, "next_file": e.binlog_filename}),
        BinlogEvent::RowsQueryEvent(e) => json!({"rows_query": e.query}),
        BinlogEvent::HeartbeatEvent(e) => json!({"log_name": e.binlog_filename}),
        BinlogEvent::MySqlGtidEvent(e) => json!({
            "gtid": format!("{}:{}", e.gtid.source_id, e.gtid.transaction_id), "gtid_flags": e.flags,
        }),
        BinlogEvent::MySqlPrevGtidsEvent(e) => json!({"previous_gtids": e.gtid_set.to_string()}),
        BinlogEvent::MariaDbGtidEvent(e) => json!({"gtid": e.gtid.to_string(), "mariadb_gtid_flags": e.flags}),
        BinlogEvent::MariaDbGtidListEvent(e) => json!({"gtid_list": e.gtid_list.to_string()}),
        BinlogEvent::TableMapEvent(e) => json!({
            "table_id": e.table_id, "database": e.database_name, "table": e.table_name,
            "column_count": e.column_types.len(),
        }),
        BinlogEvent::WriteRowsEvent(e) => {
            let rows: Vec<Value> = e.rows.iter()
                .map(|row| json!({"before": null, "after": image(row, &e.columns_present)})).collect();
            json!({"table_id": e.table_id, "rows_flags": e.flags, "rows": rows})
        }
        BinlogEvent::DeleteRowsEvent(e) => {
            let rows: Vec<Value> = e.rows.iter()
                .map(|row| json!({"before": image(row, &e.columns_present), "after": null})).collect();
            json!({"table_id": e.table_id, "rows_flags": e.flags, "rows": rows})
        }
        BinlogEvent::UpdateRowsEvent(e) => {
            let rows: Vec<Value> = e.rows.iter().map(|row| json!({
                "before": image(&row.before_update, &e.columns_before_update),
                "after": image(&row.after_update, &e.columns_after_update),
            })).collect();
            json!({"table_id": e.table_id, "rows_flags": e.flags, "rows": rows})
        }
    }
}
