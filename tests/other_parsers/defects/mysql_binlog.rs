//! Defects for a copy of mysql_binlog: the one that the environment variable DEFECT names is in what the library returns
//! of an event. The tests put this file beside the copied library, which calls these functions.
use crate::event::{ChecksumAlgorithm, EventData, RowData, RowEvent, TypeCode};
use crate::value::MySQLValue;

fn defect() -> String {
    std::env::var("DEFECT").unwrap_or_default()
}

pub fn is(name: &str) -> bool {
    defect() == name
}

/// Returns a number of an event's header, with the defect.
pub fn other<T: std::ops::BitXor<Output = T> + From<u8>>(name: &str, value: T) -> T {
    if is(name) { value ^ T::from(1) } else { value }
}

/// Returns the type of an event, with the defect.
pub fn code(code: TypeCode) -> TypeCode {
    if is("type") && code == TypeCode::XidEvent { TypeCode::StopEvent } else { code }
}

/// Returns what the library read of a body, with the defect.
pub fn returned<E>(read: Result<Option<EventData>, E>) -> Result<Option<EventData>, E> {
    let mut data = match read? {
        Some(EventData::QueryEvent { .. }) if is("handled") => return Ok(None),
        Some(EventData::GtidLogEvent { .. }) if is("crash") => panic!("a defect of the library"),
        Some(data) => data,
        None => return Ok(None),
    };
    change(&defect(), &mut data);
    Ok(Some(data))
}

fn change(defect: &str, data: &mut EventData) {
    match data {
        EventData::FormatDescriptionEvent { binlog_version, server_version, create_timestamp, checksum_algorithm, .. } => {
            match defect {
                "binlog_version" => *binlog_version += 1,
                "server_version" => server_version.insert(0, 'x'),
                "created" => *create_timestamp ^= 1,
                "checksum_algorithm" => {
                    *checksum_algorithm = match checksum_algorithm {
                        ChecksumAlgorithm::None => ChecksumAlgorithm::CRC32,
                        _ => ChecksumAlgorithm::None,
                    }
                }
                _ => {}
            }
        }
        EventData::GtidLogEvent { flags, coordinate, last_committed, sequence_number, .. } => match defect {
            "gtid" => *coordinate ^= 1,
            "gtid_flags" => *flags ^= 1,
            "last_committed" => *last_committed = last_committed.map(|each| each ^ 1),
            "sequence_number" => *sequence_number = sequence_number.map(|each| each ^ 1),
            _ => {}
        },
        EventData::QueryEvent { thread_id, exec_time, error_code, schema, query } => match defect {
            "thread_id" => *thread_id ^= 1,
            "exec_time" => *exec_time ^= 1,
            "error_code" => *error_code ^= 1,
            "database" => schema.push('x'),
            "query" => query.insert(0, 'x'),
            _ => {}
        },
        EventData::TableMapEvent { table_id, schema_name, table_name, columns, .. } => match defect {
            "table_id" => *table_id ^= 1,
            "database of TABLE_MAP" => schema_name.push('x'),
            "table" => table_name.push('x'),
            "column_count" => drop(columns.pop()),
            _ => {}
        },
        EventData::WriteRowsEvent { table_id, rows } => {
            match defect {
                "table_id of WRITE_ROWS" => *table_id ^= 1,
                "rows" => rows.clear(),
                _ => {}
            }
            rows.iter_mut().for_each(|row| in_row(defect, row));
        }
        EventData::UpdateRowsEvent { rows, .. } if defect == "rows: no update" => rows.clear(),
        EventData::DeleteRowsEvent { rows, .. } if defect == "rows: no delete" => rows.clear(),
        _ => {}
    }
}

fn in_row(defect: &str, row: &mut RowEvent) {
    if let RowEvent::NewRow { cols } = row {
        if defect == "rows: images" {
            cols.iter_mut().for_each(|each| *each = None);
        }
        in_values(defect, cols);
    }
}

fn in_values(defect: &str, values: &mut RowData) {
    for value in values.iter_mut().flatten() {
        match (value, defect) {
            (MySQLValue::SignedInteger(number), "rows: integers") => *number ^= 1,
            (MySQLValue::Float(number), "rows: floats") => *number += 1.5,
            (MySQLValue::Double(number), "rows: doubles") => *number += 1.5,
            (MySQLValue::String(text), "rows: texts") => text.push('x'),
            (MySQLValue::Enum(number), "rows: enums") => *number ^= 1,
            (MySQLValue::Blob(raw), "rows: blobs") => raw.0.push(b'x'),
            (MySQLValue::Year(year), "rows: years") => *year ^= 1,
            (MySQLValue::Date { day, .. }, "rows: dates") => *day ^= 1,
            (MySQLValue::Time { hours, .. }, "rows: times") => *hours += 1,
            (MySQLValue::DateTime { hour, .. }, "rows: datetimes") => *hour ^= 1,
            (MySQLValue::Json(document), "rows: documents") => *document = serde_json::Value::from("a defect"),
            (MySQLValue::Decimal(number), "rows: decimals") => *number = number.clone() + bigdecimal::BigDecimal::from(1),
            (MySQLValue::Timestamp { unix_time, .. }, "rows: timestamps") => *unix_time ^= 1,
            _ => {}
        }
    }
}
