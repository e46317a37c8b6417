"""The header line of an event, and the events inside a payload as they are printed."""

from datetime import datetime, tzinfo

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.event import Event
from conformance.binlog.header import HEADER, HEADER_BYTES, Header


def clock_text(timestamp: int, zone: tzinfo) -> str:
    """Return a time, in seconds since 1970, as header lines show it: the hour has no leading zero."""
    moment = datetime.fromtimestamp(timestamp, zone)
    return f"{moment:%y%m%d} {moment.hour:2d}:{moment:%M:%S}"


def header_line(event: Event, zone: tzinfo, *, boundary: str = "") -> str:
    """Return the header line of an event up to its description, which follows after a tab or on the next line.

    Args:
        event: The event.
        zone: The time zone in which times are shown.
        boundary: The name of its boundary type (WL#4162), empty if none is shown.
    """
    header = event.header
    words = [f"#{clock_text(header.timestamp, zone)} server id {header.server_id} ", f"end_log_pos {header.log_pos}"]
    if event.has_checksum and event.format.checksum_algorithm == ChecksumAlgorithm.CRC32:
        words.append(f"CRC32 0x{int.from_bytes(event.data[-CHECKSUM_BYTES:], 'little'):08x}")
    if boundary:
        words.append(f"boundary: {boundary}")
    return " ".join([*words, ""])


def with_checksum(event: Event, data: bytes) -> bytes:
    """Return an event with its length filled in, and with a checksum if its log has checksums.

    Args:
        event: The event that it replaces.
        data: The event, without a checksum.
    """
    sums = event.format.checksum_bytes
    fields = HEADER.unpack_from(data)
    head = HEADER.pack(*fields[:3], len(data) + sums, *fields[4:])
    whole = head + data[HEADER_BYTES:]
    return whole + checksum(whole).to_bytes(CHECKSUM_BYTES, "little") if sums else whole


def as_printed(inner: Event, payload: Event) -> Event:
    """Return an event of a payload as it is printed: at the payload's end, with a checksum if the log has checksums."""
    data = with_checksum(payload, inner.data)
    old = inner.header
    header = Header(old.timestamp, old.type, old.server_id, len(data), payload.header.log_pos, old.flags)
    return inner._replace(offset=payload.offset, header=header, data=data, format=payload.format)
