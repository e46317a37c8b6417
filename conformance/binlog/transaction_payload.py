"""The transaction inside a Transaction_payload event: its events, compressed with zstd or plain."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import IntEnum
from io import BytesIO
from typing import Final

from conformance.binlog.checksum import ChecksumAlgorithm
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.binlog.limits import check_event_bytes, check_events, check_payload_bytes, current_limits
from conformance.binlog.reader import ReaderRules, recognises
from conformance.binlog.zstd import UnpackedStream, unpacking

#: Bytes that are unpacked at once.
_PIECE: Final = 1 << 20


class Compression(IntEnum):
    """The compression type of a payload."""

    ZSTD = 0
    NONE = 255


def payload_bytes(event: Event) -> bytes:
    """Return the concatenated events that a Transaction_payload event holds.

    Raises:
        MalformedBody: The payload cannot be unpacked.
        LimitExceeded: It unpacks to more bytes than a payload may have.
        ImportError: The package zstandard, needed to unpack it, is not installed.
    """
    payload = _unpacked(event)
    return b"".join(iter(lambda: payload.read(_PIECE), b""))


def inner_events(event: Event, *, rules: ReaderRules | None = None) -> Iterator[Event]:
    """Yield the events inside a Transaction_payload event; their offsets count from the payload's start.

    They have no checksums of their own. One of them is in memory at a time.

    Args:
        event: The Transaction_payload event.
        rules: What the reader accepts and refuses; with None, events of any type pass.

    Raises:
        MalformedBody: The payload cannot be unpacked, an inner event does not fit, or is itself a payload; the events
            before it were yielded.
        LimitExceeded: An inner event is too long, or there are too many of them.
        BinlogError: At the payload's offset, for an inner event of a type that the reader must not skip.
        ImportError: The package zstandard, needed to unpack it, is not installed.
    """
    payload = _unpacked(event)
    format_description = replace(event.format, checksum_algorithm=ChecksumAlgorithm.NONE)
    at = count = 0
    while head := payload.read(HEADER_BYTES):
        if len(head) < HEADER_BYTES:
            raise MalformedBody(
                f"expected a header of {HEADER_BYTES} bytes at byte {at} of the payload, found {len(head)}"
            )
        header = Header(*HEADER.unpack(head))
        if header.length < HEADER_BYTES:
            raise MalformedBody(f"an event length of {header.length} at byte {at} of the payload")
        data = head + payload.read(min(header.length, current_limits().event_bytes) - HEADER_BYTES)
        if len(data) < header.length:
            if payload.read(1):
                check_event_bytes(header.length, f"the event at byte {at} of the payload has")
            message = f"expected an event of {header.length} bytes at byte {at} of the payload, found {len(data)}"
            raise MalformedBody(message)
        if header.type == event.header.type:
            raise MalformedBody(f"a payload inside a payload, at byte {at} of the outer one")
        recognised = rules is None or recognises(header, format_description, event.offset, rules)
        count += 1
        check_events(count, "the payload holds")
        yield Event(at, header, data, format_description, recognised)
        at += header.length


def _unpacked(event: Event) -> UnpackedStream:
    """Return the bytes that a Transaction_payload event holds."""
    fields = event.fields()
    payload: bytes = fields["payload"]
    if "payload_size" not in fields or "compression_type" not in fields:
        raise MalformedBody("a payload without its size or its compression type")
    if fields["payload_size"] != len(payload):
        raise MalformedBody(f"a payload of {len(payload)} bytes that declares {fields['payload_size']}")
    kind = fields["compression_type"]
    if kind == Compression.NONE:
        return BytesIO(payload)
    if kind != Compression.ZSTD:
        raise MalformedBody(
            f"{kind} is not a valid compression type: {Compression.ZSTD:d} is zstd, {Compression.NONE:d} is none"
        )
    return _ZstdStream(payload, fields.get("uncompressed_size"))


class _ZstdStream:
    """A zstd stream, and the bytes that it is declared to unpack to, if they are declared."""

    def __init__(self, payload: bytes, declared: int | None) -> None:
        check_payload_bytes(declared or 0)
        self._declared = declared
        self._size = 0
        self._stream, self._errors = unpacking(payload)

    def read(self, size: int, /) -> bytes:
        """Return the next bytes.

        Raises:
            MalformedBody: They cannot be unpacked, or are not as many in all as the payload declares.
            LimitExceeded: They are more than a payload may have.
        """
        try:
            data: bytes = self._stream.read(size)
        except self._errors as error:
            raise MalformedBody(f"a payload that is not a valid zstd stream: {error}") from error
        self._size += len(data)
        declared = self._declared
        if declared is None:
            check_payload_bytes(self._size)
        elif self._size > declared:
            raise MalformedBody(f"a payload that declares {declared} bytes uncompressed, but unpacks to more")
        elif len(data) < size and self._size < declared:
            raise MalformedBody(f"a payload that declares {declared} bytes uncompressed, but unpacks to {self._size}")
        return data


def pack_events(events: Iterable[bytes], *, compression: Compression) -> dict[str, int | bytes]:
    """Return the fields of a Transaction_payload event that holds events one after another, without checksums.

    Only what is packed is held in memory.

    Raises:
        ImportError: The package zstandard is not installed.
    """
    if compression != Compression.ZSTD:
        plain = b"".join(events)
        return _payload_fields(compression, len(plain), plain)
    import zstandard

    packer = zstandard.ZstdCompressor().compressobj()
    packed = bytearray()
    size = 0
    for each in events:
        size += len(each)
        packed += packer.compress(each)
    packed += packer.flush()
    return _payload_fields(compression, size, bytes(packed))


def pack_payload(events: bytes, *, compression: Compression = Compression.ZSTD) -> dict[str, int | bytes]:
    """Return the fields of a Transaction_payload event that holds `events`, which have no checksums.

    Raises:
        ImportError: The package zstandard is not installed.
    """
    payload = events
    if compression == Compression.ZSTD:
        import zstandard

        payload = zstandard.ZstdCompressor().compress(events)
    return _payload_fields(compression, len(events), payload)


def _payload_fields(compression: Compression, size: int, payload: bytes) -> dict[str, int | bytes]:
    return {
        "compression_type": int(compression),
        "uncompressed_size": size,
        "payload_size": len(payload),
        "payload": payload,
    }
