//! The library's values in the notation of the protocol.
use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_cdc::events::row_events::mysql_value::MySqlValue;
use mysql_cdc::events::row_events::row_data::RowData;
use serde_json::{json, Map, Value};

pub fn base64(bytes: &[u8]) -> Value {
    json!({"base64": STANDARD.encode(bytes)})
}

/// Returns the values of a row by column number: those of the columns that are present.
pub fn image(row: &RowData, present: &[bool]) -> Value {
    let columns = row.cells.iter().enumerate().filter(|(column, _)| present[*column]);
    let values = columns.map(|(column, value)| (column.to_string(), value.as_ref().map_or(Value::Null, noted)));
    Value::Object(values.collect::<Map<_, _>>())
}

fn noted(value: &MySqlValue) -> Value {
    match value {
        MySqlValue::TinyInt(number) => json!(number),
        MySqlValue::SmallInt(number) => json!(number),
        MySqlValue::MediumInt(number) | MySqlValue::Int(number) | MySqlValue::Enum(number) => json!(number),
        MySqlValue::BigInt(number) | MySqlValue::Set(number) => json!(number),
        MySqlValue::Float(number) if number.is_finite() => json!(number),
        MySqlValue::Float(number) => json!(number.to_string()), // JSON has no infinity.
        MySqlValue::Double(number) if number.is_finite() => json!(number),
        MySqlValue::Double(number) => json!(number.to_string()),
        MySqlValue::Decimal(text) | MySqlValue::String(text) => json!(text),
        // The first element is the highest bit.
        MySqlValue::Bit(bits) => json!(bits.iter().fold(0u64, |number, bit| number << 1 | u64::from(*bit))),
        MySqlValue::Blob(raw) => base64(raw),
        MySqlValue::Year(year) => json!(year),
        MySqlValue::Date(day) => json!(format!("{:04}-{:02}-{:02}", day.year, day.month, day.day)),
        MySqlValue::Time(time) => {
            json!(format!("{:02}:{:02}:{:02}.{:03}", time.hour, time.minute, time.second, time.millis))
        }
        MySqlValue::DateTime(time) => json!(format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
            time.year, time.month, time.day, time.hour, time.minute, time.second, time.millis
        )),
        MySqlValue::Timestamp(millis) => json!(format!("{}.{:03}", millis / 1000, millis % 1000)),
    }
}
