"""Writing JSON documents: from Python values to the binary form that `json_document` reads."""

import struct
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.decimal_column import DecimalColumn
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_types import LITERALS, JsonOpaque, JsonType, JsonUnsigned
from conformance.binlog.rows.temporal import Date, DateTime, Time, pack_clock, pack_datetime

_LITERAL_CODES: Final = {value: code for code, value in LITERALS.items()}
#: The integer types that servers choose, the narrowest first: of numbers with a sign, and of those without.
_SIGNED: Final = (
    (JsonType.INT16, 2, True),
    (JsonType.INT32, 4, True),
    (JsonType.INT64, 8, True),
    (JsonType.UINT64, 8, False),
)
_UNSIGNED: Final = (
    (JsonType.UINT16, 2, False),
    (JsonType.UINT32, 4, False),
    (JsonType.UINT64, 8, False),
)
_SMALL_LIMIT: Final = 0xFFFF


def write_json(value: Any, *, left: bytes = b"") -> JsonDocument:
    """Return the document that holds `value`; see `JsonDocument.value` for the types it may have.

    Args:
        value: The value.
        left: What earlier values have left after each key and value, as servers since 8.0.3 leave it that update a
            document in place; values are then not in the order of their entries.

    Raises:
        ValueError: JSON cannot represent a value, or an integer has more than 64 bits.
    """
    kind, data = _encode(value, left)
    return JsonDocument(bytes([kind]) + data)


def _encode(value: Any, left: bytes) -> tuple[int, bytes]:
    if value is None or isinstance(value, bool):
        return JsonType.LITERAL, bytes([_LITERAL_CODES[value]])
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return JsonType.DOUBLE, struct.pack("<d", value)
    if isinstance(value, str):
        text = _utf8(value)
        return JsonType.STRING, _length(len(text)) + text
    if isinstance(value, Mapping):
        keys = sorted((_utf8(key) for key in value), key=lambda key: (len(key), key))
        by_key = {_utf8(key): each for key, each in value.items()}
        return _container(keys, [by_key[key] for key in keys], left)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return _container(None, value, left)
    return _opaque(value)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _integer(value: int) -> tuple[int, bytes]:
    for kind, size, signed in _UNSIGNED if isinstance(value, JsonUnsigned) else _SIGNED:
        low, high = (-(1 << 8 * size - 1), 1 << 8 * size - 1) if signed else (0, 1 << 8 * size)
        if low <= value < high:
            return kind, value.to_bytes(size, "little", signed=signed)
    raise ValueError(f"{value} does not fit in 64 bits")


def _length(size: int) -> bytes:
    parts = bytearray()
    while size > 0x7F:
        parts.append(size & 0x7F | 0x80)
        size >>= 7
    parts.append(size)
    return bytes(parts)


def _container(keys: Sequence[bytes] | None, values: Sequence[Any], left: bytes) -> tuple[int, bytes]:
    encoded = [_encode(each, left) for each in values]
    kinds = (JsonType.SMALL_ARRAY, JsonType.LARGE_ARRAY)
    if keys is not None:
        kinds = (JsonType.SMALL_OBJECT, JsonType.LARGE_OBJECT)
    data = _lay_out(keys, encoded, 2, left)
    if data is not None:
        return kinds[0], data
    data = _lay_out(keys, encoded, 4, left)
    if data is None:
        raise ValueError("the JSON document is larger than 4 GiB")
    return kinds[1], data


def _lay_out(
    keys: Sequence[bytes] | None, encoded: Sequence[tuple[int, bytes]], width: int, left: bytes
) -> bytes | None:
    """Return a container with offsets of `width` bytes; None if it is too large for them."""
    limit = _SMALL_LIMIT if width == 2 else 0xFFFFFFFF
    count = len(encoded)
    offset = 2 * width + count * (1 + width) + (count * (width + 2) if keys is not None else 0)
    head = bytearray()
    tail = bytearray()
    for key in keys or ():
        if offset + len(tail) > limit:
            return None
        if len(key) > _SMALL_LIMIT:
            raise ValueError(f"a JSON key of {len(key)} bytes; the limit is {_SMALL_LIMIT}")
        head += (offset + len(tail)).to_bytes(width, "little") + len(key).to_bytes(2, "little")
        tail += key + left
    entries = [b""] * count
    for index in reversed(range(count)) if left else range(count):
        kind, data = encoded[index]
        if kind in _INLINE and len(data) <= width:
            signed = kind in (JsonType.INT16, JsonType.INT32)
            number = int.from_bytes(data, "little", signed=signed)
            entries[index] = bytes([kind]) + number.to_bytes(width, "little", signed=signed)
            continue
        if offset + len(tail) > limit:
            return None
        entries[index] = bytes([kind]) + (offset + len(tail)).to_bytes(width, "little")
        tail += data + left
    size = 2 * width + sum(map(len, entries)) + len(head) + len(tail)
    if size > limit or count > limit:
        return None
    return count.to_bytes(width, "little") + size.to_bytes(width, "little") + bytes(head) + b"".join(entries) + tail


_INLINE: Final = frozenset({JsonType.LITERAL, JsonType.INT16, JsonType.INT32, JsonType.UINT16, JsonType.UINT32})


def _opaque(value: Any) -> tuple[int, bytes]:
    if isinstance(value, Decimal):
        digits = value.as_tuple()
        scale = max(-int(digits.exponent), 0)
        precision = max(len(digits.digits) + max(int(digits.exponent), 0), scale, 1)
        code, data = ColumnType.NEWDECIMAL, DecimalColumn(precision, scale).write(value, {})
        return _opaque_bytes(code, bytes([precision, scale]) + data)
    if isinstance(value, DateTime):
        return _temporal(ColumnType.DATETIME, pack_datetime(value) << 24 | value.microsecond)
    if isinstance(value, Date):
        return _temporal(ColumnType.DATE, pack_datetime(DateTime(value.year, value.month, value.day)) << 24)
    if isinstance(value, Time):
        packed = pack_clock(value.hour, value.minute, value.second) << 24 | value.microsecond
        return _temporal(ColumnType.TIME, -packed if value.negative else packed)
    if isinstance(value, JsonOpaque):
        return _opaque_bytes(value.type, value.data)
    raise ValueError(f"JSON cannot represent {value!r}")


def _temporal(code: int, packed: int) -> tuple[int, bytes]:
    return _opaque_bytes(code, packed.to_bytes(8, "little", signed=True))


def _opaque_bytes(code: int, data: bytes) -> tuple[int, bytes]:
    return JsonType.OPAQUE, bytes([code]) + _length(len(data)) + data
