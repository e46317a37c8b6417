//! The fields of the protocol that the library reports of an event.
use crate::values::{bytes, image, text};
use crate::Object;
use mysql_common::binlog::consts::{BinlogChecksumAlg, EventType};
use mysql_common::binlog::events::{AnonymousGtidEvent, Event, EventData, GtidEvent, PreviousGtidsEvent, RowsEventData};
use mysql_common::binlog::EventStreamReader;
use serde_json::{json, Value};
use std::fmt::Display;
use std::io;

pub const NAMES: &[&str] = &[
    "offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled",
    "binlog_version", "server_version", "created", "event_types", "checksum_algorithm",
    "thread_id", "exec_time", "error_code", "database", "query", "status_variables", "xid",
    "next_position", "next_file", "gtid", "gtid_flags", "last_committed", "sequence_number",
    "immediate_commit_timestamp", "original_commit_timestamp", "transaction_length", "immediate_server_version",
    "original_server_version", "previous_gtids", "rows_query", "intvar_type", "intvar_value", "seed1", "seed2",
    "table_id", "table", "column_count", "rows_flags", "rows", "incident", "message", "variable_name",
    "variable_type", "variable_charset", "file_id", "block_data", "file_name_start", "file_name_end", "compression_type", "uncompressed_size", "payload_size", "duplicate_handling",
];

/// Types that the library names and hands over as bytes, or leaves unread.
fn is_ignored(data: Option<&EventData<'_>>) -> bool {
    match data {
        None => true,
        Some(data) => matches!(
            data,
            EventData::UnknownEvent | EventData::StartEventV3(_) | EventData::LoadEvent(_) | EventData::SlaveEvent
                | EventData::CreateFileEvent(_) | EventData::AppendBlockEvent(_) | EventData::ExecLoadEvent(_)
                | EventData::DeleteFileEvent(_) | EventData::NewLoadEvent(_) | EventData::PreGaWriteRowsEvent(_)
                | EventData::PreGaUpdateRowsEvent(_) | EventData::PreGaDeleteRowsEvent(_) | EventData::HeartbeatEvent
                | EventData::IgnorableEvent(_) | EventData::TransactionContextEvent(_) | EventData::ViewChangeEvent(_)
                | EventData::XaPrepareLogEvent(_)
        ),
    }
}

/// Returns an event's fields: those of the header, and those of its body.
pub fn reported(
    event: &Event, data: Option<&EventData<'_>>, offset: u64, reader: &EventStreamReader,
) -> io::Result<Object> {
    let header = event.header();
    let mut fields = object(json!({
        "offset": offset, "type": header.event_type_raw(), "timestamp": header.timestamp(),
        "server_id": header.server_id(), "length": header.event_size(), "log_pos": header.log_pos(),
        "flags": header.flags_raw(), "handled": if is_ignored(data) { "ignored" } else { "known" },
    }));
    if let Some(data) = data {
        fields.append(&mut object(of_body(data, reader)?));
    }
    Ok(fields)
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(fields) => fields,
        _ => Object::new(),
    }
}

/// An event with a number that the library does not know; the library goes on with the next one.
fn refused(unknown: impl Display) -> Value {
    json!({"handled": "refused", "refused": unknown.to_string()})
}

fn of_body(data: &EventData<'_>, reader: &EventStreamReader) -> io::Result<Value> {
    Ok(match data {
        EventData::FormatDescriptionEvent(e) => match e.footer().get_checksum_alg() {
            Ok(algorithm) => json!({
                "binlog_version": e.binlog_version() as u16, "server_version": text(e.server_version_raw()),
                "created": e.create_timestamp(), "event_types": e.event_type_header_lengths().len(),
                "checksum_algorithm": match algorithm {
                    Some(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_CRC32) => "crc32",
                    Some(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_OFF) | None => "none",
                },
            }),
            Err(unknown) => refused(unknown),
        },
        EventData::QueryEvent(e) => json!({
            "thread_id": e.thread_id(), "exec_time": e.execution_time(), "error_code": e.error_code(),
            "database": e.schema(), "query": e.query(), "status_variables": bytes(e.status_vars_raw()),
        }),
        EventData::RotateEvent(e) => json!({"next_position": e.position(), "next_file": e.name()}),
        EventData::IntvarEvent(e) => json!({"intvar_type": e.subtype() as u8, "intvar_value": e.value()}),
        EventData::RandEvent(e) => json!({"seed1": *e.seed1, "seed2": *e.seed2}),
        EventData::UserVarEvent(e) if e.is_null() => json!({"variable_name": e.name()}),
        EventData::UserVarEvent(e) => match e.value_type() {
            Ok(kind) => json!({
                "variable_name": e.name(), "variable_type": kind as u8, "variable_charset": e.charset(),
            }),
            Err(unknown) => refused(unknown),
        },
        EventData::XidEvent(e) => json!({"xid": e.xid}),
        EventData::BeginLoadQueryEvent(e) => json!({"file_id": e.file_id(), "block_data": bytes(e.block_data())}),
        EventData::ExecuteLoadQueryEvent(e) => json!({
            "thread_id": e.thread_id(), "exec_time": e.execution_time(), "error_code": e.error_code(),
            "database": e.schema(), "query": e.query(), "status_variables": bytes(e.status_vars_raw()),
            "file_id": e.file_id(), "file_name_start": e.start_pos(), "file_name_end": e.end_pos(),
            "duplicate_handling": e.dup_handling() as u8,
        }),
        EventData::TableMapEvent(e) => json!({
            "table_id": e.table_id(), "database": e.database_name(), "table": e.table_name(),
            "column_count": e.columns_count(),
        }),
        EventData::IncidentEvent(e) => match e.incident_type() {
            Ok(kind) => json!({"incident": kind as u16, "message": e.message()}),
            Err(unknown) => refused(unknown),
        },
        EventData::RowsQueryEvent(e) => json!({"rows_query": e.query()}),
        EventData::GtidEvent(e) => gtid(e),
        EventData::AnonymousGtidEvent(e) => anonymous_gtid(e),
        EventData::PreviousGtidsEvent(e) => json!({"previous_gtids": gtid_set(e)}),
        EventData::RowsEvent(e) => rows(e, reader)?,
        EventData::TransactionPayloadEvent(e) => json!({
            "compression_type": e.algorithm() as u64, "uncompressed_size": e.uncompressed_size(),
            "payload_size": e.payload_size(),
        }),
        _ => json!({}),
    })
}

fn uuid(sid: [u8; 16]) -> String {
    let digits: String = sid.iter().map(|byte| format!("{byte:02x}")).collect();
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

fn gtid(event: &GtidEvent) -> Value {
    let tag = event.tag().map(|tag| format!("{tag}:")).unwrap_or_default();
    let mut fields = json!({
        "gtid": format!("{}:{tag}{}", uuid(event.sid()), event.gno()), "gtid_flags": event.flags_raw(),
        "immediate_commit_timestamp": event.immediate_commit_timestamp(),
        "original_commit_timestamp": event.original_commit_timestamp(), "transaction_length": event.tx_length(),
        "immediate_server_version": event.immediate_server_version(),
        "original_server_version": event.original_server_version(),
    });
    if event.lc_typecode().is_some() || event.event_type() == EventType::GTID_TAGGED_LOG_EVENT {
        fields["last_committed"] = json!(event.last_committed() as i64);
        fields["sequence_number"] = json!(event.sequence_number() as i64);
    }
    fields
}

/// The library makes no GTID of the zeros in an Anonymous_gtid event, for which it has a type of its own.
fn anonymous_gtid(event: &AnonymousGtidEvent) -> Value {
    let mut fields = gtid(&event.0);
    if let Some(named) = fields.as_object_mut() {
        named.remove("gtid");
    }
    fields
}

/// The library has an entry for each source and tag; in the notation of servers the tags of a source follow it.
fn gtid_set(event: &PreviousGtidsEvent<'_>) -> String {
    let mut set = String::new();
    let mut last = None;
    for sid in event.sids() {
        if last != Some(sid.uuid()) {
            set += if last.is_some() { "," } else { "" };
            set += &uuid(sid.uuid());
            last = Some(sid.uuid());
        }
        set += &sid.tag().map(|tag| format!(":{tag}")).unwrap_or_default();
        for each in sid.intervals() {
            set += &format!(":{}-{}", each.start(), each.end().wrapping_sub(1));
        }
    }
    set
}

fn rows(event: &RowsEventData<'_>, reader: &EventStreamReader) -> io::Result<Value> {
    let table = reader.get_tme(event.table_id());
    let Some(table) = table else {
        return Err(io::Error::other("the library has no table of this id"));
    };
    let mut rows = Vec::new();
    for row in event.rows(table) {
        let (before, after) = row?;
        let before = before.map(|row| image(row, event.columns_before_image(), table)).transpose()?;
        let after = after.map(|row| image(row, event.columns_after_image(), table)).transpose()?;
        rows.push(json!({"before": before, "after": after}));
    }
    Ok(json!({"table_id": event.table_id(), "rows_flags": rows_flags(event), "rows": rows}))
}

/// All flags, also those for which the library has no name.
fn rows_flags(event: &RowsEventData<'_>) -> u16 {
    match event {
        RowsEventData::WriteRowsEventV1(e) => e.flags_raw(),
        RowsEventData::UpdateRowsEventV1(e) => e.flags_raw(),
        RowsEventData::DeleteRowsEventV1(e) => e.flags_raw(),
        RowsEventData::WriteRowsEvent(e) => e.flags_raw(),
        RowsEventData::UpdateRowsEvent(e) => e.flags_raw(),
        RowsEventData::DeleteRowsEvent(e) => e.flags_raw(),
        RowsEventData::PartialUpdateRowsEvent(e) => e.flags_raw(),
    }
}
