"""Events of relay logs, and how one differs from the event that was received, or that a replica makes itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.replica.relay_rules import RELAY_RULES
from conformance.oracles.cause import DIFFERS, passed_on_name
from conformance.oracles.checks.passed_on_events import wrong
from conformance.oracles.oracle import GOOD, Check
from conformance.protocol.roles.relay import event_data

Entry = Mapping[str, Any]

#: The part of the flags that is a boundary marker.
MARKER: Final = "marker"
#: The types of the events with which the replica itself begins a relay log.
_BEGINNING: Final = frozenset({int(EventType.FORMAT_DESCRIPTION), int(EventType.PREVIOUS_GTIDS)})
#: The markers of the replica's own events.
_MARKERS: Final[Mapping[int, BoundaryType]] = {
    EventType.FORMAT_DESCRIPTION: BoundaryType.IGNORE_BOUNDARY,
    EventType.PREVIOUS_GTIDS: BoundaryType.SELF_CONTAINED,
    EventType.ROTATE: BoundaryType.SELF_CONTAINED,
}
#: What is asked of the header of a replica's own event.
_OF_OWN: Final = ("type", "server_id", "flags")
#: Type of an event that a replica makes -> the parts of its body that are asked for, as they are read.
_PARTS: Final[Mapping[int, Mapping[str, Callable[[bytes], object]]]] = {
    EventType.ROTATE: {
        "next_position": lambda body: int.from_bytes(body[:8], "little"),
        "next_file": lambda body: body[8:].decode(errors="replace"),
    },
    EventType.PREVIOUS_GTIDS: {"previous_gtids": bytes.hex},
}


@dataclass(frozen=True, slots=True)
class Written:
    """An event of a relay log: its header, and what follows it."""

    header: Header
    rest: bytes

    @property
    def body(self) -> bytes:
        """What follows the header, without a checksum that is right."""
        return self.rest[:-CHECKSUM_BYTES] if self.is_checksummed else self.rest

    @property
    def is_checksummed(self) -> bool:
        """Whether it ends with its checksum."""
        header = HEADER.pack(*self.header)
        at = len(self.rest) - CHECKSUM_BYTES
        return at >= 0 and checksum(header + self.rest[:at]) == int.from_bytes(self.rest[at:], "little")

    def at(self, time: int) -> "Written":
        """Return the same event at another time, in seconds."""
        header = self.header._replace(timestamp=time)
        if not self.is_checksummed:
            return replace(self, header=header)
        made = checksum(HEADER.pack(*header) + self.body)
        return Written(header, self.body + made.to_bytes(CHECKSUM_BYTES, "little"))

    @property
    def name(self) -> str:
        """Its type's name."""
        return type_name(self.header.type)

    @property
    def kind(self) -> str:
        """The name for signatures."""
        return passed_on_name(self.header.type)


def written(entry: Entry) -> Written | None:
    """Return the event of an entry, None if its data is not an event."""
    data = event_data(entry)
    if data is None:
        return None
    return Written(Header(*HEADER.unpack(data[:HEADER_BYTES])), data[HEADER_BYTES:])


#: Returns the check of an event that is written wrongly.
wrongly: Final = partial(wrong, "relay")


def copied(wanted: Written, observed: Written) -> Check:
    """Compare a copied event; a relay log may have checksums if the source has none, and the reverse."""
    if wanted == observed:
        return GOOD
    for name in ("type", "server_id", "log_pos", "flags", "timestamp"):
        expected, seen = getattr(wanted.header, name), getattr(observed.header, name)
        if expected != seen:
            # Headers are copied alike, whatever the type.
            kind = wanted.kind if name == "type" else ""
            field = MARKER if name == "flags" and not (expected ^ seen) & ~MARKER_BITS.mask else name
            return wrongly(kind, "changed", f"{name} is {seen}, but was {expected} when received", field=field)
    if (length := _of_length(observed)) is not None:
        return length
    if wanted.body != observed.body and observed.rest[:-CHECKSUM_BYTES] == wanted.body:
        message = "its last four bytes are not the checksum of the others"
        return wrongly(wanted.kind, "changed", message, field="checksum")
    if wanted.body != observed.body:
        message = f"the {len(observed.body)} bytes of the body are not those received"
        return wrongly(wanted.kind, "changed", message, field="body")
    if len(wanted.rest) == len(observed.rest):
        return wrongly(wanted.kind, "changed", "the checksum is not the one received", field="checksum")
    return GOOD


def _own_name(event: Written) -> str:
    return f"the replica's own {event.name}"


def _of_length(observed: Written) -> Check | None:
    """Return the check of an event whose header has another length; None if it has the right one."""
    length = HEADER_BYTES + len(observed.rest)
    if observed.header.length == length:
        return None
    message = f"length is {observed.header.length}, but the event has {length} bytes"
    return wrongly("", "wrong", message, field="length")


def asked_of_own(header: Header, *, profile: str, server_id: int) -> Header:
    """Return the header of a replica's own event with the same values in place of all that are free.

    Under `worklog` a right marker counts as none: WL#4162 has a server mark what it writes, and does not name relay
    logs. The id 0 that WL#7592 names is that of Rotate events.

    Args:
        header: The header.
        profile: The profile of the case.
        server_id: The replica's own server id.
    """
    if not RELAY_RULES[profile].own_id_zero:
        return header
    if header.type in _BEGINNING and header.server_id == server_id:
        header = header._replace(server_id=0)
    if MARKER_BITS.read(header.flags) is not _MARKERS.get(header.type):
        return header
    return header._replace(flags=MARKER_BITS.write(header.flags, BoundaryType.NOT_DEFINED))


def unmarked(entry: Entry, *, server_id: int) -> Check | None:
    """Return what is wrong with an event that begins a relay log, and lacks the flag of one; None for other events.

    Args:
        entry: An entry that is not expected.
        server_id: The replica's own server id.
    """
    seen = written(entry)
    if seen is None or seen.header.type != EventType.PREVIOUS_GTIDS or seen.header.server_id not in (0, server_id):
        return None
    flags = seen.header.flags
    if flags & Flag.RELAY_LOG:
        return None
    message = f"flags is {flags}, without {int(Flag.RELAY_LOG)} of relay logs"
    return wrongly(_own_name(seen), DIFFERS, message, field="flags")


def compared(wanted: Written, observed: Written, *, profile: str, server_id: int) -> Check:
    """Compare an event of a relay log with the expected one, in what is asked of it.

    Args:
        wanted: The expected one.
        observed: The one of the answer.
        profile: The profile of the case.
        server_id: The replica's own server id.
    """
    if not _is_own(wanted):
        return copied(wanted, observed)
    due, seen = (asked_of_own(each.header, profile=profile, server_id=server_id) for each in (wanted, observed))
    return _of_own(replace(wanted, header=due), observed, seen)


def _is_own(event: Written) -> bool:
    """Return whether an event is one that a replica makes itself, in the place of another one or of its own accord."""
    of_relay_log = bool(event.header.flags & Flag.RELAY_LOG)
    return of_relay_log or (event.header.type == EventType.ROTATE and event.header.server_id == 0)


def _of_own(wanted: Written, observed: Written, header: Header) -> Check:
    """Compare an event that a replica makes itself: some fields of a header, or some parts of the body."""
    if (length := _of_length(observed)) is not None:
        return length
    values: dict[str, tuple[object, object]] = {
        each: (getattr(header, each), getattr(wanted.header, each)) for each in _OF_OWN
    }
    parts = _PARTS.get(wanted.header.type, {})
    values |= {name: (read(observed.body), read(wanted.body)) for name, read in parts.items()}
    name = next((name for name, (seen, due) in values.items() if seen != due), "body")
    seen, due = values.get(name, (f"{len(observed.body)} bytes", f"{len(wanted.body)} other ones"))
    return wrongly(_own_name(wanted), DIFFERS, f"{name} is {seen}, expected {due}", field=name)
