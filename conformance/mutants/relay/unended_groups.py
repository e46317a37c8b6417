"""Receivers with one fault each in what they keep of a group that has not ended, or make of an unusual event."""

from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.executed_gtids import gtid_parts
from conformance.models.replica.groups import State
from conformance.models.replica.relay import Receiver, Reception
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.transaction_table import ANONYMOUS


class KeepsGtidOverAnonymous(Receiver):
    """A receiver for which an Anonymous_gtid event does not end the group of the GTID before it."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        kept = self._gtid
        super()._note(event, data)
        if event.gtid == ANONYMOUS and kept:
            self._gtid = kept


class CountsNamedAtRotate(Receiver):
    """A receiver that takes a group as received of which only the Gtid event came before another log."""

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        if event.next_file and self._gtid and self._state is State.NAMED:
            self._retrieved.add(*gtid_parts(self._gtid))
        super()._note(event, data)


class KeepsGtidOfConnection(Receiver):
    """A receiver that goes on with the GTID after which a connection was lost, whatever comes then."""

    _kept = ""

    def _connect(self) -> None:
        self._kept = self._gtid if self._state is State.NAMED else ""
        super()._connect()

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        super()._note(event, data)
        if event.gtid == ANONYMOUS and self._kept:
            self._gtid, self._kept = self._kept, ""


class LeavesOutUnknownOfNone(Receiver):
    """A receiver that does not write unknown ignorable events with the server id 0."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        is_of_none = not event.recognised and event.server_id == 0
        return Reception.LEFT_OUT if is_of_none else super()._reception(event)


class LeavesOutIncidents(Receiver):
    """A receiver that does not write Incident events, which change no data."""

    def _reception(self, event: ReplicaEvent) -> Reception:
        return Reception.LEFT_OUT if event.type == EventType.INCIDENT else super()._reception(event)


class EndsAtStop(Receiver):
    """A receiver that takes a group as received which a Stop event follows."""

    ends: frozenset[int] = frozenset({EventType.STOP})

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        """Count the open transaction at an event of a type that ends none."""
        if event.type in self.ends and self._gtid:
            self._retrieved.add(*gtid_parts(self._gtid))
            self._gtid = ""
        return super().receive(event, data)


class EndsAtHeartbeat(EndsAtStop):
    """A receiver that takes a group as received which a heartbeat follows."""

    ends = HEARTBEAT_TYPES


class NeedsBegin(Receiver):
    """A receiver for which a group that ends right after its Gtid event is none."""

    def _follow(self, event: ReplicaEvent) -> None:
        if self._state is State.NAMED and event.type == EventType.XID:
            self._gtid = ""
        super()._follow(event)


class CountsNoIncidents(Receiver):
    """A receiver for which a group that is an Incident event does not complete its GTID."""

    def _follow(self, event: ReplicaEvent) -> None:
        if event.type == EventType.INCIDENT:
            self._gtid = ""
        super()._follow(event)
