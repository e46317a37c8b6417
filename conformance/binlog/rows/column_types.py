"""How a row image encodes the values of each column type: one codec for reading and writing.

Integers of unknown sign are read as signed, as mysqlbinlog shows them. Strings are bytes: the column's collation
decides their character set, and only a Table_map with optional metadata holds it.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Bytes, Codec, Counted, Int, Values, take
from conformance.binlog.errors import MalformedBody
from conformance.binlog.limits import check_values
from conformance.binlog.mariadb_compression import PackedColumn
from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.rows.decimal_column import DecimalColumn
from conformance.binlog.rows.json_document import JsonColumn
from conformance.binlog.rows.table import Column
from conformance.binlog.rows.temporal import (
    DateColumn,
    DateTimeColumn,
    OldDateTimeColumn,
    OldTimeColumn,
    OldTimestampColumn,
    TimeColumn,
    TimestampColumn,
)
from conformance.binlog.total_table import total

#: The most bytes of an ENUM value; a SET value has one bit for each of at most 64 labels.
_ENUM_BYTES: Final = 2
_SET_BYTES: Final = 8
_BIT_BYTES: Final = 8
#: The year before the one that the byte 1 means; the byte 0 is the year 0000.
_YEAR_BASE: Final = 1900
_FLOAT_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class _Real:
    """FLOAT and DOUBLE."""

    form: struct.Struct

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[float, int]:
        size = self.form.size
        return float(self.form.unpack(take(data, at, end, size))[0]), at + size

    def write(self, value: float, values: Mapping[str, Any]) -> bytes:
        return self.form.pack(value)


@dataclass(frozen=True, slots=True)
class _Year:
    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[int, int]:
        raw = take(data, at, end, 1)[0]
        return _YEAR_BASE + raw if raw else 0, at + 1

    def write(self, value: int, values: Mapping[str, Any]) -> bytes:
        return bytes([value - _YEAR_BASE if value else 0])


@dataclass(frozen=True, slots=True)
class _BigEndian:
    """BIT: an unsigned integer, big-endian."""

    size: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[int, int]:
        return int.from_bytes(take(data, at, end, self.size), "big"), at + self.size

    def write(self, value: int, values: Mapping[str, Any]) -> bytes:
        return value.to_bytes(self.size, "big")


@dataclass(frozen=True, slots=True)
class _Vector:
    """VECTOR: a length in bytes, and floats of four bytes; the value is a tuple of them."""

    length_bytes: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[float, ...], int]:
        size, at = Int(self.length_bytes).read(data, at, end, values)
        if size % _FLOAT_BYTES:
            raise MalformedBody(f"a vector of {size} bytes; it must be a multiple of {_FLOAT_BYTES}")
        check_values(size // _FLOAT_BYTES, "elements of a vector")
        return struct.unpack(f"<{size // _FLOAT_BYTES}f", take(data, at, end, size)), at + size

    def write(self, value: tuple[float, ...], values: Mapping[str, Any]) -> bytes:
        raw = struct.pack(f"<{len(value)}f", *value)
        return len(raw).to_bytes(self.length_bytes, "little") + raw


def _blob(column: Column) -> Codec:
    return Counted(Int(_checked_size(column.meta, 4, "length bytes of a blob")))


def _string(column: Column) -> Codec:
    return Counted(Int(1 if column.string_length < 256 else 2))


def _varchar(column: Column) -> Codec:
    return Counted(Int(1 if column.meta < 256 else 2))


def _packed_blob(column: Column) -> Codec:
    return PackedColumn(_checked_size(column.meta, 4, "length bytes of a blob"))


def _packed_varchar(column: Column) -> Codec:
    return PackedColumn(1 if column.meta < 256 else 2)


def _bit(column: Column) -> Codec:
    return _BigEndian(_checked_size((column.bits + 7) // 8, _BIT_BYTES, "bytes of a BIT"))


def _enum(column: Column) -> Codec:
    return Int(_checked_size(column.meta & 0xFF, _ENUM_BYTES, "bytes of an ENUM"))


def _set(column: Column) -> Codec:
    return Int(_checked_size(column.meta & 0xFF, _SET_BYTES, "bytes of a SET"))


def _json(column: Column) -> Codec:
    return JsonColumn(_checked_size(column.meta, 4, "length bytes of a JSON document"))


def _vector(column: Column) -> Codec:
    return _Vector(_checked_size(column.meta, 4, "length bytes of a vector"))


def _checked_size(size: int, limit: int, what: str) -> int:
    if not 1 <= size <= limit:
        raise MalformedBody(f"{size} {what}; the number must be from 1 to {limit}")
    return size


_CODECS: Final[Mapping[int, Callable[[Column], Codec] | None]] = total(
    f"{__name__}._CODECS",
    ColumnType,
    {
        ColumnType.FLOAT: lambda column: _Real(struct.Struct("<f")),
        ColumnType.DOUBLE: lambda column: _Real(struct.Struct("<d")),
        ColumnType.NULL: lambda column: Bytes(0),
        ColumnType.NEWDECIMAL: lambda column: DecimalColumn(column.meta >> 8, column.meta & 0xFF),
        ColumnType.BIT: _bit,
        ColumnType.YEAR: lambda column: _Year(),
        ColumnType.DATE: lambda column: DateColumn(),
        ColumnType.NEWDATE: lambda column: DateColumn(),
        ColumnType.TIME: lambda column: OldTimeColumn(),
        ColumnType.DATETIME: lambda column: OldDateTimeColumn(),
        ColumnType.TIMESTAMP: lambda column: OldTimestampColumn(),
        ColumnType.TIME2: lambda column: TimeColumn(column.meta),
        ColumnType.DATETIME2: lambda column: DateTimeColumn(column.meta),
        ColumnType.TIMESTAMP2: lambda column: TimestampColumn(column.meta),
        ColumnType.VARCHAR: _varchar,
        ColumnType.MARIADB_VARCHAR_COMPRESSED: _packed_varchar,
        ColumnType.VAR_STRING: _varchar,
        ColumnType.STRING: _string,
        ColumnType.ENUM: _enum,
        ColumnType.SET: _set,
        ColumnType.TINY_BLOB: _blob,
        ColumnType.MEDIUM_BLOB: _blob,
        ColumnType.LONG_BLOB: _blob,
        ColumnType.BLOB: _blob,
        ColumnType.MARIADB_BLOB_COMPRESSED: _packed_blob,
        ColumnType.GEOMETRY: _blob,
        ColumnType.JSON: _json,
        ColumnType.VECTOR: _vector,
    },
    entry="what makes the codec of its values",
    rest={
        # `integer_codec` makes theirs.
        tuple(INTEGER_BYTES): None,
        # No server writes them into rows.
        (ColumnType.DECIMAL, ColumnType.TYPED_ARRAY): None,
    },
)


def column_codec(column: Column) -> Codec:
    """Return the codec of a column's values.

    Raises:
        MalformedBody: The type is not known, or its metadata is not valid.
    """
    integer = integer_codec(column)
    if integer is not None:
        return integer
    codec = _CODECS.get(column.type)
    if codec is None:
        raise MalformedBody(f"{column.type} is not a valid column type in rows")
    return codec(column)


def integer_codec(column: Column) -> Int | None:
    """Return the codec of an integer column's values, None for a column of another type."""
    size = INTEGER_BYTES.get(column.type)
    return None if size is None else Int(size, signed=not column.unsigned)
