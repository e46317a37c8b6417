"""Faults in whole transactions and in whole logs, for the mutants of the role `log`."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, Header
from conformance.binlog.servers import server_of, with_tables_info
from conformance.models.server.events import BEGIN, COMMIT
from conformance.models.server.execution import log_of
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_rules import rules_of
from conformance.models.server.recovery import gtids_in
from conformance.models.server.scenario import Scenario
from conformance.models.server.statements import (
    Begin,
    Commit,
    FlushLogs,
    Rollback,
    Savepoint,
    SetGlobal,
    SetSession,
    Statement,
)
from conformance.mutants.log.faults import (
    Answer,
    begins,
    by_kind,
    is_delayed,
    other_scenario,
    set_fields,
    units,
)
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

#: The first words of statements that change rows.
_CHANGES: Final = (b"INSERT", b"UPDATE", b"DELETE")


def without_gtid(condition: Callable[[Scenario, PlannedLog, Unit], bool]) -> Answer:
    """Return the answer without the Gtid event of some transactions."""

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        left_out = unit.events[0].type in GTID_TYPES and len(unit.events) > 1 and condition(scenario, log, unit)
        yield replace(unit, events=unit.events[1:]) if left_out else unit

    return units(change)


def lone_gtids(request: Request) -> Observation:
    """Write a Gtid event for each transaction that is rolled back and not logged."""
    scenario = scenario_of(request)
    logged = log_of(scenario)
    gtids = (event for log in logged.logs for event in log.events if event.type in GTID_TYPES)
    like = next(gtids, LoggedEvent(EventType.ANONYMOUS_GTID, {"gtid_flags": 0}))
    fields = {**like.fields, "source_uuid": bytes(16), "gno": 0}
    anonymous = LoggedEvent(EventType.ANONYMOUS_GTID, fields, rules_of(scenario.settings).anonymous_flags)
    for index, statement in enumerate(scenario.statements):
        log = logged.logs[0]
        if isinstance(statement, Rollback) and all(
            unit.statement != index for log in logged.logs for unit in log.units
        ):
            place = max(at for at, unit in enumerate(log.units) if unit.statement is None or unit.statement < index)
            log.units.insert(place + 1, Unit((anonymous,), index, True, log.units[place].timestamp))
    return written(request, logged.logs)


def savepoints_once(scenario: Scenario) -> Scenario:
    """Return the scenario without the savepoints that are set again in a transaction."""
    statements: list[Statement] = []
    names: set[str] = set()
    for statement in scenario.statements:
        if isinstance(statement, Begin | Commit | Rollback):
            names.clear()
        again = isinstance(statement, Savepoint) and statement.name in names
        names |= {statement.name} if isinstance(statement, Savepoint) else set()
        if not again:
            statements.append(statement)
    return replace(scenario, statements=tuple(statements))


def extra_anonymous(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Write an Anonymous_gtid event and an empty transaction before each DDL that has a GTID."""
    if unit.events[0].type == EventType.GTID and not begins(unit):
        fields = {**unit.events[0].fields, "source_uuid": bytes(16), "gno": 0}
        yield replace(unit, events=(LoggedEvent(EventType.ANONYMOUS_GTID, fields), *unit.events[1:]))
    yield unit


def joined(kinds: tuple[type[Statement], ...], *, mode: str | None = None) -> Answer:
    """Return the answer with all that a statement of some kinds logs after one Gtid event."""
    is_kind = by_kind(*kinds)

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        for log in logs:
            made: list[Unit] = []
            for unit in log.units:
                again = made and made[-1].statement == unit.statement and unit.transaction and is_kind(scenario, unit)
                first = unit.events[0].type
                of_mode = "OFF" if first == EventType.ANONYMOUS_GTID else "ON"
                if again and first in GTID_TYPES and mode in (None, of_mode):
                    made[-1] = replace(made[-1], events=(*made[-1].events, *unit.events[1:]))
                else:
                    made.append(unit)
            log.units = made
        return written(request, logs)

    return answer


def wrapped(
    kinds: tuple[type[Statement], ...], *, condition: Callable[[Scenario, Unit], bool] = lambda scenario, unit: True
) -> Answer:
    """Return the answer with statements of some kinds, which are logged alone, between BEGIN and COMMIT."""
    is_kind = by_kind(*kinds)

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        if unit.transaction and is_kind(scenario, unit) and not begins(unit) and condition(scenario, unit):
            last = unit.events[-1]
            begin, commit = (replace(last, fields={**last.fields, "query": word}) for word in (BEGIN, COMMIT))
            yield replace(unit, events=(*unit.events[:-1], begin, last, commit))
        else:
            yield unit

    return units(change)


def unlogged(*kinds: type[Statement], condition: Callable[[Scenario], bool] = lambda scenario: True) -> Answer:
    """Return the answer without the statements of some kinds."""
    is_kind = by_kind(*kinds)

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        if not (unit.transaction and is_kind(scenario, unit) and condition(scenario)):
            yield unit

    return units(change)


def merged_delayed(request: Request) -> Observation:
    """Write the rows of two INSERT DELAYED statements in one event."""
    scenario = scenario_of(request)
    logs = log_of(scenario).logs
    for log in logs:
        made: list[Unit] = []
        for unit in log.units:
            if made and is_delayed(scenario, unit) and is_delayed(scenario, made[-1]):
                made[-1] = _with_rows_of(made[-1], unit)
            else:
                made.append(unit)
        log.units = made
    return written(request, logs)


def _with_rows_of(unit: Unit, following: Unit) -> Unit:
    """Return a transaction whose last rows event has the rows of another transaction too."""
    events = list(unit.events)
    last = max(at for at, event in enumerate(events) if event.type in ROWS_TYPES)
    data = b"".join(each.fields["row_data"][_ROWS_HEAD:] for each in following.events if each.type in ROWS_TYPES)
    events[last] = set_fields(row_data=events[last].fields["row_data"] + data)(events[last])
    return replace(unit, events=tuple(events))


#: Bytes before the images of a write rows event of a table with few columns: their number, and a bit for each.
_ROWS_HEAD: Final = 2


def with_option_on(scenario: Scenario) -> Scenario:
    """Switch binlog_rows_query_log_events on."""
    settings = replace(scenario.settings, binlog_rows_query_log_events=True)
    return replace(scenario, settings=settings)


def other_sessions(change: Callable[[SetSession], SetSession | None]) -> Answer:
    """Return the answer to other values of session variables; None leaves a statement without effect."""

    def alter(scenario: Scenario) -> Scenario:
        made: list[Statement] = []
        for each in scenario.statements:
            altered = change(each) if isinstance(each, SetSession) else each
            # The number of statements stays, so that each keeps its place.
            made.append(altered or SetSession(variable="gtid_next", value="AUTOMATIC", session=each.session))
        return replace(scenario, statements=tuple(made))

    return other_scenario(alter)


def of_rows_queries(change: Callable[[SetSession], SetSession | None]) -> Callable[[SetSession], SetSession | None]:
    """Return a change of the statements that set binlog_rows_query_log_events only."""
    return lambda each: change(each) if each.variable == "binlog_rows_query_log_events" else each


def scoped_globally(scenario: Scenario) -> Scenario:
    """Apply each session's value of the option to all sessions."""
    made: list[Statement] = []
    sessions = sorted({each.session for each in scenario.statements})
    for each in scenario.statements:
        made.append(each)
        if isinstance(each, SetSession) and each.variable == "binlog_rows_query_log_events":
            made += [replace(each, session=number) for number in sessions if number != each.session]
    return replace(scenario, statements=tuple(made))


def rotating_options(scenario: Scenario) -> Scenario:
    """Rotate the log after each new value of the option."""
    made: list[Statement] = []
    for each in scenario.statements:
        made.append(each)
        if isinstance(each, SetSession) and each.variable == "binlog_rows_query_log_events":
            made.append(FlushLogs(session=each.session))
    return replace(scenario, statements=tuple(made))


def previous_gtids(
    condition: Callable[[Sequence[PlannedLog], int], bool], gtids: Callable[..., GtidSet | None]
) -> Answer:
    """Return the answer with other sets in the Previous_gtids events of some logs, or without these events."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        for number, log in enumerate(logs):
            if condition(logs, number):
                log.units = list(_with_gtids(log, gtids(logs, number)))
        return written(request, logs)

    return answer


def _with_gtids(log: PlannedLog, gtids: GtidSet | None) -> Iterator[Unit]:
    for unit in log.units:
        if unit.events[0].type != EventType.PREVIOUS_GTIDS:
            yield unit
        elif gtids is not None:
            yield replace(unit, events=(set_fields(previous_gtids=gtids)(unit.events[0]),))


def numbered(log: PlannedLog) -> bool:
    """Return whether the transactions of a log have GTIDs."""
    return log.gtid_mode in ("ON", "ON_PERMISSIVE")


def all_gtids(logs: Sequence[PlannedLog], number: int) -> GtidSet:
    """Return the GTIDs of the logs before one."""
    executed = ExecutedGtids()
    for log in logs[:number]:
        for gtid in gtids_in(log):
            executed.add(*gtid)
    return executed.gtids()


def reads_past(logs: Sequence[PlannedLog], number: int) -> bool:
    """Return whether the log before this one has a Previous_gtids event and no Gtid event."""
    return number > 0 and logs[number - 1].previous_gtids is not None and not gtids_in(logs[number - 1])


def with_bad_checksum(stream: bytes) -> bytes:
    """Spoil the CRC32 of a format description whose log has no checksums."""
    size = HEADER.unpack(stream[len(MAGIC) : len(MAGIC) + HEADER_BYTES])[3]
    end = len(MAGIC) + size
    described = FormatDescription.from_event(stream[len(MAGIC) : end])
    if described.checksum_bytes or described.checksum_algorithm is None:
        return stream
    return stream[: end - 1] + bytes([stream[end - 1] ^ 0xFF]) + stream[end:]


def lists_in_all(request: Request) -> Observation:
    """Write Query events with tables info in every log."""
    logs = log_of(scenario_of(request)).logs
    lengths = with_tables_info(server_of(request.profile).post_header_lengths)
    for log in logs:
        log.format = replace(log.format, post_header_lengths=lengths)
    return written(request, logs)


def two_formats(request: Request) -> Observation:
    """Write usual Query events in every log except the first."""
    logs = log_of(scenario_of(request)).logs
    usual = server_of(request.profile).post_header_lengths
    for log in logs[1:]:
        log.format = replace(log.format, post_header_lengths=usual)
    return written(request, logs)


def option_that_can_be_set(request: Request) -> Observation:
    """Write the logs after a SET of WL#40's option with the other format of Query events."""
    scenario = scenario_of(request)
    tried = (at for at, each in enumerate(scenario.statements) if _sets_tables_info(each))
    first = next(tried, len(scenario.statements))
    logs = log_of(scenario).logs
    usual = server_of(request.profile).post_header_lengths
    lengths = usual if scenario.settings.binlog_with_tables_info else with_tables_info(usual)
    for log in logs:
        begun = log.units[0].statement
        if begun is not None and begun > first:
            log.format = replace(log.format, post_header_lengths=lengths)
    return written(request, logs)


def _sets_tables_info(statement: Statement) -> bool:
    return isinstance(statement, SetGlobal) and statement.variable == "binlog_with_tables_info"


def gtid_fields(name: str, change: Callable[[int], int]) -> Answer:
    """Return the answer with another value of a field of Gtid events, as long as the own one on the wire."""
    return _changing_gtids(lambda event, described: _with_field(event, described, name, change))


def unpacked_lengths() -> Answer:
    """Return the answer with transaction lengths whose first byte is 0xfb, with which no packed integer begins."""
    return _changing_gtids(_with_unpacked_length)


def _changing_gtids(change: Callable[[bytes, FormatDescription], bytes]) -> Answer:
    def answer(request: Request) -> Observation:
        observed = written(request, log_of(scenario_of(request)).logs)
        streams = [_with_changed_gtids(stream, change) for stream in observed.streams]
        return observed_streams(streams, server_of(request.profile).rules)

    return answer


def _with_changed_gtids(stream: bytes, change: Callable[[bytes, FormatDescription], bytes]) -> bytes:
    data = bytearray(stream)
    at = len(MAGIC)
    described = None
    while at < len(data):
        size = HEADER.unpack(data[at : at + HEADER_BYTES])[3]
        event = bytes(data[at : at + size])
        if event[4] == EventType.FORMAT_DESCRIPTION:
            described = FormatDescription.from_event(event)
        if event[4] in GTID_TYPES and described is not None:
            data[at : at + size] = change(event, described)
        at += size
    return bytes(data)


def _with_field(data: bytes, described: FormatDescription, name: str, change: Callable[[int], int]) -> bytes:
    header = Header(*HEADER.unpack(data[:HEADER_BYTES]))
    event = Event(0, header, data, described)
    layout, declared = event.layout()
    fields = event.fields()
    if name not in fields:
        return data
    body = layout.write({**fields, name: change(fields[name])}, post_header_length=declared)
    made = _checksummed(data[:HEADER_BYTES] + body, described)
    return made if len(made) == len(data) else data


def _with_unpacked_length(data: bytes, described: FormatDescription) -> bytes:
    event = Event(0, Header(*HEADER.unpack(data[:HEADER_BYTES])), data, described)
    fields = event.fields()
    if "transaction_length" not in fields or event.header.type == EventType.GTID_TAGGED:
        return data
    layout, declared = event.layout()
    names = [*fields]
    before = {name: fields[name] for name in names[: names.index("transaction_length")]}
    at = HEADER_BYTES + len(layout.write(before, post_header_length=declared))
    return _checksummed(data[:at] + b"\xfb" + data[at + 1 : event.body_end], described)


def _checksummed(event: bytes, described: FormatDescription) -> bytes:
    return event + checksum(event).to_bytes(CHECKSUM_BYTES, "little") if described.checksum_bytes else event


def unmarked_statement_format(scenario: Scenario) -> Scenario:
    """Leave out boundary markers in statement format."""
    marked = scenario.settings.binlog_format != "STATEMENT" and scenario.settings.boundary_markers
    return replace(scenario, settings=replace(scenario.settings, boundary_markers=marked))


def in_format(wanted: str, logged: str) -> Callable[[Scenario], Scenario]:
    """Return the change that runs a scenario of one format in another."""

    def change(scenario: Scenario) -> Scenario:
        settings = scenario.settings
        return (
            replace(scenario, settings=replace(settings, binlog_format=logged))
            if settings.binlog_format == wanted
            else scenario
        )

    return change


def in_both_formats(wanted: str, also: str) -> Answer:
    """Return the answer that logs each change of scenarios in one format again, as in another format."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        if scenario.settings.binlog_format != wanted:
            return written(request, logs)
        again: dict[int | None, list[LoggedEvent]] = defaultdict(list)
        for log in log_of(in_format(wanted, also)(scenario)).logs:
            for unit in log.units:
                for event in filter(_changes, unit.events):
                    again[_owner(unit, event)].append(event)
        for log in logs:
            log.units = [_with_more(unit, again) for unit in log.units]
        return written(request, logs)

    return answer


def _changes(event: LoggedEvent) -> bool:
    """Return whether an event is a change of rows, its Table_map, or a statement that changes rows."""
    return (
        event.type in ROWS_TYPES
        or event.type == EventType.TABLE_MAP
        or event.fields.get("query", b"").upper().startswith(_CHANGES)
    )


def _owner(unit: Unit, event: LoggedEvent) -> int | None:
    return unit.statement if event.statement is None else event.statement


def _with_more(unit: Unit, more: Mapping[int | None, Sequence[LoggedEvent]]) -> Unit:
    """Return a unit with more events after the last change of each of its statements."""
    last = {_owner(unit, event): at for at, event in enumerate(unit.events) if _changes(event)}
    made: list[LoggedEvent] = []
    for at, event in enumerate(unit.events):
        made.append(event)
        owner = _owner(unit, event)
        if last.get(owner) == at:
            made += [replace(each, statement=event.statement) for each in more.get(owner, ())]
    return replace(unit, events=tuple(made))
