"""Compressed data that every machine writes alike.

What zstd and zlib make of the same bytes depends on their version, and a case must not. So these are written by hand:
a valid zstd frame of plain blocks and of runs of one byte, and a valid zlib stream of stored blocks.
"""

import re
import zlib
from typing import Final

_ZSTD_MAGIC: Final = bytes.fromhex("28b52ffd")
#: Neither size, checksum nor dictionary; a window of 1 MiB.
_ZSTD_FRAME: Final = bytes([0x00, 0x50])
_ZSTD_BLOCK_LIMIT: Final = 1 << 17
_ZSTD_RUN: Final = 1
_RUN: Final = re.compile(rb"(.)\1{7,}", re.DOTALL)

_ZLIB_HEAD: Final = bytes([0x78, 0x01])
_ZLIB_BLOCK_LIMIT: Final = 0xFFFF

#: The mark of MariaDB's compressed parts, to which the number of bytes of the size is added.
_MARIADB_MARK: Final = 0x80


def zstd_frame(data: bytes) -> bytes:
    """Return `data` as a zstd frame."""
    blocks: list[tuple[int, int, bytes]] = []
    at = 0
    for run in _RUN.finditer(data):
        blocks += _plain_blocks(data[at : run.start()])
        for start in range(run.start(), run.end(), _ZSTD_BLOCK_LIMIT):
            blocks.append((_ZSTD_RUN, min(run.end() - start, _ZSTD_BLOCK_LIMIT), run.group(1)))
        at = run.end()
    blocks += _plain_blocks(data[at:])
    blocks = blocks or [(0, 0, b"")]
    frame = bytearray(_ZSTD_MAGIC + _ZSTD_FRAME)
    for number, (kind, size, content) in enumerate(blocks, 1):
        head = size << 3 | kind << 1 | (number == len(blocks))
        frame += head.to_bytes(3, "little") + content
    return bytes(frame)


def _plain_blocks(data: bytes) -> list[tuple[int, int, bytes]]:
    parts = [data[at : at + _ZSTD_BLOCK_LIMIT] for at in range(0, len(data), _ZSTD_BLOCK_LIMIT)]
    return [(0, len(part), part) for part in parts]


def zlib_stream(data: bytes) -> bytes:
    """Return `data` as a zlib stream."""
    stream = bytearray(_ZLIB_HEAD)
    for at in range(0, max(len(data), 1), _ZLIB_BLOCK_LIMIT):
        part = data[at : at + _ZLIB_BLOCK_LIMIT]
        last = at + _ZLIB_BLOCK_LIMIT >= len(data)
        stream += bytes([last]) + len(part).to_bytes(2, "little") + (len(part) ^ 0xFFFF).to_bytes(2, "little") + part
    return bytes(stream) + zlib.adler32(data).to_bytes(4, "big")


def mariadb_part(data: bytes) -> bytes:
    """Return `data` as a compressed part of a MariaDB event: a mark, the size, and a zlib stream."""
    width = max(1, (len(data).bit_length() + 7) // 8)
    return bytes([_MARIADB_MARK | width]) + len(data).to_bytes(width, "big") + zlib_stream(data)
