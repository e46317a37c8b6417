"""Rows to be printed: images that lack columns, and statements that change rows of several tables (WL#4033)."""

from collections.abc import Callable, Iterator
from typing import Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import kind_of
from conformance.strategies.grammar.dimension import Dimension, choices
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
_TABLES: Final = choices("tables of the statement", ("one", "two", "two, in the other order", "two, the first again"))
_ROWS: Final = choices("rows of an event", (1, 2, 3))
_IN_BASE64: Final = choices("base64 output", ("decode-rows", "auto"))


@family(
    focus="WL4033-GOLDEN-TEXT-PSEUDO-SQL",
    profiles=Profiles("worklog"),
    dimensions=(_COLUMNS, _HELD, _NULLS, _TABLES, _ROWS, _IN_BASE64),
)
def printed_rows(stream: StreamBuilder) -> None:
    """Rows as comments: of images that lack columns, and of statements with several tables, as triggers make them."""
    stream.settings |= {"form": "mysqlbinlog", "verbose": 2, "base64_output": stream.vary(_IN_BASE64)}
    groups.begin_plain_log(stream)
    events = [mysql_events.query(stream, "BEGIN", status_variables=b""), *_statement(stream), mysql_events.xid(stream)]
    groups.add_group(stream, events, anonymous=True)
    groups.end_log(stream)


def _statement(stream: StreamBuilder) -> Iterator[PlannedEvent]:
    """Yield the Table_map events of a statement and its rows events."""
    count, order = stream.vary(_COLUMNS), stream.vary(_TABLES)
    tables = [row_events.table_of(stream, [kind_of(ColumnType.LONG)] * count)]
    if order != "one":
        tables.append(row_events.table_of(stream, [kind_of(ColumnType.LONG)] * (count + 1)))
    for table in tables:
        yield row_events.table_map(stream, table)
    written = {"two, in the other order": tables[::-1], "two, the first again": [*tables, tables[0]]}.get(order, tables)
    for number, table in enumerate(written, 1):
        yield _rows(stream, table, last=number == len(written))


def _rows(stream: StreamBuilder, table: row_events.RowTable, *, last: bool) -> PlannedEvent:
    """Return an event that writes rows."""
    count, is_held = len(table.kinds), stream.vary(_HELD)
    held = [column for column in range(count) if is_held(column, count)]
    nulls = {"the first of the image": held[:1], "the last of the image": held[-1:], "all": held}
    empty = nulls.get(stream.vary(_NULLS), [])
    images = []
    for _ in range(stream.vary(_ROWS)):
        numbers = {column: stream.choose.integer(-(1 << 31), (1 << 31) - 1) for column in held}
        values = {at: Value(None, None) if at in empty else Value(number, number) for at, number in numbers.items()}
        images.append({"after": values})
    return row_events.rows_of(stream, table, "write", images, last=last)
