"""The mutants of the role `filter`: the model with one fault each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.sql_statement import read_statement
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import ForgetsOldNames, TableFilter
from conformance.models.filtering.table_name import TableName, as_text
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.filter import ChangePart, answer_with, table_filter

#: Returns the tables by which a statement is judged, None for all of them.
ChooseTables = Callable[[tuple[TableName, ...], FilteredStatement], tuple[TableName, ...] | None]
_Answer = Callable[[Request], Observation | Trouble]


def _judging(choose: ChooseTables) -> ChangePart:
    """Return the change that judges statements by other tables."""

    def change(event: Event, part: LogPart) -> LogPart:
        statement = part.statement
        if part.part is not Part.STATEMENT or statement is None:
            return part
        tables = choose(part.tables, statement)
        return part if tables is None else replace(part, tables=tables)

    return change


def _with_part(change: ChangePart, *, statements: bool = True) -> _Answer:
    return lambda request: answer_with(request, part=change, statements=statements)


def _with_rules(rules: Callable[[FilterRules], FilterRules]) -> _Answer:
    def tables(settings: Mapping[str, Any]) -> TableFilter:
        plain = table_filter(settings)
        return TableFilter(rules(plain.rules), tables=settings["tables"], renames=settings["renames"])

    return lambda request: answer_with(request, tables=tables)


def _with_modes(**modes: Any) -> _Answer:
    return lambda request: answer_with(request, tables=lambda settings: table_filter({**settings, **modes}))


def _with_groups(groups: type[GroupFilter]) -> _Answer:
    return lambda request: answer_with(request, groups=groups)


# --- the tables by which statements are judged


def _by_text(event: Event, part: LogPart) -> LogPart:
    """Use the tables that the text of a statement names."""
    if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
        return part
    fields = event.fields()
    named = read_statement(as_text(fields["query"]), as_text(fields["database"])).tables
    return replace(part, tables=named)


def _every_old_name(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...]:
    return tuple(old for old, _ in statement.renames) or tables


def _new_table_only(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return (statement.create.table,) if statement.create is not None else None


def _nothing_created(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    create = statement.create
    plain = create is not None and create.like is None and not create.selects
    return () if plain else None


def _old_and_new_names(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    if len(statement.renames) != 1:
        return None
    return statement.renames[0]


def _new_names(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    if len(statement.renames) != 1:
        return None
    (old, new), *_ = statement.renames
    # Only a renaming to a name that sorts after the old one; the reverse is the renaming back.
    return (new,) if new > old else tables


# --- rules and state


class _AnyTable(FilterRules):
    """One table of the list is enough."""

    __slots__ = ()

    def pass_all(self, tables: Iterable[TableName]) -> bool:
        tables = tuple(tables)
        return any(map(self.cover, tables)) or not tables if self.has_do_rules else super().pass_all(tables)


class _Prefixes(FilterRules):
    """A rule applies to every table whose name begins with the rule's name."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        begins = any(table.database == each.database and table.name.startswith(each.name) for each in self.do_tables)
        return begins or super().cover(table)


def _as(kind: type[FilterRules]) -> Callable[[FilterRules], FilterRules]:
    return lambda rules: kind(rules.do_tables, rules.do_databases, rules.ignore_tables, rules.ignore_databases)


#: A rule for no table, so that there is a rule after all others are removed.
_NO_TABLE: Final = TableName("none", "none")


class _ForgetsCopies(TableFilter):
    """A dropped CREATE TABLE ... LIKE removes the ignore rule of its new table."""

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        kept = super().passes(tables, statement)
        create = statement.create if statement is not None else None
        others = () if create is None else (*((create.like,) if create.like else ()), *create.sources)
        if create is not None and not self.rules.has_do_rules and not self.rules.pass_all(others):
            self.rules = replace(self.rules, ignore_tables=self.rules.ignore_tables - {create.table} | {_NO_TABLE})
        return kept


def _with_tables(kind: type[TableFilter]) -> _Answer:
    """Return the answer of another kind of filter, for questions about names and literal rules."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        plain = table_filter(settings)
        if settings["renames"] != "name" or settings["tables"] != "literal":
            return plain
        return kind(plain.rules)

    return lambda request: answer_with(request, tables=tables, statements=True)


# --- groups


class _BeginStays(GroupFilter):
    """BEGIN is always kept."""

    def finish(self) -> list[Fate]:
        decided = super().finish()
        for fate in decided:
            fate.kept = fate.kept or fate.part.part is Part.BEGIN
        return decided


class _RowsStay(GroupFilter):
    """Rows are kept although their Table_map is dropped."""

    def finish(self) -> list[Fate]:
        decided = super().finish()
        for fate in decided:
            fate.kept = fate.kept or fate.part.part is Part.ROWS
        return decided


#: Every mutant, in the order of the catalogue.
MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "filters-by-text",
        "WL40-FILTER-BY-TABLES-INFO",
        "a statement is judged by its text, not by its tables info",
        answer=_with_part(_by_text, statements=False),
    ),
    Mutant(
        "any-do-table",
        "WL40-FILTER-DO-EVERY-TABLE",
        "one table with a do rule lets a statement pass",
        answer=_with_rules(_as(_AnyTable)),
    ),
    Mutant(
        "every-old-name",
        "WL40-FILTER-DO-SWAP",
        "a renaming is judged by every name to the left of TO",
        answer=_with_part(_judging(_every_old_name)),
    ),
    Mutant(
        "new-table-alone",
        "WL40-FILTER-DO-CREATE-LIKE",
        "a CREATE TABLE is judged by the new table alone",
        answer=_with_part(_judging(_new_table_only)),
    ),
    Mutant(
        "plain-creates-pass",
        "WL40-FILTER-IGNORE-CREATE",
        "a plain CREATE TABLE always passes",
        answer=_with_part(_judging(_nothing_created)),
    ),
    Mutant(
        "sources-not-ignored",
        "WL40-FILTER-IGNORE-CREATE-LIKE",
        "the table in the LIKE part of a CREATE TABLE is not checked",
        answer=_with_part(_judging(_new_table_only)),
    ),
    Mutant(
        "always-clever",
        "WL40-FILTER-IGNORE-DEPENDENT",
        "the filter is clever although the question is literal",
        answer=_with_modes(tables="clever"),
    ),
    Mutant(
        "copy-rule-forgotten",
        "WL40-FILTER-IGNORE-BOTH",
        "the ignore rule for a table is forgotten after a dropped CREATE TABLE from an ignored table",
        answer=_with_tables(_ForgetsCopies),
    ),
    Mutant(
        "rules-are-prefixes",
        "WL40-FILTER-RULE-MEANING",
        "a do rule applies to every table whose name begins with the rule's name",
        answer=_with_rules(_as(_Prefixes)),
    ),
    Mutant(
        "begin-stays", "WL40-FILTER-GROUP-WHOLE", "BEGIN is kept without its group", answer=_with_groups(_BeginStays)
    ),
    Mutant(
        "rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "rows are kept without their Table_map",
        answer=_with_groups(_RowsStay),
    ),
    Mutant(
        "never-clever",
        "WL40-FILTER-CLEVER-CREATE",
        "the filter is literal although the question is clever",
        answer=_with_modes(tables="literal"),
    ),
    Mutant(
        "both-names",
        "WL40-FILTER-RENAME-FIRST",
        "a renaming is judged by the new name too",
        answer=_with_part(_judging(_old_and_new_names)),
    ),
    Mutant(
        "never-follows",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule does not follow its table although the question is about identity",
        answer=_with_modes(renames="name"),
    ),
    Mutant(
        "always-follows",
        "WL40-FILTER-RENAME-NAMES",
        "a rule follows its table although the question is about names",
        answer=_with_modes(renames="identity"),
    ),
    Mutant(
        "new-name-back",
        "WL40-FILTER-RENAME-BACK-DROPPED",
        "a renaming back is judged by its new name",
        answer=_with_part(_judging(_new_names)),
    ),
    Mutant(
        "rule-moves-away",
        "WL40-FILTER-RENAME-ROUND-TRIP",
        "a renaming removes the rule of the old name",
        answer=_with_tables(ForgetsOldNames),
    ),
)
