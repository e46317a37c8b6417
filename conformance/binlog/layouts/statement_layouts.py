"""Layouts of statement-based logging: Query, its context events, and LOAD DATA.

Sources: the layouts that MySQL 5.0 to 9.7 and MariaDB 10/11 write, checked against files of those servers.
"""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.codecs import U8, U16, U32, U64, Bytes, Counted, Rest
from conformance.binlog.layout import Field, Layout
from conformance.binlog.tables_info import TablesInfo, size_of


def _sized(name: str) -> Bytes:
    return Bytes(lambda values: values.get(f"{name}_length", 0))


def _length_of(name: str, codec: Any) -> Field:
    return Field(f"{name}_length", codec, derive=lambda values: len(values[name]))


def _is_not_null(values: Mapping[str, Any]) -> bool:
    return not values["is_null"]


_QUERY_HEAD: Final = (
    Field("thread_id", U32),
    Field("exec_time", U32),
    _length_of("database", U8),
    Field("error_code", U16),
    _length_of("status_variables", U16),
)
_QUERY_CONTEXT: Final = (
    Field("status_variables", _sized("status_variables")),
    Field("database", _sized("database")),
    Field("database_end", U8, derive=lambda values: 0),
)
_QUERY_BODY: Final = (*_QUERY_CONTEXT, Field("query", Rest()))

QUERY: Final = Layout(post_header=_QUERY_HEAD, body=_QUERY_BODY)

#: The post-header length in a format description that alone declares its Query events extended (WL#40).
EXTENDED_QUERY_POST_HEADER: Final = 17

#: The Query event with tables info (WL#40, sections 1 and 2): the statement has a length, and so has the
#: database name, which no zero byte follows.
EXTENDED_QUERY: Final = Layout(
    post_header=(
        *_QUERY_HEAD,
        _length_of("query", U16),
        Field("tables_info_length", U16, derive=lambda values: size_of(values["tables_info"])),
    ),
    body=(
        Field("status_variables", _sized("status_variables")),
        Field("database", _sized("database")),
        Field("query", _sized("query")),
        Field("tables_info", TablesInfo(lambda values: int(values["tables_info_length"]))),
    ),
    closed=True,
)

#: MariaDB's Query with the statement compressed; see `conformance.binlog.mariadb_compression`.
MARIADB_QUERY_COMPRESSED: Final = Layout(
    post_header=_QUERY_HEAD, body=(*_QUERY_CONTEXT, Field("compressed_query", Rest()))
)

#: A Query whose statement names a file between `file_name_start` and `file_name_end`, bytes from its start.
EXECUTE_LOAD_QUERY: Final = Layout(
    post_header=(
        *_QUERY_HEAD,
        Field("file_id", U32),
        Field("file_name_start", U32),
        Field("file_name_end", U32),
        Field("duplicate_handling", U8),
    ),
    body=_QUERY_BODY,
)

#: Begin_load_query and Append_block: a piece of the file that LOAD DATA read.
LOAD_BLOCK: Final = Layout(post_header=(Field("file_id", U32),), body=(Field("block_data", Rest()),))

#: Delete_file and Exec_load: only the file's number.
LOAD_FILE: Final = Layout(post_header=(Field("file_id", U32),))

INTVAR: Final = Layout(body=(Field("intvar_type", U8), Field("intvar_value", U64)))

RAND: Final = Layout(body=(Field("seed1", U64), Field("seed2", U64)))

USER_VAR: Final = Layout(
    body=(
        Field("variable_name", Counted(U32)),
        Field("is_null", U8, derive=lambda values: int("variable_value" not in values)),
        Field("variable_type", U8, when=_is_not_null),
        Field("variable_charset", U32, when=_is_not_null),
        Field("variable_value", Counted(U32), when=_is_not_null),
        # Servers from 5.6 on write it after integers only.
        Field("variable_flags", U8, when=_is_not_null, optional=True),
    )
)

ROWS_QUERY: Final = Layout(
    body=(
        Field("length_byte", U8, derive=lambda values: len(values["rows_query"]) & 0xFF),
        Field("rows_query", Rest()),
    )
)
