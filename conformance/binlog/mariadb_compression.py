"""MariaDB's zlib: compressed events, and the values of compressed columns.

A statement or the row images of a compressed event stand behind a byte that holds the algorithm (0 is zlib) and the
number of bytes of the uncompressed size, which follows big-endian. A value of a compressed column has such a head too,
with an algorithm of 8 for zlib and of 0 for a value that stands there as it is.

Sources: files of MariaDB 10.11 and 11.8.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Counted, Int, Values, take
from conformance.binlog.errors import MalformedBody

#: The most bytes that a compressed part may unpack to, unless the caller says otherwise.
UNPACKED_LIMIT: Final = 1 << 30
_MARK: Final = 0x80
_ALGORITHM: Final = 0x70
_SIZE_BYTES: Final = 0x07
_ZLIB: Final = 0

#: The first byte of a column's value: as it is, or the algorithm zlib, a flag, and the number of bytes of the size.
AS_IT_IS: Final = 0x00
_COLUMN_ALGORITHM: Final = 0xF0
_COLUMN_ZLIB: Final = 0x80
#: The flag: neither zlib's own head nor its checksum, as with ``column_compression_zlib_wrap=OFF``.
_BARE: Final = 0x08


def unpack_mariadb(data: bytes, *, limit: int = UNPACKED_LIMIT) -> bytes:
    """Return what `data` was before MariaDB compressed it.

    Raises:
        MalformedBody: It is not compressed so, or unpacks to more than `limit` bytes or another size than it says.
    """
    head = take(data, 0, len(data), 1)[0]
    if not head & _MARK or head & _ALGORITHM != _ZLIB:
        raise MalformedBody(f"a compressed part that begins with {head:#04x}; 0x81 to 0x84 are zlib")
    return _inflated(data, head & _SIZE_BYTES, limit, zlib.MAX_WBITS)


def _inflated(data: bytes, size_bytes: int, limit: int, window: int) -> bytes:
    """Return the data behind a head of one byte and a size; `window` as zlib counts it, negative without its head."""
    border = 1 + size_bytes
    size = int.from_bytes(take(data, 1, len(data), size_bytes), "big")
    if size > limit:
        raise MalformedBody(f"a compressed part of {size} bytes uncompressed; the limit is {limit}")
    unpacker = zlib.decompressobj(window)
    try:
        unpacked = unpacker.decompress(data[border:], size + 1)
    except zlib.error as error:
        raise MalformedBody(f"a compressed part that is no zlib stream: {error}") from error
    if len(unpacked) != size:
        raise MalformedBody(f"a compressed part says {size} bytes and unpacks to {len(unpacked)} or more")
    return unpacked


def pack_mariadb(data: bytes) -> bytes:
    """Return `data` compressed the way MariaDB does it."""
    width = max(1, (len(data).bit_length() + 7) // 8)
    return bytes([_MARK | width]) + len(data).to_bytes(width, "big") + zlib.compress(data)


@dataclass(frozen=True, slots=True)
class PackedValue:
    """A value of a compressed column.

    Attributes:
        packed: Its bytes in the row image, behind their length; none for the empty value.
    """

    packed: bytes

    def unpacked(self, *, limit: int = UNPACKED_LIMIT) -> bytes:
        """Return the value.

        Raises:
            MalformedBody: It is not packed so, or unpacks to more than `limit` bytes or another size than it says.
        """
        if not self.packed:
            return b""
        head = self.packed[0]
        if head == AS_IT_IS:
            return self.packed[1:]
        if head & _COLUMN_ALGORITHM != _COLUMN_ZLIB:
            raise MalformedBody(f"a compressed column that begins with {head:#04x}; 0x00 and 0x81 to 0x8f are known")
        window = -zlib.MAX_WBITS if head & _BARE else zlib.MAX_WBITS
        return _inflated(self.packed, head & _SIZE_BYTES, limit, window)

    @classmethod
    def deflated(cls, stream: bytes, size: int, *, bare: bool) -> "PackedValue":
        """Return the value that a zlib stream holds.

        Args:
            stream: The stream, with zlib's own head and checksum unless it is `bare`.
            size: Bytes of the value.
            bare: Whether the stream stands alone.
        """
        width = max(1, (size.bit_length() + 7) // 8)
        head = _COLUMN_ZLIB | (_BARE if bare else 0) | width
        return cls(bytes([head]) + size.to_bytes(width, "big") + stream)


@dataclass(frozen=True, slots=True)
class PackedColumn:
    """A compressed column: its value behind the value's length."""

    length_bytes: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[PackedValue, int]:
        """See `Codec.read`."""
        packed, behind = Counted(Int(self.length_bytes)).read(data, at, end, values)
        return PackedValue(packed), behind

    def write(self, value: PackedValue, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return Counted(Int(self.length_bytes)).write(value.packed, values)
