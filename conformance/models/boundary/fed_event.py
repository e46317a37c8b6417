"""An event as a boundary parser sees it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The events with a statement that a boundary parser looks at.
_WITH_QUERY: Final = frozenset({int(EventType.QUERY), int(EventType.EXECUTE_LOAD_QUERY)})


@dataclass(frozen=True, slots=True)
class FedEvent:
    """What of an event is fed to a boundary parser.

    Attributes:
        type: Event type code.
        flags: The flags word of the common header.
        query: The statement of a Query or Execute_load_query event; None for any other event, and where only the
            header is at hand.
    """

    type: int
    flags: int = 0
    query: bytes | None = None

    @classmethod
    def of(cls, event: Event) -> "FedEvent":
        """Return what of an event of a stream is fed.

        Raises:
            MalformedBody: The body of a Query event contradicts its layout.
        """
        code = event.format.type_code(event.header.type)
        query = event.fields()["query"] if code in _WITH_QUERY and event.recognised else None
        return cls(code, event.header.flags, query)

    @property
    def artificial(self) -> bool:
        """Whether the event was made for a replica and stands in no log of its source."""
        return bool(self.flags & _ARTIFICIAL)

    @property
    def ignorable(self) -> bool:
        """Whether a reader that does not know the event's type may skip it."""
        return bool(self.flags & _IGNORABLE)


def fed_events(events: Iterable[Event]) -> Iterator[FedEvent]:
    """Yield what of each event of a stream is fed.

    Raises:
        MalformedBody: At the first Query event whose body contradicts its layout.
    """
    return map(FedEvent.of, events)
