"""The mutants of the role `apply`: groups with and without GTIDs, by gtid_mode (WL#7592)."""

from dataclasses import replace
from typing import ClassVar, Final

from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.event_kind import OF_TRANSACTIONS, Kind
from conformance.models.replica.groups import State
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.models.replica.stop_reason import ApplierStopped, StopReason
from conformance.models.replica.transaction_table import ANONYMOUS
from conformance.mutants.apply.faulty_applier import of
from conformance.mutants.mutant import Mutant


class _StrictInPermissiveModes(Applier):
    def _opens_group(self, event: ReplicaEvent) -> bool:
        if event.gtid == ANONYMOUS and self.settings.gtid_mode == "ON_PERMISSIVE":
            raise ApplierStopped(StopReason.ANONYMOUS)
        return super()._opens_group(event)


class _AcceptsAfterRotate(Applier):
    """Takes a Rotate event for one that may begin a group, so that what is after it is in the midst of one."""

    _is_after = False

    def _check_gtid(self, kind: Kind) -> None:
        if not (self._is_after and kind is Kind.BEGIN):
            super()._check_gtid(kind)

    def _advance(self, event: ReplicaEvent, kind: Kind) -> None:
        super()._advance(event, kind)
        self._is_after = kind is Kind.ROTATE


class _AcceptsRollback(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._query = event.query.upper()
        return super()._take(event, kind)

    def _check_gtid(self, kind: Kind) -> None:
        if not self._query.startswith("ROLLBACK"):
            super()._check_gtid(kind)


class _AppliesAgain(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._run(event, kind)
        self._executed_before = False
        return ApplyOutcome.APPLIED if outcome is ApplyOutcome.SKIPPED else outcome


class _SkipsUpToSavepoint(Applier):
    """Goes on after ROLLBACK TO as after a ROLLBACK: what follows in an executed group is applied."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        outcome = super()._take(event, kind)
        self._executed_before &= not event.query.startswith("ROLLBACK TO")
        return outcome


class _SkipsUpToRotate(Applier):
    """Forgets at the end of a relay log that the group which goes on in the next one is skipped."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._executed_before &= kind is not Kind.ROTATE
        return super()._take(event, kind)


class _AcceptsPrepared(Applier):
    """Looks for the Gtid event of an XA transaction at the first change in it."""

    _is_xa = False

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        self._is_xa = event.query.startswith("XA START")
        return super()._take(event, kind)

    def _check_gtid(self, kind: Kind) -> None:
        if not self._is_xa:
            super()._check_gtid(kind)


class _AcceptsVariables(Applier):
    """Looks for the Gtid event of a group at its statements and rows, not at what belongs to these."""

    def _check_gtid(self, kind: Kind) -> None:
        if kind is not Kind.PREPARES:
            super()._check_gtid(kind)


class _WithoutTags(ExecutedGtids):
    """A set in which a GTID with a tag is one of its source, whatever the tag."""

    def __contains__(self, gtid: str) -> bool:
        source, *_, number = gtid.split(":")
        return super().__contains__(gtid) or super().__contains__(f"{source}:{number}")


class _LooksUpNumbers(Applier):
    def __init__(self, settings: ReplicaSettings) -> None:
        super().__init__(settings)
        self._executed = _WithoutTags()


class _ExecutesRolledBack(Applier):
    def _commit(self, event: ReplicaEvent) -> None:
        super()._commit(event)
        if event.query == "ROLLBACK" and self._gtid not in ("", ANONYMOUS):
            self._executed.add(*gtid_parts(self._gtid))


class _StopsAtExecutedIncident(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.INCIDENT and self._executed_before:
            raise ApplierStopped(StopReason.INCIDENT)
        return super()._take(event, kind)


class _StartsExecutedXa(Applier):
    """Takes XA START for the beginning of a group, which then has no GTID that could be executed."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if event.query.startswith("XA START"):
            self._executed_before = False
        return super()._take(event, kind)


class _FailsExecutedDrop(Applier):
    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if kind is Kind.DDL and self._executed_before:
            self._fail_drop(event)
        return super()._run(event, kind)


class _PassesIncidents(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        try:
            return super()._take(event, kind)
        except ApplierStopped as stopped:
            if stopped.reason is not StopReason.INCIDENT:
                raise
            return self._run(event, kind)


class _PassesIncidentsWithin(Applier):
    """Passes over an Incident in a group that has begun: its rest is to come."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        is_within = self._state in (State.OPEN, State.STATEMENT)
        return ApplyOutcome.APPLIED if kind is Kind.INCIDENT and is_within else super()._take(event, kind)


class _PassesIncidentsAlone(Applier):
    """Passes over an Incident without a Gtid event, as its gtid_mode takes groups with GTIDs too."""

    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        is_alone = "PERMISSIVE" in self.settings.gtid_mode and self._state is State.OUTSIDE
        return ApplyOutcome.APPLIED if kind is Kind.INCIDENT and is_alone else super()._take(event, kind)


class _LosesTags(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        parts = event.gtid.split(":")
        return super()._take(
            replace(event, gtid=f"{parts[0]}:{parts[-1]}") if event.gtid.count(":") > 1 else event, kind
        )


class _TakesGroups(Applier):
    """An applier that applies groups at whose Gtid or Anonymous_gtid event it should stop for one of some reasons."""

    _reasons: ClassVar[frozenset[StopReason]]

    def _opens_group(self, event: ReplicaEvent) -> bool:
        try:
            return super()._opens_group(event)
        except ApplierStopped as stopped:
            if stopped.reason in self._reasons:
                return True
            raise


class _AcceptsMissingGtid(_TakesGroups):
    _reasons = frozenset({StopReason.ANONYMOUS})

    def _check_gtid(self, kind: Kind) -> None:
        if kind in (Kind.BEGIN, Kind.COMMIT):
            super()._check_gtid(kind)


class _TakesGtids(_TakesGroups):
    _reasons = frozenset({StopReason.GTID, StopReason.TAGGED_GTID})


class _TakesTaggedGtids(_TakesGroups):
    _reasons = frozenset({StopReason.TAGGED_GTID})


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


APPLY_GTIDS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "apply-permissive-as-on",
        "FORMAT-APPLY-PERMISSIVE",
        "refuses anonymous groups if gtid_mode is ON_PERMISSIVE",
        answer=of(_StrictInPermissiveModes),
    ),
    Mutant(
        "apply-executed-again",
        "FORMAT-APPLY-EXECUTED",
        "applies a group whose GTID is executed already",
        answer=of(_AppliesAgain),
    ),
    Mutant(
        "apply-executed-up-to-savepoint",
        "FORMAT-APPLY-EXECUTED",
        "applies what comes after ROLLBACK TO in a group whose GTID is executed already",
        answer=of(_SkipsUpToSavepoint),
    ),
    Mutant(
        "apply-executed-up-to-rotate",
        "FORMAT-APPLY-EXECUTED",
        "applies the rest of a group whose GTID is executed already, where it is in the next relay log",
        answer=of(_SkipsUpToRotate),
    ),
    Mutant(
        "apply-missing-gtid-accepted-at-xa-start",
        "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "applies an XA START without a Gtid event although gtid_mode is ON",
        answer=of(_AcceptsPrepared),
    ),
    Mutant(
        "apply-missing-gtid-accepted-at-variable",
        "WL7592-APPLY-ON-GTID-MISSING",
        "applies variables, tables and files without a Gtid event although gtid_mode is ON, up to their statement",
        answer=of(_AcceptsVariables),
    ),
    Mutant(
        "apply-tags-not-looked-up",
        "FORMAT-APPLY-EXECUTED",
        "skips a group with a tagged GTID if the same number without a tag is executed",
        answer=of(_LooksUpNumbers),
        also=("FORMAT-APPLY-OUTCOME",),
    ),
    Mutant(
        "apply-executed-xa-starts",
        "FORMAT-APPLY-EXECUTED",
        "applies an XA transaction whose GTID is executed already",
        answer=of(_StartsExecutedXa),
    ),
    Mutant(
        "apply-executed-drop-fails",
        "FORMAT-APPLY-EXECUTED",
        "stops at a DROP DATABASE that would fail in a group whose GTID is executed",
        answer=of(_FailsExecutedDrop),
    ),
    Mutant(
        "apply-rolled-back-executed",
        "FORMAT-APPLY-EXECUTED",
        "takes the GTID of a group that ends with ROLLBACK as executed",
        answer=of(_ExecutesRolledBack),
        also=("FORMAT-APPLY-GTID",),
    ),
    Mutant(
        "apply-executed-incident-stops",
        "FORMAT-APPLY-EXECUTED",
        "stops at an Incident whose GTID is executed already",
        answer=of(_StopsAtExecutedIncident),
    ),
    Mutant(
        "apply-incident-passed",
        "FORMAT-APPLY-OUTCOME",
        "goes on after an Incident, although events were lost",
        answer=of(_PassesIncidents),
    ),
    Mutant(
        "apply-incident-within-passed",
        "FORMAT-APPLY-OUTCOME",
        "goes on after an Incident in a group that has begun",
        answer=of(_PassesIncidentsWithin),
    ),
    Mutant(
        "apply-incident-alone-passed",
        "FORMAT-APPLY-OUTCOME",
        "goes on after an Incident without a Gtid event in a permissive gtid_mode",
        answer=of(_PassesIncidentsAlone),
    ),
    Mutant(
        "apply-tags-lost",
        "WL7592-APPLY-OWN-LOG-GTID",
        "takes a tagged GTID for one without a tag",
        answer=of(_LosesTags),
        also=("FORMAT-APPLY-EXECUTED",),
    ),
    Mutant(
        "apply-missing-gtid-accepted",
        "WL7592-APPLY-ON-GTID-MISSING",
        "applies statements without a Gtid event although gtid_mode is ON",
        answer=of(_AcceptsMissingGtid),
    ),
    Mutant(
        "apply-gtids-although-off",
        "FORMAT-APPLY-OUTCOME",
        "applies groups with GTIDs although gtid_mode is OFF",
        answer=of(_TakesGtids),
    ),
    Mutant(
        "apply-tagged-gtids-although-off",
        "FORMAT-APPLY-OUTCOME",
        "applies groups with tagged GTIDs although gtid_mode is OFF",
        answer=of(_TakesTaggedGtids),
    ),
    Mutant(
        "apply-missing-gtid-accepted-at-begin",
        "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "applies BEGIN and COMMIT without a Gtid event although gtid_mode is ON",
        answer=of(_AcceptsMissingGtidAtBegin),
    ),
    Mutant(
        "apply-missing-gtid-accepted-after-rotate",
        "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "applies a BEGIN without a Gtid event although gtid_mode is ON, right after a Rotate event",
        answer=of(_AcceptsAfterRotate),
    ),
    Mutant(
        "apply-missing-gtid-accepted-at-rollback",
        "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "applies a ROLLBACK without a Gtid event although gtid_mode is ON",
        answer=of(_AcceptsRollback),
    ),
    Mutant(
        "apply-gtid-required-although-off",
        "WL7592-APPLY-OFF-GTID-NOT-MISSED",
        "requires Anonymous_gtid events after a group that has one, although gtid_mode is OFF",
        answer=of(_RequiresGtidAfterAnonymous),
    ),
)
