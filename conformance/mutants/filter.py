"""The mutants of the role `filter`: the model with one fault each."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import COMPRESSED_ROWS_V1, EventType
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.sql_statement import read_statement
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import ForgetsOldNames, TableFilter
from conformance.models.filtering.table_name import TableName, as_text, named_by
from conformance.mutants.faulty_filters import (
    AnyCase,
    AnyTable,
    AtOnce,
    BackByNewName,
    BeginStays,
    Composed,
    ContextStays,
    CutNames,
    EmptyDropped,
    ForgetsAtNextLog,
    ForgetsCopies,
    LastContextAlone,
    LastKeptAlone,
    LastPairLost,
    LosesRows,
    NotesDropped,
    NotIfNotExists,
    NotTransitive,
    OneHop,
    OneXaAtATime,
    Patterns,
    Prefixes,
    RowsStay,
    SameDatabaseOnly,
    WithoutAccents,
    rules_as,
)
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.filter import ChangePart, answer, answer_with, table_filter

#: A rule for no table, so that there is a rule after all others are removed; and a table without a rule.
_NO_TABLE: Final = TableName("none", "none")
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


def _with_mode(name: str, wanted: str, taken: str) -> _Answer:
    """Return the answer of a filter that takes one mode where another is wanted."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        return table_filter({**settings, name: taken} if settings[name] == wanted else settings)

    return lambda request: answer_with(request, tables=tables)


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


def _first_pair(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return tables[:1] if len(statement.renames) > 1 else None


def _sources_left_out(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return tables[:1] if statement.create is not None and statement.create.selects else None


def _up_to(count: int) -> ChooseTables:
    return lambda tables, statement: tables[:count]


def _none_is_unknown(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return None if tables else (_NO_TABLE,)


def _in_test(event: Event, part: LogPart) -> LogPart:
    """Use `test` as the default database of every statement."""
    if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
        return part
    tables_info = event.fields().get("tables_info", ())
    return replace(part, tables=named_by(tables_info, "test") if tables_info else part.tables)


def _new_table_only(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return (statement.create.table,) if statement.create is not None else None


def _like_left_out(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    create = statement.create
    return (create.table,) if create is not None and create.like is not None else None


def _nothing_created(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    create = statement.create
    plain = create is not None and create.like is None and not create.selects
    return () if plain else None


def _old_and_new_names(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    if len(statement.renames) != 1:
        return None
    return statement.renames[0]


def _if(name: str, wanted: str | bool, faulty: _Answer) -> _Answer:
    """Return the answer of a filter that has its fault only where a setting has a value, or rules are there or not."""

    def answered(request: Request) -> Observation | Trouble:
        value = request.settings[name]
        return faulty(request) if wanted == (value if isinstance(wanted, str) else bool(value)) else answer(request)

    return answered


def _in_its_mode(kind: type[TableFilter]) -> _Answer:
    """Return the answer of another kind of filter, with the modes of the question."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        return kind(table_filter(settings).rules, tables=settings["tables"], renames=settings["renames"])

    return lambda request: answer_with(request, tables=tables)


#: The rest of a definition of a table whose name has no backticks.
_UNQUOTED: Final = r"(?:TEMPORARY )?TABLE (?:IF NOT EXISTS )?(?!IF NOT)\w"


def _unread(pattern: str) -> _Answer:
    """Return the answer of a filter that does not understand the definitions whose text a pattern matches."""

    def change(event: Event, part: LogPart) -> LogPart:
        if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
            return part
        unread = re.search(pattern, as_text(event.fields()["query"]), re.DOTALL)
        return replace(part, statement=None) if unread else part

    return _with_part(change, statements=False)


def _xa_name_cut(parts: int) -> ChangePart:
    """Return the change that knows only the first parts of the names of XA transactions."""
    return lambda event, part: replace(part, xa=",".join(part.xa.split(",")[:parts]))


def _without_xa_name(event: Event, part: LogPart) -> LogPart:
    return replace(part, xa="") if part.part is Part.XA_FINISH else part


def _xa_prepare_of_log(event: Event, part: LogPart) -> LogPart:
    return LogPart(Part.LOG) if event.header.type == EventType.XA_PREPARE else part


def _with_tables(kind: type[TableFilter]) -> _Answer:
    """Return the answer of another kind of filter, for questions about names and literal rules."""

    def tables(settings: Mapping[str, Any]) -> TableFilter:
        plain = table_filter(settings)
        if settings["renames"] != "name" or settings["tables"] != "literal":
            return plain
        return kind(plain.rules)

    return lambda request: answer_with(request, tables=tables, statements=True)


def _first_map(request: Request) -> Observation | Trouble:
    """Return the answer of a filter in which a table id keeps its first table."""
    tables: dict[int, tuple[TableName, ...]] = {}

    def change(event: Event, part: LogPart) -> LogPart:
        if part.part is not Part.TABLE_MAP:
            return part
        return replace(part, tables=tables.setdefault(part.table_id, part.tables))

    return answer_with(request, part=change)


def _staying(*types: int) -> _Answer:
    """Return the answer of a filter that does not know that events of some types belong to what is dropped."""

    def change(request: Request) -> Observation | Trouble:
        seen = answer(request)
        if isinstance(seen, Trouble):
            return seen
        return replace(
            seen, events=tuple({**each, "fate": "kept"} if each["type"] in types else each for each in seen.events)
        )

    return change


#: Every mutant, in the order of the catalogue.
MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "filters-by-text",
        "WL40-FILTER-BY-TABLES-INFO",
        "a statement is judged by its text, not by its tables info",
        answer=_with_part(_by_text, statements=False),
    ),
    Mutant(
        "always-in-test",
        "WL40-FILTER-DEFAULT-DB",
        "the default database of every statement is test",
        answer=_with_part(_in_test, statements=False),
    ),
    Mutant(
        "any-do-table",
        "WL40-FILTER-DO-EVERY-TABLE",
        "one table with a do rule lets a statement pass",
        answer=_with_rules(rules_as(AnyTable)),
        also=(
            "WL40-FILTER-DO-CREATE-LIKE",
            "WL40-FILTER-RULE-MEANING",
        ),
    ),
    Mutant(
        "first-renaming-alone",
        "WL40-FILTER-DO-EVERY-TABLE",
        "a renaming of several tables is judged by the first",
        answer=_with_part(_judging(_first_pair)),
        also=("WL40-FILTER-IGNORE-ANY-TABLE",),
    ),
    Mutant(
        "three-tables-at-most",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "only the first three tables of a list are checked",
        answer=_if("do_tables", False, _with_part(_judging(_up_to(3)))),
    ),
    Mutant(
        "names-compared-to-64",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "only the first 64 bytes of a name are compared with those of a rule",
        answer=_with_rules(rules_as(CutNames)),
        also=(
            "WL40-FILTER-DO-CREATE-LIKE",
            "WL40-FILTER-RULE-MEANING",
            "WL40-FILTER-ROWS-BY-TABLE-MAP",
        ),
    ),
    Mutant(
        "empty-list-unknown",
        "WL40-FILTER-EMPTY-LIST",
        "a statement without tables does not pass do rules",
        answer=_with_part(_judging(_none_is_unknown)),
    ),
    Mutant(
        "every-old-name",
        "WL40-FILTER-DO-SWAP",
        "a renaming is judged by every name to the left of TO",
        answer=_with_part(_judging(_every_old_name)),
        also=(
            "WL40-FILTER-RENAME-FIRST",
            "WL40-FILTER-RENAME-LIST",
        ),
    ),
    Mutant(
        "new-table-alone",
        "WL40-FILTER-DO-CREATE-LIKE",
        "a CREATE TABLE is judged by the new table alone",
        answer=_if("do_tables", True, _with_part(_judging(_new_table_only))),
        also=("WL40-FILTER-RULE-MEANING",),
    ),
    Mutant(
        "plain-creates-pass",
        "WL40-FILTER-IGNORE-CREATE",
        "a plain CREATE TABLE always passes",
        answer=_if("do_tables", False, _with_part(_judging(_nothing_created))),
    ),
    Mutant(
        "sources-not-ignored",
        "WL40-FILTER-IGNORE-CREATE-LIKE",
        "the table in the LIKE part of a CREATE TABLE is not checked",
        answer=_if("do_tables", False, _with_part(_judging(_like_left_out))),
        also=("WL40-FILTER-CLEVER-CREATE",),
    ),
    Mutant(
        "select-not-ignored",
        "WL40-FILTER-IGNORE-CREATE-SELECT",
        "the tables in the SELECT part of a CREATE TABLE are not checked",
        answer=_if("do_tables", False, _with_part(_judging(_sources_left_out))),
        also=("WL40-FILTER-CLEVER-CREATE",),
    ),
    Mutant(
        "always-clever",
        "WL40-FILTER-IGNORE-DEPENDENT",
        "the filter is clever although the question is literal",
        answer=_if("do_tables", False, _with_mode("tables", "literal", "clever")),
    ),
    Mutant(
        "copy-rule-forgotten",
        "WL40-FILTER-IGNORE-BOTH",
        "the ignore rule for a table is forgotten after a dropped CREATE TABLE from an ignored table",
        answer=_with_tables(ForgetsCopies),
    ),
    Mutant(
        "rules-are-prefixes",
        "WL40-FILTER-RULE-MEANING",
        "a do rule applies to every table whose name begins with the rule's name",
        answer=_with_rules(rules_as(Prefixes)),
    ),
    Mutant(
        "rules-are-patterns",
        "WL40-FILTER-RULE-MEANING",
        "_ and % in a rule are any characters",
        answer=_with_rules(rules_as(Patterns)),
        also=(
            "WL40-FILTER-IGNORE-ANY-TABLE",
            "WL40-FILTER-ROWS-BY-TABLE-MAP",
        ),
    ),
    *(
        Mutant(
            name,
            "WL40-FILTER-IGNORE-ANY-TABLE",
            text,
            answer=_with_rules(rules_as(kind)),
            also=("WL40-FILTER-RULE-MEANING", "WL40-FILTER-ROWS-BY-TABLE-MAP"),
        )
        for name, text, kind in (
            ("names-in-any-case", "names are compared without regard to case", AnyCase),
            ("names-without-accents", "names are compared without accents", WithoutAccents),
            ("names-composed", "a character in two parts is the same as in one", Composed),
        )
    ),
    Mutant(
        "begin-stays", "WL40-FILTER-GROUP-WHOLE", "BEGIN is kept without its group", answer=_with_groups(BeginStays)
    ),
    Mutant(
        "group-by-first-statements",
        "WL40-FILTER-GROUP-WHOLE",
        "BEGIN and its Gtid event are dropped if the first two statements of their transaction are",
        answer=_with_groups(LastKeptAlone),
    ),
    Mutant(
        "empty-group-dropped",
        "WL40-FILTER-GROUP-WHOLE",
        "a transaction without statements is dropped where there are do rules",
        answer=_if("do_tables", True, _with_groups(EmptyDropped)),
    ),
    Mutant(
        "rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "rows are kept without their Table_map",
        answer=_with_groups(RowsStay),
    ),
    Mutant(
        "deleted-rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "rows that are deleted are kept without their Table_map",
        answer=_staying(EventType.DELETE_ROWS_V1, EventType.DELETE_ROWS),
    ),
    Mutant(
        "partial-updates-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "changes of JSON documents are kept without their Table_map",
        answer=_staying(EventType.PARTIAL_UPDATE_ROWS),
    ),
    Mutant(
        "compressed-rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "compressed rows are kept without their Table_map",
        answer=_staying(*COMPRESSED_ROWS_V1),
    ),
    Mutant(
        "first-map-for-good",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "a table id keeps the table of its first Table_map",
        answer=_first_map,
    ),
    *(
        Mutant(f"{verb}-{name}-unread", requirement, f"{what} {text} is not understood", answer=_unread(pattern))
        for verb, requirement, what in (
            ("create", "WL40-FILTER-CLEVER-CREATE", "a CREATE TABLE"),
            ("rename", "WL40-FILTER-RENAME-LIST", "a RENAME TABLE"),
        )
        for name, text, pattern in (
            ("in-lower-case", "in lower case", rf"^{verb}\b"),
            ("on-lines", "on several lines", rf"^{verb.upper()}\s*[\n\t]"),
            ("with-comments", "with comments", rf"^{verb.upper()} /\*"),
            ("with-remarks", "with comments to the end of a line", rf"^{verb.upper()} --"),
            ("unquoted", "of names without backticks", rf"^{verb.upper()} {_UNQUOTED}"),
        )
    ),
    Mutant(
        "never-clever",
        "WL40-FILTER-CLEVER-CREATE",
        "the filter is literal although the question is clever",
        answer=_with_mode("tables", "clever", "literal"),
    ),
    Mutant(
        "clever-in-one-log",
        "WL40-FILTER-CLEVER-CREATE",
        "tables that were made from ignored ones in the log before are not ignored",
        answer=_if("tables", "clever", _with_groups(ForgetsAtNextLog)),
    ),
    Mutant(
        "renames-in-one-log",
        "WL40-FILTER-RENAME-FOLLOWS",
        "the names that tables had in the log before are forgotten",
        answer=_if("renames", "identity", _with_groups(ForgetsAtNextLog)),
    ),
    Mutant(
        "clever-once",
        "WL40-FILTER-CLEVER-CREATE",
        "a table is not ignored that was created from one that the filter ignores by itself",
        answer=_in_its_mode(NotTransitive),
    ),
    Mutant(
        "clever-without-if-not-exists",
        "WL40-FILTER-CLEVER-CREATE",
        "a table is not ignored that a CREATE TABLE IF NOT EXISTS made from an ignored one",
        answer=_in_its_mode(NotIfNotExists),
    ),
    Mutant(
        "clever-in-one-database",
        "WL40-FILTER-CLEVER-CREATE",
        "a table is not ignored that was created like an ignored one of another database",
        answer=_in_its_mode(SameDatabaseOnly),
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
        answer=_with_mode("renames", "identity", "name"),
    ),
    Mutant(
        "follows-once",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule does not follow its table through a second renaming",
        answer=_if("renames", "identity", _in_its_mode(OneHop)),
    ),
    Mutant(
        "last-pair-not-followed",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule does not follow the last of several tables that one statement renames",
        answer=_if("renames", "identity", _in_its_mode(LastPairLost)),
    ),
    Mutant(
        "pairs-at-once",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule follows the pairs of one renaming as if they happened at once",
        answer=_in_its_mode(AtOnce),
    ),
    Mutant(
        "always-follows",
        "WL40-FILTER-RENAME-NAMES",
        "a rule follows its table although the question is about names",
        answer=_with_mode("renames", "name", "identity"),
        also=("WL40-FILTER-IGNORE-ANY-TABLE",),
    ),
    Mutant(
        "new-name-back",
        "WL40-FILTER-RENAME-BACK-DROPPED",
        "a renaming back is judged by its new name",
        answer=_with_tables(BackByNewName),
    ),
    Mutant(
        "rule-moves-away",
        "WL40-FILTER-RENAME-ROUND-TRIP",
        "a renaming removes the rule of the old name",
        answer=_with_tables(ForgetsOldNames),
    ),
    Mutant(
        "no-rename-list",
        "WL40-FILTER-RENAME-LIST",
        "a renaming back is dropped although the question is about a list of renamings",
        answer=_with_mode("renames", "list", "name"),
    ),
    Mutant(
        "list-follows-once",
        "WL40-FILTER-RENAME-LIST",
        "the list of renamings has the last one of each table only",
        answer=_if("renames", "list", _in_its_mode(OneHop)),
    ),
    Mutant(
        "list-of-dropped",
        "WL40-FILTER-RENAME-LIST",
        "the list of renamings has those too that were dropped",
        answer=_in_its_mode(NotesDropped),
    ),
    Mutant(
        "context-stays",
        "FORMAT-FILTER-CONTEXT",
        "Intvar and Rows_query are kept without their statement",
        answer=_with_groups(ContextStays),
    ),
    Mutant(
        "rand-and-user-var-stay",
        "FORMAT-FILTER-CONTEXT",
        "Rand and User_var are kept without their statement",
        answer=_staying(EventType.RAND, EventType.USER_VAR),
    ),
    Mutant(
        "last-context-alone",
        "FORMAT-FILTER-CONTEXT",
        "of several events before a statement only the last is dropped with it",
        answer=_with_groups(LastContextAlone),
    ),
    Mutant(
        "rows-lost-after-ignoring",
        "FORMAT-FILTER-FATE",
        "no rows pass after a clever filter has ignored a table by itself",
        answer=_in_its_mode(LosesRows),
        also=("WL40-FILTER-GROUP-WHOLE",),
    ),
    Mutant(
        "xa-commit-by-its-list",
        "FORMAT-FILTER-XA",
        "an XA COMMIT, which has no tables, passes although its transaction was dropped",
        answer=_with_part(_without_xa_name, statements=False),
    ),
    Mutant(
        "xa-prepare-of-the-log",
        "FORMAT-FILTER-XA",
        "XA_prepare is kept as an event that belongs to no group",
        answer=_with_part(_xa_prepare_of_log, statements=False),
    ),
    Mutant(
        "xa-by-global-part",
        "FORMAT-FILTER-XA",
        "two XA transactions with the same global part are taken for one",
        answer=_with_part(_xa_name_cut(1), statements=False),
    ),
    Mutant(
        "xa-without-format",
        "FORMAT-FILTER-XA",
        "two XA transactions that differ in their format alone are taken for one",
        answer=_with_part(_xa_name_cut(2), statements=False),
    ),
    Mutant(
        "one-xa-at-a-time",
        "FORMAT-FILTER-XA",
        "only the last XA transaction is remembered, whether it was dropped",
        answer=_with_groups(OneXaAtATime),
    ),
)
