"""The writer: structured events to bytes."""

from collections.abc import Mapping
from typing import Any

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event import Event
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.binlog.layouts.by_type import layout_of


def frame(
    type_code: int,
    body: bytes,
    *,
    offset: int,
    checksummed: bool,
    timestamp: int = 0,
    server_id: int = 1,
    flags: int = 0,
) -> bytes:
    """Return a whole event: header with length and log_pos filled in, `body`, checksum.

    Args:
        type_code: Event type code.
        body: Post-header and body.
        offset: Offset of the event, in bytes from the start of the log.
        checksummed: Whether a CRC32 ends it.
        timestamp: Seconds since 1970.
        server_id: Id of the server that logs the event.
        flags: The flags word.
    """
    length = HEADER_BYTES + len(body) + (CHECKSUM_BYTES if checksummed else 0)
    log_pos = (offset + length) & 0xFFFFFFFF
    event = HEADER.pack(timestamp, type_code, server_id, length, log_pos, flags) + body
    return event + checksum(event).to_bytes(CHECKSUM_BYTES, "little") if checksummed else event


def write_body(type_code: int, fields: Mapping[str, Any], format_description: FormatDescription) -> bytes:
    """Return the post-header and body of an event from its fields.

    Raises:
        ValueError: A field is missing or does not fit.
    """
    declared = format_description.post_header_length(type_code)
    return layout_of(type_code, declared).write(fields, post_header_length=declared)


def rewrite(event: Event) -> bytes:
    """Return the bytes of an event written again from its header and its fields.

    Raises:
        MalformedBody: The body contradicts its layout.
    """
    layout, declared = event.layout()
    body = layout.write(event.fields(), post_header_length=declared)
    written = _pack(event.header) + event.data[HEADER_BYTES : event.format.header_length] + body
    if event.has_checksum:
        written += checksum(written).to_bytes(CHECKSUM_BYTES, "little")
    return written


def _pack(header: Header) -> bytes:
    return HEADER.pack(header.timestamp, header.type, header.server_id, header.length, header.log_pos, header.flags)
