"""The transaction inside a Transaction_payload event: its events, compressed with zstd or plain."""

from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from typing import Final

from conformance.binlog.checksum import ChecksumAlgorithm
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.binlog.reader import ReaderRules, recognises

#: The most bytes that a payload may unpack to, unless the caller sets another limit: the size of the largest packet.
PAYLOAD_LIMIT: Final = 1 << 30


class Compression(IntEnum):
    """The compression type of a payload."""

    ZSTD = 0
    NONE = 255


def payload_bytes(event: Event, *, limit: int = PAYLOAD_LIMIT) -> bytes:
    """Return the concatenated events that a Transaction_payload event holds.

    Raises:
        MalformedBody: The payload cannot be unpacked, or would be larger than `limit` bytes.
        ImportError: The package zstandard, needed to unpack it, is not installed.
    """
    fields = event.fields()
    payload: bytes = fields["payload"]
    if "payload_size" not in fields or "compression_type" not in fields:
        raise MalformedBody("a payload without its size or its compression type")
    if fields["payload_size"] != len(payload):
        raise MalformedBody(f"a payload of {len(payload)} bytes that declares {fields['payload_size']}")
    kind = fields["compression_type"]
    if kind == Compression.NONE:
        return payload
    if kind != Compression.ZSTD:
        raise MalformedBody(
            f"{kind} is not a valid compression type: {Compression.ZSTD:d} is zstd, {Compression.NONE:d} is none"
        )
    size = fields.get("uncompressed_size", limit)
    if size > limit:
        raise MalformedBody(f"a payload that declares {size} bytes uncompressed; the limit is {limit}")
    unpacked = _unpack_zstd(payload, size)
    if "uncompressed_size" in fields and len(unpacked) != size:
        raise MalformedBody(f"a payload that declares {size} bytes uncompressed, but unpacks to {len(unpacked)}")
    return unpacked


def inner_events(event: Event, *, limit: int = PAYLOAD_LIMIT, rules: ReaderRules | None = None) -> Iterator[Event]:
    """Yield the events inside a Transaction_payload event; their offsets count from the payload's start.

    They have no checksums of their own.

    Args:
        event: The Transaction_payload event.
        limit: The most bytes that it may unpack to.
        rules: What the reader accepts and refuses; with None, events of any type pass.

    Raises:
        MalformedBody: See `payload_bytes`; or an inner event does not fit, or is itself a payload.
        BinlogError: At the payload's offset, for an inner event of a type that the reader must not skip.
    """
    unpacked = payload_bytes(event, limit=limit)
    format_description = replace(event.format, checksum_algorithm=ChecksumAlgorithm.NONE)
    at = 0
    while at < len(unpacked):
        left = len(unpacked) - at
        if left < HEADER_BYTES:
            raise MalformedBody(f"expected a header of {HEADER_BYTES} bytes at byte {at} of the payload, found {left}")
        header = Header(*HEADER.unpack_from(unpacked, at))
        if not HEADER_BYTES <= header.length <= left:
            raise MalformedBody(f"expected an event of {header.length} bytes at byte {at} of the payload, found {left}")
        if header.type == event.header.type:
            raise MalformedBody(f"a payload inside a payload, at byte {at} of the outer one")
        recognised = rules is None or recognises(header, format_description, event.offset, rules)
        yield Event(at, header, unpacked[at : at + header.length], format_description, recognised)
        at += header.length


def _unpack_zstd(payload: bytes, limit: int) -> bytes:
    # Only logs with compressed transactions need the package.
    import zstandard

    parts = bytearray()
    try:
        with zstandard.ZstdDecompressor().stream_reader(payload, read_across_frames=True) as stream:
            while chunk := stream.read(min(1 << 20, limit + 1 - len(parts))):
                parts += chunk
                if len(parts) > limit:
                    raise MalformedBody(f"a payload that unpacks to more than the limit of {limit} bytes")
    except zstandard.ZstdError as error:
        raise MalformedBody(f"a payload that is not a valid zstd stream: {error}") from error
    return bytes(parts)


def pack_payload(events: bytes, *, compression: Compression = Compression.ZSTD) -> dict[str, int | bytes]:
    """Return the fields of a Transaction_payload event that holds `events`, which have no checksums.

    Raises:
        ImportError: The package zstandard is not installed.
    """
    payload = events
    if compression == Compression.ZSTD:
        import zstandard

        payload = zstandard.ZstdCompressor().compress(events)
    return {
        "compression_type": int(compression),
        "uncompressed_size": len(events),
        "payload_size": len(payload),
        "payload": payload,
    }
