"""The applier: how a replica executes its relay log, event by event (WL#7592, WL#4033)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.models.replica.compatibility import Anonymous, ChecksBegin, Compared
from conformance.models.replica.event_kind import OF_TRANSACTIONS, SKIPPED_IF_OWN, Kind, kind_of
from conformance.models.replica.failed_drop import DROP_DATABASE, drop_statements, failure_message
from conformance.models.replica.groups import Effect, State, step
from conformance.models.replica.own_log import LoggedGroup, OwnLog
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.replica.replica_tables import ReplicaTables
from conformance.models.replica.stop_reason import CODES, GTID_NEXT_USED, ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS

#: The kinds that the skip counter does not count: they are part of files, not of what is applied.
_NOT_COUNTED: Final = frozenset({Kind.FORMAT, Kind.ROTATE, Kind.STOP, Kind.PREVIOUS_GTIDS})


class ApplyOutcome(Enum):
    """What the applier did with an event."""

    APPLIED = "applied"
    #: Skipped, as an ignorable event of a type that the replica does not know.
    IGNORED = "ignored"
    #: Skipped by the skip counter, because its GTID is executed already, or as one that comes from the replica itself.
    SKIPPED = "skipped"
    #: Not applied: the position to stop at was reached before it.
    UNTIL = "until"
    #: Not applied: the applier stops at it with an error.
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What an applier did with one event, and its state after it.

    Attributes:
        event: The event.
        outcome: What the applier did with it.
        relay_log_pos: Where reading continues, in bytes from the start of the relay log.
        group_relay_log_pos: Where a restart begins: after the last whole group.
        source_log: The source's log in which the position counts; empty if none was named yet.
        source_log_pos: The position after the last whole group in the source's log.
        in_group: Whether a group is open.
        skip_counter: How many events are still to be skipped.
        gtid: The GTID of the open group, ``ANONYMOUS`` if it has none, empty outside groups and in skipped ones.
        executed: The GTIDs executed so far.
        transactions: How many groups were committed so far.
        logged: What the replica wrote to its own log because of the event; None if that is not certain.
        tables: The rows that the replica ends up with, in the last entry, where they are asked for.
    """

    event: ReplicaEvent
    outcome: ApplyOutcome
    relay_log_pos: int
    group_relay_log_pos: int
    source_log: str
    source_log_pos: int
    in_group: bool
    skip_counter: int
    gtid: str
    executed: GtidSet
    transactions: int
    logged: tuple[LoggedGroup, ...] | None = ()
    tables: dict[str, list[list[Any]]] | None = None

    def entry(self) -> dict[str, Any]:
        """Return the entry of the role `apply` for it."""
        entry: dict[str, Any] = {
            "offset": self.event.offset,
            "type": self.event.type,
            "outcome": self.outcome.value,
            "relay_log_pos": self.relay_log_pos,
            "group_relay_log_pos": self.group_relay_log_pos,
            "source_log": self.source_log,
            "source_log_pos": self.source_log_pos,
            "in_group": int(self.in_group),
            "skip_counter": self.skip_counter,
            "gtid": self.gtid,
            "executed_gtids": str(self.executed),
            "transactions": self.transactions,
        }
        logged = self.logged or ()
        if self.outcome is ApplyOutcome.FAILED:
            entry["logged_statements"] = len(logged)
            entry["logged_anonymous_gtids"] = sum(group.gtid == ANONYMOUS for group in logged)
        elif self.logged is not None:
            entry["logged_groups"] = len(logged)
            entry["logged_gtids"] = ",".join(group.gtid for group in logged)
        if self.tables is not None:
            entry["tables"] = self.tables
        return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The reason why an applier stopped, and the event.

    Attributes:
        event: The event that it could not apply.
        reason: The reason.
        message: The reason in words; for a failed DROP DATABASE, the worklog's message.
        code: The error's number in servers; None if it has none.
    """

    event: ReplicaEvent
    reason: StopReason
    message: str
    code: int | None


class Applier:
    """Applies a relay log.

    Args:
        settings: The replica's settings.
        start: The position at which it starts, in bytes from the start of the relay log.

    Attributes:
        stopped: The error with which it stopped, None if it has not.
        history: The GTIDs of the committed groups, in order, ``ANONYMOUS`` for those without one, as the server's
            transaction history shows them.
    """

    def __init__(self, settings: ReplicaSettings, *, start: int = 4) -> None:
        self.settings = settings
        self.stopped: Stop | None = None
        self.history: list[str] = []
        self._rules = settings.rules
        self._state = State.OUTSIDE
        #: The GTID of the open group; it is kept when the group is committed.
        self._gtid = ""
        #: Whether the last group that a Gtid event named has a GTID.
        self._had_gtid = False
        self._executed_before = False
        self._skip_counter = settings.skip_counter
        self._executed = ExecutedGtids()
        self._group_relay_log_pos = start
        self._source_log = ""
        self._source_log_pos = 0
        self._tables = self._new_tables()
        self._own_log = self._new_log()
        self._logged: tuple[LoggedGroup, ...] | None = ()

    def apply(self, events: Iterable[ReplicaEvent]) -> list[Applied]:
        """Apply events until they end, the position to stop at is reached, or an error stops it (`stopped`)."""
        done: list[Applied] = []
        for event in events:
            self._logged = ()
            if self._reaches_until(event):
                done.append(self._applied(event, ApplyOutcome.UNTIL, event.offset))
                break
            try:
                outcome = self._take(event, kind_of(event))
            except ApplierStopped as stopped:
                code = self.code_of(stopped.reason)
                self.stopped = Stop(event=event, reason=stopped.reason, message=stopped.message, code=code)
                self._logged = stopped.logged
                done.append(self._applied(event, ApplyOutcome.FAILED, event.offset))
                break
            self._advance(event, kind_of(event))
            done.append(self._applied(event, outcome, event.end))
        if done and self.settings.tables:
            done[-1] = replace(done[-1], tables=self._tables.visible(self.settings.tables))
        return done

    def _new_tables(self) -> ReplicaTables:
        return ReplicaTables()

    def _new_log(self) -> OwnLog:
        return OwnLog(self._rules)

    def _drop_statements(self, tables: Sequence[str]) -> Iterable[str]:
        return drop_statements(tables)

    def code_of(self, reason: StopReason) -> int | None:
        """Return a reason's error number in servers, at this point of the relay log; None if it has none."""
        if reason in (StopReason.UNKNOWN_EVENT, StopReason.ANONYMOUS_UNKNOWN):
            return self._rules.read_failure
        if reason is StopReason.INCIDENT:
            return self._rules.incident
        if reason is StopReason.GTID_MISSING and self._had_gtid:
            return GTID_NEXT_USED
        return CODES[reason]

    def _applied(self, event: ReplicaEvent, outcome: ApplyOutcome, relay_log_pos: int) -> Applied:
        inside = self._state is not State.OUTSIDE
        executes = inside and outcome is not ApplyOutcome.SKIPPED and not self._executed_before
        return Applied(
            event=event,
            outcome=outcome,
            relay_log_pos=relay_log_pos,
            group_relay_log_pos=self._group_relay_log_pos,
            source_log=self._source_log,
            source_log_pos=self._source_log_pos,
            in_group=inside,
            skip_counter=self._skip_counter,
            gtid=self._gtid or ANONYMOUS if executes else "",
            executed=self._executed.gtids(),
            transactions=len(self.history),
            logged=self._logged,
        )

    def _reaches_until(self, event: ReplicaEvent) -> bool:
        until = self.settings.until
        compared = self._compared(event)
        if until is None or compared is Compared.NOTHING:
            return False
        if not self._source_log or _log_number(self._source_log) < _log_number(until.log_name):
            return False
        if _log_number(self._source_log) > _log_number(until.log_name):
            return True
        inside = self._state is not State.OUTSIDE or not event.log_pos or compared is Compared.OF_GROUP
        position = self._source_log_pos if inside else event.log_pos - event.length
        return position >= until.log_pos

    def _compared(self, event: ReplicaEvent) -> Compared:
        """Return what the position to stop at is compared with before an event, by the server that made it."""
        if event.server_id == 0:
            return self._rules.until_at_zero
        return self._rules.until_at_own if event.server_id == self.settings.server_id else Compared.OF_EVENT

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.UNKNOWN and not self._passes_over(event):
            raise ApplierStopped(StopReason.UNKNOWN_EVENT, message=f"Unknown event code: {event.type}")
        if self._is_own(event, kind):
            self._own_log.split()  # What is left of its group may be nothing.
            return ApplyOutcome.SKIPPED
        if self._skip_counter and kind not in _NOT_COUNTED:
            self._skip(kind)
            return ApplyOutcome.SKIPPED
        if kind is Kind.UNKNOWN:
            return ApplyOutcome.IGNORED
        if kind is Kind.INCIDENT and not self._executed_before:
            raise ApplierStopped(self._reason_at_incident())
        if kind is Kind.GTID and event.type != EventType.MARIADB_GTID and not self._opens_group(event):
            return ApplyOutcome.IGNORED
        self._check_gtid(kind)
        return self._run(event, kind)

    def _reason_at_incident(self) -> StopReason:
        """Return why it stops at an Incident: one without a GTID, where there must be one, is first of all that."""
        if self._is_named() or not self._requires_gtid():
            return StopReason.INCIDENT
        # 5.7.22 and 8.0.15 stop with 1782 or 1837, 9.7.4 with 1782.
        return StopReason.ANONYMOUS if self._rules.incidents_apart else StopReason.GTID_MISSING

    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        """Return whether an event of a group comes from this server itself, and has come back to it.

        5.7.22, 8.0.15, 9.7.4 and MariaDB 10.1.23 and 11.8.9 skip such events one by one, and the group goes on.
        """
        return event.server_id == self.settings.server_id and kind in SKIPPED_IF_OWN

    def _passes_over(self, event: ReplicaEvent) -> bool:
        """Return whether the replica may ignore an event of a type that it does not know (WL#4033)."""
        return self._rules.ignorable and event.ignorable

    def _skip(self, kind: Kind) -> None:
        # WL#7592, Plan 10: inside a group the counter does not go down to 0.
        self._state = step(self._state, kind).state
        if self._skip_counter > 1 or self._state is State.OUTSIDE:
            self._skip_counter -= 1

    def _opens_group(self, event: ReplicaEvent) -> bool:
        """Return whether a Gtid event begins a group; if not, the replica ignores it.

        Raises:
            ApplierStopped: It is not allowed here.
        """
        anonymous = event.gtid == ANONYMOUS
        rules = self._rules
        if anonymous and rules.anonymous is Anonymous.STOPS:
            raise ApplierStopped(StopReason.ANONYMOUS_UNKNOWN)
        if anonymous and rules.anonymous is Anonymous.IGNORED:
            return False
        if not rules.gtids:
            if rules.ignorable:
                return False
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        if anonymous and self.settings.gtid_mode == "ON":
            raise ApplierStopped(StopReason.ANONYMOUS)
        if not anonymous and self.settings.gtid_mode == "OFF":
            is_tagged = event.type == EventType.GTID_TAGGED
            raise ApplierStopped(StopReason.TAGGED_GTID if is_tagged else StopReason.GTID)
        return True

    def _check_gtid(self, kind: Kind) -> None:
        if not self._requires_gtid() or kind not in OF_TRANSACTIONS:
            return
        checks = self._rules.checks_begin
        waits = checks is ChecksBegin.NEVER or (checks is ChecksBegin.AT_FIRST and self._had_gtid)
        if waits and kind in (Kind.BEGIN, Kind.COMMIT):
            return
        if not self._is_named():
            raise ApplierStopped(StopReason.GTID_MISSING)

    def _requires_gtid(self) -> bool:
        """Return whether each group must have a GTID."""
        return self.settings.gtid_mode == "ON" and self._rules.gtids

    def _is_named(self) -> bool:
        """Return whether the open group has a GTID."""
        return self._state is not State.OUTSIDE and self._gtid not in ("", ANONYMOUS)

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        before = self._state
        after, effect = step(before, kind)
        if effect is Effect.IMPLICIT_COMMIT and _is_mysql(self._gtid):
            raise ApplierStopped(StopReason.IMPLICIT_COMMIT)
        if effect is Effect.IMPLICIT_COMMIT:
            self._commit_within(kind)
        elif effect is Effect.ROLLBACK:
            self._tables.rollback()
        if kind is Kind.DDL and not self._executed_before:
            self._fail_drop(event)
        if kind in (Kind.GTID, Kind.GTID_AND_BEGIN):
            self._gtid = event.gtid
            self._had_gtid = event.gtid != ANONYMOUS
            self._executed_before = _is_mysql(event.gtid) and event.gtid in self._executed
        elif before is State.OUTSIDE:
            self._gtid = ""
            self._had_gtid &= kind is not Kind.FORMAT or not self._rules.format_renews
        if before is State.OUTSIDE or kind in (Kind.GTID, Kind.GTID_AND_BEGIN):
            self._own_log.begin()
        self._state = after
        skipped = self._executed_before and kind not in _NOT_COUNTED
        if not skipped:
            self._own_log.add(event, kind)
            self._tables.execute(event)
            if effect is Effect.COMMIT:
                self._commit(event)
        if after is State.OUTSIDE:
            self._executed_before = False
        return ApplyOutcome.SKIPPED if skipped else ApplyOutcome.APPLIED

    def _commit(self, event: ReplicaEvent) -> None:
        """Commit the group that ends with an event, or roll it back: nothing is left of it then, nor of its GTID.

        So do 5.7.22, 8.0.15 and 9.7.4 with tables that can be rolled back.
        """
        self.history.append(self._gtid or ANONYMOUS)
        is_undone = event.query.upper().startswith("ROLLBACK")
        if is_undone:
            self._tables.rollback()
        elif _is_mysql(self._gtid):
            self._executed.add(*gtid_parts(self._gtid))
        self._tables.commit()
        self._logged = self._own_log.roll_back() if is_undone else self._own_log.commit(self._gtid)

    def _commit_within(self, kind: Kind) -> None:
        """Commit what is before a statement that commits implicitly, inside a group that goes on."""
        if kind is Kind.BEGIN:
            self.history.append(self._gtid or ANONYMOUS)
        self._tables.commit()
        self._own_log.split()
        self._logged = None

    def _fail_drop(self, event: ReplicaEvent) -> None:
        """Fail at a DROP DATABASE that cannot remove the directory (WL#7592, DROP DATABASE and Plan 13.3)."""
        match = DROP_DATABASE.match(event.query)
        tables = self.settings.leftovers.get(match[1]) if match else None
        if match is None or tables is None:
            return
        statements = list(self._drop_statements(tables))
        if self._state is State.OUTSIDE or not _is_mysql(self._gtid):
            logged = tuple(LoggedGroup(ANONYMOUS, each) for each in statements)
            raise ApplierStopped(StopReason.DIRECTORY_REMAINS, logged=logged)
        if len(statements) != 1 or self.settings.profile != "worklog":
            raise ApplierStopped(StopReason.PARTIAL_DROP, message=failure_message(match[1], self._gtid))
        # What is in the binary log is executed.
        self._executed.add(*gtid_parts(self._gtid))
        raise ApplierStopped(StopReason.DIRECTORY_REMAINS_ONE_DROP, logged=(LoggedGroup(self._gtid, statements[0]),))

    def _advance(self, event: ReplicaEvent, kind: Kind) -> None:
        # A Previous_gtids event is read but does not end a group: a restart may read it again.
        if self._state is not State.OUTSIDE or kind is Kind.PREVIOUS_GTIDS:
            return
        self._group_relay_log_pos = event.end
        if event.of_relay_log or event.server_id == self.settings.server_id:
            return  # The replica made it: its positions count in the relay log.
        if event.next_file:
            self._source_log, self._source_log_pos = event.next_file, event.next_position
        elif event.log_pos and event.server_id != 0:
            self._source_log_pos = event.log_pos


def _is_mysql(gtid: str) -> bool:
    """Return whether a GTID has MySQL's form: MariaDB's have no UUID, and are never refused."""
    return ":" in gtid


def _log_number(name: str) -> tuple[int, str]:
    """Return the sort key of one server's logs: the number at the end of the name."""
    stem, _, number = name.rpartition(".")
    return (int(number), stem) if number.isdigit() else (0, name)
