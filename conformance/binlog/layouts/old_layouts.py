"""Layouts of events that no server has written since MySQL 5.0.3: LOAD DATA as one event, with or without its file.

Sources: what mariadb-binlog 10.11, which still knows them, prints for such events; no real file with them is
available. A server from 5.1 on receives them only from a far older source. Slave events (type code 7), which no
released server wrote and no program here reads, are kept as bytes.
"""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.codecs import U8, U32, Bytes, Codec, Counted, Repeated, Rest, Terminated
from conformance.binlog.layout import Field, Layout


def _count(values: Mapping[str, Any]) -> int:
    return int(values["field_count"])


#: The post-header holds the lengths of the two names, although each also ends with a zero byte.
_LOAD_HEAD: Final = (
    Field("thread_id", U32),
    Field("exec_time", U32),
    Field("skipped_lines", U32),
    Field("table_length", U8, derive=lambda values: len(values["table"])),
    Field("database_length", U8, derive=lambda values: len(values["database"])),
    Field("field_count", U32, derive=lambda values: len(values["field_names"])),
)
_SEPARATORS: Final = (
    "fields_terminated_by",
    "fields_enclosed_by",
    "lines_terminated_by",
    "lines_starting_by",
    "escaped_by",
)


def _delimiters(codec: Codec) -> tuple[Field, ...]:
    return tuple(Field(name, codec) for name in _SEPARATORS)


#: A Load's separators are one character each, and a byte of flags marks those that are empty.
_OLD_SEPARATORS: Final = (*_delimiters(Bytes(1)), Field("load_options", U8), Field("empty_separators", U8))
_NEW_SEPARATORS: Final = (*_delimiters(Counted(U8)), Field("load_options", U8))
_LOAD_NAMES: Final = (
    Field("field_lengths", Bytes(_count), derive=lambda values: bytes(len(each) for each in values["field_names"])),
    Field("field_names", Repeated(Terminated(), _count)),
    Field("table", Terminated()),
    Field("database", Terminated()),
)

LOAD: Final = Layout(post_header=_LOAD_HEAD, body=(*_OLD_SEPARATORS, *_LOAD_NAMES, Field("file_name", Rest())))
NEW_LOAD: Final = Layout(post_header=_LOAD_HEAD, body=(*_NEW_SEPARATORS, *_LOAD_NAMES, Field("file_name", Rest())))
#: The declared post-header length is that of the file's number alone; the post-header of a Load comes before it.
CREATE_FILE: Final = Layout(
    body=(
        *_LOAD_HEAD,
        Field("file_id", U32),
        *_NEW_SEPARATORS,
        *_LOAD_NAMES,
        Field("file_name", Terminated()),
        Field("block_data", Rest()),
    ),
    honours_post_header=False,
)
