"""Checksums: the CRC32 at the end of an event (MySQL 5.6.1, MariaDB 5.3 and later)."""

import zlib
from enum import IntEnum
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import FLAGS_AT, HEADER_BYTES, TYPE_AT

CHECKSUM_BYTES: Final = 4
#: The CRC32 of any bytes that end with their own CRC32.
RESIDUE: Final = 0x2144DF1C
_IN_USE: Final = int(Flag.BINLOG_IN_USE)
_FORMAT_DESCRIPTION: Final = int(EventType.FORMAT_DESCRIPTION)


class ChecksumAlgorithm(IntEnum):
    """The algorithm byte of a format description event."""

    NONE = 0
    CRC32 = 1
    UNDEFINED = 255


def ends_with_checksum(event: bytes) -> bool:
    """Return whether the last four bytes of a whole event are the right CRC32 of what is before them."""
    end = len(event) - CHECKSUM_BYTES
    return end >= HEADER_BYTES and checksum(event[:end]) == int.from_bytes(event[end:], "little")


def checksum(event: bytes | bytearray | memoryview) -> int:
    """Return the CRC32 of an event given without its four checksum bytes.

    In a format description the in-use bit counts as cleared: a server clears it in place when it closes
    the file, and does not update the checksum.
    """
    if event[TYPE_AT] == _FORMAT_DESCRIPTION and event[FLAGS_AT] & _IN_USE:
        event = bytearray(event)
        event[FLAGS_AT] &= ~_IN_USE
    return zlib.crc32(event)
