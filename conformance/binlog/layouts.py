"""The table of layouts: what each event type holds.

Sources: the layouts that MySQL 5.0 to 9.7 and MariaDB 10/11 write, checked against files of those servers.
An event type without an entry is kept as bytes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.codecs import (
    I64,
    U8,
    U16,
    U32,
    U48,
    U64,
    Bytes,
    Counted,
    FlaggedInt,
    Gtids,
    Int,
    Packed,
    Padded,
    Rest,
)
from conformance.binlog.event_types import EventType
from conformance.binlog.layout import Field, Layout

#: The only typecode of logical timestamps; with any other one the rest of a Gtid body is not looked at.
LOGICAL_TIMESTAMP_TYPECODE: Final = 2


def _sized(name: str) -> Bytes:
    return Bytes(lambda values: values.get(f"{name}_length", 0))


def _length_of(name: str, codec: Int) -> Field:
    return Field(f"{name}_length", codec, derive=lambda values: len(values[name]))


def _has_logical_timestamps(values: Mapping[str, Any]) -> bool:
    return values.get("logical_timestamp_typecode") == LOGICAL_TIMESTAMP_TYPECODE


def _has(name: str) -> Any:
    return lambda values: values.get(f"has_{name}", name in values)


_FORMAT_DESCRIPTION: Final = Layout(
    body=(
        Field("binlog_version", U16),
        Field("server_version", Padded(50)),
        Field("created", U32),
        Field("header_length", U8),
        Field("post_header_lengths", Rest()),
    ),
    honours_post_header=False,
)

_QUERY: Final = Layout(
    post_header=(
        Field("thread_id", U32),
        Field("exec_time", U32),
        _length_of("database", U8),
        Field("error_code", U16),
        _length_of("status_variables", U16),
    ),
    body=(
        Field("status_variables", _sized("status_variables")),
        Field("database", _sized("database")),
        Field("database_end", U8, derive=lambda values: 0),
        Field("query", Rest()),
    ),
)

_GTID: Final = Layout(
    post_header=(
        Field("gtid_flags", U8),
        Field("source_uuid", Bytes(16)),
        Field("gno", I64),
        Field("logical_timestamp_typecode", U8, optional=True),
        Field("last_committed", I64, optional=True, when=_has_logical_timestamps),
        Field("sequence_number", I64, optional=True, when=_has_logical_timestamps),
    ),
    body=(
        Field(
            "immediate_commit_timestamp",
            FlaggedInt(7, "original_commit_timestamp"),
            optional=True,
            when=_has_logical_timestamps,
        ),
        Field("original_commit_timestamp", Int(7), when=_has("original_commit_timestamp"), optional=True),
        Field("transaction_length", Packed(), optional=True, when=_has_logical_timestamps),
        Field(
            "immediate_server_version",
            FlaggedInt(4, "original_server_version"),
            optional=True,
            when=_has_logical_timestamps,
        ),
        Field("original_server_version", U32, when=_has("original_server_version"), optional=True),
        Field("commit_group_ticket", U64, optional=True, when=_has_logical_timestamps),
    ),
)

_TABLE_MAP_BODY: Final = (
    Field("table_flags", U16),
    Field("database", Counted(Packed(), nul=True)),
    Field("table", Counted(Packed(), nul=True)),
    Field("column_count", Packed(), derive=lambda values: len(values["column_types"])),
    Field("column_types", Bytes(lambda values: values["column_count"])),
    Field("column_metadata", Counted(Packed())),
    Field("null_bits", Bytes(lambda values: (values["column_count"] + 7) // 8)),
    Field("optional_metadata", Rest()),
)
_TABLE_MAP: Final = Layout(post_header=(Field("table_id", U48), _TABLE_MAP_BODY[0]), body=_TABLE_MAP_BODY[1:])
#: Alphas that declare 6 bytes: the table id has 4, and column metadata came later.
_TABLE_MAP_SHORT: Final = Layout(
    post_header=(Field("table_id", U32), _TABLE_MAP_BODY[0]),
    body=(*_TABLE_MAP_BODY[1:5], *(replace(each, optional=True) for each in _TABLE_MAP_BODY[5:])),
)

_ROWS_V1: Final = Layout(
    post_header=(Field("table_id", U48), Field("rows_flags", U16)), body=(Field("row_data", Rest()),)
)
_ROWS_V1_SHORT: Final = Layout(
    post_header=(Field("table_id", U32), Field("rows_flags", U16)), body=(Field("row_data", Rest()),)
)
_ROWS_V2: Final = Layout(
    post_header=(
        Field("table_id", U48),
        Field("rows_flags", U16),
        Field("extra_data_length", U16, derive=lambda values: 2 + len(values.get("extra_data", b""))),
    ),
    body=(
        Field(
            "extra_data",
            Bytes(lambda values: max(values["extra_data_length"] - 2, 0)),
            derive=lambda values: b"",
        ),
        Field("row_data", Rest()),
    ),
)

_LAYOUTS: Final[Mapping[int, Layout]] = {
    EventType.QUERY: _QUERY,
    EventType.STOP: Layout(),
    EventType.ROTATE: Layout(post_header=(Field("next_position", U64),), body=(Field("next_file", Rest()),)),
    EventType.INTVAR: Layout(body=(Field("intvar_type", U8), Field("intvar_value", U64))),
    EventType.RAND: Layout(body=(Field("seed1", U64), Field("seed2", U64))),
    EventType.FORMAT_DESCRIPTION: _FORMAT_DESCRIPTION,
    EventType.XID: Layout(body=(Field("xid", U64),)),
    EventType.TABLE_MAP: _TABLE_MAP,
    EventType.WRITE_ROWS_V1: _ROWS_V1,
    EventType.UPDATE_ROWS_V1: _ROWS_V1,
    EventType.DELETE_ROWS_V1: _ROWS_V1,
    EventType.INCIDENT: Layout(post_header=(Field("incident", U16),), body=(Field("message", Counted(U8)),)),
    EventType.HEARTBEAT: Layout(body=(Field("log_name", Rest()),)),
    EventType.ROWS_QUERY: Layout(
        body=(
            Field("length_byte", U8, derive=lambda values: len(values["rows_query"]) & 0xFF),
            Field("rows_query", Rest()),
        )
    ),
    EventType.WRITE_ROWS: _ROWS_V2,
    EventType.UPDATE_ROWS: _ROWS_V2,
    EventType.DELETE_ROWS: _ROWS_V2,
    EventType.GTID: _GTID,
    EventType.ANONYMOUS_GTID: _GTID,
    EventType.PREVIOUS_GTIDS: Layout(body=(Field("previous_gtids", Gtids()),)),
}

#: Types whose table id has 4 bytes where the format description declares a post-header of 6.
_SHORT_TABLE_ID: Final[Mapping[int, Layout]] = {
    EventType.TABLE_MAP: _TABLE_MAP_SHORT,
    EventType.WRITE_ROWS_V1: _ROWS_V1_SHORT,
    EventType.UPDATE_ROWS_V1: _ROWS_V1_SHORT,
    EventType.DELETE_ROWS_V1: _ROWS_V1_SHORT,
}

#: An event that is kept as bytes.
OPAQUE: Final = Layout(body=(Field("body", Rest()),))


def layout_of(type_code: int, post_header_length: int) -> Layout:
    """Return the layout of an event type under a declared post-header length; `OPAQUE` for an unknown type."""
    if post_header_length == 6 and type_code in _SHORT_TABLE_ID:
        return _SHORT_TABLE_ID[type_code]
    return _LAYOUTS.get(type_code, OPAQUE)
