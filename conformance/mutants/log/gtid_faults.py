"""Faults in GTIDs: in those that are given, those of purged logs, and those that a restart finds."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.drops import PARTIAL_DROP
from conformance.models.server.execution import log_of, run
from conformance.models.server.gtid import Gtid
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.recovery import gtids_in
from conformance.models.server.scenario import Scenario
from conformance.models.server.session import ANONYMOUS, AUTOMATIC, Session
from conformance.models.server.settings import Settings
from conformance.models.server.statements import Crash, Disconnect, InsertGtids, Restart, SetSession, Statement
from conformance.mutants.log.faults import Answer, begins, by_kind, set_fields, set_flags, units
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

_CREATE_TEMPORARY: Final = b"create temporary"
_OF_END: Final = by_kind(Disconnect)


class _AfterGreatest(SourceServer):
    """A server whose next GTID follows the greatest number: it leaves gaps as they are."""

    def next_number(self, source: bytes) -> int:
        """Return the number after the greatest."""
        of_source = [each for each in self.executed.gtids().sources if each.uuid == source]
        return max((interval.end for each in of_source for interval in each.intervals), default=1)


class _EveryOther(_AfterGreatest):
    """A server that leaves out every other number."""

    def next_number(self, source: bytes) -> int:
        """Return the number after the greatest, and one more where there is any."""
        return self.executed.next_of(source) if not self.executed.size else 1 + super().next_number(source)


class _TagsTakeNumbers(SourceServer):
    """A server that gives no number which its source has used with a tag."""

    def next_number(self, source: bytes) -> int:
        """Return the least number that is not used; where tags are, the one after all that are."""
        used = [each for each in self.executed.gtids().sources if each.uuid == source]
        if not any(each.tag for each in used):
            return super().next_number(source)
        return max(each.intervals[-1].end for each in used)


class _TextLostInCrash(SourceServer):
    """A server that starts without the option for the texts of rows after a crash."""

    def start_again(self, settings: Settings, *, stopped: bool) -> None:
        """Start again; after a crash without the option."""
        lost = settings if stopped else replace(settings, binlog_rows_query_log_events=False)
        super().start_again(lost, stopped=stopped)


class _InBlocks(_AfterGreatest):
    """A server that takes numbers in blocks of ten, of which a crash loses what is left."""

    _crashed = False

    def start_again(self, settings: Settings, *, stopped: bool) -> None:
        """Start again; after a crash in the next block."""
        super().start_again(settings, stopped=stopped)
        self._crashed = not stopped

    def next_number(self, source: bytes) -> int:
        """Return the least free number; after a crash the first of a new block, and then those after the greatest."""
        if self._crashed:
            self._crashed = False
            return (super().next_number(source) // 10 + 1) * 10 + 1
        return super().next_number(source)


def logged_by(server: Callable[[Settings], SourceServer]) -> Answer:
    """Return the answer of another server, made with the settings of the scenario."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        made = server(scenario.settings)
        for index, each in enumerate(scenario.statements):
            run(made, index, each)
        return written(request, made.logs)

    return answer


class _AnonymousAtShutdown(SourceServer):
    """Logs what it drops at a shutdown without GTIDs for the sessions that had GTID_NEXT=ANONYMOUS."""

    anonymous: frozenset[int] = frozenset()

    def _gtid_event(self, session: Session | None, logged: Sequence[LoggedEvent]) -> LoggedEvent | None:
        if session is not None and session.number in self.anonymous:
            session.gtid_next = ANONYMOUS
        return super()._gtid_event(session, logged)


def anonymous_at_shutdown(request: Request) -> Observation:
    """Shut down without setting GTID_NEXT of the sessions to AUTOMATIC."""
    scenario = scenario_of(request)
    made = _AnonymousAtShutdown(scenario.settings)
    for index, each in enumerate(scenario.statements):
        named = {number for number, session in made.sessions.items() if session.gtid_next == ANONYMOUS}
        made.anonymous = frozenset(named if isinstance(each, Restart) else ())
        run(made, index, each)
    return written(request, made.logs)


after_greatest: Final = logged_by(_AfterGreatest)
every_other: Final = logged_by(_EveryOther)
in_blocks: Final = logged_by(_InBlocks)
tags_take_numbers: Final = logged_by(_TagsTakeNumbers)
text_lost_in_crash: Final = logged_by(_TextLostInCrash)


def own_gtids(logs: Sequence[PlannedLog], number: int) -> GtidSet:
    """Return the GTIDs of those logs before one that still exist."""
    executed = ExecutedGtids()
    for log in logs[:number]:
        for gtid in gtids_in(log):
            executed.add(*gtid)
    return executed.gtids()


def purged_lost_at_restart(request: Request) -> Observation:
    """Compare as if GTID_PURGED were empty after a restart."""
    scenario = scenario_of(request)
    logs = log_of(scenario).logs
    statements = scenario.statements
    restarted = next((at for at, each in enumerate(statements) if isinstance(each, Restart | Crash)), len(statements))
    for log in logs:
        log.units = [_with_empty_set(scenario, unit, restarted) for unit in log.units]
    return written(request, logs)


def _with_empty_set(scenario: Scenario, unit: Unit, restarted: int) -> Unit:
    if unit.statement is None or unit.statement < restarted:
        return unit
    statement = scenario.statements[unit.statement]
    if not isinstance(statement, InsertGtids) or statement.variable != "gtid_purged" or not statement.gtids:
        return unit
    # The empty set is in any other, and holds none but itself.
    return replace(unit, events=tuple(_with_value(each, 2) for each in unit.events))


def _with_value(event: LoggedEvent, value: int) -> LoggedEvent:
    if event.type not in ROWS_TYPES:
        return event
    data = event.fields["row_data"]
    return set_fields(row_data=data[:-4] + value.to_bytes(4, "little"))(event)


def without_gtid_of_partial_drop(scenario: Scenario) -> Scenario:
    """Set no GTID for a DROP DATABASE that fails because it would need several; the number of statements stays."""
    statements = list(scenario.statements)
    for index, outcome in enumerate(log_of(scenario).outcomes):
        before = statements[index - 1]
        if outcome.error == PARTIAL_DROP and isinstance(before, SetSession) and before.variable == "gtid_next":
            statements[index - 1] = replace(before, value=AUTOMATIC)
    return replace(scenario, statements=tuple(statements))


def own_gtid_of(kinds: tuple[type[Statement], ...], *, words: bytes = b"") -> Answer:
    """Return the answer in which statements of some kinds have GTIDs of the server's own, with high numbers.

    Args:
        kinds: The kinds of statements.
        words: The words with which what is logged for them begins.
    """
    is_kind = by_kind(*kinds)

    def change(scenario: Scenario, log: PlannedLog, unit: Unit) -> tuple[Unit, ...]:
        first = unit.events[0]
        own = UUID(scenario.settings.server_uuid).bytes
        given = first.type in GTID_TYPES and first.fields["source_uuid"] not in (bytes(16), own)
        text = unit.events[-1].fields.get("query", b"")
        if not (is_kind(scenario, unit) and given and first.type == EventType.GTID and text.startswith(words)):
            return (unit,)
        renamed = set_fields(source_uuid=own, gno=1000 + (unit.statement or 0))(first)
        return (replace(unit, events=(renamed, *unit.events[1:])),)

    return units(change)


def number_temporary(scenario: Scenario, log: PlannedLog, unit: Unit) -> tuple[Unit, ...]:
    """Give a GTID to anonymous transactions that create temporary tables, in the mode that gives one by itself."""
    first = unit.events[0]
    inside = begins(unit) and any(each.fields.get("query", b"").startswith(_CREATE_TEMPORARY) for each in unit.events)
    if not inside or first.type != EventType.ANONYMOUS_GTID or log.gtid_mode != "ON_PERMISSIVE":
        return (unit,)
    own = UUID(scenario.settings.server_uuid).bytes
    fields = {**first.fields, "source_uuid": own, "gno": 1000 + (unit.statement or 0)}
    return (replace(unit, events=(LoggedEvent(EventType.GTID, fields), *unit.events[1:])),)


def anonymous_at_end(scenario: Scenario, log: PlannedLog, unit: Unit) -> tuple[Unit, ...]:
    """Set the flag that shows GTID_NEXT=ANONYMOUS in the Anonymous_gtid events of sessions that end."""
    first = unit.events[0]
    if first.type != EventType.ANONYMOUS_GTID or not _OF_END(scenario, unit):
        return (unit,)
    return (replace(unit, events=(set_flags(int(Flag.IGNORABLE))(first), *unit.events[1:])),)


def given_gtid_at_end(request: Request) -> Observation:
    """Log the DROP at the end of a session under the GTID that the session had last set."""
    scenario = scenario_of(request)
    given: dict[int, Gtid] = {}
    at_end: dict[int, Gtid] = {}
    for index, each in enumerate(scenario.statements):
        if isinstance(each, SetSession) and each.variable == "gtid_next":
            given.pop(each.session, None)
            if each.value not in (AUTOMATIC, ANONYMOUS):
                given[each.session] = Gtid.parse(each.value)
        elif isinstance(each, Disconnect) and each.session in given:
            at_end[index] = given.pop(each.session)

    def rename(event: LoggedEvent, unit: Unit) -> LoggedEvent:
        gtid = at_end[unit.statement or 0]
        return set_fields(source_uuid=gtid.uuid, gno=gtid.gno)(event)

    logs = log_of(scenario).logs
    for log in logs:
        log.units = [
            replace(unit, events=(rename(unit.events[0], unit), *unit.events[1:]))
            if unit.statement in at_end and unit.events[0].type == EventType.GTID
            else unit
            for unit in log.units
        ]
    return written(request, logs)
