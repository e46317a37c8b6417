"""Compressed data that is the same on every machine.

The output of zstd and zlib depends on their version, and a case must not. So these streams are written by hand: a valid
zstd frame of raw blocks and of runs of one byte, and a valid zlib stream of stored blocks. Values of compressed columns
are as a MariaDB 11.8 server logged them.
"""

import re
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

_ZSTD_MAGIC: Final = bytes.fromhex("28b52ffd")
#: Neither size, checksum nor dictionary; a window of 1 MiB.
_ZSTD_FRAME: Final = bytes([0x00, 0x50])
#: The most bytes that a block of a zstd frame unpacks to.
ZSTD_BLOCK_LIMIT: Final = 1 << 17
_ZSTD_RUN: Final = 1
_RUN: Final = re.compile(rb"(.)\1{7,}", re.DOTALL)

#: The header of a zlib stream.
ZLIB_HEAD: Final = bytes([0x78, 0x01])
_ZLIB_BLOCK_LIMIT: Final = 0xFFFF
#: The header that servers write, which names the default level.
_ZLIB_SERVER_HEAD: Final = bytes([0x78, 0x9C])

#: The mark of MariaDB's compressed parts, to which the width of the size in bytes is added.
_MARIADB_MARK: Final = 0x80


class ZstdBlock(NamedTuple):
    """A block of a zstd frame.

    Attributes:
        kind: 0 for plain bytes, 1 for a run of one byte, 2 for compressed data.
        size: The size in its head: of the run, otherwise of the content, in bytes.
        content: What comes after its head.
    """

    kind: int
    size: int
    content: bytes

    @classmethod
    def plain(cls, data: bytes) -> "ZstdBlock":
        """Return the block of some bytes, `ZSTD_BLOCK_LIMIT` at most."""
        return cls(0, len(data), data)

    @classmethod
    def run(cls, byte: bytes, size: int) -> "ZstdBlock":
        """Return the block of one byte `size` times, `ZSTD_BLOCK_LIMIT` at most."""
        return cls(_ZSTD_RUN, size, byte)


def zstd_frame(data: bytes) -> bytes:
    """Return `data` as a zstd frame."""
    blocks: list[ZstdBlock] = []
    at = 0
    for run in _RUN.finditer(data):
        blocks += _plain_blocks(data[at : run.start()])
        for start in range(run.start(), run.end(), ZSTD_BLOCK_LIMIT):
            blocks.append(ZstdBlock.run(run.group(1), min(run.end() - start, ZSTD_BLOCK_LIMIT)))
        at = run.end()
    blocks += _plain_blocks(data[at:])
    return zstd_frame_of(blocks or [ZstdBlock.plain(b"")])


def zstd_frame_of(blocks: Sequence[ZstdBlock], *, head: bytes = _ZSTD_FRAME) -> bytes:
    """Return the zstd frame of some blocks.

    Args:
        blocks: The blocks, at least one.
        head: What comes after the magic number: without a size unless another one is given.
    """
    frame = bytearray(_ZSTD_MAGIC + head)
    for number, (kind, size, content) in enumerate(blocks, 1):
        frame += (size << 3 | kind << 1 | (number == len(blocks))).to_bytes(3, "little") + content
    return bytes(frame)


def _plain_blocks(data: bytes) -> list[ZstdBlock]:
    return [ZstdBlock.plain(data[at : at + ZSTD_BLOCK_LIMIT]) for at in range(0, len(data), ZSTD_BLOCK_LIMIT)]


def zlib_stream(data: bytes) -> bytes:
    """Return `data` as a zlib stream."""
    stream = bytearray(ZLIB_HEAD)
    for at in range(0, max(len(data), 1), _ZLIB_BLOCK_LIMIT):
        part = data[at : at + _ZLIB_BLOCK_LIMIT]
        last = at + _ZLIB_BLOCK_LIMIT >= len(data)
        stream += bytes([last]) + len(part).to_bytes(2, "little") + (len(part) ^ 0xFFFF).to_bytes(2, "little") + part
    return bytes(stream) + zlib.adler32(data).to_bytes(4, "big")


class Deflated(NamedTuple):
    """Data, and the deflate stream of it that a server wrote."""

    data: bytes
    stream: bytes


#: Values of compressed columns in a log of MariaDB 11.8.6.
DEFLATED: Final = (
    Deflated(b"q" * 200, bytes.fromhex("2b2c1c1e0000")),
    Deflated(b"ab" * 150, bytes.fromhex("4b4c4a1c85444200")),
    Deflated(b"\xff\x00" * 60, bytes.fromhex("fbcff07f402000")),
    Deflated("日本語 ".encode() * 40, bytes.fromhex("7b367de9b3396b5eac9aa7f06c9435085800")),
    Deflated(b"x" * 4000, bytes.fromhex("edc13101000000c2a0da8b6f0c1fa000000080b701")),
)


def zlib_wrapped(sample: Deflated) -> bytes:
    """Return the stream with zlib's header, as that server wrote it, and checksum."""
    return _ZLIB_SERVER_HEAD + sample.stream + zlib.adler32(sample.data).to_bytes(4, "big")


def mariadb_part(data: bytes) -> bytes:
    """Return `data` as a compressed part of a MariaDB event."""
    return mariadb_part_of(zlib_stream(data), len(data))


def mariadb_part_of(stream: bytes, size: int) -> bytes:
    """Return a compressed part of a MariaDB event: a mark, the size that it claims, and a zlib stream."""
    width = max(1, (size.bit_length() + 7) // 8)
    return bytes([_MARIADB_MARK | width]) + size.to_bytes(width, "big") + stream
