"""The mutants of the role `apply`: appliers to events that they do not know, or that are flagged (WL#4033)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.models.replica.applier import Applied, Applier, ApplyOutcome
from conformance.models.replica.event_kind import OF_TRANSACTIONS, Kind
from conformance.models.replica.groups import State
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of, reading_on
from conformance.mutants.mutant import Mutant


class _RefusesUnknown(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.UNKNOWN:
            raise ApplierStopped(StopReason.UNKNOWN_EVENT)
        return super()._take(event, kind)


class _PassesOverUnknown(Applier):
    def _passes_over(self, event: ReplicaEvent) -> bool:
        return True


class _SkipsUnknown(Applier):
    def _passes_over(self, event: ReplicaEvent) -> bool:
        return bool(self._skip_counter) or super()._passes_over(event)


class _SkipsUnknownOfExecuted(Applier):
    def _passes_over(self, event: ReplicaEvent) -> bool:
        return self._executed_before or super()._passes_over(event)


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


class _IgnoresFlaggedIncident(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        ignores = event.ignorable and kind is Kind.INCIDENT and not self._is_own(event, kind)
        return ApplyOutcome.IGNORED if ignores else super()._take(event, kind)


class _UnknownEndsGroup(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._take(event, kind)
        if kind is Kind.UNKNOWN:
            self._state = State.OUTSIDE
            self._gtid = ""
            self.history.append(ANONYMOUS)
        return outcome


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


class _PositionStays(Applier):
    def apply(self, events: Iterable[ReplicaEvent]) -> list[Applied]:
        return [
            replace(each, relay_log_pos=each.event.offset) if each.outcome is ApplyOutcome.IGNORED else each
            for each in super().apply(events)
        ]


APPLY_UNKNOWN_EVENTS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-unknown-refused",
        "WL4033-APPLY-UNKNOWN-IGNORED",
        "stops at an unknown ignorable event",
        answer=of(_RefusesUnknown),
    ),
    Mutant(
        "apply-unknown-ends-group",
        "WL4033-APPLY-UNKNOWN-IGNORED",
        "treats an unknown ignorable event as the end of the group",
        answer=of(_UnknownEndsGroup),
    ),
    Mutant(
        "apply-unknown-position-stays",
        "WL4033-APPLY-UNKNOWN-POSITION",
        "does not move its position past an ignored event",
        answer=of(_PositionStays),
    ),
    Mutant(
        "apply-unknown-passed-over",
        "WL4033-APPLY-UNKNOWN-REFUSED",
        "passes over every event of an unknown type, flagged or not",
        answer=reading_on(_PassesOverUnknown),
    ),
    Mutant(
        "apply-unknown-skipped",
        "WL4033-APPLY-UNKNOWN-REFUSED",
        "skips events of unknown types, flagged or not, where the skip counter covers them",
        answer=reading_on(_SkipsUnknown),
    ),
    Mutant(
        "apply-unknown-of-executed-skipped",
        "WL4033-APPLY-UNKNOWN-REFUSED",
        "passes over events of unknown types, flagged or not, in a group whose GTID is executed",
        answer=reading_on(_SkipsUnknownOfExecuted),
    ),
    Mutant(
        "apply-flag-known-too-early",
        "WL4033-APPLY-CROSS-NEW-TO-OLD",
        "as 5.1 or 5.5, passes over flagged events of types that it does not know",
        answer=reading_on(_KnowsTheFlag),
    ),
    Mutant(
        "apply-gtids-passed-over",
        "WL7592-APPLY-NEW-55",
        "as 5.1 or 5.5, passes over the events of GTIDs",
        answer=reading_on(_PassesOverGtids),
    ),
    Mutant(
        "apply-flagged-incident-ignored",
        "FORMAT-APPLY-OUTCOME",
        "ignores an Incident that is flagged as ignorable",
        answer=of(_IgnoresFlaggedIncident),
    ),
    Mutant(
        "apply-flagged-ignored",
        "WL4033-APPLY-KNOWN-HANDLED",
        "ignores events of known types that are flagged",
        answer=of(_IgnoresFlagged),
    ),
    Mutant(
        "apply-rows-query-forgets-tables",
        "WL4033-APPLY-ROWS-QUERY-INFORMS",
        "forgets the tables of a statement at its Rows_query event",
        answer=of(_RowsQueryForgetsTables),
    ),
)
