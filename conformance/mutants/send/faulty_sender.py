"""A mutant of the role `send`: what answers for a sender with a fault, or for one that changes what it sends."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import Purpose, types_of
from conformance.binlog.header import HEADER_BYTES
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.sender.sender import Origin, Sender, SentEvent
from conformance.models.sender.sender_settings import SenderSettings
from conformance.protocol.observation import Observation, Request
from conformance.reference.send import answer_with

#: What describes a log, or ends it, and is of no transaction.
OF_LOG: Final = types_of(Purpose.LOG)

FLAGS: Final = slice(17, 19)

IGNORABLE: Final = 0x80


def with_flags(data: bytes, change: Callable[[int], int]) -> bytes:
    """Return an event with other flags, and the checksum of its new bytes if it has one."""
    return rewritten(data, FLAGS, change(int.from_bytes(data[FLAGS], "little")))


def rewritten(data: bytes, at: slice, value: int) -> bytes:
    """Return an event with another number in its header, and the checksum of its new bytes if it has one."""
    made = bytearray(data)
    made[at] = value.to_bytes(at.stop - at.start, "little")
    kept = data[:-CHECKSUM_BYTES]
    has_checksum = len(kept) >= HEADER_BYTES and checksum(kept) == int.from_bytes(data[-CHECKSUM_BYTES:], "little")
    if has_checksum:
        made[-CHECKSUM_BYTES:] = checksum(made[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
    return bytes(made)


#: Changes an event that is sent; None leaves it out.
Change = Callable[[SentEvent], bytes | None]


def changing(change: Change) -> Callable[[Request], Observation]:
    """Return the answer of a sender that changes each event before it sends it."""

    class Changing(Sender):
        def entries(self) -> list[dict[str, str]]:
            changed = (change(event) for event in self.events)
            return [{"data": data.hex()} for data in changed if data is not None]

    return answer_of(Changing)


def answer_of(sender: Callable[[SenderSettings], Sender]) -> Callable[[Request], Observation]:
    """Return the answer of a sender with a fault."""
    return lambda request: answer_with(sender, request)


def without_markers(origin: Origin) -> Change:
    """Return the change of a sender that marks none of the events of an origin."""

    def change(event: SentEvent) -> bytes:
        return with_flags(event.data, lambda flags: flags & ~MARKER_BITS.mask) if event.origin is origin else event.data

    return change
