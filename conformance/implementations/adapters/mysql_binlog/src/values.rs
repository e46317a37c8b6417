//! The library's values in the notation of the protocol.
use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_binlog::column_types::ColumnType;
use mysql_binlog::event::RowData;
use mysql_binlog::value::MySQLValue;
use serde_json::{json, Map, Value};

/// Returns the values of a row by column number: those of the columns that are present.
pub fn image(row: &RowData, types: &[ColumnType]) -> Value {
    let columns = row.iter().enumerate().filter_map(|(column, value)| value.as_ref().map(|value| (column, value)));
    let values = columns.map(|(column, value)| (column.to_string(), noted(value, types.get(column))));
    Value::Object(values.collect::<Map<_, _>>())
}

fn noted(value: &MySQLValue, column: Option<&ColumnType>) -> Value {
    match value {
        MySQLValue::SignedInteger(number) => json!(number),
        MySQLValue::Float(number) if number.is_finite() => json!(number),
        MySQLValue::Float(number) => json!(number.to_string()), // JSON has no infinity.
        MySQLValue::Double(number) if number.is_finite() => json!(number),
        MySQLValue::Double(number) => json!(number.to_string()),
        MySQLValue::String(text) => json!(text),
        MySQLValue::Enum(number) => json!(number),
        MySQLValue::Blob(raw) => json!({"base64": STANDARD.encode(&raw.0)}),
        MySQLValue::Year(year) => json!(year),
        MySQLValue::Date { year, month, day } => json!(format!("{year:04}-{month:02}-{day:02}")),
        MySQLValue::Time { hours, minutes, seconds, subseconds } => {
            json!(format!("{hours:02}:{minutes:02}:{seconds:02}{}", fraction(*subseconds, column)))
        }
        MySQLValue::DateTime { year, month, day, hour, minute, second, subsecond } => json!(format!(
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{}",
            fraction(*subsecond, column)
        )),
        MySQLValue::Json(document) => json!({"json": document}),
        MySQLValue::Decimal(number) => json!(number.to_string()),
        MySQLValue::Timestamp { unix_time, subsecond } => json!(format!("{unix_time}{}", fraction(*subsecond, column))),
        MySQLValue::Null => Value::Null,
    }
}

/// Returns a fraction of a second, of which the library has the number that is stored: of two digits for each byte.
fn fraction(number: u32, column: Option<&ColumnType>) -> String {
    let precision = match column {
        Some(ColumnType::Time2(digits) | ColumnType::DateTime2(digits) | ColumnType::Timestamp2(digits)) => *digits,
        _ => 0,
    };
    let digits = usize::from(precision.div_ceil(2) * 2);
    if digits == 0 { String::new() } else { format!(".{number:0digits$}") }
}
