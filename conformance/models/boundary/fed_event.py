"""An event as a boundary parser sees it."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The events whose statement a boundary parser reads.
WITH_QUERY: Final = frozenset({EventType.QUERY, EventType.EXECUTE_LOAD_QUERY})


class FedEvent(NamedTuple):
    """The parts of an event that are fed to a boundary parser; a tuple, as one is made for every event.

    Attributes:
        type: Event type code.
        flags: The flags word of the common header.
        query: The statement of a Query or Execute_load_query event; None for any other event, and if only the
            header is known.
    """

    type: int
    flags: int = 0
    query: bytes | None = None

    @classmethod
    def of(cls, event: Event) -> "FedEvent":
        """Return the parts of an event that are fed.

        Raises:
            MalformedBody: The body of a Query event contradicts its layout.
        """
        code = event.format.type_code(event.header.type)
        query = event.fields()["query"] if code in WITH_QUERY and event.recognised else None
        return cls(code, event.header.flags, query)

    @property
    def artificial(self) -> bool:
        """Whether the event was made for a replica and is not in any log of its source."""
        return bool(self.flags & _ARTIFICIAL)

    @property
    def ignorable(self) -> bool:
        """Whether a reader that does not know the event's type may skip it."""
        return bool(self.flags & _IGNORABLE)


def fed_events(events: Iterable[Event]) -> Iterator[FedEvent]:
    """Yield the parts of each event of a stream that are fed.

    Raises:
        MalformedBody: At the first Query event whose body contradicts its layout.
    """
    return map(FedEvent.of, events)
