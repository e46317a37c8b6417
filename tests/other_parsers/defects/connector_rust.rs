//! Defects for a copy of mysql-binlog-connector-rust: the one that the environment variable DEFECT names is in each event
//! that the parser returns. The tests put this file beside the copied parser, which calls `returned`.
use crate::{
    binlog_error::BinlogError,
    column::column_value::ColumnValue,
    event::{checksum_type::ChecksumType, event_data::EventData, event_header::EventHeader, row_event::RowEvent},
};
use std::io::{self, Read, Seek, SeekFrom};

const XID: u8 = 16;

pub fn is(name: &str) -> bool {
    std::env::var("DEFECT").is_ok_and(|defect| defect == name)
}

pub fn returned<S: Read + Seek>(
    parsed: Result<(EventHeader, EventData), BinlogError>,
    stream: &mut S,
    start: u64,
) -> Result<(EventHeader, EventData), BinlogError> {
    match parsed {
        Err(BinlogError::IoError(error)) if is("framing") && error.kind() == io::ErrorKind::UnexpectedEof => {
            if start == stream.seek(SeekFrom::End(0))? {
                return Err(BinlogError::IoError(error)); // So the events of a payload end.
            }
            Ok((empty_header(), EventData::NotSupported))
        }
        Ok((mut header, mut data)) => {
            let name = std::env::var("DEFECT").unwrap_or_default();
            if name == "offset" {
                stream.seek(SeekFrom::Current(1))?;
            }
            in_header(&name, &mut header);
            if header.event_type == XID && name == "crash" {
                panic!("a defect of the library");
            } else if header.event_type == XID && name == "handled" {
                data = EventData::NotSupported;
            }
            in_data(&name, &mut data);
            Ok((header, data))
        }
        refused => refused,
    }
}

fn empty_header() -> EventHeader {
    EventHeader { timestamp: 0, event_type: 0, server_id: 0, event_length: 0, next_event_position: 0, event_flags: 0 }
}

fn in_header(defect: &str, header: &mut EventHeader) {
    match defect {
        "type" => header.event_type ^= 1,
        "timestamp" => header.timestamp ^= 1,
        "server_id" => header.server_id ^= 1,
        "length" => header.event_length ^= 1,
        "log_pos" => header.next_event_position ^= 1,
        "flags" => header.event_flags ^= 1,
        _ => {}
    }
}

fn in_data(defect: &str, data: &mut EventData) {
    match (data, defect) {
        (EventData::FormatDescription(e), "binlog_version") => e.binlog_version += 1,
        (EventData::FormatDescription(e), "server_version") => e.server_version.insert(0, 'x'),
        (EventData::FormatDescription(e), "created") => e.create_timestamp ^= 1,
        (EventData::FormatDescription(e), "checksum_algorithm") => {
            e.checksum_type = match e.checksum_type {
                ChecksumType::None => ChecksumType::CRC32,
                ChecksumType::CRC32 => ChecksumType::None,
            }
        }
        (EventData::Query(e), "thread_id") => e.thread_id ^= 1,
        (EventData::Query(e), "exec_time") => e.exec_time ^= 1,
        (EventData::Query(e), "error_code") => e.error_code ^= 1,
        (EventData::Query(e), "database") => e.schema.push('x'),
        (EventData::Query(e), "query") => e.query.push('x'),
        (EventData::Xid(e), "xid") => e.xid ^= 1,
        (EventData::Rotate(e), "next_position") => e.binlog_position ^= 1,
        (EventData::Rotate(e), "next_file") => e.binlog_filename.push('x'),
        (EventData::Gtid(e), "gtid") => e.gtid.push('7'),
        (EventData::Gtid(e), "gtid_flags") => e.flags ^= 1,
        (EventData::PreviousGtids(e), "previous_gtids") => e.gtid_set.push_str(":4711"),
        (EventData::RowsQuery(e), "rows_query") => e.query.push('x'),
        (EventData::TableMap(e), "table_id") => e.table_id ^= 1,
        (EventData::TableMap(e), "database of TABLE_MAP") => e.database_name.push('x'),
        (EventData::TableMap(e), "table") => e.table_name.push('x'),
        (EventData::TableMap(e), "column_count") => e.column_types.push(3),
        (EventData::XaPrepare(e), "xa_format_id") => e.format_id ^= 1,
        (EventData::XaPrepare(e), "xa_gtrid") => e.gtrid.push('x'),
        (EventData::XaPrepare(e), "xa_bqual") => e.bqual.push('x'),
        (EventData::TransactionPayload(e), "uncompressed_size") => e.uncompressed_size ^= 1,
        (EventData::WriteRows(e), "table_id of WRITE_ROWS") => e.table_id ^= 1,
        (EventData::WriteRows(e), "rows") => e.rows.clear(),
        (EventData::UpdateRows(e), "rows: no update") => e.rows.clear(),
        (EventData::DeleteRows(e), "rows: no delete") => e.rows.clear(),
        (EventData::WriteRows(e), "rows: images") => e.included_columns.iter_mut().for_each(|present| *present = false),
        (EventData::WriteRows(e), _) => e.rows.iter_mut().for_each(|row| in_row(defect, row)),
        (EventData::DeleteRows(e), _) => e.rows.iter_mut().for_each(|row| in_row(defect, row)),
        (EventData::UpdateRows(e), _) => e.rows.iter_mut().for_each(|(_, after)| in_row(defect, after)),
        _ => {}
    }
}

fn in_row(defect: &str, row: &mut RowEvent) {
    for value in &mut row.column_values {
        match (value, defect) {
            (ColumnValue::Tiny(number), "rows: tiny integers") => *number ^= 1,
            (ColumnValue::Short(number), "rows: small integers") => *number ^= 1,
            (ColumnValue::Long(number), "rows: integers") => *number ^= 1,
            (ColumnValue::LongLong(number), "rows: big integers") => *number ^= 1,
            (ColumnValue::Float(number), "rows: floats") => *number = -*number - 1.0,
            (ColumnValue::Double(number), "rows: doubles") => *number = -*number - 1.0,
            (ColumnValue::Decimal(text), "rows: decimals") => text.push('7'),
            (ColumnValue::Time(text), "rows: times") => text.push('7'),
            (ColumnValue::Date(text), "rows: dates") => text.push('7'),
            (ColumnValue::DateTime(text), "rows: datetimes") => text.push('7'),
            (ColumnValue::Timestamp(micros), "rows: timestamps") => *micros ^= 1,
            (ColumnValue::Year(year), "rows: years") => *year ^= 1,
            (ColumnValue::String(bytes), "rows: texts") => bytes.push(b'x'),
            (ColumnValue::Blob(bytes), "rows: blobs") => bytes.push(b'x'),
            (ColumnValue::Bit(bits), "rows: bits") => *bits ^= 1,
            (ColumnValue::Set(bits), "rows: sets") => *bits ^= 1,
            (ColumnValue::Enum(number), "rows: enums") => *number ^= 1,
            // A document that is a literal, true.
            (ColumnValue::Json(document), "rows: documents") => *document = vec![4, 1],
            _ => {}
        }
    }
}
