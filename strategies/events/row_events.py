"""Tables with any columns, and the rows events that write, update and delete their rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from conformance.binlog.event_types import COMPRESSED_ROWS_V1, ROWS_V1, EventType
from conformance.binlog.rows.column_codes import CHARACTER, NUMERIC, ColumnType
from conformance.binlog.rows.images import ABSENT, Row, write_rows
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.rows.rows_extra_data import write_rows_extra_data
from conformance.binlog.rows.table import Column, Table, column_metadata
from conformance.binlog.rows.table_metadata import write_table_metadata
from conformance.binlog.servers import (
    WITH_BOTH_ROWS_EVENTS,
    WITH_ROW_IMAGES,
    WITH_TABLE_METADATA,
    WITH_ZERO_FILLED_BITMAPS,
)
from conformance.strategies.events import mysql_events
from conformance.strategies.events.columns import COMPRESSED_COLUMNS, ColumnKind, value_requirement
from conformance.strategies.events.json_values import is_changes
from conformance.strategies.events.plain_compression import mariadb_part
from conformance.strategies.grammar.dimension import Number, When, bits
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.notation import Value
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

Operation = Literal["write", "update", "delete"]
#: The operations of rows events, in the order of a server's `rows_events`.
OPERATIONS: Final[tuple[Operation, ...]] = ("write", "update", "delete")


def numbers_of_rows(*, when: When | None = None) -> Number:
    """Return the dimension of how many rows an event has: up to more than one byte counts; `when` as in `Dimension`."""
    return Number("rows of an event", many=(17, 24), heavy=False, huge=(257, 260), when=when)


ROWS: Final = numbers_of_rows()

#: The other flags of a rows event: sessions without checks, rows of all columns.
ROWS_FLAGS: Final = bits("rows flags", (0x0002, 0x0004, 0x0008))
#: The should for which tables with compressed columns are made.
_COMPRESSED: Final = "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED"
_ROWS_MARKS: Final = ("FORMAT-ROWS", "FORMAT-ROWS-IMAGES")
_EXTRA_MARKS: Final = ("FORMAT-ROWS-EXTRA-DATA",)
_PARTIAL_MARKS: Final = ("FORMAT-ROWS-PARTIAL-UPDATE",)


class RowTable(NamedTuple):
    """A table, and the kinds of its columns."""

    table: Table
    kinds: tuple[ColumnKind, ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """The type codes of its columns."""
        return tuple(int(column.type) for column in self.table.columns)


def table_of(stream: StreamBuilder, kinds: Iterable[ColumnKind]) -> RowTable:
    """Return a table with columns of these kinds; if `kinds` is lazy, each kind is chosen with its column."""
    columns = [(kind, kind.column(stream)) for kind in kinds]
    return _table(stream, stream.choose.one_of(mysql_events.NAMES), columns)


def altered(stream: StreamBuilder, rows: RowTable) -> RowTable:
    """Return a table after ALTER TABLE: its columns have the types that they had, and other lengths, signs and sets."""
    columns = [(kind, kind.column(stream)) for kind in rows.kinds]
    return _table(stream, rows.table.name.decode(), columns)


def _table(stream: StreamBuilder, name: str, columns: Sequence[tuple[ColumnKind, Column]]) -> RowTable:
    described = tuple(column for _, column in columns)
    chosen = min(whole_number(stream.choose, 48, low=1), 2**48 - 2)
    table = Table(stream.table_id(chosen, (name, described)), b"test", name.encode(), described)
    return RowTable(table, tuple(kind for kind, _ in columns))


def table_map(
    stream: StreamBuilder, rows: RowTable, *, full: bool | None = None, more: Mapping[str, Any] | None = None
) -> PlannedEvent:
    """Return the Table_map event of a table, with the optional metadata of the stream's server.

    Args:
        stream: The stream it is for.
        rows: The table.
        full: Whether the metadata is that of `binlog_row_metadata` FULL, not MINIMAL; chosen if None.
        more: Entries of the metadata that differ from those of other tables, or that others do not have.
    """
    table = rows.table
    types, metadata, null_bits = column_metadata(table.columns)
    fields = {
        "table_id": table.table_id,
        "database": table.database.decode(),
        "table": table.name.decode(),
        "column_count": len(table.columns),
    }
    wire = {
        **fields,
        "table_flags": mysql_events.table_flags(stream),
        "database": table.database,
        "table": table.name,
        "column_types": types,
        "column_metadata": metadata,
        "null_bits": null_bits,
        "optional_metadata": b"",
    }
    if stream.server.profile in WITH_TABLE_METADATA:
        full = stream.choose.yes() if full is None else full
        wire["optional_metadata"] = _optional_metadata(table.columns, full=full, more=more or {})
    planned = mysql_events.plan(stream, EventType.TABLE_MAP, wire, fields, marks=("FORMAT-TABLE-MAP",))
    return planned._replace(marks=(), made_for=_COMPRESSED) if _has_compressed(rows) else planned


def _has_compressed(rows: RowTable) -> bool:
    """Return whether a table has a compressed column of MariaDB, for which a reader may refuse the table."""
    return any(code in COMPRESSED_COLUMNS for code in rows.codes)


def _optional_metadata(columns: Sequence[Column], *, full: bool, more: Mapping[str, Any]) -> bytes:
    """Return the metadata that servers write with `binlog_row_metadata` MINIMAL or FULL, in their order."""
    entries: dict[str, Any] = {
        # A YEAR counts as unsigned too.
        "unsigned": [bool(each.unsigned) or each.type == ColumnType.YEAR for each in columns if each.type in NUMERIC],
        **_charsets([each.collation for each in columns if each.type in CHARACTER]),
        "geometry_types": [each.geometry_type for each in columns if each.type == ColumnType.GEOMETRY],
        "vector_dimensions": [each.dimension for each in columns if each.type == ColumnType.VECTOR],
    }
    if full:
        labelled = [each for each in columns if each.labels is not None]
        entries |= {
            "column_names": [f"c{number}".encode() for number in range(len(columns))],
            **_charsets([each.collation for each in labelled], "enum_set_"),
            "set_labels": [each.labels for each in labelled if each.type == ColumnType.SET],
            "enum_labels": [each.labels for each in labelled if each.type == ColumnType.ENUM],
            **dict.fromkeys(("primary_key", "primary_key_prefixes")),
            "visible": [True] * len(columns),
        }
    return write_table_metadata({name: entry for name, entry in {**entries, **more}.items() if entry})


def _charsets(collations: Sequence[int | None], prefix: str = "") -> dict[str, Any]:
    """Return the collation of the first column as the default, and the columns that differ, or all collations.

    Servers write what has fewer numbers, as the logs of 8.0.15 and 9.7.4 show.
    """
    if not collations:
        return {}
    others = [{"index": index, "collation": each} for index, each in enumerate(collations) if each != collations[0]]
    if 1 + 2 * len(others) > len(collations):
        return {f"{prefix}column_charsets": collations}
    return {f"{prefix}default_charset": {"default": collations[0], "others": others}}


def rows_event(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    *,
    last: bool = True,
    several: Iterable[int] | None = None,
) -> PlannedEvent:
    """Return a rows event.

    Args:
        stream: The stream it is for.
        rows: Its table.
        operation: What it does with its rows.
        last: Whether it ends its statement.
        several: Has an element for each of its rows, such as `StreamBuilder.several_of`; None for one to three rows.
    """
    place = OPERATIONS.index(operation)
    code = stream.server.rows_events[place]
    older = stream.server.profile in WITH_BOTH_ROWS_EVENTS and stream.choose.yes(5)
    if older:
        code = int(ROWS_V1[place])
    planned = _planned(stream, rows, operation, code, last=last, marks=_ROWS_MARKS, several=several)
    # Servers and tools since 8.4 refuse version 1, and only servers that are set to do so write it.
    return planned._replace(tolerated=True) if older else planned


def partitioned_rows_event(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    *,
    partitions: Sequence[int],
    last: bool = True,
    several: Iterable[int] | None = None,
) -> PlannedEvent:
    """Return a rows event of a partitioned table; see `rows_event`.

    Args:
        stream: The stream it is for.
        rows: Its table.
        operation: What it does with its rows.
        partitions: The number of the partition, and of an update that of the partition before the change.
        last: Whether it ends its statement.
        several: Has an element for each of its rows.
    """
    code, marks = stream.server.rows_events[OPERATIONS.index(operation)], _EXTRA_MARKS
    ids = partitions if operation == "update" else partitions[:1]
    extra = {"partition": dict(zip(("partition_id", "source_partition_id"), ids, strict=False))}
    planned = _planned(stream, rows, operation, code, last=last, marks=marks, several=several, extra=extra)
    return planned.only_for("FORMAT-ROWS-EXTRA-DATA")


def partial_update(
    stream: StreamBuilder, rows: RowTable, *, last: bool = True, several: Iterable[int] | None = None, flags: int = 0
) -> PlannedEvent:
    """Return a Partial_update_rows event: after-images hold changes of JSON documents; see `rows_event`.

    `flags` are those besides the one for the end of its statement.
    """
    code = EventType.PARTIAL_UPDATE_ROWS
    return _planned(stream, rows, "update", code, last=last, marks=_PARTIAL_MARKS, several=several, flags=flags)


def compressed_rows_event(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    *,
    last: bool = True,
    several: Iterable[int] | None = None,
    flags: int = 0,
) -> PlannedEvent:
    """Return a rows event of MariaDB whose images are compressed; see `partial_update`."""
    code = COMPRESSED_ROWS_V1[OPERATIONS.index(operation)]
    marks = ("FORMAT-MARIADB-ROWS-COMPRESSED",)
    return _planned(stream, rows, operation, code, last=last, marks=marks, several=several, flags=flags)


def row_of(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    *,
    before: Sequence[Value] | None = None,
    after: Sequence[Value] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> PlannedEvent:
    """Return a rows event with one row, of given values of all columns; `before` and `after` as the operation has them.

    An update is a partial one if a value of `after` is the changes of a document.

    Args:
        stream: The stream it is for.
        rows: Its table.
        operation: What it does with its row.
        before: The values before the change.
        after: The values after it.
        extra: The parts of its extra data; see `write_rows_extra_data`.
    """
    images = {side: dict(enumerate(values)) for side, values in (("before", before), ("after", after)) if values}
    return rows_of(stream, rows, operation, [images], extra=extra)


#: The images of one row, ``before`` and ``after``: the index of a column -> its value.
Images = Mapping[str, Mapping[int, Value]]


def rows_of(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    images: Sequence[Images],
    *,
    last: bool = True,
    extra: Mapping[str, Any] | None = None,
) -> PlannedEvent:
    """Return a rows event with given images, which all hold the same columns; see `row_of`.

    Args:
        stream: The stream it is for.
        rows: Its table.
        operation: What it does with its rows.
        images: The images of each row.
        last: Whether it ends its statement.
        extra: The parts of its extra data; see `write_rows_extra_data`.
    """
    flags = STATEMENT_END if last else 0
    if any(is_changes(value.shown) for row in images for value in row.get("after", {}).values()):
        code: int = EventType.PARTIAL_UPDATE_ROWS
        return _built(stream, rows, operation, code, images, marks=_PARTIAL_MARKS, flags=flags)
    code = stream.server.rows_events[OPERATIONS.index(operation)]
    if extra:
        built = _built(stream, rows, operation, code, images, marks=_EXTRA_MARKS, flags=flags, extra=extra)
        return built.only_for("FORMAT-ROWS-EXTRA-DATA")
    return _built(stream, rows, operation, code, images, marks=_ROWS_MARKS, flags=flags)


def _planned(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    code: int,
    *,
    last: bool,
    marks: tuple[str, ...],
    several: Iterable[int] | None = None,
    flags: int = 0,
    extra: Mapping[str, Any] | None = None,
) -> PlannedEvent:
    choose = stream.choose
    sides = {"write": ("after",), "update": ("before", "after"), "delete": ("before",)}[operation]
    present = {side: _present(stream, len(rows.kinds)) for side in sides}
    partial = code == EventType.PARTIAL_UPDATE_ROWS
    chosen = [
        {side: _image(stream, rows, present[side], changes=partial and side == "after") for side in sides}
        for _ in (choose.several(1, 3) if several is None else several)
    ]
    flags |= STATEMENT_END if last else 0
    return _built(stream, rows, operation, code, chosen, marks=marks, flags=flags, extra=extra)


def _built(
    stream: StreamBuilder,
    rows: RowTable,
    operation: Operation,
    code: int,
    chosen: Sequence[Images],
    *,
    marks: tuple[str, ...],
    flags: int = STATEMENT_END,
    extra: Mapping[str, Any] | None = None,
) -> PlannedEvent:
    """Return the rows event that has these rows."""
    codes, sides = rows.codes, ("before", "after")
    images = [Row(*(_wire(rows, row.get(side)) for side in sides)) for row in chosen]
    shown = [{side: _shown(row.get(side)) for side in sides} for row in chosen]
    values = [(codes[at], value) for row in chosen for image in row.values() for at, value in image.items()]
    fields = {"table_id": rows.table.table_id, "rows_flags": flags, "rows": shown}
    ones = stream.server.profile not in WITH_ZERO_FILLED_BITMAPS
    # Of a row without changes of documents the options are 0, and there are no bits; or no bit is set.
    has_bits = True if code == EventType.PARTIAL_UPDATE_ROWS and stream.choose.yes() else None
    wire: dict[str, Any] = {**fields, **write_rows(code, images, rows.table, ones=ones, partial=has_bits)}
    if code in COMPRESSED_ROWS_V1:
        wire["compressed_rows"] = mariadb_part(wire.pop("row_data"))
    if extra:
        wire["extra_data"] = write_rows_extra_data(extra, update=operation == "update")
    planned = mysql_events.plan(stream, code, wire, fields, marks=marks + _value_marks(values), columns=codes)
    return planned.only_for(_COMPRESSED) if _has_compressed(rows) else planned


def _value_marks(values: Sequence[tuple[int, Value]]) -> tuple[str, ...]:
    """Return the requirements that govern values, except the changes of a partial update, which has its own."""
    governed = [(code, value.shown) for code, value in values if not is_changes(value.shown)]
    requirements = {"FORMAT-ROWS-NULL" if shown is None else value_requirement(code, shown) for code, shown in governed}
    return tuple(sorted(requirements))


def _present(stream: StreamBuilder, count: int) -> list[int]:
    """Return the columns that the images of one side hold: all or some."""
    choose = stream.choose
    if stream.server.profile not in WITH_ROW_IMAGES or not choose.yes(4):
        return list(range(count))
    return [index for index in range(count) if choose.yes()] or [choose.integer(0, count - 1)]


def _image(stream: StreamBuilder, rows: RowTable, present: Sequence[int], *, changes: bool) -> dict[int, Value]:
    """Return the values of one image by the index of their columns."""
    image: dict[int, Value] = {}
    for index in present:
        kind, column = rows.kinds[index], rows.table.columns[index]
        if column.nullable and stream.choose.yes(6):
            image[index] = Value(None, None)
        elif changes and kind.changes is not None and not stream.choose.yes(3):
            image[index] = kind.changes(stream)
        else:
            image[index] = kind.value(stream, column)
    return image


def _wire(rows: RowTable, image: Mapping[int, Value] | None) -> tuple[Any, ...] | None:
    if image is None:
        return None
    return tuple(image[index].wire if index in image else ABSENT for index in range(len(rows.kinds)))


def _shown(image: Mapping[int, Value] | None) -> dict[str, Any] | None:
    return None if image is None else {str(index): value.shown for index, value in image.items()}
