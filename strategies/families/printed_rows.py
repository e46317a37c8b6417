"""Rows to be printed: images that lack columns, and statements that change rows of several tables (WL#4033)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import kind_of
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.notation import Value
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_COLUMNS: Final = choices("columns", (2, 8, 9, 17))
#: Which columns an image holds, as the columns that a statement gives do where binlog_row_image is MINIMAL.
_HELD: Final = Dimension[Callable[[int, int], bool]](
    "columns of the image",
    {
        "all": lambda column, count: True,
        "all but the first": lambda column, count: column > 0,
        "all but the last": lambda column, count: column < count - 1,
        "the first": lambda column, count: column == 0,
        "the last": lambda column, count: column == count - 1,
        "every second": lambda column, count: column % 2 == 1,
    },
)
_NULLS: Final = choices("columns that are NULL", ("none", "the first of the image", "the last of the image", "all"))
#: Of the tables of a statement, the places of those that its rows events change, one after the other.
_TABLES: Final = Dimension(
    "tables of the statement",
    {
        "one": (1, (0,)),
        "two": (2, (0, 1)),
        "two, in the other order": (2, (1, 0)),
        "two, the first again": (2, (0, 1, 0)),
        "three": (3, (0, 1, 2)),
        "four": (4, (3, 0, 2, 1)),
        "one, by many events": (1, (0,) * 9),
    },
)
#: What the rows events do, in turn: one statement may insert rows and change others (ON DUPLICATE KEY UPDATE).
_KINDS: Final = Dimension[Sequence[row_events.Operation]](
    "rows events",
    {
        "write": ("write",),
        "update": ("update",),
        "delete": ("delete",),
        "write, then update": ("write", "update"),
        "delete, then write": ("delete", "write"),
        "all three": ("update", "delete", "write"),
    },
)
_VERBOSE: Final = choices("verbose", (2, 1, 0))
_ROWS: Final = choices("rows of an event", (1, 2, 3))
_IN_BASE64: Final = choices("base64 output", ("decode-rows", "auto"))
_NOT_NULL: Final = yes_or_no("every third column is NOT NULL")
#: The number of a partition, and of an update that before it, comes before the rows of a partitioned table.
_EXTRA: Final = yes_or_no("extra data before the rows")
#: A server that is started again numbers its tables from the beginning.
_SECOND_LOG: Final = yes_or_no("a second log whose tables have the numbers of others")
#: A program holds the rows of a statement until its last ones, with what comes between them.
_UNKNOWN: Final = yes_or_no("an unknown ignorable event before the last rows")
_CODE: Final = UNASSIGNED[0]


@family(
    focus="WL4033-GOLDEN-TEXT-PSEUDO-SQL",
    profiles=Profiles("worklog"),
    dimensions=(
        *(_COLUMNS, _HELD, _NULLS, _NOT_NULL, _TABLES, _KINDS, _ROWS, _EXTRA, _IN_BASE64, _VERBOSE, _SECOND_LOG),
        _UNKNOWN,
    ),
)
def printed_rows(stream: StreamBuilder) -> None:
    """Rows of images that lack columns, and of statements with several tables, as triggers make them, or events."""
    shown = {"verbose": stream.vary(_VERBOSE), "base64_output": stream.vary(_IN_BASE64)}
    stream.settings |= {"form": "mysqlbinlog", **shown}
    numbers = _add_log(stream)
    if stream.vary(_SECOND_LOG):
        second = StreamBuilder(stream.choose, stream.server, checksums=stream.checksummed)
        second.settings["form"] = stream.settings["form"]
        _add_log(second, numbers=numbers)
        stream.settings["next_logs"] = [second]


def _add_log(stream: StreamBuilder, *, numbers: Sequence[int] = ()) -> list[int]:
    """Add a log with one statement, and return the numbers of its tables: those given, as far as there are any."""
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, _CODE))
    columns, (count, changed) = stream.vary(_COLUMNS), stream.vary(_TABLES)
    # The tables of the second log are others than those of the first, sometimes with as many columns.
    columns += stream.choose.integer(0, 1) if numbers else 0
    tables = [row_events.table_of(stream, [kind_of(ColumnType.LONG)] * (columns + number)) for number in range(count)]
    if stream.vary(_NOT_NULL):
        tables = [_with_required(each) for each in tables]
    for place, number in enumerate(numbers[:count]):
        tables[place] = tables[place]._replace(table=replace(tables[place].table, table_id=number))
    begin = mysql_events.query(stream, "BEGIN", status_variables=b"")
    statement = [*_statement(stream, tables, changed)]
    if stream.vary(_UNKNOWN):
        statement.insert(-1, mysql_events.ignorable(stream, _CODE, stream.choose.octets(0, 40), flags=0))
    groups.add_group(stream, [begin, *statement, mysql_events.xid(stream)], anonymous=True)
    groups.end_log(stream)
    return [each.table.table_id for each in tables]


def _with_required(rows: row_events.RowTable) -> row_events.RowTable:
    """Return a table of which every third column is NOT NULL, the first among them: bytes of their bits differ."""
    columns = tuple(replace(each, nullable=at % 3 > 0) for at, each in enumerate(rows.table.columns))
    return rows._replace(table=replace(rows.table, columns=columns))


def _statement(
    stream: StreamBuilder, tables: Sequence[row_events.RowTable], changed: Sequence[int]
) -> Iterator[PlannedEvent]:
    """Yield the Table_map events of a statement and its rows events, those of the tables in the places of `changed`."""
    kinds = stream.vary(_KINDS)
    for table in tables:
        yield row_events.table_map(stream, table)
    # Each kind has its turn, also where there are fewer tables.
    places = changed if len(changed) >= len(kinds) else [*changed] * len(kinds)
    for number, place in enumerate(places):
        operation, last = kinds[number % len(kinds)], number == len(places) - 1
        yield _rows(stream, tables[place], operation, last=last)


def _rows(
    stream: StreamBuilder, table: row_events.RowTable, operation: row_events.Operation, *, last: bool
) -> PlannedEvent:
    """Return an event that writes, changes or deletes rows."""
    count, is_held = len(table.kinds), stream.vary(_HELD)
    held = [column for column in range(count) if is_held(column, count)]
    nulls = {"the first of the image": held[:1], "the last of the image": held[-1:], "all": held}
    empty = [at for at in nulls.get(stream.vary(_NULLS), []) if table.table.columns[at].nullable]
    names = {"write": ("after",), "delete": ("before",), "update": ("before", "after")}[operation]
    images = [{name: _image(stream, held, empty) for name in names} for _ in range(stream.vary(_ROWS))]
    extra = None
    if stream.vary(_EXTRA):
        ids = ("partition_id", "source_partition_id") if operation == "update" else ("partition_id",)
        extra = {"partition": {name: stream.choose.integer(0, 1023) for name in ids}}
    return row_events.rows_of(stream, table, operation, images, last=last, extra=extra)


def _image(stream: StreamBuilder, held: Sequence[int], empty: Sequence[int]) -> dict[int, Value]:
    """Return the values of an image by their columns, some of which are NULL."""
    numbers = {column: stream.choose.integer(-(1 << 31), (1 << 31) - 1) for column in held}
    return {at: Value(None, None) if at in empty else Value(number, number) for at, number in numbers.items()}
