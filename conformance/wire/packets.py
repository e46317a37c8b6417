"""Packets of the client/server protocol: a length of three bytes, a number, and at most 16 MiB less one byte."""

import struct
from collections.abc import Iterator
from typing import Final

#: Bytes before a packet's content, and the most that the content may have: a longer one goes on in the next packet.
HEAD_BYTES: Final = 4
PACKET_LIMIT: Final = 0xFFFFFF


def packed(payload: bytes, number: int) -> Iterator[bytes]:
    """Yield the packets of a payload, each with its head.

    One of which the last packet would be full is followed by an empty one, which shows that it ends.

    Args:
        payload: The payload.
        number: The number of the first packet, of 0 to 255.
    """
    at = 0
    while True:
        piece = payload[at : at + PACKET_LIMIT]
        yield struct.pack("<I", len(piece) | (number & 0xFF) << 24) + piece
        number, at = number + 1, at + PACKET_LIMIT
        if len(piece) < PACKET_LIMIT:
            return


def packet_head(head: bytes) -> tuple[int, int]:
    """Return the length of a packet's content in bytes, and its number."""
    (both,) = struct.unpack("<I", head)
    return both & PACKET_LIMIT, both >> 24


def counted(text: bytes) -> bytes:
    """Return a text with its length before it, as columns have it."""
    size = len(text)
    if size < 0xFB:
        return bytes([size]) + text
    if size <= 0xFFFF:
        return b"\xfc" + struct.pack("<H", size) + text
    return b"\xfd" + struct.pack("<I", size)[:3] + text
