//! The fields of the protocol that the library reports of an event.
use crate::values::{image, Refused};
use mysql_binlog_connector_rust::event::checksum_type::ChecksumType;
use mysql_binlog_connector_rust::event::event_data::EventData;
use mysql_binlog_connector_rust::event::event_header::EventHeader;
use serde_json::{json, Value};

pub const NAMES: &[&str] = &[
    "offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled",
    "binlog_version", "server_version", "created", "checksum_algorithm",
    "thread_id", "exec_time", "error_code", "database", "query", "xid", "next_position", "next_file",
    "gtid", "gtid_flags", "previous_gtids", "rows_query", "table_id", "table", "column_count", "rows",
    "one_phase", "xa_format_id", "xa_gtrid", "xa_bqual", "uncompressed_size",
];

/// Returns an event's fields: those of the header, and those of its body.
pub fn reported(header: &EventHeader, data: &EventData, offset: u64) -> Value {
    let mut fields = json!({
        "offset": offset, "type": header.event_type, "timestamp": header.timestamp, "server_id": header.server_id,
        "length": header.event_length, "log_pos": header.next_event_position, "flags": header.event_flags,
        "handled": if matches!(data, EventData::NotSupported) { "ignored" } else { "known" },
    });
    match of_body(data) {
        Ok(Value::Object(body)) => fields.as_object_mut().unwrap().extend(body),
        Ok(_) => {}
        Err(Refused(words)) => {
            fields["handled"] = json!("refused");
            fields["refused"] = json!(words);
        }
    }
    fields
}

fn of_body(data: &EventData) -> Result<Value, Refused> {
    Ok(match data {
        EventData::FormatDescription(e) => json!({
            "binlog_version": e.binlog_version, "server_version": e.server_version, "created": e.create_timestamp,
            "checksum_algorithm": match e.checksum_type { ChecksumType::CRC32 => "crc32", ChecksumType::None => "none" },
        }),
        EventData::PreviousGtids(e) => json!({"previous_gtids": e.gtid_set}),
        EventData::Gtid(e) => json!({"gtid": e.gtid, "gtid_flags": e.flags}),
        EventData::Query(e) => json!({
            "thread_id": e.thread_id, "exec_time": e.exec_time, "error_code": e.error_code, "database": e.schema,
            "query": e.query,
        }),
        EventData::TableMap(e) => json!({
            "table_id": e.table_id, "database": e.database_name, "table": e.table_name,
            "column_count": e.column_types.len(),
        }),
        EventData::WriteRows(e) => {
            let mut rows = Vec::new();
            for row in &e.rows {
                rows.push(json!({"before": null, "after": image(row, &e.included_columns)?}));
            }
            json!({"table_id": e.table_id, "rows": rows})
        }
        EventData::DeleteRows(e) => {
            let mut rows = Vec::new();
            for row in &e.rows {
                rows.push(json!({"before": image(row, &e.included_columns)?, "after": null}));
            }
            json!({"table_id": e.table_id, "rows": rows})
        }
        EventData::UpdateRows(e) => {
            let mut rows = Vec::new();
            for (before, after) in &e.rows {
                let before = image(before, &e.included_columns_before)?;
                rows.push(json!({"before": before, "after": image(after, &e.included_columns_after)?}));
            }
            json!({"table_id": e.table_id, "rows": rows})
        }
        EventData::Xid(e) => json!({"xid": e.xid}),
        EventData::XaPrepare(e) => json!({
            "one_phase": u8::from(e.one_phase), "xa_format_id": e.format_id, "xa_gtrid": e.gtrid, "xa_bqual": e.bqual,
        }),
        EventData::Rotate(e) => json!({"next_position": e.binlog_position, "next_file": e.binlog_filename}),
        EventData::TransactionPayload(e) => json!({"uncompressed_size": e.uncompressed_size}),
        EventData::RowsQuery(e) => json!({"rows_query": e.query}),
        EventData::HeartBeat | EventData::NotSupported => json!({}),
    })
}
