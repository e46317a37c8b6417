"""MariaDB's zlib: compressed events, and the values of compressed columns.

The statement or the row images of a compressed event are preceded by a byte that holds the algorithm (0 is zlib) and
the number of bytes of the uncompressed size, and by that size, big-endian. A value of a compressed column has such a
head too, with algorithm 8 for zlib and 0 for a value that is not compressed.

Sources: files of MariaDB 10.11 and 11.8.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Counted, Int, Values, take
from conformance.binlog.errors import MalformedBody
from conformance.binlog.limits import check_event_bytes

_MARK: Final = 0x80
_ALGORITHM: Final = 0x70
_SIZE_BYTES: Final = 0x07
_ZLIB: Final = 0

#: The first byte of a column's value: not compressed, or the algorithm zlib, a flag, and the size's number of bytes.
UNCOMPRESSED: Final = 0x00
_COLUMN_ALGORITHM: Final = 0xF0
_COLUMN_ZLIB: Final = 0x80
#: The flag: no zlib header and no checksum, as with ``column_compression_zlib_wrap=OFF``.
_BARE: Final = 0x08


def unpack_mariadb(data: bytes) -> bytes:
    """Return what `data` was before MariaDB compressed it.

    Raises:
        MalformedBody: It is not compressed that way, or unpacks to another size than it declares.
        LimitExceeded: It unpacks to more bytes than an event may have.
    """
    head = take(data, 0, len(data), 1)[0]
    if not head & _MARK or head & _ALGORITHM != _ZLIB:
        raise MalformedBody(f"{head:#04x} is not a valid first byte of compressed data: zlib has 0x81 to 0x84")
    return _inflate(data, head & _SIZE_BYTES, zlib.MAX_WBITS)


def statement_of(fields: Mapping[str, Any]) -> bytes:
    """Return the statement in the fields of a Query event, compressed or not.

    Raises:
        MalformedBody: See `unpack_mariadb`.
    """
    query: bytes = unpack_mariadb(fields["compressed_query"]) if "compressed_query" in fields else fields["query"]
    return query


def _inflate(data: bytes, size_bytes: int, window: int) -> bytes:
    """Return the data after a head of one byte and a size; `window` as zlib counts it, negative without its header."""
    border = 1 + size_bytes
    size = int.from_bytes(take(data, 1, len(data), size_bytes), "big")
    check_event_bytes(size, "compressed data unpacks to")
    unpacker = zlib.decompressobj(window)
    try:
        unpacked = unpacker.decompress(memoryview(data)[border:], size + 1)
    except zlib.error as error:
        raise MalformedBody(f"compressed data is not a valid zlib stream: {error}") from error
    if len(unpacked) != size:
        raise MalformedBody(
            f"compressed data declares {size} bytes uncompressed, but unpacks to {len(unpacked)} or more"
        )
    return unpacked


def pack_mariadb(data: bytes) -> bytes:
    """Return `data` compressed as MariaDB does."""
    width = max(1, (len(data).bit_length() + 7) // 8)
    return bytes([_MARK | width]) + len(data).to_bytes(width, "big") + zlib.compress(data)


@dataclass(frozen=True, slots=True)
class PackedValue:
    """A value of a compressed column.

    Attributes:
        packed: Its bytes in the row image, after their length; none for the empty value.
    """

    packed: bytes

    @property
    def size(self) -> int:
        """The bytes that it unpacks to, as it declares them."""
        if not self.packed or self.packed[0] == UNCOMPRESSED:
            return len(self.packed)
        return int.from_bytes(self.packed[1 : 1 + (self.packed[0] & _SIZE_BYTES)], "big")

    def unpacked(self) -> bytes:
        """Return the value.

        Raises:
            MalformedBody: It is not packed that way, or unpacks to another size than it declares.
            LimitExceeded: It unpacks to more bytes than an event may have.
        """
        if not self.packed:
            return b""
        head = self.packed[0]
        if head == UNCOMPRESSED:
            return self.packed[1:]
        if head & _COLUMN_ALGORITHM != _COLUMN_ZLIB:
            raise MalformedBody(
                f"{head:#04x} is not a valid first byte of a compressed column: 0x00 and 0x81 to 0x8f are"
            )
        window = -zlib.MAX_WBITS if head & _BARE else zlib.MAX_WBITS
        return _inflate(self.packed, head & _SIZE_BYTES, window)

    @classmethod
    def deflated(cls, stream: bytes, size: int, *, bare: bool) -> "PackedValue":
        """Return the value that a zlib stream holds.

        Args:
            stream: The stream, with zlib's header and checksum unless it is `bare`.
            size: The value's size in bytes.
            bare: Whether the stream has neither header nor checksum.
        """
        width = max(1, (size.bit_length() + 7) // 8)
        head = _COLUMN_ZLIB | (_BARE if bare else 0) | width
        return cls(bytes([head]) + size.to_bytes(width, "big") + stream)


@dataclass(frozen=True, slots=True)
class PackedColumn:
    """A compressed column: the value preceded by its length."""

    length_bytes: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[PackedValue, int]:
        """See `Codec.read`."""
        packed, after = Counted(Int(self.length_bytes)).read(data, at, end, values)
        return PackedValue(packed), after

    def write(self, value: PackedValue, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return Counted(Int(self.length_bytes)).write(value.packed, values)
