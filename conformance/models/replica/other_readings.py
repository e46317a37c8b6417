"""Appliers that take another permitted reading than the model."""

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
