//! The fields of the protocol that the library reports of an event.
use crate::values::image;
use mysql_binlog::column_types::ColumnType;
use mysql_binlog::event::{ChecksumAlgorithm, Event, EventData, RowEvent, TypeCode};
use serde_json::{json, Value};
use std::collections::HashMap;

pub const NAMES: &[&str] = &[
    "offset", "type", "timestamp", "length", "log_pos", "flags", "handled", "binlog_version", "server_version", "created",
    "checksum_algorithm", "thread_id", "exec_time", "error_code", "database", "query", "gtid", "gtid_flags",
    "last_committed", "sequence_number", "table_id", "table", "column_count", "rows",
];
/// The codes of the library's types, in the order of their numbers from 0 on.
const CODES: [TypeCode; 36] = [
    TypeCode::Unknown, TypeCode::StartEventV3, TypeCode::QueryEvent, TypeCode::StopEvent, TypeCode::RotateEvent,
    TypeCode::IntvarEvent, TypeCode::LoadEvent, TypeCode::SlaveEvent, TypeCode::CreateFileEvent, TypeCode::AppendBlockEvent,
    TypeCode::ExecLoadEvent, TypeCode::DeleteFileEvent, TypeCode::NewLoadEvent, TypeCode::RandEvent, TypeCode::UserVarEvent,
    TypeCode::FormatDescriptionEvent, TypeCode::XidEvent, TypeCode::BeginLoadQueryEvent, TypeCode::ExecuteLoadQueryEvent,
    TypeCode::TableMapEvent, TypeCode::PreGaWriteRowsEvent, TypeCode::PreGaUpdateRowsEvent, TypeCode::PreGaDeleteRowsEvent,
    TypeCode::WriteRowsEventV1, TypeCode::UpdateRowsEventV1, TypeCode::DeleteRowsEventV1, TypeCode::IncidentEvent,
    TypeCode::HeartbeatLogEvent, TypeCode::IgnorableLogEvent, TypeCode::RowsQueryLogEvent, TypeCode::WriteRowsEventV2,
    TypeCode::UpdateRowsEventV2, TypeCode::DeleteRowsEventV2, TypeCode::GtidLogEvent, TypeCode::AnonymousGtidLogEvent,
    TypeCode::PreviousGtidsLogEvent,
];

type Columns = HashMap<u64, Vec<ColumnType>>;

/// Returns an event's fields: those of the header, and those of its body.
pub fn reported(event: &Event, inner: Option<&EventData>, columns: &Columns) -> Value {
    let mut fields = header(event, if inner.is_some() { "known" } else { "ignored" });
    if let Some(Value::Object(body)) = inner.map(|data| of_body(data, columns)) {
        fields.as_object_mut().unwrap().extend(body);
    }
    fields
}

/// Returns an event whose body the library refuses.
pub fn refused(event: &Event, words: &str) -> Value {
    let mut fields = header(event, "refused");
    fields["refused"] = json!(words);
    fields
}

fn header(event: &Event, handled: &str) -> Value {
    json!({
        "offset": event.offset(), "type": code(event.type_code()), "timestamp": event.timestamp(),
        "length": event.event_length(), "log_pos": event.next_position(), "flags": event.flags(), "handled": handled,
    })
}

fn code(event_type: TypeCode) -> usize {
    match event_type {
        TypeCode::OtherUnknown(number) => number.into(),
        known => CODES.iter().position(|each| *each == known).unwrap_or_default(),
    }
}

fn of_body(data: &EventData, columns: &Columns) -> Value {
    match data {
        EventData::FormatDescriptionEvent { binlog_version, server_version, create_timestamp, checksum_algorithm, .. } => json!({
            "binlog_version": binlog_version, "server_version": server_version, "created": create_timestamp,
            "checksum_algorithm": match checksum_algorithm {
                ChecksumAlgorithm::None => "none",
                ChecksumAlgorithm::CRC32 => "crc32",
                ChecksumAlgorithm::Other(_) => "other",
            },
        }),
        EventData::GtidLogEvent { flags, uuid, coordinate, last_committed, sequence_number } => {
            let mut fields = json!({"gtid": format!("{uuid}:{coordinate}"), "gtid_flags": flags});
            if let (Some(last), Some(number)) = (last_committed, sequence_number) {
                fields["last_committed"] = json!(last);
                fields["sequence_number"] = json!(number);
            }
            fields
        }
        EventData::QueryEvent { thread_id, exec_time, error_code, schema, query } => json!({
            "thread_id": thread_id, "exec_time": exec_time, "error_code": error_code, "database": schema, "query": query,
        }),
        EventData::TableMapEvent { table_id, schema_name, table_name, columns, .. } => json!({
            "table_id": table_id, "database": schema_name, "table": table_name, "column_count": columns.len(),
        }),
        EventData::WriteRowsEvent { table_id, rows }
        | EventData::UpdateRowsEvent { table_id, rows }
        | EventData::DeleteRowsEvent { table_id, rows } => {
            let types = columns.get(table_id).map(Vec::as_slice).unwrap_or_default();
            json!({"table_id": table_id, "rows": rows.iter().map(|row| images(row, types)).collect::<Vec<_>>()})
        }
    }
}

fn images(row: &RowEvent, types: &[ColumnType]) -> Value {
    match row {
        RowEvent::NewRow { cols } => json!({"before": null, "after": image(cols, types)}),
        RowEvent::DeletedRow { cols } => json!({"before": image(cols, types), "after": null}),
        RowEvent::UpdatedRow { before_cols, after_cols } => {
            json!({"before": image(before_cols, types), "after": image(after_cols, types)})
        }
    }
}
