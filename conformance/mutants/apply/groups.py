"""The mutants of the role `apply`: groups: what is committed, and what the replica's own log gets."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final
from uuid import UUID

from conformance.binlog.event_types import EventType
from conformance.models.replica.applier import Applied, Applier, ApplyOutcome
from conformance.models.replica.event_kind import Kind
from conformance.models.replica.groups import State
from conformance.models.replica.own_log import LoggedGroup, OwnLog
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_tables import ReplicaTables
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of
from conformance.mutants.mutant import Mutant


class _WithoutVariables(ReplicaTables):
    def execute(self, event: ReplicaEvent) -> None:
        if event.type != EventType.USER_VAR:
            super().execute(event)


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


class _LogsRolledBack(Applier):
    def _commit(self, event: ReplicaEvent) -> None:
        super()._commit(event)
        if event.query == "ROLLBACK" and self._logged == ():
            self._logged = (LoggedGroup(self._gtid or ANONYMOUS),)


class _CreateStaysOpen(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._run(event, kind)
        if kind is Kind.DDL and event.query.startswith("CREATE TABLE `t9`"):
            self._state = State.OPEN
        return outcome


class _CommitsInsideGtid(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        inside = kind is Kind.DDL and self._state is State.OPEN
        return super()._run(event, Kind.STATEMENT if inside else kind)


class _KeepsWhatIsBefore(Applier):
    """An applier that commits an open group before it refuses a statement for the GTID of the group."""

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        try:
            return super()._run(event, kind)
        except ApplierStopped as stopped:
            if stopped.reason is StopReason.IMPLICIT_COMMIT:
                self._tables.commit()
            raise


class _StatementToTheEnd(Applier):
    def apply(self, events: Iterable[ReplicaEvent]) -> list[Applied]:
        whole = (
            replace(each, query=f"{each.query}\0{each.fields['tables_info']}") if "tables_info" in each.fields else each
            for each in events
        )
        return super().apply(whole)


APPLY_GROUPS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-tables-info-in-statement",
        "WL40-APPLY-EXTENDED-QUERY",
        "takes the statement of an extended Query event up to the end of the event",
        answer=of(_StatementToTheEnd),
    ),
    Mutant(
        "apply-create-inside-gtid",
        "WL7592-APPLY-CREATE-INSIDE",
        "applies a CREATE TABLE inside a transaction that has a GTID",
        answer=of(_CommitsInsideGtid),
    ),
    Mutant(
        "apply-refused-create-commits",
        "FORMAT-APPLY-DATA",
        "keeps the changes before a CREATE TABLE that it refuses for the GTID of its group",
        answer=of(_KeepsWhatIsBefore),
    ),
    Mutant(
        "apply-create-select-one-group",
        "WL7592-APPLY-CREATE-SELECT-COMMITS",
        "keeps the group open after the CREATE of a CREATE TABLE ... SELECT",
        answer=of(_CreateStaysOpen),
    ),
    Mutant(
        "apply-user-variables-lost",
        "FORMAT-APPLY-DATA",
        "does not set user variables, so that statements insert NULL",
        answer=of(_LosesVariables),
    ),
    Mutant(
        "apply-commits-each-event",
        "FORMAT-APPLY-DATA",
        "shows the rows of a group to other sessions before it is committed",
        answer=of(_CommitsEachEvent),
    ),
    Mutant(
        "apply-own-log-without-anonymous",
        "WL7592-APPLY-OWN-LOG-ANONYMOUS",
        "writes groups without a GTID to its own log without an Anonymous_gtid event",
        answer=of(_LogsNothingBefore),
    ),
    Mutant(
        "apply-own-log-other-gtid",
        "WL7592-APPLY-OWN-LOG-GTID",
        "gives the groups in its own log another UUID than the source's",
        answer=of(_LogsOwnGtids),
    ),
    Mutant(
        "apply-own-log-rolled-back",
        "FORMAT-APPLY-GROUP",
        "writes groups that are rolled back to its own log",
        answer=of(_LogsRolledBack),
    ),
)
