"""Streams for filters (WL#40, sections 4 to 6): any work, tables made from other tables, and renames."""

from typing import Final

from conformance.models.filtering.statement import CreateTable
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.families.tables_info import TABLES
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import choose_rules, set_rules
from conformance.strategies.scenarios.table_work import DATABASE, TableWork

_TABLE: Final = TABLES[0]
_OTHER: Final = TableName(DATABASE, "s")
_TMP: Final = TableName(DATABASE, "tmp")


@family(focus=("WL40-TABLES-INFO-DEFAULT-DB", "WL40-FILTER-DO-EVERY-TABLE"), profiles=Profiles("worklog"))
def table_filters(stream: StreamBuilder) -> None:
    """Transactions and statements on one or several tables, some with similar names, under do or ignore rules."""
    choose = stream.choose
    choose_rules(stream, TABLES[:4], modes=False)
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    for _ in choose.several(1, 6):
        kind = choose.integer(0, 6)
        if kind == 5:
            work.group(work.drop([choose.one_of(TABLES) for _ in choose.several(1, 2)]))
        elif kind == 4:
            for pieces in work.create_select(choose.one_of(TABLES)):
                work.group(pieces)
        elif kind == 3:
            work.group(work.create(CreateTable(choose.one_of(TABLES))))
        elif kind == 2:
            # Usually like the table without a rule: LIKE shows its effect only if one of the two tables has a rule.
            table, source = choose.one_of(TABLES[:-1]), choose.one_of(TABLES[::-1])
            source = TABLES[-1] if source == table or choose.yes() else source
            work.group(work.create(CreateTable(table, like=source)))
        elif kind == 6:
            work.group(work.rename((TABLES[0], _TMP), (TABLES[1], TABLES[0]), (_TMP, TABLES[1])))
        elif kind == 1:
            work.group(work.change_by_statement([choose.one_of(TABLES) for _ in choose.several(1, 3)]))
        else:
            work.group(work.transaction([choose.one_of(TABLES) for _ in choose.several(1, 3)]))
    work.group(work.row_transaction([choose.one_of(TABLES)]))
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
    else:
        choose_rules(stream, TABLES, modes=False)
    work = TableWork(stream)
    work.begin(extended=False)
    for _ in choose.several(1, 4):
        work.group(work.row_transaction([choose.one_of(TABLES) for _ in choose.several(1, 3)]))
    work.end()


@family(focus=("WL40-DATA-ORDER", "WL40-FILTER-IGNORE-CREATE-LIKE"), profiles=Profiles("worklog"))
def create_table_filters(stream: StreamBuilder) -> None:
    """A table, another one made from it by LIKE or SELECT, and work on both, under do or ignore rules for them."""
    choose = stream.choose
    first, second, third = TABLES[:3]
    ruled = choose.one_of(((first,), (first, second), (second,)))
    does = choose.yes(3)
    set_rules(stream, ruled, does=does, tables=choose.one_of(TABLES_MODES), renames=RENAMES_MODES[0])
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    if choose.yes():
        work.group(work.create(CreateTable(first)))
    made = [second, third]
    for table in made[: choose.integer(1, 2)]:
        source = first if table is second else choose.one_of((first, second))
        like = choose.yes()
        sources = () if like else (source,)
        create = CreateTable(table, like=source if like else None, sources=sources, selects=not like)
        work.group(work.create(create))
    for _ in choose.several(1, 4):
        table = choose.one_of((second, third, second, first))
        kind = choose.integer(0, 3)
        if kind == 3:
            for pieces in work.create_select(table):
                work.group(pieces)
        else:
            work.group(work.change_by_statement([table]) if kind else work.transaction([table]))
    work.group(work.change_by_statement([second]))
    work.group(work.row_transaction([second]))
    work.end()


@family(focus=("WL40-DATA-ORDER", "WL40-FILTER-RENAME-FIRST"), profiles=Profiles("worklog"))
def rename_filters(stream: StreamBuilder) -> None:
    """A table that is renamed, sometimes back again, with work on both names; and swaps by way of a third name."""
    choose = stream.choose
    swaps = choose.yes(3)
    ruled = TABLES[:2] if swaps else (_TABLE,)
    set_rules(stream, ruled, does=not choose.yes(4), tables=TABLES_MODES[0], renames=choose.one_of(RENAMES_MODES))
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    if swaps:
        work.group(work.rename((TABLES[0], _TMP), (TABLES[1], TABLES[0]), (_TMP, TABLES[1])))
        for table in TABLES[:2]:
            work.group(work.change_by_statement([table]))
    else:
        names = [_TABLE, _OTHER]
        for _ in choose.several(2, 3):
            _work(work, names[0])
            work.group(work.rename((names[0], names[1])))
            _work(work, names[1])
            names.reverse()
    work.group(work.row_transaction([_TABLE]))
    work.end()


def _work(work: TableWork, table: TableName) -> None:
    for _ in work.choose.several(1, 2):
        work.group(work.change_by_statement([table]) if work.choose.yes() else work.transaction([table]))
