"""Streams for filters (WL#40, section 4): statements of all kinds and rows, on any number of tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    WITH_BOTH_ROWS_EVENTS,
    WITH_COMPRESSED_EVENTS,
    WITH_FLAG_OF_UNKNOWN_TYPES,
    WITH_IGNORABLE_FLAG,
    WITH_ROWS_QUERIES,
    WITH_TABLE_METADATA,
    WITH_XA_PREPARE,
)
from conformance.models.filtering.log_part import Part
from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events.extended_query import EXTENDED
from conformance.strategies.events.mysql_events import ROW_CHANGES
from conformance.strategies.events.row_events import ROWS_FLAGS
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.ruled_tables import (
    DEFAULT,
    DOES,
    MARKERS,
    NAMES,
    RULED,
    SOME_NAMES,
    default_database,
    passes,
    ruled_tables,
)
from conformance.strategies.scenarios.spelled_statements import Spelling
from conformance.strategies.scenarios.table_names import CASTS, Cast
from conformance.strategies.scenarios.table_rows import COMPRESSED, OLDER, PARTIAL, ROWS_EVENTS, USUAL
from conformance.strategies.scenarios.table_work import Piece, TableWork, XaName

_WORKLOG: Final = Profiles("worklog")

# --- the statements of a log


def _transaction(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.transaction(listed))


def _change(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.change_by_statement(listed))


def _rows(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.rows_statement(listed))


def _drop(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.drop(listed))


def _drop_temporary(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.drop(listed, "TEMPORARY TABLE"))


def _drop_views(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.drop(listed, "VIEW"))


def _delete(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group([work.begin_transaction(), *work.delete(listed), work.close()])


def _drop_database(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    """Add the DROP DATABASE of each database that the tables are in."""
    for database in dict.fromkeys(each.database for each in listed):
        work.group(work.drop_database(database, [each for each in listed if each.database == database]))


def _rename(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    """Add one renaming of any number of tables to names that nothing else has.

    The list of a statement has both names of each table, and no more than 65,535 bytes.
    """
    database = min(cast.elsewhere.database, "moved", key=len)
    work.group(work.rename(*((each, TableName(database, f"new{place}")) for place, each in enumerate(listed))))


def _create_from(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    table = next((each for each in (cast.second, cast.near) if each not in listed), cast.third)
    sources = tuple(each for each in listed if each != table)
    condition = work.choose.yes(4)
    work.group(work.create(CreateTable(table, sources=sources, selects=bool(sources), if_not_exists=condition)))


def _create(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.create(CreateTable(work.choose.one_of(cast), if_not_exists=work.choose.yes(4))))


def _create_like(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    # LIKE shows its effect only if one of the two tables has a rule.
    pair = (work.choose.one_of(cast[:-1]), cast.near)
    table, source = pair if work.choose.yes() else pair[::-1]
    work.group(work.create(CreateTable(table, like=source, if_not_exists=work.choose.yes(4))))


def _create_select(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    for pieces in work.create_select(work.choose.one_of(cast)):
        work.group(pieces)


def _swap(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    middle = TableName(cast.first.database, "tmp")
    work.group(work.rename((cast.first, middle), (cast.second, cast.first), (middle, cast.second)))


def _other(form: str) -> "_Add":
    """Return what adds a statement of some form on one table."""

    def add(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
        table = work.choose.one_of(cast)
        sql = form.format(Spelling().name(table, work.database))
        work.group([work.statement(sql, FilteredStatement((table,)))])

    return add


def _no_table(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    sql = work.choose.one_of(("SET PASSWORD FOR u = 'x'", "FLUSH PRIVILEGES"))
    work.group([work.statement(sql, FilteredStatement())])


_Add = Callable[[TableWork, Sequence[TableName], Cast], None]
#: The statements that name any number of tables.
_OF_LISTS: Final[Mapping[str, _Add]] = {
    "a change": _change,
    "a transaction": _transaction,
    "rows": _rows,
    "DROP": _drop,
    "DROP DATABASE": _drop_database,
    "RENAME": _rename,
    "CREATE from tables": _create_from,
    "DELETE": _delete,
    "DROP TEMPORARY TABLE": _drop_temporary,
    "DROP VIEW": _drop_views,
}
_KIND: Final = Dimension(
    "statement",
    {
        **_OF_LISTS,
        "CREATE": _create,
        "CREATE LIKE": _create_like,
        "CREATE SELECT in row format": _create_select,
        "a swap": _swap,
        "no table": _no_table,
        "ALTER": _other("ALTER TABLE {} ADD c INT"),
        "TRUNCATE": _other("TRUNCATE TABLE {}"),
        "REPLACE": _other("REPLACE INTO {} VALUES (1)"),
        "ANALYZE": _other("ANALYZE TABLE {}"),
        "OPTIMIZE": _other("OPTIMIZE TABLE {}"),
        "REPAIR": _other("REPAIR TABLE {}"),
        "CREATE INDEX": _other("CREATE INDEX i ON {} (a)"),
    },
)
_SOME_KINDS: Final = Dimension("statement", {name: _OF_LISTS[name] for name in ("a change", "rows", "RENAME")})
#: How many tables a statement names, and where among them the one is that decides: a filter that looks at some of them
#: only is wrong about one kind of statement at one number and place.
_LISTED: Final = Dimension[tuple[int, str]](
    "tables of a statement",
    {
        "1": (1, "last"),
        "2, the first decides": (2, "first"),
        "2, the last decides": (2, "last"),
        "3, the last decides": (3, "last"),
        "3, the middle decides": (3, "middle"),
        "3, the first decides": (3, "first"),
        "4, the last decides": (4, "last"),
        "4, none decides": (4, "none"),
        "20, the last decides": (20, "last"),
        "hundreds": (300, "last"),
    },
    heavy=("hundreds",),
)
#: Flags of a Query that change nothing for a filter: of a temporary table, without USE, ignorable although known.
_QUERY_FLAGS: Final = choices(
    "flags of the statements",
    (0, *map(int, (Flag.THREAD_SPECIFIC, Flag.SUPPRESS_USE, Flag.IGNORABLE))),
    text="{:#06x}".format,
)
_PLACES: Final = ("last", "first", "middle", "none")
_OF_SOME: Final = replace(_LISTED, when={"statement": tuple(_OF_LISTS)})
_STATEMENTS: Final = Number("statements")


class _Statement(NamedTuple):
    """What is chosen of a statement: its kind, how many tables it names, the place of the one that decides."""

    add: _Add
    listed: int
    place: str


def _first_statement(stream: StreamBuilder, kinds: Dimension[_Add]) -> _Statement:
    """Return the statement with the classes that the case is made for."""
    add = stream.vary(kinds)
    return _Statement(add, *(stream.vary(_LISTED) if add in _OF_LISTS.values() else (1, "none")))


def _any_statement(choose: Chooser, kinds: Dimension[_Add]) -> _Statement:
    add = choose.one_of(tuple(kinds.classes.values()))
    return _Statement(add, choose.integer(1, 4), choose.one_of(_PLACES))


def _fill(stream: StreamBuilder, kinds: Dimension[_Add], names: Dimension[Cast] | None = None) -> None:
    """Fill a stream with statements, the first of which has the classes that the case is made for."""
    choose = stream.choose
    statement = _first_statement(stream, kinds)
    cast = stream.vary(names) if names else CASTS["plain"]
    tables = ruled_tables(stream, cast, max(statement.listed, 2), does=stream.vary(DOES))
    work = TableWork(stream, markers=stream.vary(MARKERS))
    work.begin(extended=True)
    for number in stream.several_of(_STATEMENTS):
        work.database = default_database(cast, stream.vary(DEFAULT))
        add, count, place = _any_statement(choose, kinds) if number else statement
        add(work, tables.listed(choose, count, place), cast)
    for table in (cast.near, cast.elsewhere) if names else ():
        # Names that are nearly the same make a difference only where a statement names no other table.
        _any_statement(choose, kinds).add(work, [table], cast)
    work.group(work.row_transaction([choose.one_of(cast)]))
    work.end()


@family(
    focus=("WL40-TABLES-INFO-DEFAULT-DB", "WL40-FILTER-DO-EVERY-TABLE"),
    profiles=_WORKLOG,
    dimensions=(_KIND, _OF_SOME, RULED, DOES, MARKERS, _STATEMENTS, DEFAULT, _QUERY_FLAGS),
)
def table_filters(stream: StreamBuilder) -> None:
    """Transactions and statements on any number of tables under do or ignore rules."""
    flags = stream.vary(_QUERY_FLAGS)
    stream.alter = lambda event: event if event.type != EventType.QUERY else event._replace(flags=event.flags | flags)
    _fill(stream, _KIND)


@family(
    focus=("WL40-TABLES-INFO-NAME-LENGTHS", "WL40-FILTER-RULE-MEANING"),
    profiles=_WORKLOG,
    dimensions=(_SOME_KINDS, _LISTED, NAMES, RULED, DOES, MARKERS, _STATEMENTS, DEFAULT),
)
def name_filters(stream: StreamBuilder) -> None:
    """Statements on tables with names at their limits, nearly another's or like a pattern, under do or ignore rules."""
    _fill(stream, _SOME_KINDS, NAMES)


_AGAIN: Final = yes_or_no("a second log with the table ids of the first")
_ROW_TABLES: Final = Number("tables of a statement", many=(200, 220))
#: Which of the tables of one statement pass.
_PASSING: Final = choices(
    "tables that pass",
    ("the last alone", "the first alone", "all but the last", "none", "all"),
    when={"tables of a statement": ("2", "3", "many")},
)
#: The text of the statement concerns all its tables, its rows one of them each.
_TEXT: Final = Dimension("text before the rows", {"no": False, "yes": True}, profiles={"yes": WITH_ROWS_QUERIES})
_MORE_ROWS: Final = Number("further rows events of one of the tables", fewest=0, many=(20, 24))
#: What the rows events of a statement do, in turn: one may insert rows and change others (ON DUPLICATE KEY UPDATE).
_CHANGED: Final = Dimension[Sequence[str]](
    "change of the rows",
    {**{each: (each,) for each in ROW_CHANGES}, "write, then update": ("write", "update")},
)
#: The flag is of types that a filter does not know (WL#4033).
_FLAGGED_ROWS: Final = Dimension(
    "flags of Table_map and rows events",
    {"usual": 0, "the ignorable flag": int(Flag.IGNORABLE)},
    profiles={"the ignorable flag": WITH_FLAG_OF_UNKNOWN_TYPES},
)
_ROWS_EVENTS: Final = Dimension(
    "rows events",
    {each: each for each in ROWS_EVENTS},
    profiles={
        OLDER: WITH_BOTH_ROWS_EVENTS | Profiles("worklog"),
        PARTIAL: WITH_TABLE_METADATA,
        COMPRESSED: WITH_COMPRESSED_EVENTS,
    },
)
#: Whether the first transaction is prepared as an XA transaction.
_PREPARED: Final = Dimension(
    "the first transaction", {"BEGIN": False, "XA START": True}, profiles={"XA START": WITH_XA_PREPARE}
)


def _place_of_unknown(pieces: Sequence[Piece], where: str) -> int:
    """Return the place among the events of a transaction in row format."""
    maps = [place for place, piece in enumerate(pieces) if piece.part.part is Part.TABLE_MAP]
    return {"before its rows": maps[0], "among its rows": maps[-1] + 1}.get(where, len(pieces) - 1)


_PLACES_OF_UNKNOWN: Final = ("before the first transaction", "before its rows", "among its rows", "after its rows")
#: Where an ignorable event of an unknown type is.
_UNKNOWN: Final = Dimension(
    "unknown ignorable event",
    {each: each for each in ("none", *_PLACES_OF_UNKNOWN)},
    profiles=dict.fromkeys(_PLACES_OF_UNKNOWN, WITH_IGNORABLE_FLAG),
)
#: Whether there is an event that means a loss of events; no rule for tables can be about it.
_INCIDENT: Final = yes_or_no("an Incident after the first transaction")


@family(
    focus=("FORMAT-ROWS", "WL40-FILTER-ROWS-BY-TABLE-MAP"),
    dimensions=(
        SOME_NAMES,
        DOES,
        RULED,
        _AGAIN,
        _ROW_TABLES,
        _PASSING,
        _TEXT,
        _MORE_ROWS,
        _ROWS_EVENTS,
        EXTENDED,
        ROWS_FLAGS,
        _CHANGED,
        _FLAGGED_ROWS,
        _PREPARED,
        _INCIDENT,
        _UNKNOWN,
    ),
)
def row_filters(stream: StreamBuilder) -> None:
    """Row-format transactions as the profile's server logs them, with one or several tables for each statement."""
    choose = stream.choose
    cast, does = stream.vary(SOME_NAMES), stream.vary(DOES)
    ruled = ruled_tables(stream, cast, 0, does=does)
    again = stream.vary(_AGAIN)
    unknown = stream.vary(_UNKNOWN)
    code = choose.one_of(UNASSIGNED) if unknown != "none" else 0
    work = TableWork(stream)
    work.begin(extended=stream.vary(EXTENDED), lengths=declare_up_to(stream, code))
    count = sum(1 for _ in stream.several_of(_ROW_TABLES))
    tables = ruled.some(choose, passes(stream.vary(_PASSING), count)) if count > 1 else [choose.one_of(cast)]
    text, more = stream.vary(_TEXT), sum(1 for _ in stream.several_of(_MORE_ROWS))
    work.rows_events, work.rows_flags = stream.vary(_ROWS_EVENTS), stream.vary(ROWS_FLAGS)
    changes, flags = stream.vary(_CHANGED), stream.vary(_FLAGGED_ROWS)
    of_rows = ROWS_TYPES | {EventType.TABLE_MAP}
    stream.alter = lambda event: event._replace(flags=event.flags | flags) if event.type in of_rows else event
    first = work.rows_statement(tables, *changes, text=text, more=max(more, len(changes) - 1))
    if unknown == _PLACES_OF_UNKNOWN[0]:
        work.outside(work.unknown(code))
    elif unknown != "none":
        first.insert(_place_of_unknown(first, unknown), work.unknown(code))
    work.rows_events = USUAL
    work.group(work.xa_transaction(XaName(), first[1:-1]) if stream.vary(_PREPARED) else first)
    if stream.vary(_INCIDENT):
        work.incident()
    if again:
        work.next_log()
    for _ in choose.several(1, 3):
        work.group(work.row_transaction([choose.one_of(cast) for _ in choose.several(1, 3)]))
    work.end()
