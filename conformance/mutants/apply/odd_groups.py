"""The mutants of the role `apply`: groups without a change, partly undone, of two tables or in two phases."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import GtidSet
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.event_kind import OF_TRANSACTIONS, Kind
from conformance.models.replica.groups import State
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_tables import ReplicaTables
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of
from conformance.mutants.mutant import Mutant

_CHANGES: Final = OF_TRANSACTIONS - {Kind.BEGIN, Kind.COMMIT, Kind.PREPARES}


class _ForgetsEmpty(Applier):
    _has_changes = False

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._has_changes = kind in _CHANGES or (self._has_changes and kind is not Kind.GTID)
        return super()._run(event, kind)

    def _commit(self, event: ReplicaEvent) -> None:
        gtid = self._gtid
        if not self._has_changes:
            self._gtid = ANONYMOUS
        super()._commit(event)
        self._gtid = gtid


class _EndsPreparedAlone(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        ends = event.query.startswith(("XA COMMIT", "XA ROLLBACK"))
        return super()._take(event, Kind.COMMIT if ends and self._gtid in ("", ANONYMOUS) else kind)


class _SkipsFirst(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        return not self._skip_counter and super()._reaches_until(event)


class _NeedsPosition(Applier):
    def _reaches_until(self, event: ReplicaEvent) -> bool:
        return bool(event.log_pos) and super()._reaches_until(event)


class _TakesReceived(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.PREVIOUS_GTIDS:
            self._executed.add_set(GtidSet.from_text(event.fields.get("previous_gtids", "")))
        return super()._take(event, kind)


class _BackEndsGroup(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        return super()._take(event, Kind.COMMIT if event.query.startswith("ROLLBACK TO") else kind)


class _FirstOfId(ReplicaTables):
    """Tables of which the first one keeps its id."""

    def execute(self, event: ReplicaEvent) -> None:
        if event.type != EventType.TABLE_MAP or event.fields.get("table_id") not in self._maps:
            super().execute(event)


class _LastMapped(ReplicaTables):
    """Tables of which the last one that was named gets all rows, whatever their id."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.type == EventType.TABLE_MAP and event.fields:
            name = self._maps[event.fields["table_id"]]
            self._maps = dict.fromkeys((*self._maps, event.fields["table_id"]), name)


class _KeepsFirstOfId(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _FirstOfId()


class _ChangesLastMapped(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _LastMapped()


class _FirstSavepoint(ReplicaTables):
    """Tables that keep the first savepoint of a name."""

    def execute(self, event: ReplicaEvent) -> None:
        if event.query.startswith("SAVEPOINT") and self._savepoints:
            return
        super().execute(event)


class _SavepointOnce(ReplicaTables):
    """Tables that forget a savepoint after the first ROLLBACK TO it."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.query.startswith("ROLLBACK TO"):
            self._savepoints.clear()


class _OneInsertId(ReplicaTables):
    """Tables for which an INSERT_ID is the last id, too."""

    def execute(self, event: ReplicaEvent) -> None:
        super().execute(event)
        if event.type == EventType.INTVAR and event.fields:
            self._last_insert_id = event.fields["intvar_value"]


class _KeepsFirstSavepoint(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _FirstSavepoint()


class _GoesBackOnce(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _SavepointOnce()


class _ConfusesIds(Applier):
    def _new_tables(self) -> ReplicaTables:
        return _OneInsertId()


class _KeepsTornRows(Applier):
    """An applier that keeps the rows of a group whose end never came, and commits them with the next one."""

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.GTID:
            self._state = State.OUTSIDE
        return super()._run(event, kind)


APPLY_ODD_GROUPS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-empty-group-forgotten",
        "FORMAT-APPLY-GTID",
        "does not take the GTID of a group without changes as executed",
        answer=of(_ForgetsEmpty),
    ),
    Mutant(
        "apply-xa-commit-no-group",
        "WL7592-APPLY-OWN-LOG-ANONYMOUS",
        "takes the statement that commits a prepared XA transaction for the end of one without a change",
        answer=of(_EndsPreparedAlone),
    ),
    Mutant(
        "apply-rollback-to-ends-group",
        "FORMAT-APPLY-GROUP",
        "ends a group at a ROLLBACK TO SAVEPOINT",
        answer=of(_BackEndsGroup),
        also=("FORMAT-APPLY-POSITION", "FORMAT-APPLY-GTID", "WL7592-APPLY-OWN-LOG-ANONYMOUS"),
    ),
    Mutant(
        "apply-first-table-of-id",
        "FORMAT-APPLY-DATA",
        "keeps the first table of a table id",
        answer=of(_KeepsFirstOfId),
    ),
    Mutant(
        "apply-first-savepoint-of-name",
        "FORMAT-APPLY-DATA",
        "goes back to the first savepoint of a name that is set again",
        answer=of(_KeepsFirstSavepoint),
    ),
    Mutant(
        "apply-savepoint-used-once",
        "FORMAT-APPLY-DATA",
        "does not go back to a savepoint a second time",
        answer=of(_GoesBackOnce),
    ),
    Mutant(
        "apply-insert-id-is-last",
        "FORMAT-APPLY-DATA",
        "takes an INSERT_ID for the value of LAST_INSERT_ID()",
        answer=of(_ConfusesIds),
    ),
    Mutant(
        "apply-torn-rows-kept",
        "FORMAT-APPLY-DATA",
        "commits the rows of a group whose end never came with the next group",
        answer=of(_KeepsTornRows),
    ),
    Mutant(
        "apply-last-table-mapped",
        "FORMAT-APPLY-DATA",
        "changes the table of the last Table_map event, whatever the id in the rows event",
        answer=of(_ChangesLastMapped),
    ),
    Mutant(
        "apply-until-not-while-skipping",
        "WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
        "does not look for the stop position as long as the skip counter is not 0",
        answer=of(_SkipsFirst),
        also=("WL7592-APPLY-SKIP-NOT-MID-GROUP",),
    ),
    Mutant(
        "apply-until-needs-position",
        "WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
        "does not stop before an event without a position, although the last group ends at the stop position",
        answer=of(_NeedsPosition),
        also=("WL7592-APPLY-SKIP-NOT-MID-GROUP",),
    ),
    Mutant(
        "apply-received-is-executed",
        "FORMAT-APPLY-EXECUTED",
        "takes the GTIDs in a Previous_gtids event as executed",
        answer=of(_TakesReceived),
        also=("WL4033-APPLY-KNOWN-HANDLED",),
    ),
)
