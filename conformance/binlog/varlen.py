"""Integers of variable length, as the tagged Gtid event writes them.

The number of one-bits at the low end of the first byte is the number of bytes that follow it, 0 to 8; the value is in
the bits above them and their closing zero, little-endian. Source: files of MySQL 8.3 and later.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Values, take
from conformance.binlog.errors import MalformedBody

_UUID_BYTES: Final = 16


def varlen_width(value: int) -> int:
    """Return the size of an unsigned integer in bytes, 1 to 9."""
    width = max(1, -(-value.bit_length() // 7))
    return min(width, 9)


@dataclass(frozen=True, slots=True)
class Varlen:
    """An integer of variable length; with `signed`, the sign is in the lowest bit."""

    signed: bool = False

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[int, int]:
        """See `Codec.read`."""
        first = take(data, at, end, 1)[0]
        following = (~first & (first + 1)).bit_length() - 1
        if following == 8:
            value = int.from_bytes(take(data, at + 1, end, 8), "little")
        else:
            value = int.from_bytes(take(data, at, end, 1 + following), "little") >> (following + 1)
        if self.signed:
            value = -(value >> 1) - 1 if value & 1 else value >> 1
        return value, at + 1 + following

    def write(self, value: int, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        raw = (value << 1 if value >= 0 else ~value << 1 | 1) if self.signed else value
        if not 0 <= raw < 1 << 64:
            raise ValueError(f"{value} does not fit in 64 bits")
        width = varlen_width(raw)
        if width == 9:
            return b"\xff" + raw.to_bytes(8, "little")
        return (raw << width | (1 << (width - 1)) - 1).to_bytes(width, "little")


@dataclass(frozen=True, slots=True)
class VarlenUuid:
    """A UUID whose bytes are integers of variable length; the value has 16 bytes."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        uuid = bytearray()
        for _ in range(_UUID_BYTES):
            part, at = Varlen().read(data, at, end, values)
            if part > 0xFF:
                raise MalformedBody(f"{part} is not a valid byte of a UUID")
            uuid.append(part)
        return bytes(uuid), at

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        if len(value) != _UUID_BYTES:
            raise ValueError(f"{value!r} has {len(value)} bytes; a UUID has {_UUID_BYTES}")
        return b"".join(Varlen().write(part, values) for part in value)


@dataclass(frozen=True, slots=True)
class VarlenText:
    """Bytes preceded by their length, which is an integer of variable length."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        size, at = Varlen().read(data, at, end, values)
        return bytes(take(data, at, end, size)), at + size

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return Varlen().write(len(value), values) + value
