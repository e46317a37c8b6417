"""Transaction_payload events: a whole transaction inside one event, compressed or not."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.binlog.transaction_payload import Compression
from conformance.strategies.events import mysql_events
from conformance.strategies.events.plain_compression import zstd_frame
from conformance.strategies.grammar.dimension import choices
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

COMPRESSION: Final = choices("compression", (Compression.NONE, Compression.ZSTD), text=lambda each: each.name.lower())


def transaction_payload(
    stream: StreamBuilder, inner: Sequence[PlannedEvent], *, compression: Compression | None = None
) -> PlannedEvent:
    """Return a Transaction_payload event that holds events; a reader reports it, not its contents.

    Servers write compressed ones only: no option of theirs turns the compression of a payload off.

    Args:
        stream: The stream that it is for.
        inner: The events.
        compression: The compression, if it does not vary: none lets a reader without zstd look inside.
    """
    unpacked = b"".join(_inner_bytes(stream, event) for event in inner)
    compression = stream.vary(COMPRESSION) if compression is None else compression
    payload = _packed(unpacked, compression)
    fields = {
        "compression_type": int(compression),
        "uncompressed_size": len(unpacked),
        "payload_size": len(payload),
    }
    marks = ("FORMAT-TRANSACTION-PAYLOAD",)
    return mysql_events.plan(stream, EventType.TRANSACTION_PAYLOAD, {**fields, "payload": payload}, fields, marks=marks)


def put_in(stream: StreamBuilder, inner: Sequence[PlannedEvent], event: PlannedEvent) -> list[PlannedEvent]:
    """Return the events of a payload with another one inserted after the first."""
    place = stream.choose.integer(1, len(inner))
    return [*inner[:place], event, *inner[place:]]


def sizes_of(stream: StreamBuilder, inner: Sequence[PlannedEvent], compression: Compression) -> tuple[int, int]:
    """Return the bytes of events in a payload, and those of the payload."""
    unpacked = b"".join(_inner_bytes(stream, event) for event in inner)
    return len(unpacked), len(_packed(unpacked, compression))


def _packed(unpacked: bytes, compression: Compression) -> bytes:
    return unpacked if compression == Compression.NONE else zstd_frame(unpacked)


def _inner_bytes(stream: StreamBuilder, event: PlannedEvent) -> bytes:
    # Inside a payload an event has neither a position nor a checksum.
    length = HEADER_BYTES + len(event.body)
    return HEADER.pack(stream.timestamp, event.type, stream.server_id, length, 0, event.flags) + event.body
