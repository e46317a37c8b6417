"""Codecs: how one field of an event is encoded.

A codec reads at an offset and returns the value and where the field ends; it writes what it reads. A field that
depends on another one (a length, a flag) finds it in the values read so far.
"""

import struct
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from conformance.binlog.errors import MalformedBody, MissingField
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.limits import check_values

Values = MutableMapping[str, Any]


class Fields(dict[str, Any]):
    """The fields of an event by name; to take one that the event does not have is an error in the event."""

    def __missing__(self, name: str) -> Any:
        """Raise `MissingField`."""
        raise MissingField(name)


class Codec(Protocol):
    """How one field is encoded."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Any, int]:
        """Return the value at `at` and the offset after it; `end` is exclusive.

        Raises:
            MalformedBody: The field runs past `end`, or its bytes are not a valid value.
        """

    def write(self, value: Any, values: Mapping[str, Any]) -> bytes:
        """Return the bytes of `value`; `values` are all fields of the event."""


def take(data: bytes, at: int, end: int, size: int) -> bytes:
    """Return `size` bytes at `at`.

    Raises:
        MalformedBody: Fewer are left before `end`.
    """
    if at + size > end:
        raise MalformedBody(f"expected {size} bytes at byte {at} of the event, found {max(end - at, 0)}")
    return data[at : at + size]


#: Width in bytes of an unsigned integer -> its code in `struct` formats.
_STRUCT_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


@dataclass(frozen=True, slots=True)
class Int:
    """A little-endian integer of a fixed width in bytes."""

    size: int
    signed: bool = False
    _unpack: Callable[[bytes, int], tuple[int]] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        code = self.struct_code
        object.__setattr__(self, "_unpack", None if code is None else struct.Struct(f"<{code}").unpack_from)

    @property
    def struct_code(self) -> str | None:
        """Its code in `struct` formats, None for a width that has none."""
        code = _STRUCT_CODES.get(self.size)
        return code.lower() if code is not None and self.signed else code

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[int, int]:
        """See `Codec.read`."""
        after = at + self.size
        # `take` inlined, and a struct where there is one: most fields are integers.
        if self._unpack is not None and after <= end:
            return self._unpack(data, at)[0], after
        piece = data[at:after] if after <= end else take(data, at, end, self.size)
        return int.from_bytes(piece, "little", signed=self.signed), after

    def write(self, value: int, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return value.to_bytes(self.size, "little", signed=self.signed)


@dataclass(frozen=True, slots=True)
class FlaggedInt:
    """An unsigned integer whose highest bit is set if the field named `announces` follows."""

    size: int
    announces: str

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[int, int]:
        """See `Codec.read`."""
        whole = int.from_bytes(take(data, at, end, self.size), "little")
        top = 1 << (8 * self.size - 1)
        values[f"has_{self.announces}"] = bool(whole & top)
        return whole & (top - 1), at + self.size

    def write(self, value: int, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        announced = values.get(f"has_{self.announces}", self.announces in values)
        top = 1 << (8 * self.size - 1) if announced else 0
        return (value | top).to_bytes(self.size, "little")


#: The packed (length-encoded) integer: first byte -> bytes that follow it.
_PACKED_WIDTHS = {0xFC: 2, 0xFD: 3, 0xFE: 8}


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed integer: 0 to 250 in one byte, else 0xfc, 0xfd or 0xfe and 2, 3 or 8 bytes."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[int, int]:
        """See `Codec.read`."""
        first = take(data, at, end, 1)[0]
        if first <= 250:
            return first, at + 1
        if first not in _PACKED_WIDTHS:
            raise MalformedBody(f"byte {at} of the event is {first:#04x}, which cannot begin a packed integer")
        width = _PACKED_WIDTHS[first]
        return int.from_bytes(take(data, at + 1, end, width), "little"), at + 1 + width

    def write(self, value: int, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        if value <= 250:
            return bytes([value])
        for first, width in _PACKED_WIDTHS.items():
            if value < 1 << (8 * width):
                return bytes([first]) + value.to_bytes(width, "little")
        raise ValueError(f"{value} does not fit in a packed integer of 8 bytes")


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes of a fixed or computed size; `size` may be a function of the values read so far."""

    size: int | Callable[[Mapping[str, Any]], int]

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        size = self.size if isinstance(self.size, int) else self.size(values)
        return bytes(take(data, at, end, size)), at + size

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        if isinstance(self.size, int) and len(value) != self.size:
            raise ValueError(f"{value!r} has {len(value)} bytes; the field takes exactly {self.size}")
        return value


@dataclass(frozen=True, slots=True)
class Rest:
    """All bytes up to the end of the event (its checksum excluded)."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        return bytes(data[at:end]), max(at, end)

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return value


@dataclass(frozen=True, slots=True)
class Counted:
    """Bytes preceded by their length, and followed by a NUL if `nul` is set."""

    length: Int | Packed
    nul: bool = False

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        size, at = self.length.read(data, at, end, values)
        value = bytes(take(data, at, end, size))
        if self.nul and take(data, at + size, end, 1) != b"\0":
            raise MalformedBody(f"expected NUL at byte {at + size} of the event, after {value!r}")
        return value, at + size + self.nul

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return self.length.write(len(value), values) + value + b"\0" * self.nul


@dataclass(frozen=True, slots=True)
class Padded:
    """Text in a field of fixed size, padded with NUL."""

    size: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        return take(data, at, end, self.size).rstrip(b"\0"), at + self.size

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        if len(value) > self.size:
            raise ValueError(f"{value!r} is longer than the field's {self.size} bytes")
        return value.ljust(self.size, b"\0")


@dataclass(frozen=True, slots=True)
class Terminated:
    """Bytes up to a NUL, which is part of the field but not of the value."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[bytes, int]:
        """See `Codec.read`."""
        nul = data.find(b"\0", at, end)
        if nul < 0:
            raise MalformedBody(f"the text at byte {at} of the event is not terminated by NUL")
        return bytes(data[at:nul]), nul + 1

    def write(self, value: bytes, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        if b"\0" in value:
            raise ValueError(f"{value!r} contains a NUL, which would terminate it")
        return value + b"\0"


@dataclass(frozen=True, slots=True)
class Record:
    """Consecutive parts; the value is a dict of them by name."""

    parts: tuple[tuple[str, Codec], ...]

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[dict[str, Any], int]:
        """See `Codec.read`."""
        record: dict[str, Any] = {}
        for name, codec in self.parts:
            record[name], at = codec.read(data, at, end, values)
        return record, at

    def write(self, value: Mapping[str, Any], values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return b"".join(codec.write(value[name], values) for name, codec in self.parts)


#: Every how many entries, minus one, a list is held against its limit.
_STEP: Final = 0xFFF


@dataclass(frozen=True, slots=True)
class Repeated:
    """Items of one codec; `count` computes their number from the values read so far, None: up to the end."""

    item: Codec
    count: Callable[[Mapping[str, Any]], int] | None = None

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[Any, ...], int]:
        """See `Codec.read`."""
        items: list[Any] = []
        left = end - at if self.count is None else self.count(values)
        while at < end if self.count is None else len(items) < left:
            value, at = self.item.read(data, at, end, values)
            items.append(value)
            if not len(items) & _STEP:
                check_values(len(items), "entries in a list")
        return tuple(items), at

    def write(self, value: Sequence[Any], values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return b"".join(self.item.write(each, values) for each in value)


@dataclass(frozen=True, slots=True)
class Gtids:
    """The GTID set that makes up a Previous_gtids body."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[GtidSet, int]:
        """See `Codec.read`."""
        return GtidSet.from_bytes(bytes(data[at:end])), end

    def write(self, value: GtidSet, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return value.to_bytes()


U8, U16, U32, U48, U64 = Int(1), Int(2), Int(4), Int(6), Int(8)
I64 = Int(8, signed=True)
