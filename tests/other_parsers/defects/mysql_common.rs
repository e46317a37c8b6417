//! Defects for a copy of mysql_common, which calls this module: the one that the environment variable DEFECT names.
use crate::{
    binlog::{
        consts::{
            BinlogChecksumAlg, BinlogVersion, EventType, IncidentType, IntvarEventType, LoadDuplicateHandling,
            TransactionPayloadCompressionType,
        },
        events::{BinlogEventFooter, BinlogEventHeader, EventData, FormatDescriptionEvent, XidEvent},
        value::BinlogValue,
    },
    constants::{ColumnType, ItemResult},
    misc::raw::{int::LeU64, RawInt},
    value::Value,
};
use std::borrow::Cow;

pub fn is(name: &str) -> bool {
    std::env::var("DEFECT").is_ok_and(|defect| defect == name)
}

/// Returns a value, another one with the defect of this name.
pub fn other<T: Other>(name: &str, value: T) -> T {
    if is(name) { value.other() } else { value }
}

/// Another value of the same type.
pub trait Other {
    fn other(self) -> Self;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Other for $number {
            fn other(self) -> Self {
                self ^ 1
            }
        }
    )*};
}
numbers!(u8 u16 u32 u64);

impl Other for RawInt<LeU64> {
    fn other(self) -> Self {
        RawInt::new(self.0 ^ 1)
    }
}

impl Other for Cow<'_, str> {
    fn other(self) -> Self {
        Cow::Owned(format!("{self}x"))
    }
}

impl Other for &[u8] {
    fn other(self) -> Self {
        [self, b"x"].concat().leak()
    }
}

macro_rules! constants {
    ($($kind:ident: $one:ident $two:ident,)*) => {$(
        impl Other for $kind {
            fn other(self) -> Self {
                if self == $kind::$one { $kind::$two } else { $kind::$one }
            }
        }
    )*};
}
constants! {
    BinlogVersion: Version4 Version3,
    IntvarEventType: INSERT_ID_EVENT LAST_INSERT_ID_EVENT,
    LoadDuplicateHandling: LOAD_DUP_ERROR LOAD_DUP_IGNORE,
    TransactionPayloadCompressionType: ZSTD NONE,
    IncidentType: INCIDENT_LOST_EVENTS INCIDENT_NONE,
    ItemResult: STRING_RESULT INT_RESULT,
    BinlogChecksumAlg: BINLOG_CHECKSUM_ALG_OFF BINLOG_CHECKSUM_ALG_CRC32,
}

impl<T: Other, E> Other for Result<T, E> {
    fn other(self) -> Self {
        self.map(T::other)
    }
}

/// The code of a type: that of a Stop event, which has no fields to miss, in the place of a Query event's.
pub fn code(code: u8) -> u8 {
    let is_query = code == EventType::QUERY_EVENT as u8;
    if is("type") && is_query { EventType::STOP_EVENT as u8 } else { code }
}

/// Returns whether an event is lost.
pub fn loses_event(header: BinlogEventHeader) -> bool {
    is("offset") && header.event_type_raw() == EventType::XID_EVENT as u8
}

pub fn xid(event: XidEvent) -> EventData<'static> {
    if is("crash") {
        panic!("a defect of the library");
    } else if is("handled") {
        return EventData::UnknownEvent;
    }
    EventData::XidEvent(XidEvent { xid: other("xid", event.xid) })
}

pub fn footer(event: FormatDescriptionEvent<'_>) -> FormatDescriptionEvent<'_> {
    match event.footer().get_checksum_alg() {
        Ok(algorithm) if is("checksum_algorithm") => {
            let known = algorithm.unwrap_or(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_OFF);
            event.with_footer(BinlogEventFooter::new(known.other()))
        }
        _ => event,
    }
}

/// Returns whether the rows of an event are lost.
pub fn loses_rows(kind: EventType) -> bool {
    match kind {
        EventType::WRITE_ROWS_EVENT => is("rows"),
        EventType::UPDATE_ROWS_EVENT => is("rows: no update"),
        EventType::DELETE_ROWS_EVENT => is("rows: no delete"),
        _ => false,
    }
}

/// A value of a column: another one with the defect that is named after the type of the column.
pub fn cell(kind: ColumnType, value: BinlogValue<'static>) -> BinlogValue<'static> {
    let kind = format!("{kind:?}");
    if !is(&format!("rows: {}", kind.trim_start_matches("MYSQL_TYPE_"))) {
        return value;
    }
    match value {
        BinlogValue::Value(value) => BinlogValue::Value(value.other()),
        BinlogValue::Jsonb(_) => BinlogValue::Value(Value::Int(7)),
        BinlogValue::JsonDiff(_) => BinlogValue::JsonDiff(Vec::new()),
    }
}

impl Other for Value {
    fn other(self) -> Self {
        match self {
            Self::NULL => Self::NULL,
            Self::Bytes(mut bytes) => {
                bytes.push(b'7');
                Self::Bytes(bytes)
            }
            Self::Int(number) => Self::Int(number ^ 1),
            Self::UInt(number) => Self::UInt(number ^ 1),
            Self::Float(number) => Self::Float(-number - 1.0),
            Self::Double(number) => Self::Double(-number - 1.0),
            Self::Date(year, month, day, hour, minute, second, micros) => {
                Self::Date(year, month, day ^ 1, hour, minute, second, micros)
            }
            Self::Time(negative, days, hours, minutes, seconds, micros) => {
                Self::Time(negative, days, hours, minutes, seconds ^ 1, micros)
            }
        }
    }
}
