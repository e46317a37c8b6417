"""Faults in single entries of what a receiver writes: a header field, the last byte, the warning."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum, ends_with_checksum
from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, TYPE_AT
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType

_FAR: Final = 1_000_000
_RECEIVED: Final = {int(EventType.QUERY)}


def _with_header(entry: Mapping[str, Any], **changed: int) -> Mapping[str, Any]:
    data = bytes.fromhex(entry["data"])
    names = ("timestamp", "type", "server_id", "length", "log_pos", "flags")
    header = dict(zip(names, HEADER.unpack(data[:HEADER_BYTES]), strict=True)) | changed
    return {**entry, "data": (HEADER.pack(*header.values()) + data[HEADER_BYTES:]).hex()}


def _header(entry: Mapping[str, Any]) -> tuple[int, ...]:
    return HEADER.unpack(bytes.fromhex(entry["data"])[:HEADER_BYTES])


def marks_guesses(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose Query event is marked Self Contained, where it had no marker."""
    _, code, _, _, _, flags = _header(entry)
    if code not in _RECEIVED or MARKER_BITS.read(flags) is not BoundaryType.NOT_DEFINED:
        return entry
    return _with_header(entry, flags=MARKER_BITS.write(flags, BoundaryType.SELF_CONTAINED))


def spoils_ends(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Change the last byte of each Query event: of its checksum, or of its statement."""
    data = bytes.fromhex(entry["data"])
    return {**entry, "data": (data[:-1] + bytes([data[-1] ^ 1])).hex()} if data[TYPE_AT] == EventType.QUERY else entry


def drops_checksums(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose event has no checksum, although a format description still announces it."""
    data = bytes.fromhex(entry["data"])
    _, code, _, length, _, _ = _header(entry)
    if code == EventType.FORMAT_DESCRIPTION or not ends_with_checksum(data):
        return entry
    return _with_header({**entry, "data": data[:-CHECKSUM_BYTES].hex()}, length=length - CHECKSUM_BYTES)


def unsealed_description(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose format description of the replica's own has the checksum of other bytes."""
    _, code, _, _, _, flags = _header(entry)
    if code != EventType.FORMAT_DESCRIPTION or not flags & Flag.RELAY_LOG:
        return entry
    data = bytes.fromhex(entry["data"])
    return {**entry, "data": (data[:-1] + bytes([data[-1] ^ 1])).hex()}


def cuts_own_lengths(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose event of the replica's own has a length that does not count its checksum."""
    *_, length, _, flags = _header(entry)
    if not flags & Flag.RELAY_LOG or not ends_with_checksum(bytes.fromhex(entry["data"])):
        return entry
    data = bytes.fromhex(_with_header(entry, length=length - CHECKSUM_BYTES)["data"])[:-CHECKSUM_BYTES]
    return {**entry, "data": (data + checksum(data).to_bytes(CHECKSUM_BYTES, "little")).hex()}


def moves_rotates(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose Rotate event of the replica's own has another log_pos."""
    _, code, server_id, _, log_pos, flags = _header(entry)
    own = code == EventType.ROTATE and (server_id == 0 or flags & 0x40)
    return _with_header(entry, log_pos=log_pos + _FAR) if own else entry


def silent(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry without its warning."""
    return {**entry, "warning": ""}


def rewords(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose warning names one of its two states only."""
    before, between, _ = entry["warning"].partition(" to ")
    return {**entry, "warning": f"{before} to {before.rpartition(' from ')[2]}."} if between else entry


def clears_ignorable(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry whose event of an unknown type lacks the ignorable flag."""
    _, code, _, _, _, flags = _header(entry)
    unknown = code not in KNOWN_TYPES and flags & 0x80
    return _with_header(entry, flags=flags & ~0x80) if unknown else entry
