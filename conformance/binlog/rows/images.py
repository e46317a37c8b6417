"""Row images: the values of the rows that a rows event writes, updates or deletes.

An image is a bitmap of NULLs, one bit for each column that the event holds, and the values that are not NULL.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Literal, NamedTuple, get_args

from conformance.binlog.codecs import Codec, Packed, take
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    PRE_GA_ROWS,
    ROWS_TYPES,
    ROWS_V1,
    ROWS_V2,
    EventType,
)
from conformance.binlog.limits import check_cells, check_event_bytes, current_limits
from conformance.binlog.mariadb_compression import PackedValue, unpack_mariadb
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.column_types import column_codec, integer_codec
from conformance.binlog.rows.json_diff import JsonDiffColumn, JsonDiffs
from conformance.binlog.rows.table import Column, Table
from conformance.binlog.total_table import total

RowsKind = Literal["write", "update", "delete"]


class Absent(Enum):
    """The value in an image of a column that the event does not hold."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

#: The values of one row: one for each column of the table, None for NULL, `ABSENT` if not logged.
Image = tuple[Any, ...]


class Row(NamedTuple):
    """One row of an event.

    Attributes:
        before: The row before the change; None in a write.
        after: The row after the change; None in a delete.
    """

    before: Image | None
    after: Image | None


#: What rows events of every kind do, in the order in which the kinds list their types.
ROWS_KINDS: Final[tuple[RowsKind, ...]] = get_args(RowsKind)
_KINDS: Final[Mapping[int, RowsKind | None]] = total(
    f"{__name__}._KINDS",
    ROWS_TYPES,
    {
        EventType.PARTIAL_UPDATE_ROWS: "update",
        **{
            code: kind
            for codes in (ROWS_V1, ROWS_V2, COMPRESSED_ROWS_V1, COMPRESSED_ROWS)
            for code, kind in zip(codes, ROWS_KINDS, strict=True)
        },
    },
    entry="whether it writes, updates or deletes rows",
    # The rows of 5.1's betas are kept as bytes.
    rest={PRE_GA_ROWS: None},
)
#: The rows events whose rows can be read.
READABLE_ROWS_TYPES: Final = ROWS_TYPES.difference(PRE_GA_ROWS)
#: The bit of a partial update's options that announces a bitmap of JSON columns.
_PARTIAL_JSON: Final = 1


def rows_kind(type_code: int) -> RowsKind | None:
    """Return what an event type does to rows; None if it is not a rows event or its rows cannot be read here."""
    return _KINDS.get(type_code)


def read_rows(type_code: int, fields: Mapping[str, Any], table: Table) -> Iterator[Row]:
    """Yield the rows of a rows event.

    Args:
        type_code: Its event type code.
        fields: Its fields, as `Event.fields` returns them.
        table: The table that its Table_map describes.

    Raises:
        MalformedBody: The images do not fit the table.
        LimitExceeded: They have more values, or unpack to more bytes, than an event may have.
    """
    kind = _KINDS.get(type_code)
    bitmap_after = "columns_present_after" if kind == "update" else "columns_present"
    if kind is None or bitmap_after not in fields:
        raise MalformedBody(f"an event of type {type_code} has no rows that can be read")
    if fields["column_count"] != len(table.columns):
        raise MalformedBody(f"rows of {fields['column_count']} columns, but the table has {len(table.columns)}")
    data = fields["row_data"] if "row_data" in fields else unpack_mariadb(fields["compressed_rows"])
    present = _present_columns(fields["columns_present"], len(table.columns))
    after = _present_columns(fields[bitmap_after], len(table.columns))
    reader = _ImageReader(table, data)
    partial = type_code == EventType.PARTIAL_UPDATE_ROWS
    # A row without columns counts too.
    cells, limit, in_each = 0, current_limits().cells, max(1, len(present) + (len(after) if kind == "update" else 0))
    while reader.at < len(data):
        cells += in_each
        if cells > limit:
            check_cells(cells)
        start = reader.at
        first = reader.image(present)
        if kind == "update":
            yield Row(first, reader.image(after, partial=partial))
        else:
            yield Row(None, first) if kind == "write" else Row(first, None)
        if reader.at == start:
            raise MalformedBody(f"{len(data)} bytes of rows, but no columns")


def write_rows(
    type_code: int, rows: Sequence[Row], table: Table, *, ones: bool = False, partial: bool | None = None
) -> dict[str, Any]:
    """Return the fields ``column_count``, the bitmaps and ``row_data`` that hold `rows`.

    All images of one side must have the same columns absent. In a partial update, values of `JsonDiffs` are
    written as changes.

    Args:
        type_code: The type of the event that will hold them.
        rows: At least one row.
        table: The table that the event's Table_map describes.
        ones: Pad the last byte of a bitmap of NULLs with ones, as MySQL before 8.0 and MariaDB do.
        partial: Whether a partial update has a bitmap of the JSON columns that are changes; None: if any is one.

    Raises:
        ValueError: A value does not fit its column, or images differ in the columns that they hold.
    """
    kind = _KINDS.get(type_code)
    if kind is None or not rows:
        raise ValueError(f"{len(rows)} rows cannot be written as an event of type {type_code}")
    count = len(table.columns)
    sides = {"write": ("after",), "update": ("before", "after"), "delete": ("before",)}[kind]
    present = {side: _common_columns([getattr(row, side) for row in rows], count) for side in sides}
    codecs = [column_codec(each) for each in table.columns]
    data = bytearray()
    for row in rows:
        for side in sides:
            image = getattr(row, side)
            if side == "after" and type_code == EventType.PARTIAL_UPDATE_ROWS:
                data += _partial_head(image, table, partial)
            data += _image_bytes(image, present[side], codecs, ones=ones)
    fields: dict[str, Any] = {
        "column_count": count,
        "columns_present": _bitmap(index in present[sides[0]] for index in range(count)),
    }
    if kind == "update":
        fields["columns_present_after"] = _bitmap(index in present["after"] for index in range(count))
    return {**fields, "row_data": bytes(data)}


class _ImageReader:
    def __init__(self, table: Table, data: bytes) -> None:
        self._data = data
        self._json = [index for index, each in enumerate(table.columns) if each.type == ColumnType.JSON]
        self._columns = table.columns
        self._reads: list[Callable[..., tuple[Any, int]] | None] = [None] * len(table.columns)
        self._whole = _whole(table.columns)
        self._unpacked = 0
        self.at = 0

    def image(self, present: Sequence[int], *, partial: bool = False) -> Image:
        if self._whole is not None and len(present) == len(self._columns) and not partial:
            whole = self._whole_image(self._whole)
            if whole is not None:
                return whole
        changed = self._changed_columns() if partial else frozenset()
        size = (len(present) + 7) // 8
        data, reads = self._data, self._reads
        nulls = int.from_bytes(take(data, self.at, len(data), size), "little")
        at, end = self.at + size, len(data)
        image: list[Any] = [ABSENT] * len(self._columns)
        values: dict[str, Any] = {}
        for index in present:
            if nulls & 1:
                image[index] = None
            elif index in changed:
                image[index], at = JsonDiffColumn(self._columns[index].meta).read(data, at, end, values)
            else:
                image[index], at = (reads[index] or self._column_reader(index))(data, at, end, values)
                if isinstance(image[index], PackedValue):
                    self._count_packed(image[index])
            nulls >>= 1
        self.at = at
        return tuple(image)

    def _count_packed(self, value: PackedValue) -> None:
        """Count the bytes of a compressed value, as an event may hold many that unpack to as much as one may."""
        self._unpacked += value.size
        check_event_bytes(self._unpacked, "the rows unpack to")

    def _whole_image(self, whole: struct.Struct) -> Image | None:
        """Return the next image, unpacked in one call, if none of its columns is NULL."""
        count = len(self._columns)
        border = self.at + (count + 7) // 8
        end = border + whole.size
        if end > len(self._data) or int.from_bytes(self._data[self.at : border], "little") & ((1 << count) - 1):
            return None
        self.at = end
        return whole.unpack_from(self._data, border)

    def _column_reader(self, index: int) -> Callable[..., tuple[Any, int]]:
        read = self._reads[index] = column_codec(self._columns[index]).read
        return read

    def _changed_columns(self) -> frozenset[int]:
        """Return the JSON columns that hold changes in the next image."""
        end = len(self._data)
        options, self.at = Packed().read(self._data, self.at, end, {})
        if not options & _PARTIAL_JSON:
            return frozenset()
        size = (len(self._json) + 7) // 8
        bits = int.from_bytes(take(self._data, self.at, end, size), "little")
        self.at += size
        return frozenset(index for place, index in enumerate(self._json) if bits >> place & 1)


def _whole(columns: Sequence[Column]) -> struct.Struct | None:
    """Return the format of an image that holds all of these columns, None if `struct` cannot read it."""
    integers = [codec for codec in map(integer_codec, columns) if codec is not None]
    codes = [code for code in (each.struct_code for each in integers) if code is not None]
    return struct.Struct("<" + "".join(codes)) if codes and len(codes) == len(columns) else None


def _present_columns(bitmap: bytes, count: int) -> list[int]:
    bits = int.from_bytes(bitmap, "little")
    return [index for index in range(count) if bits >> index & 1]


def _common_columns(images: Sequence[Image | None], count: int) -> list[int]:
    first = images[0]
    if first is None or len(first) != count:
        raise ValueError(f"an image of {first and len(first)} values, but the table has {count} columns")
    present = [index for index, value in enumerate(first) if value is not ABSENT]
    for each in images:
        if each is None or [index for index, value in enumerate(each) if value is not ABSENT] != present:
            raise ValueError("the images of an event must all hold the same columns")
    return present


def _bitmap(flags: Iterable[bool], *, ones: bool = False) -> bytes:
    bits = list(flags)
    size = (len(bits) + 7) // 8
    if ones:
        bits += [True] * (8 * size - len(bits))
    return sum(each << index for index, each in enumerate(bits)).to_bytes(size, "little")


def _partial_head(image: Image, table: Table, partial: bool | None) -> bytes:
    """Return the options of an after-image, and the bits of the JSON columns that hold changes."""
    json = [value for column, value in zip(table.columns, image, strict=True) if column.type == ColumnType.JSON]
    changed = [isinstance(value, JsonDiffs) for value in json]
    if not (any(changed) if partial is None else partial):
        return b"\0"
    return bytes([_PARTIAL_JSON]) + _bitmap(changed)


def _image_bytes(image: Image, present: Sequence[int], codecs: Sequence[Codec], *, ones: bool) -> bytes:
    data = bytearray(_bitmap((image[index] is None for index in present), ones=ones))
    for index in present:
        value = image[index]
        if value is None:
            continue
        if isinstance(value, JsonDiffs):
            # The length of a document and that of its changes have the same number of bytes.
            data += JsonDiffColumn(getattr(codecs[index], "length_bytes", 4)).write(value, {})
        else:
            data += codecs[index].write(value, {})
    return bytes(data)
