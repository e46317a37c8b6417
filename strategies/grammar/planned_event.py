"""A planned event: its bytes after the header, and what a reader reports of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class PlannedEvent(NamedTuple):
    """An event that has no place in a stream yet.

    Attributes:
        type: Event type code.
        body: Post-header and body, without checksum.
        fields: What a reader reports of the body, in the protocol's names.
        flags: The flags word.
        marks: The requirements that govern this event.
        ignored: Whether a reader skips it as an ignorable event of a type it does not know.
        tolerated: Whether it may be cleanly refused as well as delivered.
        columns: The column type codes of its table if it is a rows event whose values are known.
        made_for: The requirement that it is made for, if any, mostly a should: whatever differs at the event is a
            failure of it, and no other requirement governs the event.
    """

    type: int
    body: bytes
    fields: Mapping[str, Any]
    flags: int = 0
    marks: tuple[str, ...] = ()
    ignored: bool = False
    tolerated: bool = False
    columns: tuple[int, ...] = ()
    made_for: str = ""

    def only_for(self, requirement: str) -> "PlannedEvent":
        """Return the event as one that is made for a requirement, which alone governs it."""
        return self._replace(marks=(requirement,), made_for=requirement)

    def marked(self, *requirements: str) -> "PlannedEvent":
        """Return the event with further requirements that govern it."""
        return self._replace(marks=self.marks + requirements)
