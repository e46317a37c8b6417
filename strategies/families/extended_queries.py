"""Extended Query events (WL#40) in which each length is at the borders of its field."""

from typing import Final

from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.extended_query import extended_query
from conformance.strategies.events.status_variables import sized_variables
from conformance.strategies.grammar.dimension import Dimension, choices, sizes, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import set_rules
from conformance.strategies.scenarios.table_work import Piece, TableWork

#: From here on a signed length of two bytes is negative.
_NEGATIVE: Final = 1 << 15
_MOST: Final = (1 << 16) - 1
#: The most bytes of a name in a tuple, and of a tuple.
_NAME, _TUPLE = 255, 257
#: Tuples of the longest names that always fit in tables info.
_FITTING: Final = 128

_STATEMENT: Final = sizes("size of the statement", 256, _NEGATIVE, most=_MOST, heavy_from=1 << 14)
_LIST: Final = Dimension(
    "tables info",
    {
        **{f"{count} tables": ("tables", count) for count in (1, 0, 2, 3, 4, 127, 128, 300)},
        **{f"{size} bytes": ("bytes", size) for size in (255, 256, _NEGATIVE - 1, _NEGATIVE, _MOST)},
    },
    heavy=("300 tables", f"{_NEGATIVE - 1} bytes", f"{_NEGATIVE} bytes", f"{_MOST} bytes"),
)
_NAME_SIZE: Final = choices("size of a name", (2, 1, 63, 64, 65, 127, 128, _NAME))
_NAME_OF: Final = choices("name of that size", ("the table", "the database", "both"))
_DATABASE: Final = choices("size of the default database", (4, 0, 1, 64, 65, 127, 128, 192, _NAME))
_STATUS: Final = Dimension(
    "size of the status variables",
    {"none": 0, **{f"{size}": size for size in (26, 255, 256, 257, 300, _NEGATIVE - 1, _NEGATIVE, 48_000)}},
    heavy=tuple(map(str, (_NEGATIVE - 1, _NEGATIVE, 48_000))),
)
_NAMED: Final = yes_or_no("default database named in the list")


@family(
    focus=("WL40-TABLES-INFO-LEN", "WL40-FILTER-BY-TABLES-INFO", "WL40-GUESS-EXTENDED-QUERY"),
    profiles=Profiles("worklog"),
    dimensions=(_STATEMENT, _LIST, _NAME_SIZE, _NAME_OF, _DATABASE, _STATUS, _NAMED),
)
def extended_query_sizes(stream: StreamBuilder) -> None:
    """Transactions of extended Query events with statements, lists, names and status variables of all sizes."""
    size, unit_and_count = stream.vary(_STATEMENT), stream.vary(_LIST)
    name_size, name_of = stream.vary(_NAME_SIZE), stream.vary(_NAME_OF)
    database = "d" * stream.vary(_DATABASE)
    status = stream.vary(_STATUS)
    variables = sized_variables(status) if status else {}
    # Hundreds of full names do not fit, and a list of so many bytes has none.
    named = stream.vary(_NAMED) and unit_and_count[0] == "tables" and unit_and_count[1] <= _FITTING
    tables = _listed(unit_and_count, database)
    if unit_and_count == ("tables", len(tables)) and tables:
        special = "n" * name_size
        tables[-1] = TableName(
            database if name_of == "the table" else special, tables[-1].name if name_of == "the database" else special
        )
    ruled = [tables[-1]] if tables else [TableName("test", "t1")]
    does = stream.choose.yes()
    set_rules(stream, tables if does and tables else ruled, does=does, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
    work = TableWork(stream, markers=stream.choose.yes())
    work.begin(extended=True)
    ends = [
        Piece(extended_query(stream, word, (), database=database, status=variables), LogPart(part))
        for word, part in (("BEGIN", Part.BEGIN), ("COMMIT", Part.END))
    ]
    statement = extended_query(
        stream,
        mysql_events.text(stream, size, size) if size < _NAME else "x" * size,
        tables,
        database=database,
        status=variables,
        named=named,
        marks=("WL40-FILTER-BY-TABLES-INFO",),
    )
    part = LogPart(Part.STATEMENT, tuple(tables), FilteredStatement(tuple(tables)))
    work.group([ends[0], Piece(statement, part), ends[1]])
    work.group(work.row_transaction(ruled))
    work.end()


def _listed(unit_and_count: tuple[str, int], database: str) -> list[TableName]:
    """Return tables of the default database: so many, or so many that their tuples have so many bytes."""
    unit, count = unit_and_count
    if unit == "tables":
        return [TableName(database, f"t{number}") for number in range(count)]
    tables: list[TableName] = []
    while count:
        # The last tuple has room for a name of four digits.
        taken = count if count <= _TUPLE else min(_TUPLE, count - 6)
        tables.append(TableName(database, f"{len(tables):04}".ljust(taken - 2, "n")))
        count -= taken
    return tables
