"""The table of layouts: what each event type holds.

Sources: the layouts that MySQL 5.0 to 9.7 and MariaDB 10/11 write, checked against files of those servers.
An event type without an entry is kept as bytes.
"""

from collections.abc import Mapping
from typing import Final

from conformance.binlog.codecs import U8, U16, U32, U64, Bytes, Counted, Packed, Padded, Rest
from conformance.binlog.event_types import EventType
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import Field, Layout
from conformance.binlog.layouts import (
    group_layouts,
    gtid_layouts,
    mariadb_layouts,
    old_layouts,
    row_layouts,
    statement_layouts,
)
from conformance.binlog.layouts.gtid_layouts import LOGICAL_TIMESTAMP_TYPECODE

__all__ = ["LOGICAL_TIMESTAMP_TYPECODE", "OPAQUE", "layout_of"]

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

_START_V3: Final = Layout(
    post_header=(Field("binlog_version", U16), Field("server_version", Padded(50)), Field("created", U32))
)

_HEARTBEAT_V2: Final = Layout(
    block=Keyed(
        {1: Field("log_name", Rest()), 2: Field("log_position", Packed())},
        key=Packed(),
        length=Packed(),
        end_key=0,
    )
)

#: Every server declares a wrong post-header length for this type: the type code.
_TRANSACTION_PAYLOAD: Final = Layout(
    block=Keyed(
        {
            1: Field("payload_size", Packed()),
            2: Field("compression_type", Packed()),
            3: Field("uncompressed_size", Packed()),
        },
        key=Packed(),
        length=Packed(),
        end_key=0,
    ),
    body=(Field("payload", Rest()),),
    honours_post_header=False,
)

_XA_PREPARE: Final = Layout(
    body=(
        Field("one_phase", U8),
        Field("xa_format_id", U32),
        Field("xa_gtrid_length", U32),
        Field("xa_bqual_length", U32),
        Field("xa_data", Bytes(lambda values: values["xa_gtrid_length"] + values["xa_bqual_length"])),
    )
)

_LARGE_TRANSACTION_HEADER: Final = Layout(
    body=(
        Field("header_version", U8),
        Field("terminating_offset", U64),
        Field("terminating_type", U8),
        Field("fill", Rest(), derive=lambda values: b""),
    )
)

_LAYOUTS: Final[Mapping[int, Layout]] = {
    EventType.START_V3: _START_V3,
    EventType.QUERY: statement_layouts.QUERY,
    EventType.STOP: Layout(),
    EventType.ROTATE: Layout(post_header=(Field("next_position", U64),), body=(Field("next_file", Rest()),)),
    EventType.INTVAR: statement_layouts.INTVAR,
    EventType.LOAD: old_layouts.LOAD,
    EventType.CREATE_FILE: old_layouts.CREATE_FILE,
    EventType.APPEND_BLOCK: statement_layouts.LOAD_BLOCK,
    EventType.EXEC_LOAD: statement_layouts.LOAD_FILE,
    EventType.DELETE_FILE: statement_layouts.LOAD_FILE,
    EventType.NEW_LOAD: old_layouts.NEW_LOAD,
    EventType.RAND: statement_layouts.RAND,
    EventType.USER_VAR: statement_layouts.USER_VAR,
    EventType.FORMAT_DESCRIPTION: _FORMAT_DESCRIPTION,
    EventType.XID: Layout(body=(Field("xid", U64),)),
    EventType.BEGIN_LOAD_QUERY: statement_layouts.LOAD_BLOCK,
    EventType.EXECUTE_LOAD_QUERY: statement_layouts.EXECUTE_LOAD_QUERY,
    EventType.TABLE_MAP: row_layouts.TABLE_MAP,
    EventType.WRITE_ROWS_V1: row_layouts.ROWS_V1,
    EventType.UPDATE_ROWS_V1: row_layouts.UPDATE_ROWS_V1,
    EventType.DELETE_ROWS_V1: row_layouts.ROWS_V1,
    EventType.INCIDENT: Layout(post_header=(Field("incident", U16),), body=(Field("message", Counted(U8)),)),
    EventType.HEARTBEAT: Layout(body=(Field("log_name", Rest()),)),
    EventType.IGNORABLE: Layout(body=(Field("body", Rest()),)),
    EventType.ROWS_QUERY: Layout(
        body=(
            Field("length_byte", U8, derive=lambda values: len(values["rows_query"]) & 0xFF),
            Field("rows_query", Rest()),
        )
    ),
    EventType.WRITE_ROWS: row_layouts.ROWS_V2,
    EventType.UPDATE_ROWS: row_layouts.UPDATE_ROWS_V2,
    EventType.DELETE_ROWS: row_layouts.ROWS_V2,
    EventType.GTID: gtid_layouts.GTID,
    EventType.ANONYMOUS_GTID: gtid_layouts.GTID,
    EventType.PREVIOUS_GTIDS: gtid_layouts.PREVIOUS_GTIDS,
    EventType.TRANSACTION_CONTEXT: group_layouts.TRANSACTION_CONTEXT,
    EventType.VIEW_CHANGE: group_layouts.VIEW_CHANGE,
    EventType.XA_PREPARE: _XA_PREPARE,
    EventType.PARTIAL_UPDATE_ROWS: row_layouts.UPDATE_ROWS_V2,
    EventType.TRANSACTION_PAYLOAD: _TRANSACTION_PAYLOAD,
    EventType.HEARTBEAT_V2: _HEARTBEAT_V2,
    EventType.GTID_TAGGED: gtid_layouts.GTID_TAGGED,
    EventType.LARGE_TRANSACTION_HEADER: _LARGE_TRANSACTION_HEADER,
    EventType.MARIADB_ANNOTATE_ROWS: mariadb_layouts.ANNOTATE_ROWS,
    EventType.MARIADB_BINLOG_CHECKPOINT: mariadb_layouts.BINLOG_CHECKPOINT,
    EventType.MARIADB_GTID: mariadb_layouts.GTID,
    EventType.MARIADB_GTID_LIST: mariadb_layouts.GTID_LIST,
    EventType.MARIADB_START_ENCRYPTION: mariadb_layouts.START_ENCRYPTION,
    EventType.MARIADB_QUERY_COMPRESSED: statement_layouts.MARIADB_QUERY_COMPRESSED,
    EventType.MARIADB_WRITE_ROWS_COMPRESSED_V1: row_layouts.ROWS_COMPRESSED_V1,
    EventType.MARIADB_UPDATE_ROWS_COMPRESSED_V1: row_layouts.UPDATE_ROWS_COMPRESSED_V1,
    EventType.MARIADB_DELETE_ROWS_COMPRESSED_V1: row_layouts.ROWS_COMPRESSED_V1,
    EventType.MARIADB_WRITE_ROWS_COMPRESSED: row_layouts.ROWS_COMPRESSED,
    EventType.MARIADB_UPDATE_ROWS_COMPRESSED: row_layouts.UPDATE_ROWS_COMPRESSED,
    EventType.MARIADB_DELETE_ROWS_COMPRESSED: row_layouts.ROWS_COMPRESSED,
    EventType.MARIADB_PARTIAL_ROW_DATA: mariadb_layouts.PARTIAL_ROW_DATA,
}

#: Types whose table id has 4 bytes if the format description declares a post-header of 6.
_SHORT_TABLE_ID: Final[Mapping[int, Layout]] = {
    EventType.TABLE_MAP: row_layouts.TABLE_MAP_SHORT,
    EventType.PRE_GA_WRITE_ROWS: row_layouts.ROWS_SHORT,
    EventType.PRE_GA_UPDATE_ROWS: row_layouts.ROWS_SHORT,
    EventType.PRE_GA_DELETE_ROWS: row_layouts.ROWS_SHORT,
    EventType.WRITE_ROWS_V1: row_layouts.ROWS_SHORT,
    EventType.UPDATE_ROWS_V1: row_layouts.UPDATE_ROWS_SHORT,
    EventType.DELETE_ROWS_V1: row_layouts.ROWS_SHORT,
}
#: Rows events of the 5.1 betas, which declare a post-header for them: 5.1 itself declares none.
_PRE_GA: Final[Mapping[int, Layout]] = {
    EventType.PRE_GA_WRITE_ROWS: row_layouts.ROWS_V1,
    EventType.PRE_GA_UPDATE_ROWS: row_layouts.ROWS_V1,
    EventType.PRE_GA_DELETE_ROWS: row_layouts.ROWS_V1,
}
#: Declared post-header length -> the layouts of the types that it changes.
_OF_LENGTH: Final[Mapping[int, Mapping[int, Layout]]] = {
    6: _SHORT_TABLE_ID,
    8: _PRE_GA,
    statement_layouts.EXTENDED_QUERY_POST_HEADER: {EventType.QUERY: statement_layouts.EXTENDED_QUERY},
}

#: An event that is kept as bytes.
OPAQUE: Final = Layout(body=(Field("body", Rest()),), honours_post_header=False)


def layout_of(type_code: int, post_header_length: int) -> Layout:
    """Return the layout of an event type under a declared post-header length; `OPAQUE` for an unknown type."""
    if post_header_length in _OF_LENGTH and type_code in _OF_LENGTH[post_header_length]:
        return _OF_LENGTH[post_header_length][type_code]
    return _LAYOUTS.get(type_code, OPAQUE)
