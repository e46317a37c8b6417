"""Mutation of logs: of whole events and of single bodies, with lengths and checksums repaired afterwards.

A log with any byte changed is refused at its checksum; without repair nothing after that would ever run.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import zstandard

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.header import FLAGS_AT, HEADER_BYTES, LENGTH_AT, MAGIC, TYPE_AT
from conformance.binlog.layouts.transaction_layouts import TRANSACTION_PAYLOAD
from conformance.binlog.transaction_payload import Compression, pack_payload

#: Changes bytes, to at most so many.
BytesMutation = Callable[[bytes, int], bytes]
#: Changes the events of a log.
_EventMutation = Callable[[list[bytes], random.Random, BytesMutation], None]

#: One log in this many is left as it is, with wrong lengths and checksums.
_UNREPAIRED: Final = 16
#: Bytes that a mutated body may grow by.
_GROWTH: Final = 64
#: The most bytes of a payload that are unpacked.
_UNPACKED: Final = 1 << 16
#: Bytes of a format description before its version, its version, and the bytes after the last post-header length.
_VERSION_AT: Final = HEADER_BYTES + 2
_VERSION_BYTES: Final = 50


def events_of(log: bytes) -> list[bytes]:
    """Return the events of a log by the lengths in their headers; the last one is what is left."""
    events = []
    at = len(MAGIC)
    while at < len(log):
        length = int.from_bytes(log[at + LENGTH_AT : at + LENGTH_AT + 4], "little")
        if not HEADER_BYTES <= length <= len(log) - at:
            length = len(log) - at
        events.append(log[at : at + length])
        at += length
    return events


def repaired(events: Sequence[bytes]) -> bytes:
    """Return a log of these events, each with its length, `log_pos` and, where the log has them, checksum."""
    parts = [MAGIC]
    end = len(MAGIC)
    has_checksums = False
    for event in events:
        if len(event) < HEADER_BYTES:
            parts.append(event)
            continue
        whole = bytearray(event)
        end += len(whole)
        whole[LENGTH_AT : LENGTH_AT + 4] = len(whole).to_bytes(4, "little")
        if whole[LENGTH_AT + 4 : LENGTH_AT + 8] != bytes(4):
            whole[LENGTH_AT + 4 : LENGTH_AT + 8] = (end & 0xFFFFFFFF).to_bytes(4, "little")
        if whole[TYPE_AT] == EventType.FORMAT_DESCRIPTION:
            has_checksums = _declares_checksums(whole)
        if has_checksums and len(whole) >= HEADER_BYTES + CHECKSUM_BYTES:
            whole[-CHECKSUM_BYTES:] = checksum(whole[:-CHECKSUM_BYTES]).to_bytes(4, "little")
        parts.append(bytes(whole))
    return b"".join(parts)


def _declares_checksums(description: bytearray) -> bool:
    return len(description) > HEADER_BYTES + CHECKSUM_BYTES and description[-CHECKSUM_BYTES - 1] == 1


def mutated_log(log: bytes, size: int, rng: random.Random, mutate: BytesMutation) -> bytes:
    """Return a log that differs from `log`.

    Args:
        log: The log.
        size: The most bytes that the result may have.
        rng: Chooses what is changed.
        mutate: Changes the bytes of a body, or of the whole log.
    """
    if not log.startswith(MAGIC) or not rng.randrange(_UNREPAIRED):
        return mutate(log, size)[:size]
    events = events_of(log)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if events:
            # A payload that an earlier mutation has damaged stays as it is.
            with suppress(MalformedBody, zstandard.ZstdError):
                rng.choice(_MUTATIONS)(events, rng, mutate)
    return repaired(events)[:size]


def _change_body(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    number = rng.randrange(len(events))
    event = events[number]
    tail = event[-CHECKSUM_BYTES:]
    body = event[HEADER_BYTES:-CHECKSUM_BYTES]
    events[number] = event[:HEADER_BYTES] + mutate(body, len(body) + _GROWTH) + tail


def _change_byte(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    """Change one byte near the start of a body, where lengths, counts and codes are."""
    number = rng.randrange(len(events))
    event = bytearray(events[number])
    if len(event) > HEADER_BYTES:
        at = HEADER_BYTES + min(rng.randrange(len(event) - HEADER_BYTES), rng.randrange(64))
        event[at] = rng.choice((0, 1, 2, 0x7F, 0x80, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF, rng.randrange(256)))
    events[number] = bytes(event)


def _change_header(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    number = rng.randrange(len(events))
    event = bytearray(events[number])
    if len(event) >= HEADER_BYTES:
        if rng.randrange(2):
            event[TYPE_AT] = rng.choice((*map(int, EventType), rng.randrange(256)))
        else:
            event[FLAGS_AT] = rng.choice((0, 1, 0x80, rng.randrange(256)))
    events[number] = bytes(event)


def _cut_body(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    number = rng.randrange(len(events))
    event = events[number]
    if len(event) > HEADER_BYTES + CHECKSUM_BYTES:
        keep = rng.randrange(HEADER_BYTES, len(event) - CHECKSUM_BYTES)
        events[number] = event[:keep] + event[-CHECKSUM_BYTES:]


def _drop(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    del events[rng.randrange(len(events))]


def _double(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    events.insert(rng.randrange(len(events) + 1), rng.choice(events))


def _swap(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    one, other = rng.randrange(len(events)), rng.randrange(len(events))
    events[one], events[other] = events[other], events[one]


def _change_payload(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    """Change an event inside a compressed transaction, which is then plain."""
    for number, event in enumerate(events):
        if event[TYPE_AT : TYPE_AT + 1] == bytes([EventType.TRANSACTION_PAYLOAD]):
            fields = TRANSACTION_PAYLOAD.read(event, HEADER_BYTES, len(event) - CHECKSUM_BYTES, post_header_length=0)
            inner = events_of(MAGIC + _unpacked(fields))
            if inner:
                rng.choice((_change_body, _change_byte, _change_header))(inner, rng, mutate)
            plain = pack_payload(repaired(inner)[len(MAGIC) :], compression=Compression.NONE)
            body = TRANSACTION_PAYLOAD.write(plain, post_header_length=0)
            events[number] = event[:HEADER_BYTES] + body + event[-CHECKSUM_BYTES:]
            return


def _unpacked(fields: Mapping[str, Any]) -> bytes:
    payload: bytes = fields["payload"]
    if fields.get("compression_type") == Compression.ZSTD:
        with zstandard.ZstdDecompressor().stream_reader(payload) as stream:
            payload = stream.read(_UNPACKED)
    return payload


def _change_lengths(events: list[bytes], rng: random.Random, mutate: BytesMutation) -> None:
    """Change a post-header length that the format description declares."""
    for number, event in enumerate(events):
        first = _VERSION_AT + _VERSION_BYTES + 5
        if len(event) > first + 10 and event[TYPE_AT] == EventType.FORMAT_DESCRIPTION:
            changed = bytearray(event)
            at = rng.randrange(first, len(event) - CHECKSUM_BYTES - 1)
            changed[at] = rng.choice((0, changed[at] - 1 & 0xFF, changed[at] + 1 & 0xFF, 255, rng.randrange(256)))
            events[number] = bytes(changed)
            return


_MUTATIONS: Final[tuple[_EventMutation, ...]] = (
    *[_change_body] * 6,
    *[_change_byte] * 4,
    _change_header,
    _cut_body,
    _drop,
    _double,
    _swap,
    *[_change_payload] * 2,
    _change_lengths,
)


def spliced(one: bytes, other: bytes, size: int, rng: random.Random) -> bytes:
    """Return a log that begins as `one` does and goes on with events of `other`, of at most `size` bytes."""
    left, right = events_of(one), events_of(other)
    if not left or not right:
        return one[:size]
    start = rng.randrange(len(right))
    taken = right[start : start + rng.randrange(1, 8)]
    place = rng.randrange(len(left)) + 1
    return repaired([*left[:place], *taken, *left[place:]])[:size]
