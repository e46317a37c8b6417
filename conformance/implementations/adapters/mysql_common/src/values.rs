//! The library's values in the notation of the protocol.
use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_common::binlog::events::TableMapEvent;
use mysql_common::binlog::row::BinlogRow;
use mysql_common::binlog::value::BinlogValue;
use mysql_common::constants::ColumnType;
use mysql_common::value::Value as Sql;
use serde_json::{json, Map, Value};
use std::io;

type Columns<'a> = &'a bitvec::slice::BitSlice<u8>;

pub fn bytes(raw: &[u8]) -> Value {
    json!({"base64": STANDARD.encode(raw)})
}

/// A text; bytes that are not UTF-8 are replaced, as the protocol has it.
pub fn text(raw: &[u8]) -> Value {
    json!(String::from_utf8_lossy(raw))
}

/// Returns the values of a row by column number; the library has only those of the columns that are present.
pub fn image(mut row: BinlogRow, present: Option<Columns<'_>>, table: &TableMapEvent<'_>) -> io::Result<Value> {
    let mut values = Map::new();
    let columns = (0..table.columns_count() as usize).filter(|column| {
        present.and_then(|bits| bits.get(*column).map(|bit| *bit)).unwrap_or(false)
    });
    for (place, column) in columns.enumerate() {
        if let Some(value) = row.take(place) {
            values.insert(column.to_string(), noted(value, column, table)?);
        }
    }
    Ok(Value::Object(values))
}

fn noted(value: BinlogValue<'_>, column: usize, table: &TableMapEvent<'_>) -> io::Result<Value> {
    let kind = table.get_column_type(column).ok().flatten();
    Ok(match value {
        BinlogValue::Value(value) => of_sql(value, kind),
        BinlogValue::Jsonb(document) => json!({"json": Value::from(document.parse()?)}),
        BinlogValue::JsonDiff(changes) => {
            let mut listed = Vec::new();
            for change in &changes {
                let operation = format!("{:?}", change.operation()).to_lowercase();
                let mut noted = json!({"operation": operation, "path": change.path_str()});
                if let Some(value) = change.value() {
                    noted["value"] = Value::from(value.clone().parse()?);
                }
                listed.push(noted);
            }
            json!({"json_changes": listed})
        }
    })
}

fn of_sql(value: Sql, kind: Option<ColumnType>) -> Value {
    match value {
        Sql::NULL => Value::Null,
        Sql::Int(number) => json!(number),
        Sql::UInt(number) => json!(number),
        Sql::Float(number) if number.is_finite() => json!(number),
        Sql::Float(number) => json!(number.to_string()), // JSON has no infinity.
        Sql::Double(number) if number.is_finite() => json!(number),
        Sql::Double(number) => json!(number.to_string()),
        Sql::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            match kind {
                Some(ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_NEWDATE) => json!(date),
                _ => json!(format!("{date} {hour:02}:{minute:02}:{second:02}.{micros:06}")),
            }
        }
        Sql::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            let hours = u64::from(days) * 24 + u64::from(hours);
            json!(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}.{micros:06}"))
        }
        Sql::Bytes(raw) => of_bytes(raw, kind),
    }
}

/// The library has bytes for many types; those of texts, BIT, SET and VECTOR have a notation of their own.
fn of_bytes(raw: Vec<u8>, kind: Option<ColumnType>) -> Value {
    let number = |digits: &mut dyn Iterator<Item = &u8>| digits.fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    match kind {
        Some(ColumnType::MYSQL_TYPE_NEWDECIMAL | ColumnType::MYSQL_TYPE_TIMESTAMP2) => text(&raw),
        Some(ColumnType::MYSQL_TYPE_YEAR) => {
            let year = String::from_utf8_lossy(&raw);
            year.parse::<i64>().map_or_else(|_| json!(year), |number| json!(number))
        }
        Some(ColumnType::MYSQL_TYPE_BIT | ColumnType::MYSQL_TYPE_SET) if raw.len() > 8 => bytes(&raw),
        Some(ColumnType::MYSQL_TYPE_BIT) => json!(number(&mut raw.iter())),
        Some(ColumnType::MYSQL_TYPE_SET) => json!(number(&mut raw.iter().rev())),
        Some(ColumnType::MYSQL_TYPE_VECTOR) if raw.len() % 4 == 0 => {
            let single = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            json!(raw.chunks_exact(4).map(single).collect::<Vec<f32>>())
        }
        _ => bytes(&raw),
    }
}
