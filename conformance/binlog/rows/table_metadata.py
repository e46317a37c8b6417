"""The optional metadata of a Table_map event: what servers from 8.0.1 on record of columns beyond types.

Each entry is preceded by its code and its length, so one that the reader does not know is kept as bytes.
Bits count from the highest one of the first byte. Sources: files of MySQL 8.0 to 9.7 and MariaDB 10.11.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import U8, Counted, Packed, Record, Repeated, Values
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import TAIL, Field
from conformance.binlog.limits import check_values


@dataclass(frozen=True, slots=True)
class _Bits:
    """Flags, eight to a byte; the value has all bits of the last byte, also those beyond the columns."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[bool, ...], int]:
        check_values(8 * (end - at), "flags of columns")
        return tuple(bool(byte >> shift & 1) for byte in data[at:end] for shift in range(7, -1, -1)), end

    def write(self, value: Sequence[bool], values: Mapping[str, Any]) -> bytes:
        written = bytearray((len(value) + 7) // 8)
        for index, each in enumerate(value):
            written[index // 8] |= each << (7 - index % 8)
        return bytes(written)


@dataclass(frozen=True, slots=True)
class _DefaultCharset:
    """The collation of most columns, and those of the others by their index among columns of this kind."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[dict[str, Any], int]:
        default, at = Packed().read(data, at, end, values)
        others, at = Repeated(_INDEXED_COLLATION).read(data, at, end, values)
        return {"default": default, "others": others}, at

    def write(self, value: Mapping[str, Any], values: Mapping[str, Any]) -> bytes:
        return Packed().write(value["default"], values) + Repeated(_INDEXED_COLLATION).write(value["others"], values)


@dataclass(frozen=True, slots=True)
class _Labels:
    """The labels of one ENUM or SET column, preceded by their number."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[bytes, ...], int]:
        count, at = Packed().read(data, at, end, values)
        return Repeated(_NAME, lambda _: count).read(data, at, end, values)

    def write(self, value: Sequence[bytes], values: Mapping[str, Any]) -> bytes:
        return Packed().write(len(value), values) + Repeated(_NAME).write(value, values)


_NAME: Final = Counted(Packed())
_INDEXED_COLLATION: Final = Record((("index", Packed()), ("collation", Packed())))
_KEY_PART: Final = Record((("column", Packed()), ("prefix", Packed())))
_NUMBERS: Final = Repeated(Packed())

TABLE_METADATA: Final = Keyed(
    {
        1: Field("unsigned", _Bits()),
        2: Field("default_charset", _DefaultCharset()),
        3: Field("column_charsets", _NUMBERS),
        4: Field("column_names", Repeated(_NAME)),
        5: Field("set_labels", Repeated(_Labels())),
        6: Field("enum_labels", Repeated(_Labels())),
        7: Field("geometry_types", _NUMBERS),
        8: Field("primary_key", _NUMBERS),
        9: Field("primary_key_prefixes", Repeated(_KEY_PART)),
        10: Field("enum_set_default_charset", _DefaultCharset()),
        11: Field("enum_set_column_charsets", _NUMBERS),
        12: Field("visible", _Bits()),
        13: Field("vector_dimensions", _NUMBERS),
    },
    key=U8,
    length=Packed(),
)


def read_table_metadata(data: bytes) -> dict[str, Any]:
    """Return the entries by name, in the order of their bytes.

    Raises:
        MalformedBody: An entry runs past the end, or holds an invalid value.
    """
    return TABLE_METADATA.parse(data)


def write_table_metadata(values: Mapping[str, Any]) -> bytes:
    """Return the bytes of `values`, in their order."""
    tail: bytes = values.get(TAIL, b"")
    return TABLE_METADATA.write(values) + tail


def collations(metadata: Mapping[str, Any], count: int, *, of_labels: bool = False) -> tuple[int | None, ...]:
    """Return the collation of each of `count` character columns, or ENUM and SET columns, None if not recorded."""
    prefix = "enum_set_" if of_labels else ""
    if f"{prefix}column_charsets" in metadata:
        return tuple(metadata[f"{prefix}column_charsets"])
    default = metadata.get(f"{prefix}default_charset")
    if default is None:
        return (None,) * count
    others = {pair["index"]: pair["collation"] for pair in default["others"]}
    return tuple(others.get(index, default["default"]) for index in range(count))
