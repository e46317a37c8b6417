"""Appliers that take another permitted reading than the model."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.replica.applier import Applier, ApplyOutcome
from conformance.models.replica.event_kind import Kind
from conformance.models.replica.groups import State
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings


class EndsAtImplicitCommit(Applier):
    """An applier for which a statement that commits implicitly ends the open group, as servers execute it.

    What follows, up to the COMMIT that then ends nothing, is not in a group any more.

    Attributes:
        has_ended_groups: Whether there was such a statement.
    """

    def __init__(self, settings: ReplicaSettings, *, start: int = 4) -> None:
        super().__init__(settings, start=start)
        self.has_ended_groups = False

    def _run(self, event: ReplicaEvent, kind: Kind) -> ApplyOutcome:
        inside = self._state is State.OPEN and kind is Kind.DDL and ":" not in self._gtid
        outcome = super()._run(event, kind)
        if inside:
            self._commit(event)
            self._logged = None
            self.has_ended_groups = True
            self._state, self._gtid = State.OUTSIDE, ""
        return outcome


class MovesByEventsOfNoLog(Applier):
    """An applier that takes the position of an event that is in no log of the source, by its server id.

    Servers do so. A Rotate names a position, and the format description of a relay log is its own.
    """

    def _advance(self, event: ReplicaEvent, kind: Kind) -> None:
        super()._advance(event, kind)
        if self._state is State.OUTSIDE and is_of_no_log(event, self.settings.server_id):
            self._source_log_pos = event.log_pos


def is_of_no_log(event: ReplicaEvent, own_id: int) -> bool:
    """Return whether an event with a position, but no Rotate or format description, has the id 0 or the replica's."""
    return bool(event.log_pos) and event.server_id in (0, own_id) and event.type not in _OF_REPLICA


_OF_REPLICA: Final = (EventType.ROTATE, EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS)
