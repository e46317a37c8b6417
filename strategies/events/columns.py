"""Columns of every type that servers write into rows, and the values that they hold."""

import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Final, NamedTuple

from conformance.binlog.mariadb_compression import UNCOMPRESSED, PackedValue
from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.rows.table import Column
from conformance.binlog.servers import WITH_FRACTIONS, WITH_JSON, WITH_TABLE_METADATA, WITH_VECTORS, WITHOUT_FRACTIONS
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.character_sets import BY_COLLATION, UTF8, character_sets
from conformance.strategies.events.json_values import json_changes, json_column_value
from conformance.strategies.events.plain_compression import DEFLATED, zlib_wrapped
from conformance.strategies.events.temporal_values import date, datetime, time, timestamp, year
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.notation import (
    DOUBLE,
    FLOAT,
    DecimalSize,
    Value,
    decimal_size,
    decimal_text,
    real,
    shown_bytes,
)
from conformance.strategies.grammar.stream import StreamBuilder

#: Collations: utf8mb4, utf8 (before 5.5) and binary.
UTF8MB4: Final = 45
UTF8MB3: Final = 33
BINARY: Final = 63

#: The most bytes of a generated string, except for a few large ones.
_LONGEST: Final = 300
_LARGE: Final = 70_000
#: The same where two bytes hold the length: as a number with a sign it would be below zero.
_LARGE_OF_TWO_BYTES: Final = 33_000
_LABELS_OF_ONE_BYTE: Final = 255
#: Labels of which the last have numbers that would be below zero in two bytes with a sign.
_MANY_LABELS: Final = 33_000

Make = Callable[[StreamBuilder], Column]
Fill = Callable[[StreamBuilder, Column], Value]


class ColumnKind(NamedTuple):
    """A kind of column: how one is declared, how a value of it is chosen, and how the changes of a value are."""

    column: Make
    value: Fill
    changes: Callable[[StreamBuilder], Value] | None = None


def _integer(code: int) -> ColumnKind:
    bits = 8 * INTEGER_BYTES[code]

    def column(stream: StreamBuilder) -> Column:
        return Column(code, unsigned=stream.choose.yes(3) if stream.server.profile in WITH_TABLE_METADATA else None)

    def value(stream: StreamBuilder, column: Column) -> Value:
        low, high = (0, (1 << bits) - 1) if column.unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)
        number = stream.choose.integer(low, high)
        return Value(number, number)

    return ColumnKind(column, value)


def _fixed(code: ColumnType, value: Fill, meta: int = 0) -> ColumnKind:
    return ColumnKind(lambda stream: Column(code, meta), value)


def _with_fraction(code: ColumnType, value: Fill) -> ColumnKind:
    return ColumnKind(lambda stream: Column(code, stream.choose.integer(0, 6)), value)


def _real(form: struct.Struct) -> Fill:
    def value(stream: StreamBuilder, column: Column) -> Value:
        number = real(stream.choose, form)
        return Value(number, number)

    return value


def _decimal_column(stream: StreamBuilder) -> Column:
    size = decimal_size(stream.choose)
    return Column(ColumnType.NEWDECIMAL, size.precision << 8 | size.scale)


def _decimal(stream: StreamBuilder, column: Column) -> Value:
    text = decimal_text(stream.choose, DecimalSize(column.meta >> 8, column.meta & 0xFF))
    return Value(Decimal(text), text)


def bit_column(bits: int) -> Column:
    """Return a BIT column of so many bits."""
    return Column(ColumnType.BIT, bits // 8 << 8 | bits % 8)


def _bit_column(stream: StreamBuilder) -> Column:
    return bit_column(stream.choose.integer(1, 64))


def _bit(stream: StreamBuilder, column: Column) -> Value:
    number = stream.choose.integer(0, (1 << column.bits) - 1)
    return Value(number, number)


def _collation(stream: StreamBuilder) -> int:
    """Return the collation of UTF-8, of binary strings, or of another character set."""
    choose = stream.choose
    kind = choose.integer(0, 3)
    if kind == 2:
        return BINARY
    if kind == 3:
        return choose.one_of(character_sets(stream.server.profile)).collation
    return UTF8MB4 if stream.server.profile in WITH_FRACTIONS else UTF8MB3


def _whole(length: int, collation: int) -> int:
    """Return a length in bytes as servers declare it: a multiple of the widest character's width."""
    width = BY_COLLATION[collation].width if collation in BY_COLLATION else 1
    return max(length - length % width, width)


def char_column(length: int, collation: int) -> Column:
    """Return a CHAR column whose values have up to `length` bytes, two bits of which are in its type code."""
    high = (ColumnType.STRING & ~0x30) | ((length >> 4 & 0x30) ^ 0x30)
    return Column(ColumnType.STRING, high << 8 | length & 0xFF, collation=collation)


def _string_column(stream: StreamBuilder) -> Column:
    collation = _collation(stream)
    return char_column(_whole(stream.choose.one_of((40, 1, 255, 256, 765, 1020)), collation), collation)


def _varchar_column(stream: StreamBuilder) -> Column:
    collation = _collation(stream)
    length = _whole(stream.choose.one_of((40, 1, 255, 256, 4000, 65532)), collation)
    return Column(ColumnType.VARCHAR, length, collation=collation)


def _blob_column(stream: StreamBuilder) -> Column:
    return Column(ColumnType.BLOB, stream.choose.integer(1, 4), collation=_collation(stream))


def _characters(stream: StreamBuilder, column: Column, limit: int) -> Value:
    if column.collation in BY_COLLATION:
        declared = stream.server.profile in WITH_TABLE_METADATA
        return BY_COLLATION[column.collation].value(stream.choose, limit, declared=declared)
    if column.collation == BINARY:
        data = stream.choose.octets(0, limit)
    else:
        data = mysql_events.text(stream, 0, limit).encode()[:limit].decode("utf-8", "ignore").encode()
    return Value(data, shown_bytes(data))


def _string(stream: StreamBuilder, column: Column) -> Value:
    value = _characters(stream, column, min(column.string_length, _LONGEST))
    if column.collation in BY_COLLATION:
        return value
    # Padding is not logged.
    data = value.wire.rstrip(b"\0" if column.collation == BINARY else b" ")
    return Value(data, shown_bytes(data))


def _varchar(stream: StreamBuilder, column: Column) -> Value:
    if column.meta >= _LARGE_OF_TWO_BYTES and stream.choose.yes(12):
        return _large(stream, column, _LARGE_OF_TWO_BYTES)
    return _characters(stream, column, min(column.meta, _LONGEST))


def _blob(stream: StreamBuilder, column: Column) -> Value:
    limit = min((1 << 8 * column.meta) - 1, _LONGEST)
    if column.meta >= 2 and stream.choose.yes(30):
        return _large(stream, column, _LARGE_OF_TWO_BYTES if column.meta == 2 else _LARGE)
    return _characters(stream, column, limit)


def _large(stream: StreamBuilder, column: Column, size: int) -> Value:
    declared = stream.server.profile in WITH_TABLE_METADATA
    return BY_COLLATION.get(column.collation or 0, UTF8).large(size, declared=declared)


@cache
def labels(count: int, collation: int) -> tuple[bytes, ...]:
    """Return the labels of an ENUM or SET, in its character set."""
    known = BY_COLLATION.get(collation)
    name, codec = (known.samples[1], known.codec) if known else ("label", "utf-8")
    return tuple(f"{name} {number}".encode(codec) for number in range(1, count + 1))


def enum_column(count: int, collation: int) -> Column:
    """Return an ENUM column with so many labels."""
    size = 1 if count <= _LABELS_OF_ONE_BYTE else 2
    return Column(ColumnType.ENUM, ColumnType.ENUM << 8 | size, labels=labels(count, collation), collation=collation)


def _enum_column(stream: StreamBuilder) -> Column:
    count = stream.choose.one_of((3, 1, 255, 256, 1000))
    if stream.server.profile not in WITH_TABLE_METADATA and stream.choose.yes(12):
        count = _MANY_LABELS  # Which is too many to be written into a Table_map event.
    return enum_column(count, _collation(stream))


def _enum(stream: StreamBuilder, column: Column) -> Value:
    # 0 is the empty string of a value that was not one of the labels.
    choose, last = stream.choose, len(column.labels or ())
    if last == _MANY_LABELS and choose.yes():
        return Value(last, last)
    number = 0 if choose.yes(12) else choose.integer(1, last)
    return Value(number, number)


def set_column(count: int, collation: int) -> Column:
    """Return a SET column with so many members, of which each takes a bit of one to four bytes, or of eight."""
    size = (count + 7) // 8
    size = size if size <= 4 else 8
    return Column(ColumnType.SET, ColumnType.SET << 8 | size, labels=labels(count, collation), collation=collation)


def _set_column(stream: StreamBuilder) -> Column:
    return set_column(stream.choose.one_of((3, 8, 9, 16, 17, 32, 33, 64)), _collation(stream))


def _set(stream: StreamBuilder, column: Column) -> Value:
    number = stream.choose.integer(0, (1 << len(column.labels or ())) - 1)
    return Value(number, number)


def _packed_varchar_column(stream: StreamBuilder) -> Column:
    # The length includes the byte that describes the compression.
    length = stream.choose.one_of((40, 1, 254, 255, 4000, 65532)) + 1
    return Column(ColumnType.MARIADB_VARCHAR_COMPRESSED, length, collation=_collation(stream))


def _packed_blob_column(stream: StreamBuilder) -> Column:
    return Column(ColumnType.MARIADB_BLOB_COMPRESSED, stream.choose.integer(1, 4), collation=_collation(stream))


def _packed_varchar(stream: StreamBuilder, column: Column) -> Value:
    return _packed(stream, column, column.meta - 1)


def _packed_blob(stream: StreamBuilder, column: Column) -> Value:
    return _packed(stream, column, (1 << 8 * column.meta) - 2)


def _packed(stream: StreamBuilder, column: Column, limit: int) -> Value:
    """Return a value of a compressed column: as it is, empty, or one that a server compressed."""
    choose = stream.choose
    fitting = [each for each in DEFLATED if len(each.data) <= limit]
    if fitting and choose.yes():
        sample = choose.one_of(fitting)
        bare = not choose.yes()
        body = sample.stream if bare else zlib_wrapped(sample)
        return Value(PackedValue.deflated(body, len(sample.data), bare=bare), shown_bytes(sample.data))
    data = _characters(stream, column, min(limit, _LONGEST)).wire
    return Value(PackedValue(bytes([UNCOMPRESSED]) + data if data else b""), shown_bytes(data))


#: The codes of a POINT and a LINESTRING among the kinds of GEOMETRY.
_POINT, _LINESTRING = 1, 2
#: How many points lines have: the length of their values takes one byte, two and three of the four that hold it.
_POINTS: Final = (2, 20, 5000)


def _geometry_column(stream: StreamBuilder) -> Column:
    return Column(ColumnType.GEOMETRY, 4, geometry_type=_LINESTRING if stream.choose.yes(4) else _POINT)


def _geometry(stream: StreamBuilder, column: Column) -> Value:
    """Return a POINT or a LINESTRING: the id of its reference system, the byte order, its kind, coordinates."""
    choose = stream.choose
    point = b"".join(DOUBLE.pack(real(choose, DOUBLE)) for _ in "xy")
    data = struct.pack("<IBI", choose.one_of((0, 4326)), 1, column.geometry_type)
    if column.geometry_type == _POINT:
        data += point
    else:
        count = choose.one_of(_POINTS[:2]) if not choose.yes(12) else _POINTS[2]
        data += struct.pack("<I", count) + point * count
    return Value(data, shown_bytes(data))


def _vector(stream: StreamBuilder, column: Column) -> Value:
    numbers = [real(stream.choose, FLOAT) for _ in range(column.dimension or 0)]
    return Value(tuple(numbers), numbers)


def _vector_column(stream: StreamBuilder) -> Column:
    # The length of the largest takes more than one byte.
    dimension = 100 if stream.choose.yes(8) else stream.choose.integer(1, 5)
    return Column(ColumnType.VECTOR, 4, dimension=dimension)


JSON: Final = _fixed(ColumnType.JSON, json_column_value, 4)._replace(changes=json_changes)
_MARIADB: Final = Profiles("mariadb")

#: Column type -> its kind, and the profiles whose servers write it into rows.
_KINDS: Final[Mapping[ColumnType, tuple[ColumnKind, Profiles]]] = {
    **{ColumnType(code): (_integer(code), EVERY_PROFILE) for code in INTEGER_BYTES},
    ColumnType.NEWDECIMAL: (ColumnKind(_decimal_column, _decimal), EVERY_PROFILE),
    ColumnType.FLOAT: (_fixed(ColumnType.FLOAT, _real(FLOAT), 4), EVERY_PROFILE),
    ColumnType.DOUBLE: (_fixed(ColumnType.DOUBLE, _real(DOUBLE), 8), EVERY_PROFILE),
    ColumnType.BIT: (ColumnKind(_bit_column, _bit), EVERY_PROFILE),
    ColumnType.YEAR: (_fixed(ColumnType.YEAR, year), EVERY_PROFILE),
    ColumnType.DATE: (_fixed(ColumnType.DATE, date), EVERY_PROFILE),
    ColumnType.STRING: (ColumnKind(_string_column, _string), EVERY_PROFILE),
    ColumnType.VARCHAR: (ColumnKind(_varchar_column, _varchar), EVERY_PROFILE),
    ColumnType.BLOB: (ColumnKind(_blob_column, _blob), EVERY_PROFILE),
    ColumnType.ENUM: (ColumnKind(_enum_column, _enum), EVERY_PROFILE),
    ColumnType.SET: (ColumnKind(_set_column, _set), EVERY_PROFILE),
    ColumnType.GEOMETRY: (ColumnKind(_geometry_column, _geometry), EVERY_PROFILE),
    ColumnType.TIME: (_fixed(ColumnType.TIME, time), WITHOUT_FRACTIONS),
    ColumnType.DATETIME: (_fixed(ColumnType.DATETIME, datetime), WITHOUT_FRACTIONS),
    ColumnType.TIMESTAMP: (_fixed(ColumnType.TIMESTAMP, timestamp), WITHOUT_FRACTIONS),
    ColumnType.TIME2: (_with_fraction(ColumnType.TIME2, time), WITH_FRACTIONS),
    ColumnType.DATETIME2: (_with_fraction(ColumnType.DATETIME2, datetime), WITH_FRACTIONS),
    ColumnType.TIMESTAMP2: (_with_fraction(ColumnType.TIMESTAMP2, timestamp), WITH_FRACTIONS),
    ColumnType.JSON: (JSON, WITH_JSON),
    ColumnType.VECTOR: (ColumnKind(_vector_column, _vector), WITH_VECTORS),
    ColumnType.MARIADB_VARCHAR_COMPRESSED: (ColumnKind(_packed_varchar_column, _packed_varchar), _MARIADB),
    ColumnType.MARIADB_BLOB_COMPRESSED: (ColumnKind(_packed_blob_column, _packed_blob), _MARIADB),
}
#: The type codes of compressed columns, which few readers know.
COMPRESSED_COLUMNS: Final = (ColumnType.MARIADB_VARCHAR_COMPRESSED, ColumnType.MARIADB_BLOB_COMPRESSED)
#: The type of a column, of all that a profile's servers write.
COLUMN_TYPE: Final = Dimension(
    "column type",
    {code.name: code for code in _KINDS},
    profiles={code.name: profiles for code, (_, profiles) in _KINDS.items()},
)


def kind_of(code: ColumnType) -> ColumnKind:
    """Return the kind of the columns of a type."""
    return _KINDS[code][0]


def column_kinds(stream: StreamBuilder) -> tuple[ColumnKind, ...]:
    """Return the kinds of column that the stream's server writes into rows, compressed ones aside."""
    return _kinds_of(stream.server.profile)


@cache
def _kinds_of(profile: str) -> tuple[ColumnKind, ...]:
    return tuple(
        kind for code, (kind, profiles) in _KINDS.items() if profile in profiles and code not in COMPRESSED_COLUMNS
    )


def packed_column_kinds(stream: StreamBuilder) -> tuple[ColumnKind, ...]:
    """Return the kinds of compressed column that the stream's server writes into rows: MariaDB's, which few read."""
    return tuple(kind_of(code) for code in COMPRESSED_COLUMNS) if stream.server.is_mariadb else ()


#: Requirement -> the column types whose values it governs.
VALUE_REQUIREMENTS: Final[dict[str, tuple[int, ...]]] = {
    "FORMAT-ROWS-VALUES-INTEGER": tuple(INTEGER_BYTES),
    "FORMAT-ROWS-VALUES-UNSIGNED": tuple(INTEGER_BYTES),
    "FORMAT-ROWS-VALUES-DECIMAL": (ColumnType.NEWDECIMAL,),
    "FORMAT-ROWS-VALUES-FLOAT": (ColumnType.FLOAT,),
    "FORMAT-ROWS-VALUES-DOUBLE": (ColumnType.DOUBLE,),
    "FORMAT-ROWS-VALUES-BIT": (ColumnType.BIT,),
    "FORMAT-ROWS-VALUES-YEAR": (ColumnType.YEAR,),
    "FORMAT-ROWS-VALUES-DATE": (ColumnType.DATE,),
    "FORMAT-ROWS-VALUES-OLD-TIME": (ColumnType.TIME,),
    "FORMAT-ROWS-VALUES-OLD-DATETIME": (ColumnType.DATETIME,),
    "FORMAT-ROWS-VALUES-OLD-TIMESTAMP": (ColumnType.TIMESTAMP,),
    "FORMAT-ROWS-VALUES-TIME": (ColumnType.TIME2,),
    "FORMAT-ROWS-VALUES-DATETIME": (ColumnType.DATETIME2,),
    "FORMAT-ROWS-VALUES-TIMESTAMP": (ColumnType.TIMESTAMP2,),
    "FORMAT-ROWS-VALUES-CHAR": (ColumnType.STRING,),
    "FORMAT-ROWS-VALUES-VARCHAR": (ColumnType.VARCHAR,),
    "FORMAT-ROWS-VALUES-BLOB": (ColumnType.BLOB,),
    "FORMAT-ROWS-VALUES-ENUM": (ColumnType.ENUM,),
    "FORMAT-ROWS-VALUES-SET": (ColumnType.SET,),
    "FORMAT-ROWS-VALUES-GEOMETRY": (ColumnType.GEOMETRY,),
    "FORMAT-ROWS-VALUES-JSON": (ColumnType.JSON,),
    "FORMAT-ROWS-VALUES-VECTOR": (ColumnType.VECTOR,),
    "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED": COMPRESSED_COLUMNS,
}
#: Column type -> the largest value that needs no knowledge of the sign.
LARGEST_SIGNED: Final = {int(code): (1 << 8 * size - 1) - 1 for code, size in INTEGER_BYTES.items()}
_REQUIREMENT_OF: Final = {
    int(code): requirement
    for requirement, codes in VALUE_REQUIREMENTS.items()
    if not requirement.endswith("-UNSIGNED")
    for code in codes
}


def value_requirement(code: int, shown: object) -> str:
    """Return the requirement that governs a value of a column type."""
    if code in LARGEST_SIGNED and isinstance(shown, int) and shown > LARGEST_SIGNED[code]:
        return "FORMAT-ROWS-VALUES-UNSIGNED"
    return _REQUIREMENT_OF[code]
