"""The layout of an event, by its type and the post-header length that the format description declares."""

from collections.abc import Mapping
from typing import Final

from conformance.binlog.event_types import PRE_GA_ROWS, EventType
from conformance.binlog.layout import Layout
from conformance.binlog.layouts import row_layouts, statement_layouts
from conformance.binlog.layouts.gtid_layouts import LOGICAL_TIMESTAMP_TYPECODE
from conformance.binlog.layouts.log_layouts import OPAQUE

__all__ = ["FIXED_LENGTHS", "KEPT_AS_BYTES", "LOGICAL_TIMESTAMP_TYPECODE", "OPAQUE", "layout_of"]

#: Types that are kept as bytes.
KEPT_AS_BYTES: Final = frozenset(each for each in EventType if each.layout is OPAQUE)

_LAYOUTS: Final[Mapping[int, Layout]] = {int(each): each.layout for each in EventType}

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
_PRE_GA: Final[Mapping[int, Layout]] = dict.fromkeys(PRE_GA_ROWS, row_layouts.ROWS_V1)
#: Declared post-header length -> the layouts of the types that it changes.
_OF_LENGTH: Final[Mapping[int, Mapping[int, Layout]]] = {
    6: _SHORT_TABLE_ID,
    8: _PRE_GA,
    statement_layouts.EXTENDED_QUERY_POST_HEADER: {EventType.QUERY: statement_layouts.EXTENDED_QUERY},
}

#: Types whose body has the same length in every log -> that length in bytes.
FIXED_LENGTHS: Final[Mapping[int, int]] = {
    EventType.XID: 8,
    EventType.STOP: 0,
    EventType.INTVAR: 9,
    EventType.RAND: 16,
}


def layout_of(type_code: int, post_header_length: int) -> Layout:
    """Return the layout of an event type under a declared post-header length; `OPAQUE` for an unknown type."""
    if post_header_length in _OF_LENGTH and type_code in _OF_LENGTH[post_header_length]:
        return _OF_LENGTH[post_header_length][type_code]
    return _LAYOUTS.get(type_code, OPAQUE)
