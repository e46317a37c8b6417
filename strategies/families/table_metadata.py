"""Rows of tables whose Table_map has every kind of optional metadata, and rows events with every kind of extra data."""

from collections.abc import Sequence
from typing import Any, Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.table import Column
from conformance.binlog.servers import WITH_PARTITION_IDS, WITH_TABLE_METADATA
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import UTF8MB4, ColumnKind, kind_of
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.notation import Value, shown_bytes
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Tables of a number without a sign, a text, an ENUM and a SET, so many times.
_REPEATS: Final = choices("columns of each type", (1, 2, 3))
#: What follows is written with `binlog_row_metadata` FULL alone.
_METADATA: Final = Dimension("binlog_row_metadata", {"FULL": True, "MINIMAL": False})
_FULL: Final = {_METADATA.name: ("FULL",)}
_KEY: Final = choices(
    "primary key", ("none", "first column", "last column", "all columns", "part of a text", "texts in part"), when=_FULL
)
_VISIBLE: Final = choices("invisible columns", ("none", "first", "last", "all but one"), when=_FULL)
_NAMES: Final = Dimension(
    "column names", {"short": "c", "of 64 characters": "n" * 60, "of other characters": "列ä\U0001f600`"}, when=_FULL
)
_LABELS: Final = Dimension(
    "labels",
    {
        "two": (b"a", b"b"),
        "one": (b"only",),
        "empty, and with commas and quotes": (b"", b"a,b", b"it's", b'"\\'),
        "of 250 and 251 bytes": (b"l" * 250, b"m" * 251, b"n"),
        "of other characters": ("日本".encode(), "\U0001f600".encode()),
    },
    when=_FULL,
)


@family(
    focus="FORMAT-ROWS-IMAGES",
    profiles=WITH_TABLE_METADATA,
    dimensions=(_METADATA, _KEY, _VISIBLE, _NAMES, _LABELS, _REPEATS),
)
def tables_with_metadata(stream: StreamBuilder) -> None:
    """A row of a table whose metadata names columns, labels, keys and invisible columns."""
    full, repeats = stream.vary(_METADATA), stream.vary(_REPEATS)
    labels = stream.vary(_LABELS) if full else (b"a", b"b")
    columns, row = _columns(labels, repeats)
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, map(_kind, columns))
    table_map = row_events.table_map(stream, rows, full=full, more=_entries(stream, len(columns)) if full else None)
    write = row_events.row_of(stream, rows, "write", after=row)
    planned = [mysql_events.query(stream, "BEGIN"), table_map, write, mysql_events.xid(stream)]
    groups.add_group(stream, planned, anonymous=True)
    groups.end_log(stream)


def _columns(labels: tuple[bytes, ...], repeats: int) -> tuple[list[Column], list[Value]]:
    """Return the columns of a table and the values of a row."""
    last = len(labels)
    # A member of a SET has no comma.
    members = tuple(each.replace(b",", b";") for each in labels)
    columns = [
        Column(ColumnType.LONG, unsigned=True),
        Column(ColumnType.VARCHAR, 400, collation=UTF8MB4),
        Column(ColumnType.ENUM, ColumnType.ENUM << 8 | 1, labels=labels, collation=UTF8MB4),
        Column(ColumnType.SET, ColumnType.SET << 8 | 1, labels=members, collation=UTF8MB4),
    ]
    text = "tëxt".encode()
    values = [Value(2**32 - 1, 2**32 - 1), Value(text, shown_bytes(text)), Value(last, last), Value(1, 1)]
    return columns * repeats, values * repeats


def _kind(column: Column) -> ColumnKind:
    return kind_of(ColumnType(column.type))._replace(column=lambda stream: column)


def _entries(stream: StreamBuilder, count: int) -> dict[str, Any]:
    """Return the entries of the metadata that a row of the covering array has."""
    key, invisible, name = stream.vary(_KEY), stream.vary(_VISIBLE), stream.vary(_NAMES)
    texts = [{"column": at, "prefix": 10} for at in range(count) if at % 4 == 1]
    hidden = {"none": (), "first": (0,), "last": (count - 1,), "all but one": range(1, count)}[invisible]
    keys: dict[str, Sequence[Any]] = {
        "none": (),
        "first column": (0,),
        "last column": (count - 1,),
        "all columns": range(count),
        "part of a text": [{"column": 0, "prefix": 0}, texts[0]],
        "texts in part": texts,
    }
    entry = "primary_key_prefixes" if keys[key] and isinstance(keys[key][0], dict) else "primary_key"
    return {
        "column_names": [f"{name}{at}".encode() for at in range(count)],
        entry: keys[key],
        "visible": [at not in hidden for at in range(count)],
    }


_SIZE: Final = choices("bytes of NDB's data", (0, 1, 64, 250, 253))
_PARTS: Final = choices("parts", ("NDB", "partition", "NDB, partition"))
_OPERATION: Final = choices("operation", row_events.OPERATIONS)


@family(focus="FORMAT-ROWS-EXTRA-DATA", profiles=WITH_PARTITION_IDS, dimensions=(_PARTS, _SIZE, _OPERATION))
def rows_with_extra_data(stream: StreamBuilder) -> None:
    """A rows event with extra data of NDB, of a partitioned table, or of both."""
    parts, size, operation = stream.vary(_PARTS), stream.vary(_SIZE), stream.vary(_OPERATION)
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, [kind_of(ColumnType.LONG)])
    partition = {"partition_id": 258} | ({"source_partition_id": 3} if operation == "update" else {})
    extra: dict[str, Any] = {"ndb": {"format": 0, "data": b"\xee" * size}} if "NDB" in parts else {}
    extra |= {"partition": partition} if "partition" in parts else {}
    before, after = [Value(1, 1)], [Value(2, 2)]
    images = {"write": {"after": after}, "delete": {"before": before}, "update": {"before": before, "after": after}}
    groups.add_rows(stream, rows, lambda: row_events.row_of(stream, rows, operation, **images[operation], extra=extra))
    groups.end_log(stream)
