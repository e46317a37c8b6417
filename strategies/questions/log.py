"""Questions in the role `log`: a scenario, the events that a server logs for it, and their requirements."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from conformance.binlog.event_types import GTID_TYPES, EventType, Purpose, types_of
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import uuid_text
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.layouts.by_type import FIXED_LENGTHS
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.tables_info import tables_text
from conformance.binlog.total_table import total
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.server.boundary_marking import boundaries_of
from conformance.models.server.events import BEGIN, COMMIT, ROLLBACK
from conformance.models.server.execution import ExecutionOutcome
from conformance.models.server.logged_event import LoggedEvent, PlannedLog
from conformance.models.server.settings import NUMBERED_MODES, Settings
from conformance.models.server.statements import (
    Delete,
    Insert,
    InsertGtids,
    InsertSelect,
    InternalRows,
    RollbackTo,
    Savepoint,
    SetVariable,
    Statement,
    Update,
    UpdateTables,
)
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case import EVERY_EVENT, Expected
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.question import Question
from conformance.strategies.marks.logged_markers import boundary_marks
from conformance.strategies.marks.logged_statements import (
    creation_marks,
    permission_marks,
    refusal_marks,
    sequence_marks,
    temporary_marks,
)
from conformance.strategies.scenarios.scenario import ScenarioBuilder

#: Statements that change rows: each must be in the log, as rows or as a statement.
_CHANGES: Final = (Insert, InsertSelect, InsertGtids, Update, UpdateTables, Delete, InternalRows)
#: The statements that begin and end transactions.
_WORDS: Final = tuple(word.decode() for word in (BEGIN, COMMIT, ROLLBACK))

#: Fields on the wire that an entry reports: integers as they are, bytes as text.
_REPORTED: Final[Mapping[int, tuple[str, ...]]] = total(
    f"{__name__}._REPORTED",
    EventType,
    {
        EventType.QUERY: ("database", "query"),
        EventType.ROWS_QUERY: ("rows_query",),
        EventType.MARIADB_ANNOTATE_ROWS: ("rows_query",),
        EventType.TABLE_MAP: ("database", "table"),
        EventType.ROTATE: ("next_file", "next_position"),
        EventType.INTVAR: ("intvar_type", "intvar_value"),
        EventType.USER_VAR: ("variable_name",),
    },
    entry="the fields that an entry reports",
    rest={
        # What an entry reports of them is not a field on the wire.
        types_of(Purpose.LOG, Purpose.GTID, Purpose.CONTEXT, Purpose.ROWS, Purpose.COMMIT): (),
        # The model of a server does not log them.
        types_of(Purpose.HEARTBEAT, Purpose.ANNOUNCEMENT, Purpose.STATEMENT, Purpose.PAYLOAD): (),
        types_of(Purpose.NOTE, Purpose.UNMODELLED): (),
    },
)


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


class LogQuestion(ScenarioBuilder):
    """Builds a question in the role `log`: a scenario whose events are marked as it grows.

    Args:
        choose: The chooser.
        settings: The scenario's settings.
        **names: How databases and tables are named, as `ScenarioBuilder` takes it.
    """

    def __init__(self, choose: Chooser, settings: Settings, **names: Any) -> None:
        super().__init__(choose, settings, **names)
        self._of_statement: list[tuple[str, int, bool]] = []
        self._everywhere: list[str] = []
        self._of_previous_gtids: list[tuple[str, PlannedLog]] = []
        self._with_boundaries = False
        #: The settings with which each statement was run.
        self._settings_of: list[Settings] = []

    def do(self, statement: Statement, *requirements: str) -> ExecutionOutcome:
        """Add a statement, and the requirements that govern what is logged for it."""
        settings, at = self.server.settings, len(self.statements)
        is_outside = self.server.session(statement.session).transaction is None
        outcome = super().do(statement)
        self._settings_of.append(settings)
        self.mark(*requirements)
        self.mark_everywhere(*self._held(refusal_marks(settings, outcome)))
        # Servers before 5.7 keep the rule only where they write GTIDs.
        has_gtids = self.server.rules.gtid_events == "always" or settings.gtid_mode in NUMBERED_MODES
        if is_outside and has_gtids and outcome.error is None:
            self.mark(*self._held(temporary_marks(settings, statement)))
        is_unrestricted = self.server.unrestricted[-1:] == [at]
        self.mark(*self._held(permission_marks(settings, is_unrestricted=is_unrestricted)))
        return outcome

    def mark(self, *requirements: str, statement: int | None = None) -> None:
        """Record which requirements govern what is logged for a statement, by default the last one."""
        at = len(self.statements) - 1 if statement is None else statement
        self._of_statement += [(each, at, False) for each in requirements]

    def mark_gtids(self, *requirements: str, statement: int | None = None) -> None:
        """Record which requirements govern the Gtid events of a statement, by default the last one."""
        at = len(self.statements) - 1 if statement is None else statement
        self._of_statement += [(each, at, True) for each in requirements]

    def mark_previous_gtids(self, *requirements: str) -> None:
        """Record which requirements govern the Previous_gtids event of the current log."""
        self._of_previous_gtids += [(each, self.server.log) for each in requirements]

    def mark_everywhere(self, *requirements: str) -> None:
        """Record which requirements govern the logs as a whole."""
        self._everywhere += requirements

    def mark_boundaries(self) -> None:
        """Record that the rules on boundary markers govern every event that they cover."""
        self._with_boundaries = True

    def _number_marks(self, log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
        """Return the requirement on the server's own numbers, if an event has one, or those of purged logs."""
        own = UUID(self._settings.server_uuid).bytes
        has_number = event.type in GTID_TYPES and event.fields["source_uuid"] == own
        if event.type == EventType.PREVIOUS_GTIDS and log is self.server.logs[0]:
            has_number = any(each.uuid == own for each in event.fields["previous_gtids"].sources)
        return ("FORMAT-LOG-GTID-NUMBER",) if has_number else ()

    def _marks_of_statement(
        self, number: int, statement: Statement, entries: Sequence[Mapping[str, Any]], logged: Sequence[int]
    ) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield the requirements that a statement exercises in whatever scenario, with the indices of its entries."""
        own = [index for index in logged if entries[index].get("query") not in _WORDS]
        of_statement = [entries[index] for index in logged]
        of_creation = dict(creation_marks(self._settings_of[number], statement, of_statement))
        for requirement in self._held(of_creation):
            yield requirement, logged if of_creation[requirement] else own
        for requirement in self._held(sequence_marks(statement, of_statement)):
            yield requirement, logged
        if isinstance(statement, Savepoint | RollbackTo):
            yield "FORMAT-LOG-SAVEPOINTS", logged
        if isinstance(statement, _CHANGES):
            as_rows = any("rows" in entries[index] for index in own)
            yield f"WL3303-LOG-AS-{'ROWS' if as_rows else 'STATEMENT'}", own

    def _held(self, requirements: Iterable[str]) -> Iterator[str]:
        """Yield those of some requirements that hold under the profile."""
        yield from (each for each in requirements if self._settings.profile in catalogue()[each].holds)

    def question(self) -> Question:
        """Return the finished question."""
        entries: list[dict[str, Any]] = []
        marks: dict[str, list[int]] = defaultdict(list)
        owned: dict[tuple[int | None, bool], list[int]] = defaultdict(list)
        for number, log in enumerate(self.server.logs):
            tables: dict[int, dict[str, str]] = {}
            for event, flags, owner in _events(log):
                for requirement in (*_marks_of_event(log, event), *self._number_marks(log, event)):
                    marks[requirement].append(len(entries))
                owned[owner, event.type in GTID_TYPES].append(len(entries))
                entries.append(_entry(log, number, event, flags) | _table_of(event, tables))
            if self._with_boundaries:
                at = len(entries) - len(log.events)
                for requirement, place in boundary_marks(log):
                    marks[requirement].append(at + place)
        for requirement, statement, of_gtids in self._of_statement:
            marks[requirement] += owned[statement, of_gtids]
        for statement, each in enumerate(self.statements):
            for requirement, indices in self._marks_of_statement(statement, each, entries, owned[statement, False]):
                marks[requirement] += indices
        for requirement, marked_log in self._of_previous_gtids:
            marks[requirement] += [
                index
                for index, entry in enumerate(entries)
                if entry["type"] == EventType.PREVIOUS_GTIDS and self.server.logs[entry["log"]] is marked_log
            ]
        off = self._held(_of_options_off(self._settings, self.statements))
        for requirement in (*self._everywhere, *ALWAYS, *off):
            marks[requirement].append(EVERY_EVENT)
        return Question(
            expected=Expected(events=tuple(entries)),
            marks={requirement: tuple(dict.fromkeys(indices)) for requirement, indices in marks.items() if indices},
            settings={"scenario": self.scenario.to_json()},
        )


def _of_options_off(settings: Settings, statements: Iterable[Statement]) -> Iterator[str]:
    """Yield the requirements on what the logs do not have, as an option that would write it is off all along."""
    given = {each.variable for each in statements if isinstance(each, SetVariable)}
    for option, requirements in _OF_OPTION_OFF.items():
        if not getattr(settings, option) and option not in given:
            yield from requirements


def _events(log: PlannedLog) -> Iterator[tuple[LoggedEvent, int, int | None]]:
    """Yield each event of a log with its flags word and the index of the statement that it is logged for."""
    for unit in log.units:
        markers = boundaries_of(unit) if log.boundary_markers else [0] * len(unit.events)
        for event, marker in zip(unit.events, markers, strict=True):
            owner = unit.statement if event.statement is None else event.statement
            yield event, MARKER_BITS.write(event.flags, marker), owner


def _entry(log: PlannedLog, number: int, event: LoggedEvent, flags: int) -> dict[str, Any]:
    fields = event.fields
    entry: dict[str, Any] = {"log": number, "type": int(event.type), "flags": flags}
    for name in _REPORTED.get(event.type, ()):
        entry[name] = _text(fields[name])
    if event.type == EventType.USER_VAR:
        value = fields.get("variable_value")
        entry["variable_value"] = None if value is None else int.from_bytes(value, "little", signed=True)
    if event.type == EventType.QUERY:
        extended = log.format.post_header_length(EventType.QUERY) == EXTENDED_QUERY_POST_HEADER
        entry["tables_info"] = tables_text(fields["tables_info"]).decode() if extended else None
        if not event.generated:
            # What a server writes itself may have the error of the statement that it stands for.
            entry["error_code"] = fields["error_code"]
    if event.rows:
        entry["rows_flags"] = fields["rows_flags"]
        entry["rows"] = [{"before": _image(before), "after": _image(after)} for before, after in event.rows]
    if event.type == EventType.FORMAT_DESCRIPTION and not log.format.created:
        entry["created"] = 0
    if event.type == EventType.PREVIOUS_GTIDS:
        entry["previous_gtids"] = str(fields["previous_gtids"])
    if event.type in FIXED_LENGTHS:
        entry["length"] = HEADER_BYTES + FIXED_LENGTHS[event.type] + log.format.checksum_bytes
    if event.type in GTID_TYPES:
        entry["gtid"] = _gtid(event)
    return entry


def _table_of(event: LoggedEvent, tables: dict[int, dict[str, str]]) -> dict[str, str]:
    """Return the names of the table of rows, by the Table_map that had its number last.

    Args:
        event: The event.
        tables: Table id -> the names, to which those of a Table_map are added.
    """
    if event.type == EventType.TABLE_MAP:
        names = {name: event.fields[name].decode() for name in ("database", "table")}
        tables[event.fields["table_id"]] = names
    return tables[event.fields["table_id"]] if event.rows else {}


def _image(row: Any) -> dict[str, Any] | None:
    return None if row is None else {str(index): value for index, value in enumerate(row)}


def _gtid(event: LoggedEvent) -> str:
    if event.type == EventType.ANONYMOUS_GTID:
        return "ANONYMOUS"
    tag = event.fields.get("tag", b"").decode()
    return ":".join([uuid_text(event.fields["source_uuid"]), *([tag] if tag else []), str(event.fields["gno"])])


#: What every log exercises as a whole.
ALWAYS: Final = (
    "FORMAT-LOG-BODY",
    "FORMAT-LOG-POSITIONS",
    "FORMAT-LOG-CHECKSUMS",
    "FORMAT-LOG-DESCRIPTION-CHECKSUM",
    "FORMAT-LOG-DESCRIPTION-LENGTHS",
    "FORMAT-LOG-TABLE-MAP",
    "FORMAT-LOG-TRANSACTION-ENDS",
    "FORMAT-LOG-END-NEEDS-BEGIN",
    "FORMAT-LOG-TRANSACTION-LENGTH",
    "FORMAT-LOG-GTID-SERVER-VERSION",
    "FORMAT-LOG-GTID-ONCE",
    "FORMAT-LOG-PREVIOUS-GTIDS-ONCE",
    "FORMAT-LOG-END-LAST",
    "FORMAT-LOG-CONTEXT",
    "FORMAT-LOG-MARIADB-GTID-FIRST",
    "FORMAT-LOG-MARIADB-GTID-LIST",
    "FORMAT-LOG-ROTATE-NEXT",
    "WL7592-LOG-LOGICAL-TIMESTAMPS",
    "WL7592-LOG-NO-QUERY-TIMESTAMPS",
    "WL7592-LOG-WITH-FLUSH",
)

#: Option -> the requirements on what it does not write where it is off.
_OF_OPTION_OFF: Final = {
    "binlog_rows_query_log_events": ("WL4033-LOG-ROWS-QUERY-CONDITIONS", "WL4033-LOG-OPTION-OFF-OLD-SAFE"),
    "binlog_with_tables_info": ("WL40-OPTION-OFF-USUAL",),
}

#: What every Gtid event exercises, with the transaction after it.
_OF_EVERY_GTID: Final = ("WL7592-LOG-GTID-POSITIONS", "WL7592-LOG-GTID-CHECKSUMS")

_ROWS_QUERY_MARKS: Final = (
    "WL4033-LOG-FLAG-SET",
    "WL4033-LOG-FLAG-ALONE",
    "WL4033-LOG-ROWS-QUERY-WRITTEN",
    "WL4033-LOG-ROWS-QUERY-PER-STATEMENT",
    "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
)


def _previous_gtids_marks(log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
    mode = "ON" if log.gtid_mode in NUMBERED_MODES else "OFF"
    kept = ("WL7592-LOG-PREVIOUS-GTIDS-KEPT",) if log.number > 1 else ()
    return (f"WL7592-LOG-{mode}-PREVIOUS-GTIDS", *kept)


def _description_marks(log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
    return ("FORMAT-LOG-CREATED",)


def _anonymous_marks(log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
    unit = next(unit for unit in log.units if any(each is event for each in unit.events))
    begins = unit.events[1].fields.get("query") == BEGIN
    rule = "WL7592-LOG-OFF-ANON-FIRST" if begins else "WL7592-LOG-OFF-ANON-DDL"
    return (rule, "WL7592-LOG-ANON-IGNORABLE", *_OF_EVERY_GTID)


def _gtid_marks(log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
    return ("WL7592-LOG-ON-GTID-FIRST", "WL7592-LOG-ON-UNCHANGED", *_OF_EVERY_GTID)


def _rows_query_marks(log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
    assert event.flags == Flag.IGNORABLE, "a Rows_query event that readers may not skip"
    return _ROWS_QUERY_MARKS


#: Type -> what an event of it exercises, whatever the scenario.
_MARKS: Final[Mapping[int, Callable[[PlannedLog, LoggedEvent], tuple[str, ...]]]] = {
    EventType.FORMAT_DESCRIPTION: _description_marks,
    EventType.PREVIOUS_GTIDS: _previous_gtids_marks,
    EventType.ANONYMOUS_GTID: _anonymous_marks,
    EventType.GTID: _gtid_marks,
    EventType.GTID_TAGGED: _gtid_marks,
    EventType.ROWS_QUERY: _rows_query_marks,
}


def _marks_of_event(log: PlannedLog, event: LoggedEvent) -> tuple[str, ...]:
    marks_of = _MARKS.get(event.type)
    return () if marks_of is None else marks_of(log, event)
