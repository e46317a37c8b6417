"""The mutants of the role `apply`: the model of an applier with one fault each."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.executed_gtids import gtid_parts
from conformance.binlog.servers import server_of
from conformance.models.replica.applier import Applied, Applier, ApplyOutcome
from conformance.models.replica.compatibility import Anonymous
from conformance.models.replica.event_kind import OF_TRANSACTIONS, Kind
from conformance.models.replica.failed_drop import CANNOT_REMOVE_DIRECTORY
from conformance.models.replica.groups import State
from conformance.models.replica.own_log import LoggedGroup, OwnLog
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.replica.replica_tables import ReplicaTables
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.reference.apply import STOP_KIND, answer_with


class _RefusesUnknown(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.UNKNOWN:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._take(event, kind)


class _PassesOverUnknown(Applier):
    def _passes_over(self, event: ReplicaEvent) -> bool:
        return True


class _KnowsTheFlag(Applier):
    def _passes_over(self, event: ReplicaEvent) -> bool:
        return event.ignorable


class _PassesOverGtids(Applier):
    def _passes_over(self, event: ReplicaEvent) -> bool:
        return event.type in (*GTID_TYPES, EventType.PREVIOUS_GTIDS)


class _IgnoresFlagged(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        ignores = event.ignorable and kind in OF_TRANSACTIONS
        return ApplyOutcome.IGNORED if ignores else super()._take(event, kind)


class _WithoutVariables(ReplicaTables):
    def execute(self, event: ReplicaEvent) -> None:
        if event.type != EventType.USER_VAR:
            super().execute(event)


class _StrictInPermissiveModes(Applier):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if event.gtid == ANONYMOUS and self.settings.gtid_mode == "ON_PERMISSIVE":
            raise ApplierStopped(StopReason.ANONYMOUS)
        return super()._opens_group(event)


class _LogsNoSingleDrop(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.DIRECTORY_REMAINS_ONE_DROP:
                stopped.logged = ()
            raise


class _RefusesGtidsOfNewer(Applier):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if self.settings.version in ("5.6.5", "5.7.4") and event.gtid != ANONYMOUS:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._opens_group(event)


class _LosesVariables(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _WithoutVariables()


class _ShowsAtOnce(ReplicaTables):
    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        self.commit()


class _CommitsEachEvent(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _ShowsAtOnce()


class _PlainLog(OwnLog):
    def _own_gtid(self, gtid: str) -> str:
        return "" if gtid in ("", ANONYMOUS) else gtid


class _LogsNothingBefore(Applier):
    def _new_log(self) -> OwnLog:
        return _PlainLog(self._rules)


class _RenamingLog(OwnLog):
    def _own_gtid(self, gtid: str) -> str:
        _, _, number = gtid.rpartition(":")
        return f"{UUID(int=0)}:{number}" if number.isdigit() else super()._own_gtid(gtid)


class _LogsOwnGtids(Applier):
    def _new_log(self) -> OwnLog:
        return _RenamingLog(self._rules)


class _UnknownEndsGroup(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._take(event, kind)
        if kind is Kind.UNKNOWN:
            self._state = State.OUTSIDE
            self._gtid = ""
            self.history.append(ANONYMOUS)
        return outcome


class _CreateStaysOpen(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._run(event, kind)
        if kind is Kind.DDL and event.query.startswith("CREATE TABLE `t9`"):
            self._state = State.OPEN
        return outcome


class _LogsDropsTogether(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            first, *rest = stopped.logged or (LoggedGroup("", ""),)
            together = tuple(LoggedGroup("", each.statement) for each in rest)
            stopped.logged = (first, *together) if stopped.logged else ()
            raise


class _LogsDropsWithGtid(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.PARTIAL_DROP:
                stopped.logged = (LoggedGroup(self._gtid, "DROP TABLE"), LoggedGroup(self._gtid, "DROP TABLE"))
            raise


class _FailedDropUsesGtid(Applier):
    def _fail_drop(self, event: ReplicaEvent) -> None:
        try:
            super()._fail_drop(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.PARTIAL_DROP:
                self._executed.add(*gtid_parts(self._gtid))
            raise


class _StopsUntilAnyId(Applier):
    def _exempt_ids(self) -> tuple[int, ...]:
        return ()


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


class _CountsNoGtid(_CountsAllBut):
    _uncounted = frozenset(GTID_TYPES)


class _AcceptsRollback(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._query = event.query.upper()
        return super()._take(event, kind)

    def _check_gtid(self, kind: Kind) -> None:
        if not self._query.startswith("ROLLBACK"):
            super()._check_gtid(kind)


class _AcceptsMissingGtid(Applier):
    def _check_gtid(self, kind: Kind) -> None:
        if kind in (Kind.BEGIN, Kind.COMMIT):
            super()._check_gtid(kind)

    def _opens_group(self, event: ReplicaEvent) -> bool:
        try:
            return super()._opens_group(event)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.ANONYMOUS:
                return True
            raise


class _AcceptsMissingGtidAtBegin(Applier):
    def _check_gtid(self, kind: Kind) -> None:
        if kind not in (Kind.BEGIN, Kind.COMMIT):
            super()._check_gtid(kind)


class _RequiresGtidAfterAnonymous(Applier):
    def _check_gtid(self, kind: Kind) -> None:
        super()._check_gtid(kind)
        alone = kind in OF_TRANSACTIONS and self._state is State.OUTSIDE
        if alone and self.settings.gtid_mode == "OFF" and ANONYMOUS in self.history:
            raise ApplierStopped(StopReason.GTID_MISSING)


class _CommitsInsideGtid(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        inside = kind is Kind.DDL and self._state is State.OPEN
        return super()._run(event, Kind.STATEMENT if inside else kind)


class _RowsQueryForgetsTables(Applier):
    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        self._mapped = False

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if event.type in (EventType.TABLE_MAP, EventType.ROWS_QUERY):
            self._mapped = event.type == EventType.TABLE_MAP
        elif kind in (Kind.ROWS, Kind.LAST_ROWS) and not self._mapped:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._run(event, kind)


class _RequiresGtidsInOldStreams(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.BEGIN and self._state is State.OUTSIDE and not self.settings.version:
            raise ApplierStopped(StopReason.GTID_MISSING)
        return super()._run(event, kind)


class _RefusesLongGtids(Applier):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if self.settings.version == "5.6.21" and event.gtid != ANONYMOUS:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._opens_group(event)


class _StopsAtAnonymous(Applier):
    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        if settings.version == "5.6.22":
            self._rules = replace(self._rules, anonymous=Anonymous.STOPS)


class _AcceptsAnonymousTooEarly(Applier):
    #: The versions that should stop but do not.
    versions: tuple[str, ...] = ("5.6.5", "5.6.20", "5.6.21")

    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        if settings.version in self.versions:
            self._rules = replace(self._rules, anonymous=Anonymous.IGNORED)


class _AcceptsAnonymousInMilestones(_AcceptsAnonymousTooEarly):
    versions = ("5.7.1", "5.7.4", "5.7.5")


class _PositionStays(Applier):
    def apply(self, events: Iterable[ReplicaEvent]) -> list[Applied]:
        return [
            replace(each, relay_log_pos=each.event.offset) if each.outcome is ApplyOutcome.IGNORED else each
            for each in super().apply(events)
        ]


def _of(applier: Callable[[ReplicaSettings], Applier]) -> Callable[[Request], Observation]:
    """Return the answer of a faulty applier."""
    return lambda request: answer_with(applier, request)


def _reading_on(applier: Callable[[ReplicaSettings], Applier]) -> Callable[[Request], Observation]:
    """Return the answer of a faulty applier whose reader refuses no type."""

    def answer(request: Request) -> Observation:
        return answer_with(applier, request, replace(server_of(request.profile).rules, passes_unknown=True))

    return answer


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


def _at_drops(**changed: Any) -> Callable[[Request], Observation]:
    """Return the answer with another error for a DROP DATABASE that cannot be logged."""

    def answer(request: Request) -> Observation:
        observed = answer_with(Applier, request)
        error = observed.error
        if error is None or StopReason.PARTIAL_DROP.value in error.message or "leftovers" not in request.settings:
            return observed
        return replace(observed, error=replace(error, **changed))

    return answer


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "apply-unknown-refused",
        "WL4033-APPLY-UNKNOWN-IGNORED",
        "stops at an unknown ignorable event",
        answer=_of(_RefusesUnknown),
    ),
    Mutant(
        "apply-unknown-ends-group",
        "WL4033-APPLY-UNKNOWN-IGNORED",
        "treats an unknown ignorable event as the end of the group",
        answer=_of(_UnknownEndsGroup),
    ),
    Mutant(
        "apply-unknown-position-stays",
        "WL4033-APPLY-UNKNOWN-POSITION",
        "does not move its position past an ignored event",
        answer=_of(_PositionStays),
    ),
    Mutant(
        "apply-unknown-passed-over",
        "WL4033-APPLY-UNKNOWN-REFUSED",
        "passes over every event of an unknown type, flagged or not",
        answer=_reading_on(_PassesOverUnknown),
    ),
    Mutant(
        "apply-flag-known-too-early",
        "WL4033-APPLY-CROSS-NEW-TO-OLD",
        "as 5.1 or 5.5, passes over flagged events of types that it does not know",
        answer=_reading_on(_KnowsTheFlag),
    ),
    Mutant(
        "apply-gtids-passed-over",
        "WL7592-APPLY-NEW-55",
        "as 5.1 or 5.5, passes over the events of GTIDs",
        answer=_reading_on(_PassesOverGtids),
    ),
    Mutant(
        "apply-flagged-ignored",
        "WL4033-APPLY-KNOWN-HANDLED",
        "ignores events of known types that are flagged",
        answer=_of(_IgnoresFlagged),
    ),
    Mutant(
        "apply-rows-query-forgets-tables",
        "WL4033-APPLY-ROWS-QUERY-INFORMS",
        "forgets the tables of a statement at its Rows_query event",
        answer=_of(_RowsQueryForgetsTables),
    ),
    Mutant(
        "apply-create-inside-gtid",
        "WL7592-APPLY-CREATE-INSIDE",
        "applies a CREATE TABLE inside a transaction that has a GTID",
        answer=_of(_CommitsInsideGtid),
    ),
    Mutant(
        "apply-create-select-one-group",
        "WL7592-APPLY-CREATE-SELECT-COMMITS",
        "keeps the group open after the CREATE of a CREATE TABLE ... SELECT",
        answer=_of(_CreateStaysOpen),
    ),
    Mutant(
        "apply-drops-share-anonymous-gtid",
        "WL7592-APPLY-DROPDB-OFF-ANON-EACH",
        "logs the DROP statements of a failed DROP DATABASE after one Anonymous_gtid event",
        answer=_of(_LogsDropsTogether),
    ),
    Mutant(
        "apply-drops-share-gtid",
        "WL7592-APPLY-DROPDB-ON-ERROR",
        "logs the DROP statements of a failed DROP DATABASE, each with the same GTID",
        answer=_of(_LogsDropsWithGtid),
    ),
    Mutant(
        "apply-drop-error-number",
        "WL7592-APPLY-DROPDB-ERROR-CODE",
        "reports the error of the directory, not that of the log",
        answer=_at_drops(code=CANNOT_REMOVE_DIRECTORY),
    ),
    Mutant(
        "apply-drop-error-text",
        "WL7592-APPLY-DROPDB-ERROR-TEXT",
        "reports only that DROP DATABASE failed, not why",
        answer=_at_drops(message="DROP DATABASE failed on slave"),
    ),
    Mutant(
        "apply-failed-drop-uses-gtid",
        "WL7592-APPLY-DROPDB-GTID-UNUSED",
        "counts the GTID of a failed DROP DATABASE as executed",
        answer=_of(_FailedDropUsesGtid),
    ),
    Mutant(
        "apply-until-at-server-id-zero",
        "WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
        "stops at the end position of an event with server id 0",
        answer=_of(_StopsUntilAnyId),
    ),
    Mutant(
        "apply-skip-ends-in-group",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "lets the skip counter reach 0 within a group",
        answer=_of(_CountsInGroups),
    ),
    Mutant(
        "apply-skip-xid-not-counted",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "does not count a skipped Xid event",
        answer=_of(_CountsNoXid),
    ),
    Mutant(
        "apply-skip-gtid-not-counted",
        "WL7592-APPLY-SKIP-NOT-MID-GROUP",
        "does not count a skipped Gtid or Anonymous_gtid event",
        answer=_of(_CountsNoGtid),
    ),
    Mutant(
        "apply-skip-gtid-alone",
        "WL7592-APPLY-SKIP-GTID-IN-GROUP",
        "skips a Gtid event as if it were outside its group",
        answer=_of(_CountsGtid),
    ),
    Mutant(
        "apply-skip-refused",
        "WL7592-APPLY-OFF-SKIP-ALLOWED",
        "refuses the skip counter with gtid_mode=OFF",
        answer=_refuses_to_skip,
    ),
    Mutant(
        "apply-permissive-as-on",
        "FORMAT-APPLY-PERMISSIVE",
        "refuses anonymous groups if gtid_mode is ON_PERMISSIVE",
        answer=_of(_StrictInPermissiveModes),
    ),
    Mutant(
        "apply-single-drop-not-logged",
        "WL7592-APPLY-DROPDB-ONE-WITH-GTID",
        "logs nothing of a failed DROP DATABASE with a GTID, though one DROP names all tables",
        answer=_of(_LogsNoSingleDrop),
    ),
    Mutant(
        "apply-newer-gtid-refused-by-milestones",
        "WL7592-APPLY-ON-56-57",
        "as 5.6.5 or 5.7.4, stops at the Gtid events of a newer source",
        answer=_of(_RefusesGtidsOfNewer),
    ),
    Mutant(
        "apply-user-variables-lost",
        "FORMAT-APPLY-DATA",
        "does not set user variables, so that statements insert NULL",
        answer=_of(_LosesVariables),
    ),
    Mutant(
        "apply-commits-each-event",
        "FORMAT-APPLY-DATA",
        "shows the rows of a group to other sessions before it is committed",
        answer=_of(_CommitsEachEvent),
    ),
    Mutant(
        "apply-own-log-without-anonymous",
        "WL7592-APPLY-OWN-LOG-ANONYMOUS",
        "writes groups without a GTID to its own log without an Anonymous_gtid event",
        answer=_of(_LogsNothingBefore),
    ),
    Mutant(
        "apply-own-log-other-gtid",
        "WL7592-APPLY-OWN-LOG-GTID",
        "gives the groups in its own log another UUID than the source's",
        answer=_of(_LogsOwnGtids),
    ),
    Mutant(
        "apply-skip-counter-ignored",
        "WL7592-APPLY-ON-SKIP-REFUSED",
        "takes a skip counter with gtid_mode=ON without an error, and skips nothing",
        answer=_ignores_the_counter,
    ),
    Mutant(
        "apply-missing-gtid-accepted",
        "WL7592-APPLY-ON-GTID-MISSING",
        "applies statements without a Gtid event although gtid_mode is ON",
        answer=_of(_AcceptsMissingGtid),
    ),
    Mutant(
        "apply-missing-gtid-accepted-at-begin",
        "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "applies BEGIN and COMMIT without a Gtid event although gtid_mode is ON",
        answer=_of(_AcceptsMissingGtidAtBegin),
    ),
    Mutant(
        "apply-missing-gtid-accepted-at-rollback",
        "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "applies a ROLLBACK without a Gtid event although gtid_mode is ON",
        answer=_of(_AcceptsRollback),
    ),
    Mutant(
        "apply-gtid-required-although-off",
        "WL7592-APPLY-OFF-GTID-NOT-MISSED",
        "requires Anonymous_gtid events after a group that has one, although gtid_mode is OFF",
        answer=_of(_RequiresGtidAfterAnonymous),
    ),
    Mutant(
        "apply-old-streams-refused",
        "WL7592-COMPAT-OLD-NEW",
        "requires a Gtid event before each BEGIN although gtid_mode is OFF",
        answer=_of(_RequiresGtidsInOldStreams),
    ),
    Mutant(
        "apply-newer-gtid-refused",
        "WL7592-COMPAT-ON-5621",
        "as 5.6.21, stops at the Gtid events of a newer source",
        answer=_of(_RefusesLongGtids),
    ),
    Mutant(
        "apply-anonymous-refused",
        "WL7592-COMPAT-OFF-5622",
        "as 5.6.22, stops at Anonymous_gtid events",
        answer=_of(_StopsAtAnonymous),
    ),
    Mutant(
        "apply-anonymous-accepted-by-5-6-21",
        "WL7592-COMPAT-OFF-5621",
        "as 5.6.21, ignores Anonymous_gtid events, where that version stops",
        answer=_of(_AcceptsAnonymousTooEarly),
    ),
    Mutant(
        "apply-anonymous-accepted-by-5-7-5",
        "WL7592-COMPAT-OFF-575",
        "as 5.7.5, ignores Anonymous_gtid events, where that version stops",
        answer=_of(_AcceptsAnonymousInMilestones),
    ),
)
