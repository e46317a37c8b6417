"""Column type codes, and the number of metadata bytes that a Table_map holds for each."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from conformance.binlog.total_table import total


class ColumnType(IntEnum):
    """The type code of a column in a Table_map event, or inside a JSON document."""

    DECIMAL = 0
    TINY = 1
    SHORT = 2
    LONG = 3
    FLOAT = 4
    DOUBLE = 5
    NULL = 6
    TIMESTAMP = 7
    LONGLONG = 8
    INT24 = 9
    DATE = 10
    TIME = 11
    DATETIME = 12
    YEAR = 13
    NEWDATE = 14
    VARCHAR = 15
    BIT = 16
    TIMESTAMP2 = 17
    DATETIME2 = 18
    TIME2 = 19
    TYPED_ARRAY = 20
    MARIADB_BLOB_COMPRESSED = 140
    MARIADB_VARCHAR_COMPRESSED = 141
    VECTOR = 242
    JSON = 245
    NEWDECIMAL = 246
    ENUM = 247
    SET = 248
    TINY_BLOB = 249
    MEDIUM_BLOB = 250
    LONG_BLOB = 251
    BLOB = 252
    VAR_STRING = 253
    STRING = 254
    GEOMETRY = 255


_ONE: Final = (
    ColumnType.FLOAT,
    ColumnType.DOUBLE,
    ColumnType.TIMESTAMP2,
    ColumnType.DATETIME2,
    ColumnType.TIME2,
    ColumnType.MARIADB_BLOB_COMPRESSED,
    ColumnType.VECTOR,
    ColumnType.JSON,
    ColumnType.TINY_BLOB,
    ColumnType.MEDIUM_BLOB,
    ColumnType.LONG_BLOB,
    ColumnType.BLOB,
    ColumnType.GEOMETRY,
)
_TWO_LITTLE_ENDIAN: Final = (
    ColumnType.VARCHAR,
    ColumnType.MARIADB_VARCHAR_COMPRESSED,
    ColumnType.BIT,
    ColumnType.VAR_STRING,
)
_TWO_BIG_ENDIAN: Final = (ColumnType.NEWDECIMAL, ColumnType.ENUM, ColumnType.SET, ColumnType.STRING)

_NONE: Final = (
    ColumnType.DECIMAL,
    ColumnType.TINY,
    ColumnType.SHORT,
    ColumnType.LONG,
    ColumnType.NULL,
    ColumnType.TIMESTAMP,
    ColumnType.LONGLONG,
    ColumnType.INT24,
    ColumnType.DATE,
    ColumnType.TIME,
    ColumnType.DATETIME,
    ColumnType.YEAR,
    ColumnType.NEWDATE,
    ColumnType.TYPED_ARRAY,
)

#: Type code -> bytes of metadata.
METADATA_BYTES: Final[Mapping[int, int]] = total(
    f"{__name__}.METADATA_BYTES",
    ColumnType,
    {},
    entry="its type among those with as many bytes of metadata",
    rest={_NONE: 0, _ONE: 1, _TWO_LITTLE_ENDIAN: 2, _TWO_BIG_ENDIAN: 2},
)
#: Types whose two bytes of metadata are big-endian.
BIG_ENDIAN_METADATA: Final = frozenset(map(int, _TWO_BIG_ENDIAN))

#: Integer type -> bytes of its values.
INTEGER_BYTES: Final[Mapping[int, int]] = {
    ColumnType.TINY: 1,
    ColumnType.SHORT: 2,
    ColumnType.INT24: 3,
    ColumnType.LONG: 4,
    ColumnType.LONGLONG: 8,
}
#: Types whose sign a Table_map's optional metadata records; YEAR is one of them, and has no sign.
NUMERIC: Final = frozenset(
    {
        ColumnType.DECIMAL,
        ColumnType.TINY,
        ColumnType.SHORT,
        ColumnType.LONG,
        ColumnType.FLOAT,
        ColumnType.DOUBLE,
        ColumnType.LONGLONG,
        ColumnType.INT24,
        ColumnType.NEWDECIMAL,
        ColumnType.YEAR,
    }
)
#: Types that have a character set, except ENUM and SET.
CHARACTER: Final = frozenset(
    {
        ColumnType.VARCHAR,
        ColumnType.MARIADB_BLOB_COMPRESSED,
        ColumnType.MARIADB_VARCHAR_COMPRESSED,
        ColumnType.TINY_BLOB,
        ColumnType.MEDIUM_BLOB,
        ColumnType.LONG_BLOB,
        ColumnType.BLOB,
        ColumnType.VAR_STRING,
        ColumnType.STRING,
    }
)
