//! Defects for a copy of mysql_cdc: the one that the environment variable DEFECT names is in each event that the library
//! returns. The tests put this file beside the copied library, which calls `returned` and `committed`.
use crate::{
    binlog_options::BinlogOptions,
    constants::checksum_type::ChecksumType,
    errors::Error,
    events::{
        binlog_event::BinlogEvent,
        event_header::EventHeader,
        row_events::{mysql_value::MySqlValue, row_data::RowData},
    },
    providers::{mariadb::gtid::gtid_list::GtidList, mysql::gtid::gtid_set::GtidSet},
};
use std::io;

const XID: u8 = 16;

type Parsed = Result<(EventHeader, BinlogEvent), Error>;

fn defect() -> String {
    std::env::var("DEFECT").unwrap_or_default()
}

pub fn is(name: &str) -> bool {
    defect() == name
}

/// Returns what the library parsed, with the defect.
pub fn returned(parsed: Parsed) -> Parsed {
    let (mut header, mut event) = match parsed {
        Err(Error::IoError(error)) if is("framing") && error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(Error::String("a defect of the library".to_string()));
        }
        other => other?,
    };
    in_header(&defect(), &mut header);
    if header.event_type == XID && is("crash") {
        panic!("a defect of the library");
    } else if header.event_type == XID && is("handled") {
        event = BinlogEvent::UnknownEvent;
    }
    in_event(&defect(), &mut event);
    Ok((header, event))
}

/// Changes where a client would resume.
pub fn committed(place: &mut BinlogOptions) {
    match defect().as_str() {
        "resume_log" => place.filename.push('x'),
        "resume_pos" => place.position += 1,
        "executed_gtids" => {
            place.gtid_set = place.gtid_set.as_ref().map(|_| GtidSet::new());
            place.gtid_list = place.gtid_list.as_ref().map(|_| GtidList::new());
        }
        _ => {}
    }
}

fn in_header(defect: &str, header: &mut EventHeader) {
    match defect {
        "type" => header.event_type ^= 64,
        "timestamp" => header.timestamp ^= 1,
        "server_id" => header.server_id ^= 1,
        "length" => header.event_length ^= 1,
        "log_pos" => header.next_event_position ^= 1,
        "flags" => header.event_flags ^= 1,
        _ => {}
    }
}

fn in_event(defect: &str, event: &mut BinlogEvent) {
    match (event, defect) {
        (BinlogEvent::FormatDescriptionEvent(e), "binlog_version") => e.binlog_version += 1,
        (BinlogEvent::FormatDescriptionEvent(e), "server_version") => e.server_version.insert(0, 'x'),
        (BinlogEvent::FormatDescriptionEvent(e), "checksum_algorithm") => {
            e.checksum_type = match e.checksum_type {
                ChecksumType::None => ChecksumType::Crc32,
                ChecksumType::Crc32 => ChecksumType::None,
            }
        }
        (BinlogEvent::QueryEvent(e), "thread_id") => e.thread_id ^= 1,
        (BinlogEvent::QueryEvent(e), "exec_time") => e.duration ^= 1,
        (BinlogEvent::QueryEvent(e), "error_code") => e.error_code ^= 1,
        (BinlogEvent::QueryEvent(e), "status_variables") => e.status_variables.push(0),
        (BinlogEvent::QueryEvent(e), "database") => e.database_name.push('x'),
        (BinlogEvent::QueryEvent(e), "query") => e.sql_statement.push('x'),
        (BinlogEvent::XidEvent(e), "xid") => e.xid ^= 1,
        (BinlogEvent::IntVarEvent(e), "intvar_type") => e.intvar_type ^= 3,
        (BinlogEvent::IntVarEvent(e), "intvar_value") => e.value ^= 1,
        (BinlogEvent::UserVarEvent(e), "variable_name") => e.name.push('x'),
        (BinlogEvent::UserVarEvent(e), _) => {
            if let Some(value) = &mut e.value {
                match defect {
                    "variable_type" => value.var_type ^= 1,
                    "variable_charset" => value.collation ^= 1,
                    "variable_value" => value.value.push('x'),
                    _ => {}
                }
            }
        }
        (BinlogEvent::RotateEvent(e), "next_position") => e.binlog_position ^= 1,
        (BinlogEvent::RotateEvent(e), "next_file") => e.binlog_filename.push('x'),
        (BinlogEvent::MySqlGtidEvent(e), "gtid") => e.gtid.transaction_id ^= 1,
        (BinlogEvent::MySqlGtidEvent(e), "gtid_flags") => e.flags ^= 1,
        (BinlogEvent::MySqlPrevGtidsEvent(e), "previous_gtids") => e.gtid_set.uuid_sets.clear(),
        (BinlogEvent::MariaDbGtidEvent(e), "gtid of MARIADB_GTID") => e.gtid.sequence ^= 1,
        (BinlogEvent::MariaDbGtidEvent(e), "mariadb_gtid_flags") => e.flags ^= 1,
        (BinlogEvent::MariaDbGtidListEvent(e), "gtid_list") => e.gtid_list.gtids.clear(),
        (BinlogEvent::RowsQueryEvent(e), "rows_query") => e.query.push('x'),
        (BinlogEvent::HeartbeatEvent(e), "log_name") => e.binlog_filename.push('x'),
        (BinlogEvent::TableMapEvent(e), "table_id") => e.table_id ^= 1,
        (BinlogEvent::TableMapEvent(e), "database of TABLE_MAP") => e.database_name.push('x'),
        (BinlogEvent::TableMapEvent(e), "table") => e.table_name.push('x'),
        (BinlogEvent::TableMapEvent(e), "column_count") => e.column_types.push(3),
        (BinlogEvent::WriteRowsEvent(e), "table_id of WRITE_ROWS") => e.table_id ^= 1,
        (BinlogEvent::WriteRowsEvent(e), "rows_flags") => e.flags ^= 1,
        (BinlogEvent::WriteRowsEvent(e), "rows") => e.rows.clear(),
        (BinlogEvent::UpdateRowsEvent(e), "rows: no update") => e.rows.clear(),
        (BinlogEvent::DeleteRowsEvent(e), "rows: no delete") => e.rows.clear(),
        (BinlogEvent::WriteRowsEvent(e), "rows: images") => e.columns_present.iter_mut().for_each(|each| *each = false),
        (BinlogEvent::WriteRowsEvent(e), _) => e.rows.iter_mut().for_each(|row| in_row(defect, row)),
        (BinlogEvent::DeleteRowsEvent(e), _) => e.rows.iter_mut().for_each(|row| in_row(defect, row)),
        (BinlogEvent::UpdateRowsEvent(e), _) => e.rows.iter_mut().for_each(|row| in_row(defect, &mut row.after_update)),
        _ => {}
    }
}

fn in_row(defect: &str, row: &mut RowData) {
    for value in row.cells.iter_mut().flatten() {
        match (value, defect) {
            (MySqlValue::TinyInt(number), "rows: tiny integers") => *number ^= 1,
            (MySqlValue::SmallInt(number), "rows: small integers") => *number ^= 1,
            (MySqlValue::MediumInt(number), "rows: medium integers") => *number ^= 1,
            (MySqlValue::Int(number), "rows: integers") => *number ^= 1,
            (MySqlValue::BigInt(number), "rows: big integers") => *number ^= 1,
            (MySqlValue::Float(number), "rows: floats") => *number = -*number - 1.0,
            (MySqlValue::Double(number), "rows: doubles") => *number = -*number - 1.0,
            (MySqlValue::Decimal(text), "rows: decimals") => text.push('7'),
            (MySqlValue::String(text), "rows: texts") => text.push('x'),
            (MySqlValue::Bit(bits), "rows: bits") => bits.iter_mut().for_each(|bit| *bit = !*bit),
            (MySqlValue::Enum(number), "rows: enums") => *number ^= 1,
            (MySqlValue::Set(bits), "rows: sets") => *bits ^= 1,
            (MySqlValue::Blob(bytes), "rows: blobs") => bytes.push(b'x'),
            (MySqlValue::Year(year), "rows: years") => *year ^= 1,
            (MySqlValue::Date(date), "rows: dates") => date.day ^= 1,
            (MySqlValue::Time(time), "rows: times") => time.minute ^= 1,
            (MySqlValue::DateTime(time), "rows: datetimes") => time.minute ^= 1,
            (MySqlValue::Timestamp(millis), "rows: timestamps") => *millis += 1000,
            _ => {}
        }
    }
}
