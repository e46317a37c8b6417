"""Streams for filters (WL#40, sections 4 to 6): any work, tables made from other tables, and renames."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.families.tables_info import TABLES
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import rules_of, set_rules
from conformance.strategies.scenarios.table_names import CASTS, DATABASE, LONG_CASTS, Cast
from conformance.strategies.scenarios.table_work import TableWork

_WORKLOG: Final = Profiles("worklog")
#: How many tables there are besides those of the cast: with a rule each if they are do rules, without one otherwise.
_FURTHER: Final = {"none": 0, "one": 1, "two": 2, "six": 6, "hundreds": 300}
#: How many tables a statement names.
_LISTED: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "hundreds": 300}
#: Where among them the one is that decides.
_PLACES: Final = ("last", "first", "middle", "none")


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of a stream, by what the rules say.

    Attributes:
        cast: All that have a part of their own.
        passing: Those that the rules let pass, further ones included.
        failing: Those that they do not.
    """

    cast: Cast
    passing: tuple[TableName, ...]
    failing: tuple[TableName, ...]

    def listed(self, choose: Chooser) -> list[TableName]:
        """Return the tables of one statement: all pass, or all but the one at some place."""
        place = choose.one_of(_PLACES)
        count = choose.one_of(tuple(_LISTED.values()))
        if not self.passing:
            return [choose.one_of(self.failing)]
        start = choose.integer(0, len(self.passing) - 1)
        listed = [*self.passing[start:], *self.passing[:start]][:count]
        if place != "none" and self.failing:
            at = {"first": 0, "middle": len(listed) // 2, "last": len(listed) - 1}[place]
            listed[at] = choose.one_of(self.failing)
        return listed

    def any(self, choose: Chooser) -> TableName:
        """Return one table of the cast."""
        return choose.one_of(self.cast)


def _ruled_tables(stream: StreamBuilder, casts: Mapping[str, Cast]) -> _Tables:
    """Choose names, and rules for some of them; the others nearly have the name of one with a rule."""
    choose = stream.choose
    cast = choose.one_of(tuple(casts.values()))
    further = tuple(TableName(DATABASE, f"n{number}") for number in range(choose.one_of(tuple(_FURTHER.values()))))
    does = choose.yes()
    ruled = [cast.first, *(each for each in (cast.second, cast.third, cast.elsewhere) if choose.yes(3))]
    ruled += further if does else ()
    set_rules(stream, ruled, does=does, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
    return _by_rules(rules_of(stream.settings), cast, further)


def _by_rules(rules: FilterRules, cast: Cast, further: Sequence[TableName]) -> _Tables:
    every = (*cast, *further)
    passing = tuple(each for each in every if rules.pass_all((each,)))
    return _Tables(cast, passing, tuple(each for each in every if each not in passing))


@family(focus=("WL40-TABLES-INFO-DEFAULT-DB", "WL40-FILTER-DO-EVERY-TABLE"), profiles=_WORKLOG)
def table_filters(stream: StreamBuilder) -> None:
    """Transactions and statements on any number of tables, some with similar names, under do or ignore rules."""
    choose = stream.choose
    tables = _ruled_tables(stream, {**CASTS, **LONG_CASTS})
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    for _ in choose.several(1, 6):
        work.database = choose.one_of((tables.cast.first.database, tables.cast.elsewhere.database, "unused", ""))
        choose.one_of(tuple(_STATEMENTS.values()))(work, tables)
    work.group(work.row_transaction([tables.any(choose)]))
    work.end()


@family(focus=("FORMAT-ROWS", "WL40-FILTER-ROWS-BY-TABLE-MAP"))
def row_filters(stream: StreamBuilder) -> None:
    """Row-format transactions as the profile's server logs them, with one or several tables for each statement."""
    choose = stream.choose
    if choose.yes(4):
        # Rules for all tables of a database: some readers have rules for databases only.
        database = choose.one_of(TABLES).database
        whole = [each for each in TABLES if each.database == database]
        set_rules(stream, whole, does=True, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
        tables = _by_rules(rules_of(stream.settings), Cast(*TABLES), ())
    else:
        tables = _ruled_tables(stream, CASTS)
    work = TableWork(stream)
    work.begin(extended=False)
    for _ in choose.several(1, 4):
        work.group(work.row_transaction([tables.any(choose) for _ in choose.several(1, 3)]))
    work.end()


# --- the statements of a log


def _change(work: TableWork, tables: _Tables) -> None:
    work.group(work.change_by_statement(tables.listed(work.choose)))


def _transaction(work: TableWork, tables: _Tables) -> None:
    work.group(work.transaction([tables.any(work.choose) for _ in work.choose.several(1, 3)]))


def _rows(work: TableWork, tables: _Tables) -> None:
    """Add one statement in row format, of several tables or of more than there are."""
    work.group(work.rows_statement(tables.listed(work.choose)))


def _create(work: TableWork, tables: _Tables) -> None:
    work.group(work.create(CreateTable(tables.any(work.choose))))


def _create_like(work: TableWork, tables: _Tables) -> None:
    # Usually like the table without a rule: LIKE shows its effect only if one of the two tables has a rule.
    choose, cast = work.choose, tables.cast
    table, source = choose.one_of(cast[:-1]), choose.one_of(cast[::-1])
    source = cast.near if source == table or choose.yes() else source
    work.group(work.create(CreateTable(table, like=source)))


def _create_from(work: TableWork, tables: _Tables) -> None:
    listed = tables.listed(work.choose)
    table = work.choose.one_of((*tables.passing[:1], tables.cast.near, tables.cast.first))
    sources = tuple(each for each in listed if each != table)
    work.group(work.create(CreateTable(table, sources=sources, selects=bool(sources))))


def _create_select(work: TableWork, tables: _Tables) -> None:
    for pieces in work.create_select(tables.any(work.choose)):
        work.group(pieces)


def _drop(work: TableWork, tables: _Tables) -> None:
    work.group(work.drop(tables.listed(work.choose)))


def _rename(work: TableWork, tables: _Tables) -> None:
    """Add one renaming of any number of tables to names that nothing else has."""
    database = tables.cast.elsewhere.database
    listed = tables.listed(work.choose)
    work.group(work.rename(*((each, TableName(database, f"new{place}")) for place, each in enumerate(listed))))


def _swap(work: TableWork, tables: _Tables) -> None:
    first, second = tables.cast.first, tables.cast.second
    middle = TableName(first.database, "tmp")
    work.group(work.rename((first, middle), (second, first), (middle, second)))


def _no_table(work: TableWork, tables: _Tables) -> None:
    sql = work.choose.one_of(("SET PASSWORD FOR u = 'x'", "FLUSH PRIVILEGES"))
    work.group([work.statement(sql, FilteredStatement())])


#: The kind of statement -> what adds one.
_STATEMENTS: Final[Mapping[str, Callable[[TableWork, _Tables], None]]] = {
    "a transaction": _transaction,
    "a change": _change,
    "rows of a statement": _rows,
    "CREATE": _create,
    "CREATE LIKE": _create_like,
    "CREATE from tables": _create_from,
    "CREATE SELECT in row format": _create_select,
    "DROP": _drop,
    "RENAME": _rename,
    "a swap": _swap,
    "no table": _no_table,
}


@family(focus=("WL40-DATA-ORDER", "WL40-FILTER-IGNORE-CREATE-LIKE"), profiles=_WORKLOG)
def create_table_filters(stream: StreamBuilder) -> None:
    """A table, others made from it by LIKE or SELECT, and work on them, under do or ignore rules."""
    choose = stream.choose
    cast = choose.one_of(tuple(CASTS.values()))
    first, second, third = cast[:3]
    ruled = choose.one_of(((first,), (first, second), (second,)))
    does = choose.yes(3)
    set_rules(stream, ruled, does=does, tables=choose.one_of(TABLES_MODES), renames=RENAMES_MODES[0])
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    if choose.yes():
        work.group(work.create(CreateTable(first)))
    # Each from the one before it: the last one only by way of the others.
    made = [second, third, cast.elsewhere]
    for number, table in enumerate(made[: choose.integer(1, 3)]):
        source = [first, *made][number if choose.yes() else 0]
        work.group(work.create(_made_from(choose, table, source, cast.near)))
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
    work.group(work.row_transaction([second]))
    work.end()


def _made_from(choose: Chooser, table: TableName, source: TableName, other: TableName) -> CreateTable:
    """Return a CREATE TABLE from a table, which is the only source, the first, the last or between two others."""
    shape = choose.one_of(("SELECT", "LIKE", "first", "last", "middle"))
    if shape == "LIKE":
        return CreateTable(table, like=source)
    another = TableName(other.database, f"{other.name[:8]}2")
    sources = {"first": (source, other), "last": (other, source), "middle": (other, source, another)}
    return CreateTable(table, sources=sources.get(shape, (source,)), selects=True)


#: The names that a table has one after another, by their places in the list of names; the rule is for the first.
_ROUTES: Final = {
    "away and back": (0, 1, 0),
    "away": (0, 1),
    "twice away": (0, 1, 2),
    "twice away and back": (0, 1, 2, 0),
    "away, back and away": (0, 1, 0, 1),
    "there, on and half back": (0, 1, 2, 1),
    "far away": (0, 1, 2, 3),
}


@family(focus=("WL40-DATA-ORDER", "WL40-FILTER-RENAME-FIRST"), profiles=_WORKLOG)
def rename_filters(stream: StreamBuilder) -> None:
    """A table that is renamed, on and back again, with work on its names; and swaps by way of a third name."""
    choose = stream.choose
    cast = choose.one_of(tuple(CASTS.values()))
    first, second = cast[:2]
    swaps = choose.yes(4)
    renames = choose.one_of(RENAMES_MODES)
    set_rules(stream, (first, second) if swaps else (first,), does=not choose.yes(4), tables="literal", renames=renames)
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    if swaps:
        middle = TableName(first.database, "tmp")
        work.group(work.rename((first, middle), (second, first), (middle, second)))
        for table in (first, second):
            work.group(work.change_by_statement([table]))
    else:
        _follow_route(work, cast)
    work.group(work.row_transaction([first]))
    work.end()


def _follow_route(work: TableWork, cast: Cast) -> None:
    choose = work.choose
    names = [cast.first, *choose.one_of(((TableName(cast.first.database, "s"), cast.elsewhere), (cast.elsewhere,)))]
    names += [cast.near, cast.third]
    route = choose.one_of(tuple(_ROUTES.values()))
    _work(work, names[0])
    for old, new in pairwise(route):
        if choose.yes(4):
            # A table without a rule, which never had another name.
            work.group(work.rename((TableName(cast.first.database, "w"), TableName(cast.first.database, "v"))))
        work.group(work.rename((names[old], names[new])))
        _work(work, names[new])


def _work(work: TableWork, table: TableName) -> None:
    for _ in work.choose.several(1, 2):
        work.group(work.change_by_statement([table]) if work.choose.yes() else work.transaction([table]))
