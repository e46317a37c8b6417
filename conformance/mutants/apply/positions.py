"""The mutants of the role `apply`: the skip counter and the position at which an applier stops (WL#7592)."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.compatibility import Compared
from conformance.models.replica.event_kind import Kind
from conformance.models.replica.groups import State
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.mutants.apply.faulty_applier import NEGATIVE, of
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.reference.apply import STOP_KIND, answer_with

_TWO_DOTS: Final = 2


class _StopsUntilAnyId(Applier):
    def _compared(self, event: ReplicaEvent) -> Compared:
        return Compared.OF_EVENT


class _ExemptsOwnId(Applier):
    def _compared(self, event: ReplicaEvent) -> Compared:
        is_own = event.server_id == self.settings.server_id
        return self._rules.until_at_zero if is_own else super()._compared(event)


class _PassesEventsOfNoLog(Applier):
    """An applier that does not stop before an event that is of no log, also where it is at the position before it."""

    def _compared(self, event: ReplicaEvent) -> Compared:
        compared = super()._compared(event)
        return Compared.NOTHING if compared is Compared.OF_GROUP else compared


class _SignsPositions(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        is_negative = event.log_pos >= NEGATIVE
        return super()._reaches_until(replace(event, log_pos=event.log_pos - 2 * NEGATIVE) if is_negative else event)


class _NeedsBegin(Applier):
    """An applier for which the events of a statement without BEGIN have positions of their own."""

    def _reaches_until(self, event: ReplicaEvent) -> bool:
        state = self._state
        if state is State.STATEMENT:
            self._state = State.OUTSIDE
        reaches = super()._reaches_until(event)
        self._state = state
        return reaches


class _StopsWithinExecuted(Applier):
    """An applier for which the events of a group that it skips as executed have positions of their own."""

    def _reaches_until(self, event: ReplicaEvent) -> bool:
        state = self._state
        if self._executed_before:
            self._state = State.OUTSIDE
        reaches = super()._reaches_until(event)
        self._state = state
        return reaches


class _CountsStops(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        return super()._take(event, Kind.PASSED if kind is Kind.STOP else kind)


class _SkipsPastRollback(Applier):
    """An applier for which the ROLLBACK at the end of a skipped group is a statement in it."""

    def _skip(self, kind: Kind) -> None:
        super()._skip(Kind.STATEMENT if self._is_rollback and self._state is State.OPEN else kind)

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._is_rollback = event.query == "ROLLBACK"
        return super()._take(event, kind)


class _SkipsPastPrepared(Applier):
    """An applier for which the XA_prepare at the end of a skipped group is a statement in it."""

    def _skip(self, kind: Kind) -> None:
        super()._skip(Kind.STATEMENT if self._is_prepared else kind)

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._is_prepared = event.type == EventType.XA_PREPARE
        return super()._take(event, kind)


class _CountsAfterGtid(Applier):
    """An applier for which a skipped Gtid event begins a group only with the next event that is of one."""

    def _skip(self, kind: Kind) -> None:
        is_last = kind is Kind.UNKNOWN and self._state is State.NAMED and self._skip_counter == 1
        super()._skip(kind)
        if is_last:
            self._skip_counter = 0


class _StopsAtSkippedIncident(Applier):
    def _skip(self, kind: Kind) -> None:
        if kind is Kind.INCIDENT:
            raise ApplierStopped(StopReason.INCIDENT)
        super()._skip(kind)


class _SkipsPastIncident(Applier):
    """An applier for which an Incident does not end the group that its Gtid event has begun."""

    def _skip(self, kind: Kind) -> None:
        super()._skip(Kind.PASSED if kind is Kind.INCIDENT else kind)


class _SkipEndsAtIncident(Applier):
    """An applier for which an Incident ends the transaction that it skips."""

    def _skip(self, kind: Kind) -> None:
        super()._skip(Kind.COMMIT if kind is Kind.INCIDENT else kind)


class _ComparesNamesAsText(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        until = self.settings.until
        named = until is not None and self._source_log and self._compared(event) is not Compared.NOTHING
        if not named or until is None or self._source_log == until.log_name:
            return super()._reaches_until(event)
        return self._source_log > until.log_name


class _ComparesFirstNumbers(Applier):
    """Takes what is after the first dot of a log's name for its number."""

    def _reaches_until(self, event: ReplicaEvent) -> bool:
        settings, log_name = self.settings, self._source_log
        if settings.until is None or log_name.count(".") < _TWO_DOTS:
            return super()._reaches_until(event)
        log_names = (_up_to_number(each) for each in (log_name, settings.until.log_name))
        self._source_log, until_name = log_names
        self.settings = replace(settings, until=replace(settings.until, log_name=until_name))
        reached = super()._reaches_until(event)
        self.settings, self._source_log = settings, log_name
        return reached


def _up_to_number(log_name: str) -> str:
    """Return the name without what comes after the first number in it."""
    return ".".join(log_name.split(".")[:2])


class _ComparesInLaterLogs(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        until = self.settings.until
        if until is None or until.log_name >= self._source_log:
            return super()._reaches_until(event)
        return super()._reaches_until(event) and self._source_log_pos >= until.log_pos


class _SkipsGtidAlone(Applier):
    """An applier for which, in a permissive mode, a Gtid event is of no group."""

    def _skip(self, kind: Kind) -> None:
        super()._skip(kind)
        if kind is Kind.GTID and "PERMISSIVE" in self.settings.gtid_mode and self._skip_counter == 1:
            self._skip_counter = 0


class _CountsInGroups(Applier):
    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        self._from_gtid = False

    def _skip(self, kind: Kind) -> None:
        at_gtid = kind is Kind.GTID and self._skip_counter == 1
        before = self._skip_counter
        super()._skip(kind)
        if not at_gtid and before == self._skip_counter and not self._from_gtid:
            self._skip_counter -= 1
        self._from_gtid = at_gtid or (self._from_gtid and self._state is not State.OUTSIDE)


class _CountsGtid(Applier):
    def _skip(self, kind: Kind) -> None:
        is_last = self._skip_counter == 1
        super()._skip(kind)
        if kind is Kind.GTID and is_last:
            self._skip_counter = 0


class _CountsAllBut(Applier):
    """Skips events of some types without counting them down."""

    _uncounted: frozenset[int]

    def _skip(self, kind: Kind) -> None:
        before = self._skip_counter
        super()._skip(kind)
        if before > 1 and self._event_type in self._uncounted:
            self._skip_counter = before

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._event_type = event.type
        return super()._take(event, kind)


class _CountsNoXid(_CountsAllBut):
    _uncounted = frozenset({EventType.XID})


class _CountsNoTaggedGtid(_CountsAllBut):
    _uncounted = frozenset({EventType.GTID_TAGGED})


class _CountsNoGtid(_CountsAllBut):
    _uncounted = frozenset(GTID_TYPES)


def _ignores_the_counter(request: Request) -> Observation:
    if request.settings.get("gtid_mode") != "ON":
        return answer_with(Applier, request)
    settings = {name: value for name, value in request.settings.items() if name != "skip_counter"}
    return answer_with(Applier, replace(request, settings=settings))


def _refuses_to_skip(request: Request) -> Observation:
    """Refuse the skip counter at the first event that it would count."""
    observed = answer_with(Applier, request)
    if not request.settings.get("skip_counter"):
        return observed
    first = next((index for index, each in enumerate(observed.events) if each["outcome"] == "skipped"), None)
    if first is None:
        return observed  # It stops before the first event that would count.
    message = "the skip counter may not be set"
    return Observation(observed.events[:first], Refusal(observed.events[first]["offset"], STOP_KIND, message))


APPLY_POSITIONS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-until-at-server-id-zero",
        "WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
        "stops at the end position of an event with server id 0",
        answer=of(_StopsUntilAnyId),
    ),
    Mutant(
        "apply-until-compares-in-later-logs",
        "FORMAT-APPLY-UNTIL",
        "goes on in a log after that of the stop position up to its number",
        answer=of(_ComparesInLaterLogs),
    ),
    Mutant(
        "apply-skip-gtid-alone-permissive",
        "WL7592-APPLY-SKIP-GTID-IN-GROUP",
        "skips a Gtid event as if it were outside its group in a permissive mode",
        answer=of(_SkipsGtidAlone),
    ),
    Mutant(
        "apply-until-signed",
        "FORMAT-APPLY-UNTIL",
        "takes positions in the source's log from 2^31 on for negative ones",
        answer=of(_SignsPositions),
    ),
    Mutant(
        "apply-until-needs-begin",
        "FORMAT-APPLY-UNTIL",
        "stops within a group that has several events and no BEGIN",
        answer=of(_NeedsBegin),
    ),
    Mutant(
        "apply-until-within-executed",
        "FORMAT-APPLY-EXECUTED",
        "stops within a group whose GTID is executed",
        answer=of(_StopsWithinExecuted),
    ),
    Mutant(
        "apply-skip-counts-stop",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "counts the Stop event at the end of a relay log",
        answer=of(_CountsStops),
    ),
    Mutant(
        "apply-skip-past-rollback",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "goes on skipping after a group that ends with ROLLBACK",
        answer=of(_SkipsPastRollback),
        also=("WL7592-APPLY-SKIP-GTID-IN-GROUP", "FORMAT-APPLY-GROUP", "FORMAT-APPLY-POSITION"),
    ),
    Mutant(
        "apply-skip-past-prepared",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "goes on skipping after an XA transaction that is prepared",
        answer=of(_SkipsPastPrepared),
        also=("WL7592-APPLY-SKIP-GTID-IN-GROUP", "FORMAT-APPLY-GROUP", "FORMAT-APPLY-POSITION"),
    ),
    Mutant(
        "apply-skip-ends-after-gtid",
        "WL7592-APPLY-SKIP-GTID-IN-GROUP",
        "lets the skip counter end at an unknown event directly after a Gtid event",
        answer=of(_CountsAfterGtid),
    ),
    Mutant(
        "apply-skip-not-incident",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "stops at an Incident that the skip counter covers",
        answer=of(_StopsAtSkippedIncident),
    ),
    Mutant(
        "apply-skip-past-incident",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "goes on skipping after an Incident, as if its group were still open",
        answer=of(_SkipsPastIncident),
        also=("WL7592-APPLY-SKIP-GTID-IN-GROUP", "FORMAT-APPLY-GROUP", "FORMAT-APPLY-POSITION"),
    ),
    Mutant(
        "apply-skip-ends-at-incident",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "takes an Incident in the transaction that it skips for its end",
        answer=of(_SkipEndsAtIncident),
        also=("WL7592-APPLY-SKIP-GTID-IN-GROUP", "FORMAT-APPLY-GROUP", "FORMAT-APPLY-POSITION"),
    ),
    Mutant(
        "apply-until-passes-events-of-no-log",
        "WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
        "does not stop before an event with the server id 0, although the last group ends at the stop position",
        answer=of(_PassesEventsOfNoLog),
    ),
    Mutant(
        "apply-until-own-id-exempt",
        "FORMAT-APPLY-UNTIL",
        "does not stop at the end position of an event with the replica's own server id",
        answer=of(_ExemptsOwnId),
    ),
    Mutant(
        "apply-until-names-as-text",
        "FORMAT-APPLY-UNTIL",
        "compares the names of logs as text when it looks for the stop position",
        answer=of(_ComparesNamesAsText),
    ),
    Mutant(
        "apply-until-first-number",
        "FORMAT-APPLY-UNTIL",
        "takes what is after the first dot in the name of a log for its number when it looks for the stop position",
        answer=of(_ComparesFirstNumbers),
    ),
    Mutant(
        "apply-skip-ends-in-group",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "lets the skip counter reach 0 within a group",
        answer=of(_CountsInGroups),
    ),
    Mutant(
        "apply-skip-xid-not-counted",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "does not count a skipped Xid event",
        answer=of(_CountsNoXid),
    ),
    Mutant(
        "apply-skip-gtid-not-counted",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "does not count a skipped Gtid or Anonymous_gtid event",
        answer=of(_CountsNoGtid),
    ),
    Mutant(
        "apply-skip-tagged-gtid-not-counted",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "does not count a skipped Gtid_tagged event",
        answer=of(_CountsNoTaggedGtid),
    ),
    Mutant(
        "apply-skip-gtid-alone",
        "WL7592-APPLY-SKIP-GTID-IN-GROUP",
        "skips a Gtid event as if it were outside its group",
        answer=of(_CountsGtid),
    ),
    Mutant(
        "apply-skip-refused",
        "WL7592-APPLY-OFF-SKIP-ALLOWED",
        "refuses the skip counter with gtid_mode=OFF",
        answer=_refuses_to_skip,
    ),
    Mutant(
        "apply-skip-counter-ignored",
        "WL7592-APPLY-ON-SKIP-REFUSED",
        "takes a skip counter with gtid_mode=ON without an error, and skips nothing",
        answer=_ignores_the_counter,
    ),
)
