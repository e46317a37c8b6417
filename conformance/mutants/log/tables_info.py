"""The mutants of the role `log` in the tables info of Query events (WL#40)."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.server.events import BEGIN, COMMIT
from conformance.models.server.execution import log_of
from conformance.models.server.scenario import Scenario
from conformance.models.server.statements import (
    AlterTable,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    DropTable,
    Insert,
    InsertSelect,
    Maintain,
    RenameTable,
    UpdateTables,
)
from conformance.mutants.log.consistency_faults import logs_temporary_in_row
from conformance.mutants.log.event_faults import (
    created_as_given,
    entry_of,
    is_begin,
    listed_for,
    rewritten,
    with_lists,
)
from conformance.mutants.log.faults import (
    Answer,
    changed,
    creates,
    has_lists,
    other_settings,
    set_fields,
    statements_of,
    units,
    without,
)
from conformance.mutants.log.transaction_faults import (
    lists_in_all,
    option_that_can_be_set,
    two_formats,
)
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

_TEMPORARY_CREATES: Final = statements_of(CreateTable, temporary=True)


def _swaps(scenario: Scenario) -> Iterator[int]:
    """Yield the indices of the RENAME TABLEs that swap two tables by way of a third name."""
    for index in statements_of(RenameTable)(scenario):
        each = scenario.statements[index]
        if isinstance(each, RenameTable) and {old for old, _ in each.pairs} == {new for _, new in each.pairs}:
            yield index


def _without_databases(each: RenameTable, tables: tuple[dict[str, bytes], ...]) -> tuple[dict[str, bytes], ...]:
    """Return the old names that are on the right of no earlier pair, by the names of the tables alone."""
    pairs = each.pairs
    return tuple(
        entry_of(old)
        for place, (old, _) in enumerate(pairs)
        if old.table not in {new.table for _, new in pairs[:place]}
    )


def _without_the_last_two(each: RenameTable, tables: tuple[dict[str, bytes], ...]) -> tuple[dict[str, bytes], ...]:
    """Return the old names that are on the right of neither of the two pairs before."""
    pairs = each.pairs
    return tuple(
        entry_of(old)
        for place, (old, _) in enumerate(pairs)
        if old not in {new for _, new in pairs[max(place - 2, 0) : place]}
    )


def _one_of_each_name(each: CreateTableLike, tables: tuple[dict[str, bytes], ...]) -> tuple[dict[str, bytes], ...]:
    """Return the tables, without those that have the name of one before them, in whatever database."""
    names = [table["table"] for table in tables]
    return tuple(table for place, table in enumerate(tables) if table["table"] not in names[:place])


def _where_it_fits(answer: Answer) -> Answer:
    """Return an answer, but the right one where a statement is too long for the extended format's two bytes."""

    def fitting(request: Request) -> Observation:
        try:
            return answer(request)
        except OverflowError:
            return written(request, log_of(scenario_of(request)).logs)

    return fitting


LOG_TABLES_INFO_MUTANTS: Final[tuple[Mutant, ...]] = (
    # WL#40
    Mutant(
        "logs-usual-queries",
        "WL40-OPTION-ON-ALL-EXTENDED",
        "Query events have no tables info although the option is on",
        answer=other_settings(binlog_with_tables_info=False),
    ),
    Mutant(
        "logs-extended-queries",
        "WL40-OPTION-OFF-USUAL",
        "Query events have tables info although the option is off",
        answer=_where_it_fits(lists_in_all),
        also=("FORMAT-LOG-STATEMENT",),
    ),
    Mutant(
        "logs-option-can-be-set",
        "WL40-OPTION-GLOBAL-READ-ONLY",
        "SET GLOBAL changes the format of Query events from the next log on",
        answer=_where_it_fits(option_that_can_be_set),
        also=("WL40-OPTION-OFF-USUAL", "WL40-OPTION-ON-ALL-EXTENDED"),
    ),
    Mutant(
        "logs-two-query-formats",
        "WL40-OPTION-GLOBAL-READ-ONLY",
        "only the first log has extended Query events",
        answer=_where_it_fits(two_formats),
        also=("WL40-OPTION-ON-ALL-EXTENDED",),
    ),
    Mutant(
        "logs-list-empty",
        "WL40-LIST-EACH-TABLE",
        "the list of a row change is empty",
        answer=listed_for(statements_of(Insert, InsertSelect), lambda each, tables: ()),
    ),
    Mutant(
        "logs-list-first-table",
        "WL40-LIST-EACH-TABLE",
        "a statement on two tables lists the first",
        answer=listed_for(statements_of(InsertSelect, UpdateTables, DropTable), lambda each, tables: tables[:1]),
    ),
    Mutant(
        "logs-list-maintained",
        "WL40-LIST-EACH-TABLE",
        "ALTER TABLE and OPTIMIZE TABLE have no list",
        answer=listed_for(statements_of(AlterTable, Maintain), lambda each, tables: ()),
    ),
    Mutant(
        "logs-list-no-shapes",
        "WL40-CREATE-SHAPES",
        "CREATE TEMPORARY TABLE has no list",
        answer=listed_for(_TEMPORARY_CREATES, lambda each, tables: ()),
        also=("WL40-CREATE-SBR-PLAIN", "WL40-CREATE-SBR-LIKE", "WL40-CREATE-SBR-SELECT"),
    ),
    Mutant(
        "logs-create-rewritten",
        "WL40-CREATE-SBR-AS-IS",
        "in statement format a CREATE TABLE is rewritten",
        answer=units(rewritten),
    ),
    Mutant(
        "logs-list-plain",
        "WL40-CREATE-SBR-PLAIN",
        "in statement format a plain CREATE TABLE has no list",
        answer=listed_for(statements_of(CreateTable), lambda each, tables: (), binlog_format="STATEMENT"),
    ),
    Mutant(
        "logs-list-like",
        "WL40-CREATE-SBR-LIKE",
        "in statement format CREATE TABLE ... LIKE lists the new table only",
        answer=listed_for(statements_of(CreateTableLike), lambda each, tables: tables[:1], binlog_format="STATEMENT"),
    ),
    Mutant(
        "logs-list-sources-first",
        "WL40-CREATE-SBR-SELECT",
        "in statement format CREATE TABLE ... SELECT lists its sources first",
        answer=listed_for(
            statements_of(CreateTableSelect), lambda each, tables: (*tables[1:], *tables[:1]), binlog_format="STATEMENT"
        ),
    ),
    Mutant(
        "logs-list-like-one-name",
        "WL40-CREATE-SBR-LIKE",
        "in statement format CREATE TABLE ... LIKE lists one table if the other has its name in another database",
        answer=listed_for(statements_of(CreateTableLike), _one_of_each_name, binlog_format="STATEMENT"),
    ),
    Mutant(
        "logs-list-eight-tables",
        "WL40-CREATE-SBR-SELECT",
        "in statement format CREATE TABLE ... SELECT lists at most eight tables",
        answer=listed_for(statements_of(CreateTableSelect), lambda each, tables: tables[:8], binlog_format="STATEMENT"),
        also=("WL40-LIST-EACH-TABLE",),
    ),
    Mutant(
        "logs-temporary-create-in-row",
        "WL40-CREATE-RBR-TEMPORARY-NOT-LOGGED",
        "in row format CREATE TEMPORARY TABLE is logged",
        answer=logs_temporary_in_row(with_list=False),
        also=("WL40-CREATE-RBR-TEMPORARY",),
    ),
    Mutant(
        "logs-like-temporary",
        "WL40-CREATE-RBR-LIKE-TRANSFORMED",
        "in row format CREATE TABLE LIKE a temporary table is logged as given",
        answer=created_as_given(CreateTableLike, condition=with_lists),
    ),
    Mutant(
        "logs-select-kept",
        "WL40-CREATE-RBR-SELECT-TRANSFORMED",
        "in row format CREATE TABLE ... SELECT is logged with its SELECT",
        answer=created_as_given(CreateTableSelect, condition=with_lists),
    ),
    Mutant(
        "logs-temporary-list",
        "WL40-CREATE-RBR-TEMPORARY",
        "in row format a temporary table's creation is logged with a list",
        answer=logs_temporary_in_row(with_list=True),
        also=("WL40-CREATE-RBR-TEMPORARY-NOT-LOGGED",),
    ),
    Mutant(
        "logs-list-plain-row",
        "WL40-CREATE-RBR-PLAIN",
        "in row format a plain CREATE TABLE has no list",
        answer=listed_for(statements_of(CreateTable), lambda each, tables: (), binlog_format="ROW"),
    ),
    Mutant(
        "logs-list-like-temporary",
        "WL40-CREATE-RBR-LIKE-TEMPORARY",
        "in row format CREATE TABLE LIKE a temporary table lists the temporary table too",
        answer=listed_for(
            statements_of(CreateTableLike), lambda each, tables: (*tables[:1], entry_of(each.like)), binlog_format="ROW"
        ),
    ),
    Mutant(
        "logs-list-like-temporary-if-not-exists",
        "WL40-CREATE-RBR-LIKE-TEMPORARY",
        "in row format CREATE TABLE IF NOT EXISTS LIKE a temporary table lists the temporary table too",
        answer=listed_for(
            statements_of(CreateTableLike, if_not_exists=True),
            lambda each, tables: (*tables[:1], entry_of(each.like)),
            binlog_format="ROW",
        ),
    ),
    Mutant(
        "logs-list-like-row",
        "WL40-CREATE-RBR-LIKE",
        "in row format CREATE TABLE ... LIKE lists the new table only",
        answer=listed_for(statements_of(CreateTableLike), lambda each, tables: tables[:1], binlog_format="ROW"),
    ),
    Mutant(
        "logs-list-sources",
        "WL40-CREATE-RBR-SELECT",
        "in row format CREATE TABLE ... SELECT lists its sources too",
        answer=listed_for(
            statements_of(CreateTableSelect),
            lambda each, tables: (*tables, *(entry_of(source) for source in each.sources)),
            binlog_format="ROW",
        ),
        also=("WL40-CREATE-SELECT-SAME-LIST",),
    ),
    Mutant(
        "logs-create-select-no-begin",
        "WL40-CREATE-SELECT-SEQUENCE",
        "with tables info, CREATE TABLE ... SELECT in row format has no BEGIN",
        answer=without(lambda log, unit, event: is_begin(log, unit, event) and creates(unit) and has_lists(log)),
    ),
    Mutant(
        "logs-begin-without-list",
        "WL40-CREATE-SELECT-SAME-LIST",
        "BEGIN and COMMIT of CREATE TABLE ... SELECT have an empty list",
        answer=listed_for(statements_of(CreateTableSelect), lambda each, tables: (), words=(BEGIN, COMMIT)),
    ),
    Mutant(
        "logs-create-select-no-table-map",
        "WL40-CREATE-SELECT-TABLE-MAP",
        "the rows of CREATE TABLE ... SELECT have a Table_map of another table",
        answer=changed(
            lambda log, unit, event: event.type == EventType.TABLE_MAP and creates(unit), set_fields(table=b"other")
        ),
        also=("FORMAT-LOG-FIELDS",),
    ),
    Mutant(
        "logs-rename-right-side",
        "WL40-RENAME-LEFT-SIDE",
        "a RENAME TABLE lists the new names",
        answer=listed_for(
            statements_of(RenameTable), lambda each, tables: tuple(entry_of(new) for _, new in each.pairs)
        ),
    ),
    Mutant(
        "logs-rename-targets",
        "WL40-RENAME-SKIP-TARGETS",
        "a RENAME TABLE lists all the old names",
        answer=listed_for(
            statements_of(RenameTable), lambda each, tables: tuple(entry_of(old) for old, _ in each.pairs)
        ),
    ),
    Mutant(
        "logs-rename-without-database",
        "WL40-RENAME-LEFT-SIDE",
        "a RENAME TABLE leaves out a table if an earlier pair has its name on the right, in whatever database",
        answer=listed_for(statements_of(RenameTable), _without_databases),
    ),
    Mutant(
        "logs-rename-two-pairs-back",
        "WL40-RENAME-SKIP-TARGETS",
        "a RENAME TABLE lists an old name that is on the right of a pair more than two pairs before",
        answer=listed_for(statements_of(RenameTable), _without_the_last_two),
        also=("WL40-RENAME-LEFT-SIDE",),
    ),
    Mutant(
        "logs-rename-first-only",
        "WL40-RENAME-SWAP",
        "a RENAME TABLE that swaps two tables lists the first only",
        answer=listed_for(_swaps, lambda each, tables: tables[:1]),
    ),
)
