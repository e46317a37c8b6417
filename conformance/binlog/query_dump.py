"""The annotated dump of an extended Query event, as WL#40 prints one in its section 2.

It follows the event's layout: each field is a row of a table here, with the worklog's word for it. As there, ``(*)``
marks what the extended format adds, ``(**)`` what it changes, ``(***)`` what means the default database.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.layout import Span
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.status_variables import STATUS_VARIABLES

_STARS: Final = "*" * 24
_RULE: Final = "-" * 24
#: Bytes on one line.
_BYTES: Final = 4
#: Columns of a line before its mark.
_WIDTH: Final = 48
#: Characters of a text that are shown.
_TEXT: Final = 160
_NEW, _CHANGED, _DEFAULT = "(*)", "(**)", "(***)"


def is_extended_query(event: Event) -> bool:
    """Return whether an event is a Query with tables info, which its format description alone decides."""
    is_query = event.recognised and event.header.type == EventType.QUERY
    return is_query and event.format.post_header_length(EventType.QUERY) == EXTENDED_QUERY_POST_HEADER


def query_dump_lines(event: Event) -> Iterator[str]:
    """Yield the annotated dump of an extended Query event; what cannot be read is shown at its end as bytes."""
    yield from (_STARS, f"{type_name(event.header.type)}_EVENT [{event.header.type}]", _STARS)
    section = _COMMON
    for span in event.spans():
        of_span = _SECTION_OF.get(span.name, _REST)
        if of_span is not section:
            yield _RULE
            if of_span.title:
                yield from (_with_mark(of_span.title, of_span.mark), _RULE)
            section = of_span
        at = event.offset + span.offset
        data = event.data[span.offset : span.offset + span.size]
        yield from _PARTS[span.name](at, data) if span.name in _PARTS else _field(at, data, span, section)
    yield _STARS


@dataclass(frozen=True, slots=True)
class _Row:
    """One field: its name in the layout, the worklog's word, how its value is shown, and its mark."""

    name: str
    word: str
    shown: Callable[[Any], str] = str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class _Section:
    """Fields between two rules; their words are as wide as the widest."""

    title: str
    rows: tuple[_Row, ...]
    mark: str = ""

    @property
    def width(self) -> int:
        return max((len(row.word) for row in self.rows), default=0)


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "backslashreplace")
    shown = "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)
    return f'"{shown}"' if len(shown) <= _TEXT else f'"{shown[:_TEXT]}..."'


def _flags(flags: int) -> str:
    named = [f"LOG_EVENT_{flag.name}_F" for flag in Flag if flags & flag]
    rest = flags & ~sum(Flag)
    return "|".join([*named, *([f"{rest:#06x}"] if rest else [])]) or "0"


_COMMON: Final = _Section(
    "",
    (
        _Row("timestamp", "time_when"),
        _Row("type", "event_type"),
        _Row("server_id", "server_id"),
        _Row("length", "event_len"),
        _Row("log_pos", "log_pos", lambda value: f"{value:08X}"),
        _Row("flags", "flags", _flags),
    ),
)
_POST_HEADER: Final = _Section(
    "",
    (
        _Row("thread_id", "proxy_id"),
        _Row("exec_time", "exec_time"),
        _Row("database_length", "dbase_len"),
        _Row("error_code", "error_code"),
        _Row("status_variables_length", "status_vars_len"),
        _Row("query_length", "query_len", mark=_NEW),
        _Row("tables_info_length", "tables_info_len", mark=_NEW),
    ),
)
_STATUS_VARIABLES: Final = _Section("Status Variables", (_Row("status_variables", ""),))
_STATEMENT: Final = _Section("", (_Row("database", "dbase", _text, _CHANGED), _Row("query", "query", _text)))
_TABLES: Final = _Section("Tables info", (_Row("tables_info", ""),), _NEW)
_REST: Final = _Section("", ())
_SECTION_OF: Final = {
    row.name: section
    for section in (_COMMON, _POST_HEADER, _STATUS_VARIABLES, _STATEMENT, _TABLES)
    for row in section.rows
}

#: Status variable -> its heading and the words for the parts of its value.
_VARIABLES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "flags2": ("FLAGS2", ()),
    "sql_mode": ("SQL_MODE", ()),
    "catalog": ("CATALOG_NZ", ("catalog_len", "catalog")),
    "charset": ("CHARSET_CODE", ("charset_client", "collation_connect", "collation_server")),
}


def _with_mark(line: str, mark: str) -> str:
    return f"{line:<{_WIDTH}}{mark}" if mark else line


def _lines(at: int, data: bytes, note: str, mark: str = "") -> Iterator[str]:
    """Yield the bytes at an offset, four to a line, the first of them with a note."""
    for start in range(0, max(len(data), 1), _BYTES):
        piece = data[start : start + _BYTES].hex(" ").upper()
        line = f"{at + start:08X} | {piece:<{3 * _BYTES - 1}} |"
        if start == 0:
            yield _with_mark(f"{line} {note}", mark)
        else:
            # The last line keeps the space that would precede a note.
            yield line if start + _BYTES < len(data) else f"{line} "


def _field(at: int, data: bytes, span: Span, section: _Section) -> Iterator[str]:
    row = next((row for row in section.rows if row.name == span.name), _Row(span.name, span.name))
    value = data.hex() if isinstance(span.value, bytes) and section is _REST else row.shown(span.value)
    width = section.width if section in (_COMMON, _POST_HEADER) else 0
    yield from _lines(at, data, f"{row.word:<{width}} = {value}", row.mark)


def _status_variables(at: int, data: bytes) -> Iterator[str]:
    spans: list[Span] = []
    try:
        after = STATUS_VARIABLES.read(data, 0, len(data), {}, spans)
    except MalformedBody:
        after = spans[-1].offset + spans[-1].size if spans else 0
    for span in spans:
        heading, words = _VARIABLES.get(span.name, (span.name.upper(), ()))
        value = data[span.offset + 1 : span.offset + span.size]
        yield from _lines(at + span.offset, data[span.offset : span.offset + 1], f"{heading}:")
        yield from _variable(at + span.offset + 1, value, span, words)
    if after < len(data):
        yield from _lines(at + after, data[after:], "not known")


def _variable(at: int, data: bytes, span: Span, words: tuple[str, ...]) -> Iterator[str]:
    if span.name == "catalog":
        yield from _lines(at, data[:1], f"{words[0]} = {data[0]}")
        if span.value:
            yield from _lines(at + 1, data[1:], f"{words[1]} = {_text(span.value)}")
    elif isinstance(span.value, dict) and len(words) == len(span.value):
        width = max(map(len, words))
        size = len(data) // len(words)
        for number, (word, value) in enumerate(zip(words, span.value.values(), strict=True)):
            start = number * size
            yield from _lines(at + start, data[start : start + size], f"{word:<{width}} = {value}")
    elif isinstance(span.value, int):
        yield from _lines(at, data, f"{span.value:#0{2 * len(data) + 2}x}")
    else:
        yield from _lines(at, data, _text(span.value) if isinstance(span.value, bytes) else str(span.value))


def _tables(at: int, data: bytes) -> Iterator[str]:
    start = 0
    while start < len(data):
        for word in ("dbase", "table"):
            size = data[start]
            mark = _DEFAULT if word == "dbase" and not size else ""
            yield from _lines(at + start, data[start : start + 1], f"{word}_len = {size}", mark)
            start += 1
            if size:
                name = data[start : start + size]
                yield from _lines(at + start, name, f"{word}_str = {_text(name)}")
                start += size


_PARTS: Final[Mapping[str, Callable[[int, bytes], Iterator[str]]]] = {
    "status_variables": _status_variables,
    "tables_info": _tables,
}
