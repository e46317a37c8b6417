"""Streams for filters (WL#40, sections 4 to 6): any work, tables made from other tables, and renames."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import rules_of, set_rules
from conformance.strategies.scenarios.table_names import CASTS, DATABASE, LONG_CASTS, Cast
from conformance.strategies.scenarios.table_work import TableWork

_WORKLOG: Final = Profiles("worklog")
_DOES: Final = Dimension("rules", {"ignore": False, "do": True})
_MARKERS: Final = yes_or_no("Gtid events")
#: The tables of the cast with a rule, by their places in it, and how many more rules there are, for other tables.
_RULED: Final = Dimension(
    "tables with a rule",
    {
        "one": ((0,), 0),
        "two": ((0, 1), 0),
        "three": ((0, 1, 2), 0),
        "the same name in both databases": ((0, 3), 0),
        "a whole database": ((0, 1, 2, 4), 0),
        "hundreds": ((0,), 300),
    },
    heavy=("hundreds",),
)
_DEFAULT: Final = choices(
    "default database", ("of the tables", "another with a table of the same name", "other", "none")
)
_NAMES: Final = Dimension("names", {**CASTS, **LONG_CASTS})
_SOME_NAMES: Final = Dimension(
    "names",
    {
        name: CASTS[name]
        for name in ("plain", "a pattern of one character", "a dot", "a backtick", "all characters, three bytes each")
    },
)


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of a stream, by what the rules do with them.

    Attributes:
        cast: All that have a part of their own.
        passing: Those that the rules let pass, further ones included.
        failing: Those that they do not.
    """

    cast: Cast
    passing: tuple[TableName, ...]
    failing: tuple[TableName, ...]

    def listed(self, choose: Chooser, count: int, place: str) -> list[TableName]:
        """Return the tables of one statement: all pass, or all but the one at some place."""
        if not self.passing:
            return [choose.one_of(self.failing)]
        start = choose.integer(0, len(self.passing) - 1)
        listed = [*self.passing[start:], *self.passing[:start]][:count]
        if place != "none" and self.failing:
            at = {"first": 0, "middle": len(listed) // 2, "last": len(listed) - 1}[place]
            listed[at] = choose.one_of(self.failing)
        return listed

    def database(self, which: str) -> str:
        """Return a default database."""
        first, elsewhere = self.cast.first.database, self.cast.elsewhere.database
        named = {"of the tables": first, "another with a table of the same name": elsewhere, "other": "unused"}
        return named.get(which, "")


def _ruled_tables(stream: StreamBuilder, cast: Cast, further: int, *, does: bool) -> _Tables:
    """Give rules to some tables of a cast; further ones pass.

    Args:
        stream: The stream.
        cast: The tables with a part of their own.
        further: How many others there are: with a rule each if they are do rules, without one otherwise.
        does: Whether they are do rules.
    """
    places, unused = stream.vary(_RULED)
    others = tuple(TableName(DATABASE, f"n{number}") for number in range(further))
    ruled = [*(cast[place] for place in places), *(TableName(DATABASE, f"unused{each}") for each in range(unused))]
    ruled += others if does else ()
    set_rules(stream, ruled, does=does, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
    return _by_rules(rules_of(stream.settings), cast, others)


def _by_rules(rules: FilterRules, cast: Cast, further: Sequence[TableName]) -> _Tables:
    every = (*cast, *further)
    passing = tuple(each for each in every if rules.pass_all((each,)))
    return _Tables(cast, passing, tuple(each for each in every if each not in passing))


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
    work.group(work.create(CreateTable(table, sources=sources, selects=bool(sources))))


def _create(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    work.group(work.create(CreateTable(work.choose.one_of(cast))))


def _create_like(work: TableWork, listed: Sequence[TableName], cast: Cast) -> None:
    # LIKE shows its effect only if one of the two tables has a rule.
    pair = (work.choose.one_of(cast[:-1]), cast.near)
    table, source = pair if work.choose.yes() else pair[::-1]
    work.group(work.create(CreateTable(table, like=source)))


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
    "a transaction": _transaction,
    "a change": _change,
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
    tables = _ruled_tables(stream, cast, max(statement.listed, 2), does=stream.vary(_DOES))
    work = TableWork(stream, markers=stream.vary(_MARKERS))
    work.begin(extended=True)
    for number in stream.several_of(_STATEMENTS):
        work.database = tables.database(stream.vary(_DEFAULT))
        add, count, place = _any_statement(choose, kinds) if number else statement
        add(work, tables.listed(choose, count, place), cast)
    work.group(work.row_transaction([choose.one_of(cast)]))
    work.end()


@family(
    focus=("WL40-TABLES-INFO-DEFAULT-DB", "WL40-FILTER-DO-EVERY-TABLE"),
    profiles=_WORKLOG,
    dimensions=(_KIND, *_OF_SOME, _RULED, _DOES, _MARKERS, _STATEMENTS, _DEFAULT),
)
def table_filters(stream: StreamBuilder) -> None:
    """Transactions and statements on any number of tables under do or ignore rules."""
    _fill(stream, _KIND)


@family(
    focus=("WL40-TABLES-INFO-NAME-LENGTHS", "WL40-FILTER-RULE-MEANING"),
    profiles=_WORKLOG,
    dimensions=(_SOME_KINDS, _LISTED, _PLACE, _NAMES, _RULED, _DOES, _MARKERS, _STATEMENTS, _DEFAULT),
)
def name_filters(stream: StreamBuilder) -> None:
    """Statements on tables with names at their limits, nearly another's or like a pattern, under do or ignore rules."""
    _fill(stream, _SOME_KINDS, _NAMES)


_AGAIN: Final = yes_or_no("a second log with the table ids of the first")
_ROW_TABLES: Final = Number("tables of a statement", many=(200, 220))


@family(
    focus=("FORMAT-ROWS", "WL40-FILTER-ROWS-BY-TABLE-MAP"),
    dimensions=(_SOME_NAMES, _DOES, _RULED, _AGAIN, _ROW_TABLES),
)
def row_filters(stream: StreamBuilder) -> None:
    """Row-format transactions as the profile's server logs them, with one or several tables for each statement."""
    choose = stream.choose
    cast, does = stream.vary(_SOME_NAMES), stream.vary(_DOES)
    _ruled_tables(stream, cast, 0, does=does)
    again = stream.vary(_AGAIN)
    work = TableWork(stream)
    work.begin(extended=False)
    tables = [choose.one_of(cast) for _ in stream.several_of(_ROW_TABLES)]
    work.group(work.rows_statement(tables))
    if again:
        work.next_log()
    for _ in choose.several(1, 3):
        work.group(work.row_transaction([choose.one_of(cast) for _ in choose.several(1, 3)]))
    work.end()


# --- tables made from others

_RULED_TO_CREATE: Final = Dimension(
    "tables with a rule", {"the source": (0,), "the source and the new one": (0, 1), "the new one": (1,)}
)
_TABLES: Final = choices("created tables", TABLES_MODES)
_SHAPES: Final = choices("sources", ("LIKE", "the only one", "the first", "the last", "in the middle"))
_DEPTH: Final = Number("tables created")
_FROM: Final = choices("created from", ("the first", "the one before"))


@family(
    focus=("WL40-DATA-ORDER", "WL40-FILTER-IGNORE-CREATE-LIKE"),
    profiles=_WORKLOG,
    dimensions=(_RULED_TO_CREATE, _DOES, _TABLES, _DEPTH, _FROM, _SHAPES, _MARKERS, _SOME_NAMES, _DEFAULT),
    impossible=(
        Impossible(
            {"rules": ("do",), "created tables": ("clever",)}, "the worklog's clever filter is one with ignore rules"
        ),
    ),
)
def create_table_filters(stream: StreamBuilder) -> None:
    """A table, others made from it by LIKE or SELECT, and work on them, under do or ignore rules."""
    choose, cast = stream.choose, stream.vary(_SOME_NAMES)
    first, second, third = cast[:3]
    ruled = [cast[place] for place in stream.vary(_RULED_TO_CREATE)]
    does, mode = stream.vary(_DOES), stream.vary(_TABLES)
    set_rules(stream, ruled, does=does, tables=mode, renames=RENAMES_MODES[0])
    work = TableWork(stream, markers=stream.vary(_MARKERS))
    work.begin(extended=True)
    work.database = _Tables(cast, (), ()).database(stream.vary(_DEFAULT))
    if choose.yes():
        work.group(work.create(CreateTable(first)))
    made = [second, third, cast.elsewhere]
    for number in stream.several_of(_DEPTH):
        source = [first, *made][number if stream.vary(_FROM) == "the one before" else 0]
        work.group(work.create(_made_from(stream, made[number], source, cast.near)))
    for _ in choose.several(1, 4):
        table = choose.one_of((second, third, cast.elsewhere, first))
        kind = choose.integer(0, 4)
        if kind == 4:
            work.group(work.change_by_statement([cast.near, table]))
        elif kind == 3:
            for pieces in work.create_select(table):
                work.group(pieces)
        else:
            work.group(work.change_by_statement([table]) if kind else work.transaction([table]))
    work.group(work.change_by_statement([second]))
    work.group(work.create(CreateTable(ruled[0], like=cast.near)))
    work.group(work.row_transaction([second]))
    work.end()


def _made_from(stream: StreamBuilder, table: TableName, source: TableName, other: TableName) -> CreateTable:
    """Return a CREATE TABLE from a table, which is the only source, the first, the last or between two others."""
    shape = stream.vary(_SHAPES)
    if shape == "LIKE":
        return CreateTable(table, like=source)
    another = TableName(other.database, f"{other.name[:8]}2")
    sources = {"the first": (source, other), "the last": (other, source), "in the middle": (other, source, another)}
    return CreateTable(table, sources=sources.get(shape, (source,)), selects=True)


# --- renames

#: The names that a table has one after another, by their places in the list of names; the rule is for the first.
_ROUTES: Final = Dimension(
    "route",
    {
        "away and back": (0, 1, 0),
        "away": (0, 1),
        "twice away": (0, 1, 2),
        "twice away and back": (0, 1, 2, 0),
        "away, back and away": (0, 1, 0, 1),
        "away, on and half back": (0, 1, 2, 1),
        "three times away": (0, 1, 2, 3),
        "a swap": (),
    },
)
_RENAMES: Final = choices("renames", RENAMES_MODES)
_ACROSS: Final = yes_or_no("to another database")
_BETWEEN: Final = yes_or_no("renames of others between")


@family(
    focus=("WL40-DATA-ORDER", "WL40-FILTER-RENAME-FIRST"),
    profiles=_WORKLOG,
    dimensions=(_ROUTES, _RENAMES, _DOES, _ACROSS, _BETWEEN, _SOME_NAMES, _MARKERS, _DEFAULT),
    impossible=(
        Impossible(
            {"renames": ("list",), "rules": ("ignore",)}, "the worklog speaks of a list of renamings with do rules"
        ),
    ),
)
def rename_filters(stream: StreamBuilder) -> None:
    """A table that is renamed, on and back again, with work on its names; and swaps by way of a third name."""
    cast, route = stream.vary(_SOME_NAMES), stream.vary(_ROUTES)
    first, second = cast[:2]
    renames, does = stream.vary(_RENAMES), stream.vary(_DOES)
    set_rules(stream, (first,) if route else (first, second), does=does, tables=TABLES_MODES[0], renames=renames)
    across, between = stream.vary(_ACROSS), stream.vary(_BETWEEN)
    work = TableWork(stream, markers=stream.vary(_MARKERS))
    work.begin(extended=True)
    work.database = _Tables(cast, (), ()).database(stream.vary(_DEFAULT))
    if not route:
        middle = TableName(first.database, "tmp")
        work.group(work.rename((first, middle), (second, first), (middle, second)))
        for table in (first, second):
            work.group(work.change_by_statement([table]))
    else:
        names = (first, cast.elsewhere if across else TableName(first.database, "s"), cast.near, cast.third)
        _follow_route(work, [names[place] for place in route], between=between)
    work.group(work.row_transaction([first]))
    work.end()


def _follow_route(work: TableWork, names: Sequence[TableName], *, between: bool) -> None:
    other, its_name = (TableName(names[0].database, each) for each in ("w", "v"))
    _work(work, names[0])
    for old, new in pairwise(names):
        if between:
            # A table without a rule, which has or had no other name.
            work.group(work.rename((other, its_name)))
            other, its_name = its_name, other
        work.group(work.rename((old, new)))
        _work(work, new)
        if work.choose.yes(4):
            # Another table has the name by now.
            _work(work, old)
            work.group(work.rename((old, TableName(names[0].database, "u"))))


def _work(work: TableWork, table: TableName) -> None:
    for _ in work.choose.several(1, 2):
        work.group(work.change_by_statement([table]) if work.choose.yes() else work.transaction([table]))
