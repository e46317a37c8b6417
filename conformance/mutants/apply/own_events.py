"""The mutants of the role `apply`: events of the replica itself, which have come back to it."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.event_kind import Kind
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.mutants.apply.faulty_applier import NEGATIVE, of
from conformance.mutants.mutant import Mutant


class _AppliesOwnEvents(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        return False


class _SkipsOwnGroups(Applier):
    """Skips the rest of a group once one of its events is its own."""

    _skips = False

    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        if kind in (Kind.GTID, Kind.COMMIT):
            self._skips = False
        self._skips = self._skips or super()._is_own(event, kind)
        return self._skips


class _OpensOwnGroups(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        return kind is not Kind.GTID and super()._is_own(event, kind)


class _AppliesOwnPayloads(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        return kind is not Kind.PAYLOAD and super()._is_own(event, kind)


class _AppliesOwnPrepared(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        return event.type != EventType.XA_PREPARE and super()._is_own(event, kind)


class _StopsAtOwnIncident(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        return kind is not Kind.INCIDENT and super()._is_own(event, kind)


class _ComparesLastByte(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        own = self.settings.server_id
        is_alike = event.server_id & 0xFF == own & 0xFF
        return super()._is_own(replace(event, server_id=own) if is_alike else event, kind)


class _ComparesSigned(Applier):
    def _is_own(self, event: ReplicaEvent, kind: Kind) -> bool:
        return event.server_id < NEGATIVE and super()._is_own(event, kind)


class _OverlooksRelayFlag(Applier):
    def _advance(self, event: ReplicaEvent, kind: Kind) -> None:
        super()._advance(replace(event, flags=event.flags & ~Flag.RELAY_LOG), kind)


class _CountsOwnEvents(Applier):
    def _take(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        if self._skip_counter > 1 and self._is_own(event, kind):
            self._skip_counter -= 1
        return super()._take(event, kind)


APPLY_OWN_EVENTS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "own-events-applied",
        "FORMAT-APPLY-OWN-EVENTS",
        "an event of the replica's own server id is applied like any other",
        answer=of(_AppliesOwnEvents),
    ),
    Mutant(
        "own-events-skip-the-rest",
        "FORMAT-APPLY-OWN-EVENTS",
        "an event of the replica's own server id ends what is applied of its group",
        answer=of(_SkipsOwnGroups),
    ),
    Mutant(
        "own-gtid-opens-group",
        "FORMAT-APPLY-OWN-EVENTS",
        "a Gtid event of the replica's own server id begins a group",
        answer=of(_OpensOwnGroups),
    ),
    Mutant(
        "own-payload-applied",
        "FORMAT-APPLY-OWN-EVENTS",
        "a Transaction_payload event of the replica's own server id is applied",
        answer=of(_AppliesOwnPayloads),
    ),
    Mutant(
        "own-prepare-applied",
        "FORMAT-APPLY-OWN-EVENTS",
        "an XA_prepare event of the replica's own server id is applied",
        answer=of(_AppliesOwnPrepared),
    ),
    Mutant(
        "own-incident-stops",
        "FORMAT-APPLY-OWN-EVENTS",
        "an Incident of the replica's own server id stops the applier",
        answer=of(_StopsAtOwnIncident),
    ),
    Mutant(
        "own-id-of-a-byte",
        "FORMAT-APPLY-OWN-EVENTS",
        "an event is the replica's own if the last byte of its server id is that of the replica's",
        answer=of(_ComparesLastByte),
        also=("FORMAT-APPLY-GROUP", "FORMAT-APPLY-POSITION"),
    ),
    Mutant(
        "own-id-with-sign",
        "FORMAT-APPLY-OWN-EVENTS",
        "an event of the replica's own server id is applied like any other if the id is 2^31 or more",
        answer=of(_ComparesSigned),
    ),
    Mutant(
        "own-rotate-of-earlier-id",
        "FORMAT-APPLY-POSITION",
        "the Rotate event of a relay log counts as the source's if the replica had another server id then",
        answer=of(_OverlooksRelayFlag),
    ),
    Mutant(
        "own-events-counted",
        "FORMAT-APPLY-OWN-EVENTS",
        "the skip counter counts events of the replica's own server id",
        answer=of(_CountsOwnEvents),
        also=("WL7592-APPLY-SKIP-NOT-MID-GROUP",),
    ),
)
