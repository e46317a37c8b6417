"""The alignment of what was expected with what was observed, event by event."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from conformance.implementations.observation import Observation, RoleDeclaration
from strategies.case import EVERY_EVENT, Case


class Fate(Enum):
    """What became of an expected event."""

    DELIVERED = "delivered"
    DROPPED = "dropped"
    REFUSED = "refused"
    UNREACHED = "not reached"


class Alignment:
    """A case and an observation of it, aligned by the offsets of the events.

    Attributes:
        case: What was asked.
        observation: What was answered.
        role: What the implementation declares: its fields and abilities.
        stop: Index of the expected event that it refused, one behind the last for an event that it had to
            refuse; None where it read to the end.
        phantoms: Offsets at which it saw events although none is expected there.
        disordered: Offset of the first event that comes twice or before an earlier one, or None.
    """

    def __init__(self, case: Case, observation: Observation, role: RoleDeclaration) -> None:
        self.case = case
        self.observation = observation
        self.role = role
        expected = case.expected.events
        self._index = {event["offset"]: index for index, event in enumerate(expected)}
        self._seen: dict[int, Mapping[str, Any]] = {}
        self.phantoms: list[int] = []
        self.disordered: int | None = None
        last = -1
        for event in observation.events:
            offset = event["offset"]
            if offset <= last and self.disordered is None:
                self.disordered = offset
            last = max(last, offset)
            index = self._index.get(offset)
            if index is None:
                self.phantoms.append(offset)
            else:
                self._seen.setdefault(index, event)
        self.stop = self._stop()

    def _stop(self) -> int | None:
        error = self.observation.error
        if error is None:
            return None
        if "error_at" in self.role.abilities and error.at is not None:
            if error.at in self._index:
                return self._index[error.at]
            if error.at == self.case.expected.refused_at:
                return len(self._index)
        return max(self._seen, default=-1) + 1

    def observed(self, index: int) -> Mapping[str, Any] | None:
        """Return the event that was observed for an expected one."""
        return self._seen.get(index)

    def fate(self, index: int) -> Fate:
        """Return what became of an expected event; the index behind the last is the one to be refused."""
        if index in self._seen:
            return Fate.DELIVERED
        if self.stop is None or index < self.stop:
            return Fate.DROPPED
        return Fate.REFUSED if index == self.stop else Fate.UNREACHED

    def read_on(self, index: int) -> bool:
        """Tell whether anything behind an expected event was seen, or nothing was to be."""
        if index >= len(self._index) - 1 or self.stop is not None:
            return True
        return max(self._seen, default=-1) > index

    def marked(self, requirement: str) -> range | tuple[int, ...]:
        """Return the indices of the events that a requirement governs."""
        indices = self.case.marks.get(requirement, ())
        return range(len(self._index)) if EVERY_EVENT in indices else indices
