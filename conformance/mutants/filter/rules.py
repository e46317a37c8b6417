"""Mutants of the role `filter`: which tables a statement is judged by, and what a rule means."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.sql_statement import read_statement
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_name import TableName, as_text, named_by
from conformance.mutants.filter.altered_answers import (
    ChooseTables,
    judging,
    only_if,
    with_mode,
    with_part,
    with_rules,
    with_tables,
)
from conformance.mutants.filter.faulty_filters import (
    NO_TABLE,
    AnyCase,
    AnyCaseBeyondAscii,
    AnyTable,
    Composed,
    CutNames,
    ForgetsCopies,
    Joined,
    Patterns,
    Prefixes,
    WithoutAccents,
    rules_as,
)
from conformance.mutants.mutant import Mutant
from conformance.reference.filter import ChangePart


def _by_text(event: Event, part: LogPart) -> LogPart:
    """Use the tables that the text of a statement names."""
    if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
        return part
    fields = event.fields()
    named = read_statement(as_text(fields["query"]), as_text(fields["database"])).tables
    return replace(part, tables=named)


def _first_of(count: int, words: bytes) -> ChangePart:
    """Return the function that uses the first tables of the statements that begin with some words."""

    def choose(event: Event, part: LogPart) -> LogPart:
        if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
            return part
        begins = event.fields()["query"].startswith(words)
        return replace(part, tables=part.tables[:count]) if begins else part

    return choose


def _every_old_name(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...]:
    return tuple(old for old, _ in statement.renames) or tables


def _first_pair(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return tables[:1] if len(statement.renames) > 1 else None


def _sources_left_out(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return tables[:1] if statement.create is not None and statement.create.selects else None


def _up_to(count: int) -> ChooseTables:
    return lambda tables, statement: tables[:count]


def _none_is_unknown(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return None if tables else (NO_TABLE,)


def _in_test(event: Event, part: LogPart) -> LogPart:
    """Use `test` as the default database of every statement."""
    if part.part is not Part.STATEMENT or event.header.type != EventType.QUERY:
        return part
    tables_info = event.fields().get("tables_info", ())
    return replace(part, tables=named_by(tables_info, "test") if tables_info else part.tables)


def _where(flag: Flag, changed: ChangePart) -> ChangePart:
    """Return the change of the statements whose Query event has a flag."""

    def choose(event: Event, part: LogPart) -> LogPart:
        is_changed = part.part is Part.STATEMENT and event.header.type == EventType.QUERY and event.header.flags & flag
        return changed(event, part) if is_changed else part

    return choose


def _without_default(event: Event, part: LogPart) -> LogPart:
    return replace(part, tables=named_by(event.fields().get("tables_info", ()), ""))


def _new_table_only(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    return (statement.create.table,) if statement.create is not None else None


def _like_left_out(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    create = statement.create
    return (create.table,) if create is not None and create.like is not None else None


def _nothing_created(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    create = statement.create
    plain = create is not None and create.like is None and not create.selects
    return () if plain else None


#: The mutants, in the order of the catalogue.
RULE_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "filters-by-text",
        "WL40-FILTER-BY-TABLES-INFO",
        "a statement is judged by its text, not by its tables info",
        answer=with_part(_by_text, statements=False),
    ),
    Mutant(
        "always-in-test",
        "WL40-FILTER-DEFAULT-DB",
        "the default database of every statement is test",
        answer=with_part(_in_test, statements=False),
    ),
    Mutant(
        "no-default-without-use",
        "WL40-FILTER-DEFAULT-DB",
        "a table without a database is in none where the flag of the event means that its statement needs no USE",
        answer=with_part(_where(Flag.SUPPRESS_USE, _without_default), statements=False),
    ),
    Mutant(
        "thread-specific-passes",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "a statement with the flag of temporary tables passes",
        answer=with_part(_where(Flag.THREAD_SPECIFIC, lambda event, part: replace(part, tables=())), statements=False),
        also=("WL40-FILTER-DO-EVERY-TABLE", "WL40-FILTER-RULE-MEANING"),
    ),
    Mutant(
        "flagged-statement-ignored",
        "WL40-FILTER-BY-TABLES-INFO",
        "a statement with the ignorable flag shares the fate of its group, as an event of an unknown type",
        answer=with_part(_where(Flag.IGNORABLE, lambda event, part: LogPart(Part.MEMBER)), statements=False),
    ),
    Mutant(
        "any-do-table",
        "WL40-FILTER-DO-EVERY-TABLE",
        "one table with a do rule lets a statement pass",
        answer=with_rules(rules_as(AnyTable)),
        also=(
            "WL40-FILTER-DO-CREATE-LIKE",
            "WL40-FILTER-RULE-MEANING",
        ),
    ),
    Mutant(
        "first-renaming-alone",
        "WL40-FILTER-DO-EVERY-TABLE",
        "a renaming of several tables is judged by the first",
        answer=with_part(judging(_first_pair)),
        also=("WL40-FILTER-IGNORE-ANY-TABLE", "WL40-FILTER-RULE-MEANING"),
    ),
    Mutant(
        "three-tables-at-most",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "only the first three tables of a list are checked",
        answer=only_if("do_tables", False, with_part(judging(_up_to(3)))),
    ),
    Mutant(
        "databases-dropped-by-first-table",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "a DROP DATABASE is judged by the first table of its list",
        answer=with_part(_first_of(1, b"DROP DATABASE"), statements=False),
        also=("WL40-FILTER-DO-EVERY-TABLE", "WL40-FILTER-RULE-MEANING", "WL40-FILTER-DEFAULT-DB"),
    ),
    Mutant(
        "two-tables-of-a-drop",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "a DROP TABLE is judged by the first two of its tables",
        answer=with_part(_first_of(2, b"DROP TABLE"), statements=False),
    ),
    *(
        Mutant(
            f"first-table-of-a-{name}",
            "WL40-FILTER-IGNORE-ANY-TABLE",
            f"a {words} is judged by the first of its tables",
            answer=with_part(_first_of(1, words.encode()), statements=False),
            also=("WL40-FILTER-DO-EVERY-TABLE", "WL40-FILTER-RULE-MEANING"),
        )
        for name, words in (
            ("delete", "DELETE"),
            ("drop-of-views", "DROP VIEW"),
            ("drop-of-temporary-tables", "DROP TEMPORARY TABLE"),
        )
    ),
    Mutant(
        "names-compared-to-64",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "only the first 64 bytes of a name are compared with those of a rule",
        answer=with_rules(rules_as(CutNames)),
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
        answer=with_part(judging(_none_is_unknown)),
    ),
    Mutant(
        "every-old-name",
        "WL40-FILTER-DO-SWAP",
        "a renaming is judged by every name to the left of TO",
        answer=with_part(judging(_every_old_name)),
        also=(
            "WL40-FILTER-RENAME-FIRST",
            "WL40-FILTER-RENAME-LIST",
        ),
    ),
    Mutant(
        "new-table-alone",
        "WL40-FILTER-DO-CREATE-LIKE",
        "a CREATE TABLE is judged by the new table alone",
        answer=only_if("do_tables", True, with_part(judging(_new_table_only))),
        also=("WL40-FILTER-RULE-MEANING",),
    ),
    Mutant(
        "plain-creates-pass",
        "WL40-FILTER-IGNORE-CREATE",
        "a plain CREATE TABLE always passes",
        answer=only_if("do_tables", False, with_part(judging(_nothing_created))),
    ),
    Mutant(
        "sources-not-ignored",
        "WL40-FILTER-IGNORE-CREATE-LIKE",
        "the table in the LIKE part of a CREATE TABLE is not checked",
        answer=only_if("do_tables", False, with_part(judging(_like_left_out))),
        also=("WL40-FILTER-CLEVER-CREATE",),
    ),
    Mutant(
        "select-not-ignored",
        "WL40-FILTER-IGNORE-CREATE-SELECT",
        "the tables in the SELECT part of a CREATE TABLE are not checked",
        answer=only_if("do_tables", False, with_part(judging(_sources_left_out))),
        also=("WL40-FILTER-CLEVER-CREATE",),
    ),
    Mutant(
        "always-clever",
        "WL40-FILTER-IGNORE-DEPENDENT",
        "the filter is clever although the question is literal",
        answer=only_if("do_tables", False, with_mode("tables", "literal", "clever")),
        also=("WL40-FILTER-IGNORE-ANY-TABLE",),
    ),
    Mutant(
        "copy-rule-forgotten",
        "WL40-FILTER-IGNORE-BOTH",
        "the ignore rule for a table is forgotten after a dropped CREATE TABLE from an ignored table",
        answer=with_tables(ForgetsCopies),
    ),
    Mutant(
        "rules-are-prefixes",
        "WL40-FILTER-RULE-MEANING",
        "a do rule applies to every table whose name begins with the rule's name",
        answer=with_rules(rules_as(Prefixes)),
    ),
    Mutant(
        "rules-are-patterns",
        "WL40-FILTER-RULE-MEANING",
        "_ and % in a rule are any characters",
        answer=with_rules(rules_as(Patterns)),
        also=(
            "WL40-FILTER-IGNORE-ANY-TABLE",
            "WL40-FILTER-ROWS-BY-TABLE-MAP",
        ),
    ),
    *(
        Mutant(
            name,
            requirement,
            text,
            answer=with_rules(rules_as(kind)),
            also=(
                "WL40-FILTER-RULE-MEANING",
                "WL40-FILTER-DO-EVERY-TABLE",
                "WL40-FILTER-IGNORE-ANY-TABLE",
                "WL40-FILTER-ROWS-BY-TABLE-MAP",
            ),
        )
        for name, requirement, text, kind in (
            ("names-in-any-case", "WL40-FILTER-IGNORE-ANY-TABLE", "names are compared without regard to case", AnyCase),
            (
                "names-in-any-case-beyond-ascii",
                "WL40-FILTER-IGNORE-ANY-TABLE",
                "names that are not in ASCII are compared without regard to case",
                AnyCaseBeyondAscii,
            ),
            (
                "names-without-accents",
                "WL40-FILTER-IGNORE-ANY-TABLE",
                "names are compared without accents",
                WithoutAccents,
            ),
            (
                "names-composed",
                "WL40-FILTER-IGNORE-ANY-TABLE",
                "a character in two parts is the same as in one",
                Composed,
            ),
            (
                "names-joined-with-a-dot",
                "WL40-FILTER-IGNORE-ANY-TABLE",
                "a database and a name are compared joined with a dot",
                Joined,
            ),
        )
    ),
)
