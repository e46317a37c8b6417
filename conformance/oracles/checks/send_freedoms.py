"""The differences that are left to senders, and to all whose answers are the bytes of events."""

from collections.abc import Mapping
from typing import Any

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, ends_with_checksum
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, TYPE_AT, Header
from conformance.binlog.keyed import END_MARK
from conformance.binlog.layouts.by_type import layout_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference
from conformance.protocol.roles.relay import body_of, event_data


def differs_in_unused_checksum(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two format descriptions that announce no checksums differ in their last four bytes alone."""
    wanted, seen = _both(alignment, difference)
    if wanted is None or seen is None or wanted[TYPE_AT] != EventType.FORMAT_DESCRIPTION:
        return False
    unused = FormatDescription.from_event(wanted).checksum_algorithm == ChecksumAlgorithm.NONE
    return unused and len(wanted) == len(seen) and wanted[:-CHECKSUM_BYTES] == seen[:-CHECKSUM_BYTES]


def differs_in_letter_case_alone(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two events have the same bytes, in hex of other letters."""
    wanted, seen = _both(alignment, difference)
    return wanted is not None and wanted == seen


def differs_in_encoding_alone(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two heartbeats of the second version differ in how the same fields are encoded alone."""
    wanted, seen = _both(alignment, difference)
    if wanted is None or seen is None or wanted[TYPE_AT] != EventType.HEARTBEAT_V2:
        return False
    mine, other = (Header(*HEADER.unpack(each[:HEADER_BYTES])) for each in (wanted, seen))
    if mine._replace(length=0) != other._replace(length=0) or other.length != len(seen):
        return False
    is_checksummed = ends_with_checksum(wanted) == ends_with_checksum(seen)
    return is_checksummed and equal_heartbeats(body_of(wanted), body_of(seen))


def equal_heartbeats(wanted: bytes, seen: bytes) -> bool:
    """Return whether the bodies of two heartbeats of the second version have the same fields."""
    fields = _heartbeat_fields(wanted)
    return fields is not None and fields == _heartbeat_fields(seen)


def _heartbeat_fields(body: bytes) -> Mapping[str, Any] | None:
    try:
        values = layout_of(EventType.HEARTBEAT_V2, 0).read(body, 0, len(body), post_header_length=0)
    except MalformedBody:
        return None
    return {name: value for name, value in values.items() if name != END_MARK}


def _both(alignment: Alignment, difference: Difference) -> tuple[bytes | None, bytes | None]:
    """Return the bytes of the expected event and of the observed one, if it is these that differ."""
    if difference.field != "data" or difference.index >= alignment.count:
        return None, None
    entry = alignment.observed(difference.index)
    return event_data(alignment.case.expected.events[difference.index]), None if entry is None else event_data(entry)
