"""MariaDB's compressed events: a statement or row images behind their uncompressed size, packed with zlib.

The first byte holds the algorithm (0 is zlib) and the number of bytes of the size, which follows big-endian.
"""

import zlib
from typing import Final

from conformance.binlog.codecs import take
from conformance.binlog.errors import MalformedBody

#: The most bytes that a compressed part may unpack to, unless the caller says otherwise.
UNPACKED_LIMIT: Final = 1 << 30
_MARK: Final = 0x80
_ALGORITHM: Final = 0x70
_SIZE_BYTES: Final = 0x07
_ZLIB: Final = 0


def unpack_mariadb(data: bytes, *, limit: int = UNPACKED_LIMIT) -> bytes:
    """Return what `data` was before MariaDB compressed it.

    Raises:
        MalformedBody: It is not compressed so, or unpacks to more than `limit` bytes or another size than it says.
    """
    head = take(data, 0, len(data), 1)[0]
    if not head & _MARK or head & _ALGORITHM != _ZLIB:
        raise MalformedBody(f"a compressed part that begins with {head:#04x}; 0x81 to 0x84 are zlib")
    border = 1 + (head & _SIZE_BYTES)
    size = int.from_bytes(take(data, 1, len(data), border - 1), "big")
    if size > limit:
        raise MalformedBody(f"a compressed part of {size} bytes uncompressed; the limit is {limit}")
    unpacker = zlib.decompressobj()
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
