"""Mutants of the role `filter`: groups, rows, XA transactions, and what comes before a statement."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import COMPRESSED_ROWS_V1, ROWS_TYPES, ROWS_V2, EventType
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.table_name import TableName
from conformance.mutants.filter.altered_answers import (
    only_if,
    with_fate,
    with_groups,
    with_part,
    with_rules,
    without_entry,
)
from conformance.mutants.filter.faulty_filters import (
    BeginStays,
    ContextStays,
    CutDatabases,
    DroppedXaForGood,
    EmptyDropped,
    IncidentByRules,
    KeepsDiscardedFiles,
    LastContextAlone,
    LastKeptAlone,
    OneXaAtATime,
    RowsEndAtUnknown,
    RowsStay,
    TextKeepsRows,
    TwoRowsOfTable,
    TwoXaAtATime,
    XaEndWithoutBeginning,
    rules_as,
)
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.filter import ChangePart, answer_with

_MOST_RULES: Final = 256


def _xa_name_cut(parts: int) -> ChangePart:
    """Return the change that knows only the first parts of the names of XA transactions."""
    return lambda event, part: replace(part, xa=",".join(part.xa.split(",")[:parts]))


def _table_ids_of(size: int) -> ChangePart:
    """Return the change that knows only the low bits of table ids."""
    return lambda event, part: replace(part, table_id=part.table_id % (1 << size))


def _with_first_rules(request: Request) -> Observation | Trouble:
    """Return the answer of a filter that has room for 256 rules."""
    first = {name: request.settings[name][:_MOST_RULES] for name in ("do_tables", "ignore_tables")}
    return answer_with(replace(request, settings={**request.settings, **first}))


def _without_xa_name(event: Event, part: LogPart) -> LogPart:
    return replace(part, xa="") if part.part is Part.XA_FINISH else part


def _xa_prepare_of_log(event: Event, part: LogPart) -> LogPart:
    return LogPart(Part.LOG) if event.header.type == EventType.XA_PREPARE else part


def _ends_at_flags_of_one(event: Event, part: LogPart) -> LogPart:
    return replace(part, statement_end=False) if part.statement_end and event.fields()["rows_flags"] != 1 else part


def _tableless_member(event: Event, part: LogPart) -> LogPart:
    return LogPart(Part.MEMBER) if part.part is Part.STATEMENT and not part.tables else part


def _keeps_marked(event: Event, part: LogPart) -> LogPart:
    is_kept = part.part is Part.STATEMENT and MARKER_BITS.stored(event.header.flags)
    return LogPart(Part.STATEMENT) if is_kept else part


def _incident_of_group(event: Event, part: LogPart) -> LogPart:
    return LogPart(Part.MEMBER) if part.part is Part.INCIDENT else part


def _is_after_rows(entries: Sequence[Mapping[str, Any]], index: int) -> bool:
    """Return whether an entry and the one before it are about rows events."""
    return {each["type"] for each in entries[max(index - 1, 0) : index + 1]} <= ROWS_TYPES


def _first_map(request: Request) -> Observation | Trouble:
    """Return the answer of a filter in which a table id keeps its first table."""
    tables: dict[int, tuple[TableName, ...]] = {}

    def change(event: Event, part: LogPart) -> LogPart:
        if part.part is not Part.TABLE_MAP:
            return part
        return replace(part, tables=tables.setdefault(part.table_id, part.tables))

    return answer_with(request, part=change)


def _stops_at_unknown(request: Request) -> Observation | Trouble:
    """Return the answer of a filter that knows no ignorable events."""

    def change(event: Event, part: LogPart) -> LogPart:
        if not event.recognised:
            raise BinlogError(at=event.offset, kind="unknown-event", message=f"Unknown event code: {event.header.type}")
        return part

    return answer_with(request, part=change)


#: The mutants, in the order of the catalogue.
GROUP_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant("begin-stays", "WL40-FILTER-GROUP-WHOLE", "BEGIN is kept without its group", answer=with_groups(BeginStays)),
    Mutant(
        "group-by-first-statements",
        "WL40-FILTER-GROUP-WHOLE",
        "BEGIN and its Gtid event are dropped if the first two statements of their transaction are",
        answer=with_groups(LastKeptAlone),
    ),
    Mutant(
        "empty-group-dropped",
        "WL40-FILTER-GROUP-WHOLE",
        "a transaction without statements is dropped where there are do rules",
        answer=only_if("do_tables", True, with_groups(EmptyDropped)),
    ),
    Mutant(
        "tableless-by-its-group",
        "WL40-FILTER-EMPTY-LIST",
        "a statement without tables passes only if another one of its transaction does",
        answer=with_part(_tableless_member, statements=False),
        also=("WL40-FILTER-GROUP-WHOLE",),
    ),
    Mutant(
        "marked-statements-stay",
        "WL40-FILTER-BY-TABLES-INFO",
        "a statement with a boundary marker is kept",
        answer=with_part(_keeps_marked, statements=False),
    ),
    Mutant(
        "incident-with-its-group",
        "FORMAT-FILTER-LOG",
        "an Incident is dropped with its group",
        answer=with_part(_incident_of_group),
    ),
    Mutant(
        "rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "rows are kept without their Table_map",
        answer=with_groups(RowsStay),
    ),
    Mutant(
        "rows-of-text-together",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "the rows of a statement whose text is logged pass if those of one of its tables do",
        answer=with_groups(TextKeepsRows),
    ),
    Mutant(
        "two-rows-events-of-a-table",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "the third rows event of one table in a statement is dropped",
        answer=with_groups(TwoRowsOfTable),
    ),
    Mutant(
        "rows-end-at-unknown",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "an ignorable event of an unknown type ends the rows of a statement: those after it have no table",
        answer=with_groups(RowsEndAtUnknown),
    ),
    Mutant(
        "filter-stops-at-unknown",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "an ignorable event of an unknown type stops the filter",
        answer=_stops_at_unknown,
    ),
    Mutant(
        "deleted-rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "rows that are deleted are kept without their Table_map",
        answer=with_fate("kept", EventType.DELETE_ROWS_V1, EventType.DELETE_ROWS),
    ),
    Mutant(
        "partial-updates-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "changes of JSON documents are kept without their Table_map",
        answer=with_fate("kept", EventType.PARTIAL_UPDATE_ROWS),
    ),
    Mutant(
        "compressed-rows-stay",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "compressed rows are kept without their Table_map",
        answer=with_fate("kept", *COMPRESSED_ROWS_V1),
    ),
    Mutant(
        "rows-unlisted",
        "FORMAT-FILTER-EVENT",
        "rows events of the second version have no entry",
        answer=without_entry(lambda entries, index: entries[index]["type"] in ROWS_V2),
    ),
    Mutant(
        "second-rows-unlisted",
        "FORMAT-FILTER-EVENT",
        "a rows event right after another one has no entry",
        answer=without_entry(_is_after_rows),
    ),
    Mutant(
        "first-map-for-good",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "a table id keeps the table of its first Table_map",
        answer=_first_map,
    ),
    *(
        Mutant(
            f"table-ids-of-{size}-bits",
            "WL40-FILTER-ROWS-BY-TABLE-MAP",
            f"table ids have {size} bits",
            answer=with_part(_table_ids_of(size), statements=False),
        )
        for size in (8, 32)
    ),
    Mutant(
        "databases-cut",
        "WL40-FILTER-IGNORE-ANY-TABLE",
        "only the first 64 bytes of a database's name are compared",
        answer=with_rules(rules_as(CutDatabases)),
        also=("WL40-FILTER-DO-EVERY-TABLE", "WL40-FILTER-ROWS-BY-TABLE-MAP", "WL40-FILTER-RULE-MEANING"),
    ),
    Mutant(
        "first-rules-alone",
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        "rules after the 256th are lost",
        answer=_with_first_rules,
        also=("WL40-FILTER-DO-EVERY-TABLE", "WL40-FILTER-IGNORE-ANY-TABLE", "WL40-FILTER-RULE-MEANING"),
    ),
    Mutant(
        "incident-dropped",
        "FORMAT-FILTER-LOG",
        "an Incident is dropped: it is about none of the tables that pass",
        answer=with_fate("dropped", EventType.INCIDENT),
    ),
    Mutant(
        "incident-of-a-transaction-dropped",
        "FORMAT-FILTER-LOG",
        "an Incident that is logged as a transaction is dropped",
        answer=with_groups(IncidentByRules),
    ),
    Mutant(
        "context-stays",
        "FORMAT-FILTER-CONTEXT",
        "Intvar and Rows_query are kept without their statement",
        answer=with_groups(ContextStays),
    ),
    Mutant(
        "rows-end-without-other-flags",
        "FORMAT-FILTER-CONTEXT",
        "rows with a flag besides the one for the end of their statement do not end it, and the next text is theirs",
        answer=with_part(_ends_at_flags_of_one),
    ),
    Mutant(
        "rand-and-user-var-stay",
        "FORMAT-FILTER-CONTEXT",
        "Rand and User_var are kept without their statement",
        answer=with_fate("kept", EventType.RAND, EventType.USER_VAR),
    ),
    Mutant(
        "discarded-file-for-a-statement",
        "FORMAT-FILTER-CONTEXT",
        "the blocks of a file that a Delete_file discards are kept with the statement after it",
        answer=with_groups(KeepsDiscardedFiles),
    ),
    Mutant(
        "last-context-alone",
        "FORMAT-FILTER-CONTEXT",
        "of several events before a statement only the last is dropped with it",
        answer=with_groups(LastContextAlone),
    ),
    Mutant(
        "xa-commit-by-its-list",
        "FORMAT-FILTER-XA",
        "an XA COMMIT, which has no tables, passes although its transaction was dropped",
        answer=with_part(_without_xa_name, statements=False),
    ),
    Mutant(
        "xa-prepare-of-the-log",
        "FORMAT-FILTER-XA",
        "XA_prepare is kept as an event that belongs to no group",
        answer=with_part(_xa_prepare_of_log, statements=False),
    ),
    Mutant(
        "xa-by-global-part",
        "FORMAT-FILTER-XA",
        "two XA transactions with the same global part are taken for one",
        answer=with_part(_xa_name_cut(1), statements=False),
    ),
    Mutant(
        "xa-without-format",
        "FORMAT-FILTER-XA",
        "two XA transactions that differ in their format alone are taken for one",
        answer=with_part(_xa_name_cut(2), statements=False),
    ),
    Mutant(
        "dropped-xa-for-good",
        "FORMAT-FILTER-XA",
        "the end of an XA transaction is dropped because an earlier one of its name was",
        answer=with_groups(DroppedXaForGood),
    ),
    Mutant(
        "one-xa-at-a-time",
        "FORMAT-FILTER-XA",
        "only the last XA transaction is remembered, whether it was dropped",
        answer=with_groups(OneXaAtATime),
    ),
    Mutant(
        "two-xa-at-a-time",
        "FORMAT-FILTER-XA",
        "only the last two XA transactions that were dropped are remembered",
        answer=with_groups(TwoXaAtATime),
    ),
    Mutant(
        "xa-end-without-beginning",
        "FORMAT-FILTER-XA",
        "the end of an XA transaction that began before the log is dropped",
        answer=with_groups(XaEndWithoutBeginning),
    ),
)
