"""Mutants of the role `filter`: tables that are created from others, or renamed."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event import Event
from conformance.models.filtering.log_part import LogPart
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import ForgetsOldNames
from conformance.models.filtering.table_name import TableName
from conformance.mutants.filter.altered_answers import (
    in_its_mode,
    judging,
    only_if,
    unread,
    with_groups,
    with_mode,
    with_part,
    with_tables,
)
from conformance.mutants.filter.faulty_filters import (
    AtOnce,
    BackByNewName,
    ForgetsAtNextLog,
    LastPairLost,
    LosesRows,
    NotesDropped,
    NotIfNotExists,
    NotTransitive,
    OneHop,
    SameDatabaseOnly,
)
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.filter import answer_with


def _old_and_new_names(tables: tuple[TableName, ...], statement: FilteredStatement) -> tuple[TableName, ...] | None:
    if len(statement.renames) != 1:
        return None
    return statement.renames[0]


def _statement_by_text(request: Request) -> Observation | Trouble:
    """Return the answer of a filter that reads a text once, with the default database that it has then."""
    statements: dict[bytes, FilteredStatement] = {}

    def change(event: Event, part: LogPart) -> LogPart:
        if part.statement is None:
            return part
        return replace(part, statement=statements.setdefault(event.fields()["query"], part.statement))

    return answer_with(request, part=change)


_CLEVER: Final = "WL40-FILTER-CLEVER-CREATE"
#: The rest of a definition of a table whose name has no backticks.
_UNQUOTED: Final = r"(?:TEMPORARY )?TABLES? (?:IF NOT EXISTS )?(?!IF NOT)\w"


#: The mutants, in the order of the catalogue.
DEFINITION_MUTANTS: Final[tuple[Mutant, ...]] = (
    *(
        Mutant(f"{verb}-{name}-unread", requirement, f"{what} {text} is not understood", answer=unread(pattern))
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
    *(
        Mutant(name, _CLEVER, f"{text} is not understood", answer=unread(pattern))
        for name, text, pattern in (
            ("like-in-parentheses-unread", "LIKE in parentheses", r"(?i)\(\s*like\b"),
            ("select-in-parentheses-unread", "SELECT in parentheses", r"(?i)\(\s*select\b"),
            ("select-after-columns-unread", "a SELECT after columns", r"(?i)\(a INT\).*\bselect"),
            ("as-select-unread", "AS before SELECT", r"(?i)\bas\s+select"),
        )
    ),
    Mutant(
        "rename-tables-unread",
        "WL40-FILTER-RENAME-LIST",
        "RENAME TABLES is not understood",
        answer=unread(r"(?i)^rename\s+tables\b"),
        also=("WL40-FILTER-RENAME-FOLLOWS",),
    ),
    Mutant(
        "never-clever",
        "WL40-FILTER-CLEVER-CREATE",
        "the filter is literal although the question is clever",
        answer=with_mode("tables", "clever", "literal"),
    ),
    Mutant(
        "clever-in-one-log",
        "WL40-FILTER-CLEVER-CREATE",
        "tables that were made from ignored ones in the log before are not ignored",
        answer=only_if("tables", "clever", with_groups(ForgetsAtNextLog)),
    ),
    Mutant(
        "renames-in-one-log",
        "WL40-FILTER-RENAME-FOLLOWS",
        "the names that tables had in the log before are forgotten",
        answer=only_if("renames", "identity", with_groups(ForgetsAtNextLog)),
    ),
    Mutant(
        "statement-by-text",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a text that was read before has the default database that it had then",
        answer=_statement_by_text,
    ),
    Mutant(
        "clever-once",
        "WL40-FILTER-CLEVER-CREATE",
        "a table is not ignored that was created from one that the filter ignores by itself",
        answer=in_its_mode(NotTransitive),
    ),
    Mutant(
        "clever-without-if-not-exists",
        "WL40-FILTER-CLEVER-CREATE",
        "a table is not ignored that a CREATE TABLE IF NOT EXISTS made from an ignored one",
        answer=in_its_mode(NotIfNotExists),
    ),
    Mutant(
        "clever-in-one-database",
        "WL40-FILTER-CLEVER-CREATE",
        "a table is not ignored that was created like an ignored one of another database",
        answer=in_its_mode(SameDatabaseOnly),
    ),
    Mutant(
        "both-names",
        "WL40-FILTER-RENAME-FIRST",
        "a renaming is judged by the new name too",
        answer=with_part(judging(_old_and_new_names)),
    ),
    Mutant(
        "never-follows",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule does not follow its table although the question is about identity",
        answer=with_mode("renames", "identity", "name"),
    ),
    Mutant(
        "follows-once",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule does not follow its table through a second renaming",
        answer=only_if("renames", "identity", in_its_mode(OneHop)),
    ),
    Mutant(
        "last-pair-not-followed",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule does not follow the last of several tables that one statement renames",
        answer=only_if("renames", "identity", in_its_mode(LastPairLost)),
    ),
    Mutant(
        "pairs-at-once",
        "WL40-FILTER-RENAME-FOLLOWS",
        "a rule follows the pairs of one renaming as if they happened at once",
        answer=in_its_mode(AtOnce),
    ),
    Mutant(
        "always-follows",
        "WL40-FILTER-RENAME-NAMES",
        "a rule follows its table although the question is about names",
        answer=with_mode("renames", "name", "identity"),
        also=("WL40-FILTER-IGNORE-ANY-TABLE",),
    ),
    Mutant(
        "new-name-back",
        "WL40-FILTER-RENAME-BACK-DROPPED",
        "a renaming back is judged by its new name",
        answer=with_tables(BackByNewName),
    ),
    Mutant(
        "rule-moves-away",
        "WL40-FILTER-RENAME-ROUND-TRIP",
        "a renaming removes the rule of the old name",
        answer=with_tables(ForgetsOldNames),
    ),
    Mutant(
        "no-rename-list",
        "WL40-FILTER-RENAME-LIST",
        "a renaming back is dropped although the question is about a list of renamings",
        answer=with_mode("renames", "list", "name"),
    ),
    Mutant(
        "list-follows-once",
        "WL40-FILTER-RENAME-LIST",
        "the list of renamings has the last one of each table only",
        answer=only_if("renames", "list", in_its_mode(OneHop)),
    ),
    Mutant(
        "list-of-dropped",
        "WL40-FILTER-RENAME-LIST",
        "the list of renamings has those too that were dropped",
        answer=in_its_mode(NotesDropped),
    ),
    Mutant(
        "rows-lost-after-ignoring",
        "FORMAT-FILTER-FATE",
        "no rows pass after a clever filter has ignored a table by itself",
        answer=in_its_mode(LosesRows),
        also=("WL40-FILTER-GROUP-WHOLE",),
    ),
)
