"""Data of some kilobytes that unpacks to hundreds of megabytes, or to very many events, the same on every machine."""

from functools import cache
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.strategies.events.plain_compression import ZLIB_HEAD, ZSTD_BLOCK_LIMIT, ZstdBlock, zstd_frame_of

#: The most that an event unpacks to: beyond what a reader needs, within what a limit on memory usually allows.
HELD: Final = 320 << 20
#: The size of each event that a payload of `HELD` bytes holds.
_HELD_EVENT: Final = 1 << 20
#: Events of a payload of tiny ones.
TINY_EVENTS: Final = 250_000

#: A zstd frame head that has a size of 8 bytes, and a window of that size.
_ZSTD_SIZED: Final = 0xE0
_ADLER_BASE: Final = 65521


@cache
def zstd_zeros() -> bytes:
    """Return a zstd frame of `HELD` bytes: Query events of 1 MiB, empty but for a statement of zero bytes."""
    head = HEADER.pack(0, EventType.QUERY, 1, _HELD_EVENT, 0, 0)
    runs = [ZstdBlock.run(b"\0", ZSTD_BLOCK_LIMIT)] * (_HELD_EVENT // ZSTD_BLOCK_LIMIT - 1)
    event = [ZstdBlock.plain(head), *runs, ZstdBlock.run(b"\0", ZSTD_BLOCK_LIMIT - HEADER_BYTES)]
    return zstd_frame_of(event * (HELD // _HELD_EVENT))


@cache
def zstd_tiny_events() -> tuple[bytes, int]:
    """Return a zstd frame of `TINY_EVENTS` Stop events, each only a header, and the size to which it unpacks."""
    event = HEADER.pack(0, EventType.STOP, 1, HEADER_BYTES, 0, 0)
    times = ZSTD_BLOCK_LIMIT // HEADER_BYTES
    blocks = -(-TINY_EVENTS // times)
    return zstd_frame_of([_repeated(event, times)] * blocks), blocks * times * HEADER_BYTES


def zstd_claiming(data: bytes, size: int) -> bytes:
    """Return a zstd frame of `data` whose head claims another size, in bytes."""
    return zstd_frame_of([ZstdBlock.plain(data)], head=bytes([_ZSTD_SIZED]) + size.to_bytes(8, "little"))


def _repeated(unit: bytes, times: int) -> ZstdBlock:
    """Return the compressed block of a unit of 18 or 19 bytes, repeated: its bytes, then one match to the block's end.

    Each of the three codes of the match is the only one of its table, so that only their extra bits follow.
    """
    length = len(unit) * (times - 1)
    literals = bytes([len(unit) << 3]) + unit
    # Literal lengths of 18 and 19 are code 17, offsets from 16 to 31 (with 3 added) code 4, matches from 65539 code 52.
    codes = bytes([1, 0b01010100, 17, 4, 52])
    extra = ((1 << 4 | len(unit) + 3 - 16) << 16 | length - 65539) << 1 | len(unit) - 18
    content = literals + codes + extra.to_bytes(3, "little")
    return ZstdBlock(2, len(content), content)


#: Bytes of a match of deflate, the most that there are.
_MATCH: Final = 258
_MATCHES: Final = -(-HELD // _MATCH)
#: What `zlib_zeros` unpacks to, in bytes.
ZLIB_HELD: Final = 1 + _MATCH * _MATCHES

#: The codes of the lengths of codes in `_DEFLATE_HEAD`: 2 bits, 1 bit, and 11 to 138 codes without any.
_TWO, _ONE, _NONE = (0b11, 2), (0b01, 2), (0, 1)
#: The head of a deflate block, and its first byte: values with their numbers of bits, the lowest bit first. Byte 0 and
#: the end of the block have the codes 10 and 11, the match of 258 bytes and the only distance, 1, have the code 0.
_DEFLATE_HEAD: Final = (
    *((1, 1), (2, 2)),  # the last block, with codes of its own
    *((286 - 257, 5), (1 - 1, 5), (18 - 4, 4)),  # how many literals and lengths, distances, and lengths of codes
    *((length, 3) for length in (0, 0, 1, *[0] * 12, 2, 0, 2)),  # of the codes 16, 17, 18, ..., 2, 14, 1
    *(_TWO, _NONE, (138 - 11, 7), _NONE, (117 - 11, 7), _TWO, _NONE, (28 - 11, 7), _ONE),
    _ONE,
    (0b01, 2),
)
_DEFLATE_END: Final = (0b11, 2)


@cache
def zlib_zeros() -> bytes:
    """Return a zlib stream of `ZLIB_HELD` zero bytes: one byte, then matches, each of 2 bits that are 0."""
    value = count = 0
    for bits, width in (*_DEFLATE_HEAD, (0, 2 * _MATCHES), _DEFLATE_END):
        value |= bits << count
        count += width
    checksum = ZLIB_HELD % _ADLER_BASE << 16 | 1
    return ZLIB_HEAD + value.to_bytes((count + 7) // 8, "little") + checksum.to_bytes(4, "big")
