"""The events of an answer of a sender: the header of each, and what follows it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import passed_on_name
from conformance.protocol.roles.relay import body_of, event_data

#: Events that are about a log, not about a transaction.
OF_LOGS: Final = HEARTBEAT_TYPES | {
    EventType.FORMAT_DESCRIPTION,
    EventType.PREVIOUS_GTIDS,
    EventType.ROTATE,
    EventType.STOP,
}


@dataclass(frozen=True, slots=True)
class Sent:
    """An event that is sent: its header, and what follows it."""

    header: Header
    rest: bytes
    data: bytes

    @property
    def kind(self) -> str:
        """The name for signatures."""
        return passed_on_name(self.header.type)

    @property
    def flags(self) -> int:
        """The flags word without the marker."""
        return self.header.flags & ~MARKER_BITS.mask

    @property
    def has_room_for_checksum(self) -> bool:
        """Whether it is a format description with a checksum, which is there also in a log without checksums."""
        return self.header.type == EventType.FORMAT_DESCRIPTION and announced(self) is not None

    @property
    def is_checksummed(self) -> bool:
        """Whether it ends with a right checksum."""
        kept = self.data[:-CHECKSUM_BYTES]
        wanted = int.from_bytes(self.data[-CHECKSUM_BYTES:], "little")
        return len(kept) >= HEADER_BYTES and checksum(kept) == wanted

    @property
    def is_logged(self) -> bool:
        """Whether the source has it from a log as it is, and neither makes it nor may change it."""
        is_own_rotate = self.header.type == EventType.ROTATE and bool(self.flags & Flag.ARTIFICIAL)
        return self.header.type not in (*HEARTBEAT_TYPES, EventType.FORMAT_DESCRIPTION) and not is_own_rotate

    @property
    def is_of_transaction(self) -> bool:
        """Whether it belongs to a transaction, or is between two of them, and is not about the log."""
        return self.header.type not in OF_LOGS


def announced(event: Sent) -> int | None:
    """Return the checksum algorithm that a format description announces, None if it has none or cannot be read."""
    try:
        return FormatDescription.from_event(event.data).checksum_algorithm
    except MalformedBody:
        return None


def sent_event(entry: Mapping[str, Any]) -> Sent | None:
    """Return the event of an entry, None if its data is not an event."""
    data = event_data(entry)
    if data is None:
        return None
    return Sent(Header(*HEADER.unpack(data[:HEADER_BYTES])), data[HEADER_BYTES:], data)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def expected_events(alignment: Alignment) -> Sequence[Sent]:
    """Return the events that a source had to send, by their indices."""
    events = tuple(filter(None, map(sent_event, alignment.case.expected.events)))
    assert len(events) == alignment.count, "the model sends events"
    return events


#: Bytes of a Rotate event's body before the name of the log.
_POSITION_BYTES: Final = 8


def _begun(events: Iterable[Sent]) -> tuple[bytes, ...]:
    """Return the names of the logs that a sender begins, each of which it announces by a Rotate event of its own."""
    rotates = (each for each in events if each.header.type == EventType.ROTATE and each.flags & Flag.ARTIFICIAL)
    return tuple(body_of(each.data)[_POSITION_BYTES:] for each in rotates)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def first_log(alignment: Alignment) -> int:
    """Return how many logs too late a sender begins that is asked by GTIDs; less than 0 if it begins too early."""
    if alignment.case.settings["gtid_set"] is None:
        return 0
    answered = filter(None, map(sent_event, alignment.observation.events))
    wanted, seen = _begun(expected_events(alignment)), _begun(answered)
    later = len(wanted) - len(seen)
    same = min(len(wanted), len(seen))
    return later if same and wanted[-same:] == seen[-same:] else 0
