"""Streams for filters (WL#40, sections 4 and 5): any work, groups of which a part passes, tables made from others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from conformance.binlog.servers import WITH_TABLE_METADATA, WITH_XA_PREPARE
from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES, TablesMode
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events.mysql_events import ROW_CHANGES
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import set_rules
from conformance.strategies.scenarios.ruled_tables import (
    DEFAULT,
    DOES,
    MARKERS,
    NAMES,
    RULED,
    SOME_NAMES,
    SPELLING,
    default_database,
    ruled_tables,
)
from conformance.strategies.scenarios.table_names import CASTS, Cast
from conformance.strategies.scenarios.table_rows import COMPRESSED, PARTIAL, ROWS_EVENTS, USUAL
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


def _rename(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    """Add one renaming of any number of tables to names that nothing else has."""
    database = cast.elsewhere.database
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
    "RENAME": _rename,
    "CREATE from tables": _create_from,
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
    },
)
_SOME_KINDS: Final = Dimension("statement", {name: _OF_LISTS[name] for name in ("a change", "rows", "RENAME")})
_LISTED: Final = Dimension(
    "tables of a statement", {"1": 1, "2": 2, "3": 3, "4": 4, "hundreds": 300}, heavy=("hundreds",)
)
#: Where among them the one is that decides.
_PLACE: Final = choices("place of the table that decides", ("last", "first", "middle", "none"))
_OF_SOME: Final = tuple(replace(each, when={"statement": tuple(_OF_LISTS)}) for each in (_LISTED, _PLACE))
_STATEMENTS: Final = Number("statements")


class _Statement(NamedTuple):
    """What is chosen of a statement: its kind, how many tables it names, the place of the one that decides."""

    add: _Add
    listed: int
    place: str


def _first_statement(stream: StreamBuilder, kinds: Dimension[_Add]) -> _Statement:
    """Return the statement with the classes that the case is made for."""
    add = stream.vary(kinds)
    has_list = add in _OF_LISTS.values()
    return _Statement(add, stream.vary(_LISTED) if has_list else 1, stream.vary(_PLACE) if has_list else "none")


def _any_statement(choose: Chooser, kinds: Dimension[_Add]) -> _Statement:
    add = choose.one_of(tuple(kinds.classes.values()))
    return _Statement(add, choose.integer(1, 4), choose.one_of(tuple(_PLACE.classes)))


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
    work.group(work.row_transaction([choose.one_of(cast)]))
    work.end()


@family(
    focus=("WL40-TABLES-INFO-DEFAULT-DB", "WL40-FILTER-DO-EVERY-TABLE"),
    profiles=_WORKLOG,
    dimensions=(_KIND, *_OF_SOME, RULED, DOES, MARKERS, _STATEMENTS, DEFAULT),
)
def table_filters(stream: StreamBuilder) -> None:
    """Transactions and statements on any number of tables under do or ignore rules."""
    _fill(stream, _KIND)


@family(
    focus=("WL40-TABLES-INFO-NAME-LENGTHS", "WL40-FILTER-RULE-MEANING"),
    profiles=_WORKLOG,
    dimensions=(_SOME_KINDS, _LISTED, _PLACE, NAMES, RULED, DOES, MARKERS, _STATEMENTS, DEFAULT),
)
def name_filters(stream: StreamBuilder) -> None:
    """Statements on tables with names at their limits, nearly another's or like a pattern, under do or ignore rules."""
    _fill(stream, _SOME_KINDS, NAMES)


_AGAIN: Final = yes_or_no("a second log with the table ids of the first")
_ROW_TABLES: Final = Number("tables of a statement", many=(200, 220))
_CHANGED: Final = choices("change of the rows", tuple(ROW_CHANGES))
_ROWS_EVENTS: Final = Dimension(
    "rows events",
    {each: each for each in ROWS_EVENTS},
    profiles={PARTIAL: WITH_TABLE_METADATA, COMPRESSED: Profiles("mariadb")},
)
#: Whether the first transaction is prepared as an XA transaction.
_PREPARED: Final = Dimension(
    "the first transaction", {"BEGIN": False, "XA START": True}, profiles={"XA START": WITH_XA_PREPARE}
)


@family(
    focus=("FORMAT-ROWS", "WL40-FILTER-ROWS-BY-TABLE-MAP"),
    dimensions=(SOME_NAMES, DOES, RULED, _AGAIN, _ROW_TABLES, _ROWS_EVENTS, _CHANGED, _PREPARED),
)
def row_filters(stream: StreamBuilder) -> None:
    """Row-format transactions as the profile's server logs them, with one or several tables for each statement."""
    choose = stream.choose
    cast, does = stream.vary(SOME_NAMES), stream.vary(DOES)
    ruled_tables(stream, cast, 0, does=does)
    again = stream.vary(_AGAIN)
    work = TableWork(stream)
    work.begin(extended=False)
    tables = [choose.one_of(cast) for _ in stream.several_of(_ROW_TABLES)]
    work.rows_events = stream.vary(_ROWS_EVENTS)
    first = work.rows_statement(tables, stream.vary(_CHANGED))
    work.rows_events = USUAL
    work.group(work.xa_transaction(XaName(), first[1:-1]) if stream.vary(_PREPARED) else first)
    if again:
        work.next_log()
    for _ in choose.several(1, 3):
        work.group(work.row_transaction([choose.one_of(cast) for _ in choose.several(1, 3)]))
    work.end()


# --- groups of which a part passes

#: How many statements a transaction has.
_CHANGES: Final = Dimension("statements of the transaction", {"3": 3, "4": 4, "20": 20, "none": 0})
_WITH_CHANGES: Final = {"statements of the transaction": ("3", "4", "20")}
#: Which of them pass.
_PASSING: Final = choices(
    "statements that pass",
    (
        "the last alone",
        "the first alone",
        "one in the middle",
        "all but the last",
        "all but the first",
        "all but one in the middle",
        "none",
        "all",
    ),
    when=_WITH_CHANGES,
)
_FORMAT: Final = choices(
    "format of the statements", ("statement", "statement after its context", "row", "both"), when=_WITH_CHANGES
)
_END: Final = choices("end of the transaction", ("Xid", "COMMIT", "ROLLBACK"))
#: Whether there are do rules, and Gtid events: together they decide what may become of a group without statements.
_DOES_AND_MARKERS: Final = Dimension(
    "rules and Gtid events",
    {
        "ignore, without Gtid events": (False, False),
        "ignore, with Gtid events": (False, True),
        "do, without Gtid events": (True, False),
        "do, with Gtid events": (True, True),
    },
)


@family(
    focus=("WL40-FILTER-GROUP-WHOLE",),
    profiles=_WORKLOG,
    dimensions=(_CHANGES, _PASSING, _FORMAT, _END, _DOES_AND_MARKERS),
)
def group_filters(stream: StreamBuilder) -> None:
    """A transaction of which all statements pass, some or none, or that has none, between two others, under rules."""
    count = stream.vary(_CHANGES)
    passing, form = (stream.vary(_PASSING), stream.vary(_FORMAT)) if count else ("none", "statement")
    end = stream.vary(_END)
    work, kept, dropped = _ruled_work(stream)
    work.group(work.rows_statement([kept]))
    pieces = _changes(work, [kept if each else dropped for each in _passes(passing, count)], form)
    work.group([work.begin_transaction(), *pieces, work.close(end)])
    work.group(work.rows_statement([dropped]))
    work.end()


def _ruled_work(stream: StreamBuilder) -> tuple[TableWork, TableName, TableName]:
    """Begin a log under rules for one table, and return the work, a table that passes and one that does not."""
    does, markers = stream.vary(_DOES_AND_MARKERS)
    cast = CASTS["plain"]
    ruled, other = cast.first, cast.second
    set_rules(stream, (ruled,), does=does, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
    kept, dropped = (ruled, other) if does else (other, ruled)
    work = TableWork(stream, markers=markers)
    work.begin(extended=True)
    return work, kept, dropped


def _changes(work: TableWork, tables: Sequence[TableName], form: str) -> list[Piece]:
    """Return a change of each of some tables, by statements, by rows or by both in turn."""
    pieces: list[Piece] = []
    for number, table in enumerate(tables):
        by_rows = form == "row" or (form == "both" and number % 2 == 1)
        context = form == "statement after its context"
        pieces += work.rows([table]) if by_rows else work.change_by_statement([table], context=context)
    return pieces


def _passes(which: str, count: int) -> list[bool]:
    """Return whether each statement of a transaction passes."""
    if which in ("none", "all"):
        return [which == "all"] * count
    at = {"last": count - 1, "first": 0, "middle": count // 2}
    place = next(index for word, index in at.items() if word in which)
    return [(number == place) != which.startswith("all but") for number in range(count)]


# --- XA transactions

#: How an XA transaction ends; in one phase no other statement follows.
_XA_END: Final = choices("end of the XA transaction", ("XA COMMIT", "XA ROLLBACK", "one phase", "none"))
#: What is between XA_prepare and the end.
_XA_BETWEEN: Final = choices(
    "before the end of the XA transaction",
    ("nothing", "another transaction", "another that is dropped", "another that is kept", "another log"),
    when={"end of the XA transaction": ("XA COMMIT", "XA ROLLBACK")},
)
_ANOTHER: Final = ("another that is dropped", "another that is kept")
#: The part in which its name differs from that of the other transaction.
_XA_APART: Final = Dimension(
    "names of the XA transactions differ in",
    {
        "the global part": (XaName(), XaName(b"x2")),
        "the branch": (XaName(), XaName(bqual=b"x2")),
        "the format": (XaName(), XaName(format_id=2)),
        "the last of 128 bytes": (XaName(b"x" * 64, b"x" * 64), XaName(b"x" * 64, b"x" * 63 + b"y")),
        "where the branch begins": (XaName(b"x", b"12"), XaName(b"x1", b"2")),
    },
    when={"before the end of the XA transaction": _ANOTHER},
)


@family(
    focus=("FORMAT-FILTER-XA",),
    profiles=_WORKLOG,
    dimensions=(_CHANGES, _PASSING, _FORMAT, _XA_END, _XA_BETWEEN, _XA_APART, _DOES_AND_MARKERS),
)
def xa_filters(stream: StreamBuilder) -> None:
    """An XA transaction of which all statements pass, some or none, and the end of it later in the log, under rules."""
    count = stream.vary(_CHANGES)
    passing, form = (stream.vary(_PASSING), stream.vary(_FORMAT)) if count else ("none", "statement")
    end = stream.vary(_XA_END)
    between = stream.vary(_XA_BETWEEN) if end.startswith("XA") else "nothing"
    name, other = stream.vary(_XA_APART) if between in _ANOTHER else (XaName(), XaName())
    work, kept, dropped = _ruled_work(stream)
    pieces = _changes(work, [kept if each else dropped for each in _passes(passing, count)], form)
    work.group(work.xa_transaction(name, pieces, one_phase=end == "one phase"))
    if between == "another log":
        work.next_log()
    elif between == "another transaction":
        work.group(work.rows_statement([kept]))
    elif between in _ANOTHER:
        table = kept if between.endswith("kept") else dropped
        work.group(work.xa_transaction(other, work.change_by_statement([table])))
    if end.startswith("XA"):
        work.group(work.xa_finish(name, end))
    if between in _ANOTHER:
        work.group(work.xa_finish(other, "XA COMMIT"))
    work.group(work.rows_statement([kept]))
    work.end()


# --- tables made from others

_RULED_TO_CREATE: Final = Dimension(
    "tables with a rule", {"the source": (0,), "the source and the new one": (0, 1), "the new one": (1,)}
)
_SHAPES: Final = choices("sources", ("LIKE", "the only one", "the first", "the last", "in the middle"))
_DEPTH: Final = Number("tables created")
_FROM: Final = choices("created from", ("the first", "the one before"))
_WORDS: Final = choices("words of CREATE", ("none", "TEMPORARY", "IF NOT EXISTS", "TEMPORARY, IF NOT EXISTS"))
_ELSEWHERE: Final = yes_or_no("created in another database")
#: Whether what a filter remembers of a log is needed in the next one, as in a relay log.
_NEXT_LOG: Final = yes_or_no("another log before the work on them")
_CREATED: Final = (_SHAPES, _WORDS, _ELSEWHERE, _DEPTH, _FROM, _NEXT_LOG, MARKERS, SOME_NAMES, DEFAULT)
_LITERAL, _CLEVER = TABLES_MODES


@family(
    focus=("WL40-DATA-ORDER", "WL40-FILTER-IGNORE-CREATE-LIKE"),
    profiles=_WORKLOG,
    dimensions=(_RULED_TO_CREATE, DOES, *_CREATED),
)
def create_table_filters(stream: StreamBuilder) -> None:
    """A table, others made from it by LIKE or SELECT, and work on them, under do or ignore rules as given."""
    places, does = stream.vary(_RULED_TO_CREATE), stream.vary(DOES)
    _create_others(stream, places, does=does, mode=_LITERAL)


@family(focus=("WL40-FILTER-CLEVER-CREATE",), profiles=_WORKLOG, dimensions=(*_CREATED, SPELLING))
def clever_filters(stream: StreamBuilder) -> None:
    """A table with an ignore rule, others made from it by LIKE or SELECT, and work on them, for a clever filter."""
    # The worklog's clever filter is one with ignore rules.
    _create_others(stream, _RULED_TO_CREATE.classes["the source"], does=False, mode=_CLEVER)


def _create_others(stream: StreamBuilder, places: Sequence[int], *, does: bool, mode: TablesMode) -> None:
    choose, cast = stream.choose, stream.vary(SOME_NAMES)
    first, second, third = cast[:3]
    ruled = [cast[place] for place in places]
    set_rules(stream, ruled, does=does, tables=mode, renames=RENAMES_MODES[0])
    work = TableWork(stream, markers=stream.vary(MARKERS))
    work.begin(extended=True)
    work.database = default_database(cast, stream.vary(DEFAULT))
    if mode == _CLEVER:
        work.spelling = stream.vary(SPELLING)
    if choose.yes():
        work.group(work.create(CreateTable(first)))
    made = [second, third, cast.elsewhere]
    if stream.vary(_ELSEWHERE):
        made.reverse()
    for number in stream.several_of(_DEPTH):
        source = [first, *made][number if stream.vary(_FROM) == "the one before" else 0]
        work.group(work.create(_made_from(stream, made[number], source, cast.near)))
    if stream.vary(_NEXT_LOG):
        work.next_log()
    for _ in choose.several(1, 4):
        _use_created(work, choose.one_of((*made, first)), cast)
    work.group(work.change_by_statement([made[0]]))
    work.group(work.create(CreateTable(ruled[0], like=cast.near)))
    work.group(work.row_transaction([made[0]]))
    work.end()


def _use_created(work: TableWork, table: TableName, cast: Cast) -> None:
    kind = work.choose.integer(0, 4)
    if kind == 4:
        work.group(work.change_by_statement([cast.near, table]))
    elif kind == 3:
        for pieces in work.create_select(table):
            work.group(pieces)
    else:
        work.group(work.change_by_statement([table]) if kind else work.transaction([table]))


def _made_from(stream: StreamBuilder, table: TableName, source: TableName, other: TableName) -> CreateTable:
    """Return a CREATE TABLE from a table, which is the only source, the first, the last or between two others."""
    shape, words = stream.vary(_SHAPES), stream.vary(_WORDS)
    another = TableName(other.database, f"{other.name[:8]}2")
    sources = {"the first": (source, other), "the last": (other, source), "in the middle": (other, source, another)}
    return CreateTable(
        table,
        like=source if shape == "LIKE" else None,
        sources=() if shape == "LIKE" else sources.get(shape, (source,)),
        selects=shape != "LIKE",
        temporary="TEMPORARY" in words,
        if_not_exists="IF NOT EXISTS" in words,
    )
