"""Tables and their columns, as a Table_map event describes them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.limits import check_values
from conformance.binlog.rows.column_codes import BIG_ENDIAN_METADATA, CHARACTER, METADATA_BYTES, NUMERIC, ColumnType
from conformance.binlog.rows.table_metadata import collations, read_table_metadata

_LABELLED: Final = (ColumnType.ENUM, ColumnType.SET)
#: In the first metadata byte of a STRING these bits, inverted, are the highest two of its length.
_LENGTH_BITS: Final = 0x30


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        type: Its type code; that of ENUM or SET for such a column, which a Table_map declares as STRING.
        meta: Its metadata as one number, 0 if the type has none.
        nullable: Whether it may be NULL.
        unsigned: Whether an integer has no sign; None if the Table_map does not contain it.
        name: Its name; this and all that follow are None if the Table_map does not contain them.
        collation: The id of its collation.
        labels: The labels of an ENUM or SET.
        visible: Whether ``SELECT *`` shows it.
        geometry_type: The code of a GEOMETRY column's kind.
        dimension: The number of elements of a VECTOR.
    """

    type: int
    meta: int = 0
    nullable: bool = True
    unsigned: bool | None = None
    name: bytes | None = None
    collation: int | None = None
    labels: tuple[bytes, ...] | None = None
    visible: bool | None = None
    geometry_type: int | None = None
    dimension: int | None = None

    @property
    def string_length(self) -> int:
        """The largest size of a STRING value in bytes."""
        high, low = self.meta >> 8, self.meta & 0xFF
        return ((high & _LENGTH_BITS) ^ _LENGTH_BITS) << 4 | low

    @property
    def bits(self) -> int:
        """The number of bits of a BIT column."""
        return (self.meta >> 8) * 8 + (self.meta & 0xFF)


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        table_id: The number by which rows events refer to it.
        database: Its database.
        name: Its name.
        columns: Its columns.
    """

    table_id: int
    database: bytes
    name: bytes
    columns: tuple[Column, ...]


def table_of(fields: Mapping[str, Any]) -> Table:
    """Return the table that the fields of a Table_map event describe.

    Raises:
        MalformedBody: The metadata does not fit the types.
        LimitExceeded: There are more columns than a table may have.
    """
    if "column_metadata" not in fields or "null_bits" not in fields:
        raise MalformedBody("a Table_map without column metadata, which only alpha versions wrote")
    check_values(len(fields["column_types"]), "columns")
    types = list(_types(fields["column_types"], fields["column_metadata"]))
    metadata = read_table_metadata(fields.get("optional_metadata", b""))
    null_bits = fields["null_bits"]
    numeric = _by_column(types, NUMERIC, metadata.get("unsigned", ()))
    characters = sum(code in CHARACTER for code, _ in types)
    labelled = sum(code in _LABELLED for code, _ in types)
    collation = {
        **_by_column(types, CHARACTER, collations(metadata, characters)),
        **_by_column(types, _LABELLED, collations(metadata, labelled, of_labels=True)),
    }
    labels = {
        **_by_column(types, (ColumnType.SET,), metadata.get("set_labels", ())),
        **_by_column(types, (ColumnType.ENUM,), metadata.get("enum_labels", ())),
    }
    geometry = _by_column(types, (ColumnType.GEOMETRY,), metadata.get("geometry_types", ()))
    dimensions = _by_column(types, (ColumnType.VECTOR,), metadata.get("vector_dimensions", ()))
    names = dict(enumerate(metadata.get("column_names", ())))
    visible = dict(enumerate(metadata.get("visible", ())))
    columns = tuple(
        Column(
            type=code,
            meta=meta,
            nullable=bool(null_bits[index // 8] >> index % 8 & 1),
            unsigned=numeric.get(index),
            name=names.get(index),
            collation=collation.get(index),
            labels=labels.get(index),
            visible=visible.get(index),
            geometry_type=geometry.get(index),
            dimension=dimensions.get(index),
        )
        for index, (code, meta) in enumerate(types)
    )
    return Table(fields["table_id"], fields["database"], fields["table"], columns)


def _types(codes: bytes, metadata: bytes) -> Iterator[tuple[int, int]]:
    """Yield (type, metadata) of each column; the metadata of a STRING shows whether it is an ENUM or SET."""
    at = 0
    for code in codes:
        size = METADATA_BYTES.get(code, 0)
        raw = metadata[at : at + size]
        if len(raw) < size:
            raise MalformedBody(f"{len(metadata)} bytes of column metadata are too few for the column types")
        at += size
        meta = int.from_bytes(raw, "big" if code in BIG_ENDIAN_METADATA else "little")
        if code == ColumnType.STRING and meta >> 8 in _LABELLED:
            code = meta >> 8  # noqa: PLW2901 - the declared type is of no further use
        yield code, meta


def _by_column(types: Sequence[tuple[int, int]], kinds: Iterable[int], values: Iterable[Any]) -> dict[int, Any]:
    """Return the values, given in the order of the columns of some kinds, by the column's index."""
    wanted = frozenset(kinds)
    return dict(zip((index for index, (code, _) in enumerate(types) if code in wanted), values, strict=False))


def column_metadata(columns: Iterable[Column]) -> tuple[bytes, bytes, bytes]:
    """Return the fields ``column_types``, ``column_metadata`` and ``null_bits`` that describe `columns`."""
    types, metadata, null_bits = bytearray(), bytearray(), 0
    count = 0
    for count, each in enumerate(columns, 1):
        declared = ColumnType.STRING if each.type in _LABELLED else each.type
        types.append(declared)
        size = METADATA_BYTES.get(declared, 0)
        metadata += each.meta.to_bytes(size, "big" if declared in BIG_ENDIAN_METADATA else "little")
        null_bits |= each.nullable << (count - 1)
    return bytes(types), bytes(metadata), null_bits.to_bytes((count + 7) // 8, "little")
