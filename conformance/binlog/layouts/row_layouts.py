"""Layouts of row-based logging: Table_map and the rows events of all versions.

What the row images hold is read by `conformance.binlog.rows.images`, with the columns that the Table_map describes.
"""

from dataclasses import replace
from typing import Final

from conformance.binlog.codecs import U16, U32, U48, Bytes, Counted, Packed, Rest
from conformance.binlog.layout import Field, Layout

_TABLE_FLAGS: Final = Field("table_flags", U16)
_TABLE_BODY: Final = (
    Field("database", Counted(Packed(), nul=True)),
    Field("table", Counted(Packed(), nul=True)),
    Field("column_count", Packed(), derive=lambda values: len(values["column_types"])),
    Field("column_types", Bytes(lambda values: values["column_count"])),
)
_TABLE_BODY_REST: Final = (
    Field("column_metadata", Counted(Packed())),
    Field("null_bits", Bytes(lambda values: (values["column_count"] + 7) // 8)),
    Field("optional_metadata", Rest()),
)
TABLE_MAP: Final = Layout(post_header=(Field("table_id", U48), _TABLE_FLAGS), body=_TABLE_BODY + _TABLE_BODY_REST)
#: For alphas that declare 6 bytes: the table id has 4, and there is no column metadata yet.
TABLE_MAP_SHORT: Final = Layout(
    post_header=(Field("table_id", U32), _TABLE_FLAGS),
    body=(*_TABLE_BODY, *(replace(each, optional=True) for each in _TABLE_BODY_REST)),
)

_BITMAP: Final = Bytes(lambda values: (values["column_count"] + 7) // 8)
_ROWS: Final = Field("row_data", Rest())
#: Which columns the images hold: a writer may omit both and supply them with `row_data`.
_COLUMNS: Final = (
    Field("column_count", Packed(), joined=True),
    Field("columns_present", _BITMAP, joined=True),
)
#: An update has a second bitmap, for the images after the change.
_UPDATED_COLUMNS: Final = (*_COLUMNS, Field("columns_present_after", _BITMAP, joined=True))

_V1_HEAD: Final = (Field("table_id", U48), Field("rows_flags", U16))
_SHORT_HEAD: Final = (Field("table_id", U32), Field("rows_flags", U16))
_V2_HEAD: Final = (
    *_V1_HEAD,
    Field("extra_data_length", U16, derive=lambda values: 2 + len(values.get("extra_data", b""))),
)
_EXTRA_DATA: Final = Field(
    "extra_data",
    Bytes(lambda values: max(values["extra_data_length"] - 2, 0)),
    derive=lambda values: b"",
)
#: MariaDB's rows events with the images compressed; see `conformance.binlog.mariadb_compression`.
_COMPRESSED_ROWS: Final = Field("compressed_rows", Rest())

ROWS_SHORT: Final = Layout(post_header=_SHORT_HEAD, body=(*_COLUMNS, _ROWS))
UPDATE_ROWS_SHORT: Final = Layout(post_header=_SHORT_HEAD, body=(*_UPDATED_COLUMNS, _ROWS))
ROWS_V1: Final = Layout(post_header=_V1_HEAD, body=(*_COLUMNS, _ROWS))
UPDATE_ROWS_V1: Final = Layout(post_header=_V1_HEAD, body=(*_UPDATED_COLUMNS, _ROWS))
ROWS_V2: Final = Layout(post_header=_V2_HEAD, body=(_EXTRA_DATA, *_COLUMNS, _ROWS))
UPDATE_ROWS_V2: Final = Layout(post_header=_V2_HEAD, body=(_EXTRA_DATA, *_UPDATED_COLUMNS, _ROWS))
ROWS_COMPRESSED_V1: Final = Layout(post_header=_V1_HEAD, body=(*_COLUMNS, _COMPRESSED_ROWS))
UPDATE_ROWS_COMPRESSED_V1: Final = Layout(post_header=_V1_HEAD, body=(*_UPDATED_COLUMNS, _COMPRESSED_ROWS))
ROWS_COMPRESSED: Final = Layout(post_header=_V2_HEAD, body=(_EXTRA_DATA, *_COLUMNS, _COMPRESSED_ROWS))
UPDATE_ROWS_COMPRESSED: Final = Layout(post_header=_V2_HEAD, body=(_EXTRA_DATA, *_UPDATED_COLUMNS, _COMPRESSED_ROWS))
