"""JSON columns: the binary form of MySQL's JSON documents, read.

A value is a type byte and bytes. The entries of a container are offsets of two or four bytes from the container's
start; literals and short integers are in the entry itself.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Int, Values, take
from conformance.binlog.errors import MalformedBody
from conformance.binlog.limits import check_values, current_limits
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.decimal_column import DecimalColumn
from conformance.binlog.rows.json_types import DEPTH_LIMIT, LITERALS, JsonOpaque, JsonType
from conformance.binlog.rows.temporal import Date, DateTime, Time, unpack_datetime

#: Type byte -> (bytes, signed) of the integers.
_INTEGERS: Final = {
    JsonType.INT16: (2, True),
    JsonType.UINT16: (2, False),
    JsonType.INT32: (4, True),
    JsonType.UINT32: (4, False),
    JsonType.INT64: (8, True),
    JsonType.UINT64: (8, False),
}
_CONTAINERS: Final = frozenset(
    {JsonType.SMALL_OBJECT, JsonType.LARGE_OBJECT, JsonType.SMALL_ARRAY, JsonType.LARGE_ARRAY}
)
_OBJECTS: Final = frozenset({JsonType.SMALL_OBJECT, JsonType.LARGE_OBJECT})
_LARGE: Final = frozenset({JsonType.LARGE_OBJECT, JsonType.LARGE_ARRAY})


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A JSON document as a column holds it.

    Attributes:
        data: The type byte and the value; empty for the document that INSERT IGNORE leaves of a NULL in a column that
            may not be NULL, which is read as null.
    """

    data: bytes

    def value(self) -> Any:
        """Return the document as Python values.

        Objects are dicts, arrays lists, literals None, True and False; decimals are `Decimal`, temporal values
        the types of `conformance.binlog.rows.temporal`, other opaque values `JsonOpaque`.

        Raises:
            MalformedBody: The bytes are not a valid document.
            LimitExceeded: It has more values than a document may have.
        """
        if not self.data:
            return None
        return _Reader(self.data).value(self.data[0], 1, len(self.data), 0)


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """The codec of a JSON column: a length of `length_bytes` bytes and a document."""

    length_bytes: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[JsonDocument, int]:
        """See `Codec.read`."""
        size, at = Int(self.length_bytes).read(data, at, end, values)
        return JsonDocument(bytes(take(data, at, end, size))), at + size

    def write(self, value: JsonDocument, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return len(value.data).to_bytes(self.length_bytes, "little") + value.data


class _Reader:
    """Reads one document; values must not overlap, so no more can be read than the document has bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = len(data)
        self._values = 0
        self._limit = current_limits().values

    def value(self, kind: int, at: int, end: int, depth: int) -> Any:
        self._spend(1)
        self._values += 1
        if self._values > self._limit:
            check_values(self._values, "values in a JSON document, or more")
        if kind in _CONTAINERS:
            return self._container(kind, at, end, depth)
        if kind == JsonType.LITERAL:
            return self._literal(take(self._data, at, end, 1)[0])
        if kind in _INTEGERS:
            size, signed = _INTEGERS[JsonType(kind)]
            return int.from_bytes(take(self._data, at, end, size), "little", signed=signed)
        if kind == JsonType.DOUBLE:
            return float(struct.unpack("<d", take(self._data, at, end, 8))[0])
        if kind == JsonType.STRING:
            return self._text(*self._data_bounds(at, end))
        if kind == JsonType.OPAQUE:
            code = take(self._data, at, end, 1)[0]
            start, after = self._data_bounds(at + 1, end)
            return _opaque(code, self._data[start:after])
        raise MalformedBody(f"{kind} is not a valid type of a JSON value")

    def _container(self, kind: int, at: int, end: int, depth: int) -> Any:
        if depth > DEPTH_LIMIT:
            raise MalformedBody(f"a JSON document is nested deeper than {DEPTH_LIMIT} levels")
        width = 4 if kind in _LARGE else 2
        count, size = self._number(at, end, width), self._number(at + width, end, width)
        if at + size > end:
            raise MalformedBody(f"expected a JSON container of {size} bytes, found {end - at}")
        end = at + size
        entries = at + 2 * width
        if kind not in _OBJECTS:
            return [
                self._entry(at, entries + index * (1 + width), end, width, depth)
                for index in range(self._check_count(count, 1 + width, end - entries))
            ]
        self._check_count(count, 3 + 2 * width, end - entries)
        values_at = entries + count * (width + 2)
        members: dict[str, Any] = {}
        for index in range(count):
            key_at = entries + index * (width + 2)
            start = at + self._number(key_at, end, width)
            length = self._number(key_at + width, end, 2)
            key = self._text(start, start + length, end)
            members[key] = self._entry(at, values_at + index * (1 + width), end, width, depth)
        return members

    def _entry(self, container: int, at: int, end: int, width: int, depth: int) -> Any:
        kind = take(self._data, at, end, 1)[0]
        inline = kind == JsonType.LITERAL or (kind in _INTEGERS and _INTEGERS[JsonType(kind)][0] <= width)
        if inline:
            return self.value(kind, at + 1, at + 1 + width, depth + 1)
        return self.value(kind, container + self._number(at + 1, end, width), end, depth + 1)

    def _data_bounds(self, at: int, end: int) -> tuple[int, int]:
        """Return the start and end of the bytes after a length encoded in seven bits per byte."""
        size = 0
        for index in range(5):
            part = take(self._data, at + index, end, 1)[0]
            size |= (part & 0x7F) << (7 * index)
            if not part & 0x80:
                start = at + index + 1
                take(self._data, start, end, size)
                self._spend(size)
                return start, start + size
        raise MalformedBody("the length of a JSON value has more than 5 bytes")

    def _text(self, start: int, after: int, end: int | None = None) -> str:
        if end is not None:
            take(self._data, start, end, after - start)
            self._spend(after - start)
        return self._data[start:after].decode("utf-8", "surrogateescape")

    def _number(self, at: int, end: int, width: int) -> int:
        return int.from_bytes(take(self._data, at, end, width), "little")

    def _check_count(self, count: int, size: int, left: int) -> int:
        if count * size > left:
            raise MalformedBody(f"{count} JSON entries do not fit in {left} bytes")
        return count

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise MalformedBody("the values of a JSON document overlap")

    @staticmethod
    def _literal(code: int) -> bool | None:
        if code not in LITERALS:
            raise MalformedBody(f"{code} is not a valid JSON literal")
        return LITERALS[code]


def _opaque(code: int, data: bytes) -> Any:
    if code == ColumnType.NEWDECIMAL and len(data) >= 2:
        value, _ = DecimalColumn(data[0], data[1]).read(data, 2, len(data), {})
        return value
    if code in (ColumnType.DATE, ColumnType.TIME, ColumnType.DATETIME) and len(data) == 8:
        return unpack_temporal(code, int.from_bytes(data, "little", signed=True))
    return JsonOpaque(code, data)


def unpack_temporal(code: int, packed: int) -> Date | Time | DateTime:
    """Return the temporal value of column type `code` that a document packs in eight bytes."""
    size = abs(packed)
    whole, microsecond = size >> 24, size & 0xFFFFFF
    if code == ColumnType.TIME:
        return Time(whole >> 12, whole >> 6 & 0x3F, whole & 0x3F, microsecond, packed < 0)
    moment = unpack_datetime(whole, microsecond)
    return Date(moment.year, moment.month, moment.day) if code == ColumnType.DATE else moment
