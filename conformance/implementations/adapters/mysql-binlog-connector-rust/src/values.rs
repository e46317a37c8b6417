//! The library's values in the notation of the protocol.
use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_binlog_connector_rust::column::column_value::ColumnValue;
use mysql_binlog_connector_rust::column::json::json_binary::JsonBinary;
use mysql_binlog_connector_rust::event::row_event::RowEvent;
use serde_json::{json, Map, Value};

/// The library's words about a value that it refuses.
pub struct Refused(pub String);

const MICROSECONDS: i64 = 1_000_000;

/// Returns the values of a row by column number: those of the columns that are present.
pub fn image(row: &RowEvent, present: &[bool]) -> Result<Value, Refused> {
    let mut values = Map::new();
    for (column, value) in row.column_values.iter().enumerate() {
        if present[column] {
            values.insert(column.to_string(), noted(value)?);
        }
    }
    Ok(Value::Object(values))
}

fn noted(value: &ColumnValue) -> Result<Value, Refused> {
    Ok(match value {
        ColumnValue::None => Value::Null,
        ColumnValue::Tiny(number) => json!(number),
        ColumnValue::Short(number) => json!(number),
        ColumnValue::Long(number) => json!(number),
        ColumnValue::LongLong(number) => json!(number),
        ColumnValue::Float(number) if number.is_finite() => json!(number),
        ColumnValue::Float(number) => json!(number.to_string()), // JSON has no infinity.
        ColumnValue::Double(number) if number.is_finite() => json!(number),
        ColumnValue::Double(number) => json!(number.to_string()),
        ColumnValue::Decimal(text) | ColumnValue::Time(text) | ColumnValue::Date(text) | ColumnValue::DateTime(text) => {
            json!(text)
        }
        ColumnValue::Timestamp(micros) => {
            json!(format!("{}.{:06}", micros.div_euclid(MICROSECONDS), micros.rem_euclid(MICROSECONDS)))
        }
        ColumnValue::Year(year) => json!(year),
        ColumnValue::String(raw) | ColumnValue::Blob(raw) => json!({"base64": STANDARD.encode(raw)}),
        ColumnValue::Bit(bits) | ColumnValue::Set(bits) => json!(bits),
        ColumnValue::Enum(number) => json!(number),
        ColumnValue::Json(raw) => document(raw)?,
    })
}

/// Returns a JSON document as the library's text has it; what is not JSON is reported as text.
fn document(raw: &[u8]) -> Result<Value, Refused> {
    let text = JsonBinary::parse_as_string(raw).map_err(|error| Refused(error.to_string()))?;
    let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(json!({"json": value}))
}
