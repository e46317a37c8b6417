"""Mutants that misread the values of one column type."""

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.rows.column_codes import INTEGER_BYTES, NUMERIC, ColumnType
from conformance.binlog.rows.images import read_rows
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_writing import write_json
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.rows.table import Column, Table, table_of
from conformance.mutants.mutant import ChangeCell, Mutant, low_half
from conformance.reference.decode import Decoder


def _of(code: ColumnType, change: Callable[[Any], Any]) -> ChangeCell:
    """Return the change of the values of one column type that are not NULL."""
    return lambda column, value: change(value) if column.type == code and value is not None else value


def _null_is_zero(column: Column, value: Any) -> Any:
    return 0 if value is None else value


def _bytes_of(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])


def _noted(data: bytes) -> dict[str, str]:
    return {"base64": base64.b64encode(data).decode("ascii")}


def _always_signed(column: Column, value: Any) -> Any:
    size = INTEGER_BYTES.get(column.type)
    if size is None or value is None or value < 1 << 8 * size - 1:
        return value
    return value - (1 << 8 * size)


def _little_endian(column: Column, value: Any) -> Any:
    if column.type != ColumnType.BIT or value is None:
        return value
    return int.from_bytes(value.to_bytes((column.bits + 7) // 8, "big"), "little")


def _null_where_zero(text: str) -> str | None:
    return None if "-00" in text or text.startswith("0000") else text


def _without_fraction(text: str) -> str:
    return text.partition(".")[0]


def _signed_seconds(text: str) -> str:
    seconds, point, fraction = text.partition(".")
    number = int(seconds)
    return f"{number - (1 << 32) if number >> 31 else number}{point}{fraction}"


def _scalars(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the change of every scalar of a document."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(each) for key, each in value.items()}
        return [changed(each) for each in value] if isinstance(value, list) else change(value)

    return changed


def _cut(size: int) -> Callable[[Any], Any]:
    """Return the change of a text or bytes to no more than a number of bytes."""
    return lambda value: value if len(_bytes_of(value)) <= size else _noted(_bytes_of(value)[:size])


def _number_for_boolean(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _without_minus(value: Any) -> Any:
    return 0.0 if isinstance(value, float) and not value else value


def _up_to_nul(value: Any) -> Any:
    return value.partition("\0")[0] if isinstance(value, str) else value


def _named(value: Any) -> Any:
    """Return a document without the members of the empty name."""
    if isinstance(value, dict):
        return {key: _named(each) for key, each in value.items() if key}
    return [_named(each) for each in value] if isinstance(value, list) else value


def _signed_short(value: Any) -> Any:
    """Return an integer from 2^15 to 2^16 as a negative one."""
    is_short = isinstance(value, int) and not isinstance(value, bool) and 1 << 15 <= value < 1 << 16
    return value - (1 << 16) if is_short else value


def _only_text(value: Any) -> Any:
    return value if isinstance(value, str) else _bytes_of(value).decode("utf-8", "replace")


class _DocumentRefuser(Decoder):
    """A reader that refuses rows with some documents."""

    def __init__(self, refuses: Callable[[JsonDocument], bool]) -> None:
        self._refuses = refuses

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any] | None:
        """Return an event as the reader reports it."""
        reported = super().report(event, tables)
        if reported is not None and "rows" in reported:
            rows = read_rows(event.header.type, event.fields(), tables.table(reported["table_id"]))
            values = (value for row in rows for image in row if image for value in image)
            if any(isinstance(each, JsonDocument) and self._refuses(each) for each in values):
                raise MalformedBody("a JSON document is not as expected")
        return reported


class _FirstTableKeeper(Decoder):
    """A reader that reads rows by the first table that had their table id."""

    def __init__(self) -> None:
        self._first: dict[int, Table] = {}

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any] | None:
        """Return an event as the reader reports it."""
        if event.recognised and event.header.type == EventType.TABLE_MAP:
            table = table_of(event.fields())
            self._first.setdefault(table.table_id, table)
        return super().report(event, OpenTables(self._first))


class _TableMisreader(Decoder):
    """A reader that reads rows by tables that it misread."""

    def __init__(self, misread: Callable[[Table], Table]) -> None:
        self._misread = misread

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any] | None:
        """Return an event as the reader reports it."""
        if event.recognised and event.header.type in ROWS_TYPES:
            table_id = event.fields()["table_id"]
            if tables.has(table_id):
                tables = OpenTables({table_id: self._misread(tables.table(table_id))})
        return super().report(event, tables)


class _LabelRefuser(Decoder):
    """A reader that refuses tables with labels whose length takes more than one byte."""

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any] | None:
        """Return an event as the reader reports it."""
        if event.recognised and event.header.type == EventType.TABLE_MAP:
            labels = (label for column in _columns_of(event) for label in column.labels or ())
            if any(len(each) > _ONE_BYTE for each in labels):
                raise MalformedBody("a label is longer than expected")
        return super().report(event, tables)


def _columns_of(event: Event) -> tuple[Column, ...]:
    """Return the columns of a Table_map; none if it is one of an alpha version, without their metadata."""
    fields = event.fields()
    return table_of(fields).columns if "null_bits" in fields else ()


#: The largest packed integer of one byte.
_ONE_BYTE: Final = 250


def _with_eight_signs(table: Table) -> Table:
    """Return a table of which the numbers after the first eight have a sign: that is one byte of the metadata."""
    numbers = [at for at, column in enumerate(table.columns) if column.type in NUMERIC]
    signed = (replace(each, unsigned=False) if at in numbers[8:] else each for at, each in enumerate(table.columns))
    return replace(table, columns=tuple(signed))


def _paths_of_250(value: Any) -> Any:
    """Return a cell of JSON of which the paths of changes have no more than 250 bytes."""
    changes = [{**change, "path": change["path"][:_ONE_BYTE]} for change in value.get("json_changes", ())]
    return {"json_changes": changes} if changes else value


def _is_empty(document: JsonDocument) -> bool:
    return not document.data


def _has_gaps(document: JsonDocument) -> bool:
    return bool(document.data) and write_json(document.value()) != document


def _cells(name: str, kind: str, text: str, change: ChangeCell, *, also: tuple[str, ...] = ()) -> Mutant:
    return Mutant(name, f"FORMAT-ROWS-{kind}", text, cells=change, also=also)


COLUMN_TYPE_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "first-table-of-id",
        "FORMAT-ROWS-IMAGES",
        "rows are read by the first table that had their table id",
        answer=lambda request: _FirstTableKeeper().answer(request),
    ),
    _cells("null-is-zero", "NULL", "NULL is 0", _null_is_zero),
    _cells(
        "mediumint-unsigned",
        "VALUES-INTEGER",
        "MEDIUMINT has no sign",
        _of(ColumnType.INT24, lambda value: value % 2**24),
    ),
    _cells("always-signed", "VALUES-UNSIGNED", "integers always have a sign", _always_signed),
    Mutant(
        "signs-of-eight-numbers",
        "FORMAT-ROWS-VALUES-UNSIGNED",
        "only the first eight columns of numbers can be without a sign",
        answer=_TableMisreader(_with_eight_signs).answer,
    ),
    _cells(
        "decimal-as-double",
        "VALUES-DECIMAL",
        "a DECIMAL is converted through a double",
        _of(ColumnType.NEWDECIMAL, lambda text: f"{float(text):.20f}"),
    ),
    _cells(
        "float-6-digits",
        "VALUES-FLOAT",
        "a FLOAT has 6 digits",
        _of(ColumnType.FLOAT, lambda value: float(f"{value:.6g}")),
    ),
    _cells(
        "double-15-digits",
        "VALUES-DOUBLE",
        "a DOUBLE has 15 digits",
        _of(ColumnType.DOUBLE, lambda value: float(f"{value:.15g}")),
    ),
    _cells(
        "float-minus-zero",
        "VALUES-FLOAT",
        "a FLOAT of -0.0 is 0.0",
        _of(ColumnType.FLOAT, lambda value: value or 0.0),
    ),
    _cells("bit-little-endian", "VALUES-BIT", "the bytes of a BIT are reversed", _little_endian),
    _cells("year-1900", "VALUES-YEAR", "the year 0000 is 1900", _of(ColumnType.YEAR, lambda year: year or 1900)),
    _cells(
        "zero-date-is-null", "VALUES-DATE", "a DATE with zero parts is NULL", _of(ColumnType.DATE, _null_where_zero)
    ),
    _cells(
        "old-time-positive",
        "VALUES-OLD-TIME",
        "an old TIME has no sign",
        _of(ColumnType.TIME, lambda text: text.lstrip("-")),
    ),
    _cells(
        "old-zero-datetime-is-null",
        "VALUES-OLD-DATETIME",
        "an old DATETIME with zero parts is NULL",
        _of(ColumnType.DATETIME, _null_where_zero),
    ),
    _cells(
        "old-timestamp-late",
        "VALUES-OLD-TIMESTAMP",
        "an old TIMESTAMP is an hour late",
        _of(ColumnType.TIMESTAMP, lambda text: str(int(text) + 3600)),
    ),
    _cells(
        "last-day-30",
        "VALUES-DATE",
        "a DATE has 30 days at most in a month",
        _of(ColumnType.DATE, lambda text: text.replace("-31", "-30")),
    ),
    _cells(
        "time-sign-of-hours",
        "VALUES-TIME",
        "the sign of a TIME of less than an hour is lost",
        _of(ColumnType.TIME2, lambda text: text.lstrip("-") if text.startswith("-00:") else text),
    ),
    _cells("time-without-fraction", "VALUES-TIME", "a TIME has no fraction", _of(ColumnType.TIME2, _without_fraction)),
    _cells(
        "datetime-without-fraction",
        "VALUES-DATETIME",
        "a DATETIME has no fraction",
        _of(ColumnType.DATETIME2, _without_fraction),
    ),
    _cells(
        "timestamp-without-fraction",
        "VALUES-TIMESTAMP",
        "a TIMESTAMP has no fraction",
        _of(ColumnType.TIMESTAMP2, _without_fraction),
    ),
    _cells(
        "timestamp-column-signed",
        "VALUES-TIMESTAMP",
        "a TIMESTAMP after 2038 is before 1970",
        _of(ColumnType.TIMESTAMP2, _signed_seconds),
    ),
    _cells(
        "char-cut-at-40",
        "VALUES-CHAR",
        "a CHAR is cut at 40 bytes",
        _of(ColumnType.STRING, lambda value: _noted(_bytes_of(value)[:40])),
    ),
    _cells("varchar-is-text", "VALUES-VARCHAR", "a VARBINARY is decoded as text", _of(ColumnType.VARCHAR, _only_text)),
    _cells(
        "blob-loses-a-byte",
        "VALUES-BLOB",
        "a BLOB loses its last byte",
        _of(ColumnType.BLOB, lambda value: _noted(_bytes_of(value)[:-1])),
    ),
    Mutant(
        "long-labels-refused",
        "FORMAT-EVENT-DELIVERED",
        "a Table_map is refused if a label has more than 250 bytes",
        answer=_LabelRefuser().answer,
    ),
    _cells(
        "enum-from-0",
        "VALUES-ENUM",
        "the labels of an ENUM are counted from 0",
        _of(ColumnType.ENUM, lambda value: value - 1),
    ),
    _cells(
        "enum-signed",
        "VALUES-ENUM",
        "the number of a label has a sign in two bytes",
        _of(ColumnType.ENUM, lambda value: value - (1 << 16) if value >> 15 else value),
    ),
    _cells(
        "varchar-to-15-bits",
        "VALUES-VARCHAR",
        "a VARCHAR has no more than 32767 bytes",
        _of(ColumnType.VARCHAR, _cut((1 << 15) - 1)),
    ),
    _cells(
        "blob-to-15-bits",
        "VALUES-BLOB",
        "a BLOB has no more than 32767 bytes",
        _of(ColumnType.BLOB, _cut((1 << 15) - 1)),
    ),
    _cells("set-32-bits", "VALUES-SET", "a SET has 32 bits", _of(ColumnType.SET, low_half)),
    _cells(
        "geometry-without-srid",
        "VALUES-GEOMETRY",
        "a GEOMETRY loses the id of its reference system",
        _of(ColumnType.GEOMETRY, lambda value: _noted(_bytes_of(value)[4:])),
    ),
    _cells(
        "geometry-to-255",
        "VALUES-GEOMETRY",
        "a GEOMETRY has no more than 255 bytes",
        _of(ColumnType.GEOMETRY, _cut(255)),
    ),
    _cells("json-true-is-1", "VALUES-JSON", "JSON's true is 1", _of(ColumnType.JSON, _scalars(_number_for_boolean))),
    _cells("json-minus-zero", "VALUES-JSON", "JSON's -0.0 is 0.0", _of(ColumnType.JSON, _scalars(_without_minus))),
    _cells(
        "json-strings-end-at-nul",
        "VALUES-JSON",
        "JSON's strings end at their first NUL",
        _of(ColumnType.JSON, _scalars(_up_to_nul)),
    ),
    _cells(
        "json-empty-key-lost",
        "VALUES-JSON",
        "members of the empty name are lost",
        _of(ColumnType.JSON, _named),
        also=("FORMAT-ROWS-PARTIAL-UPDATE",),
    ),
    _cells(
        "json-16-bits-signed",
        "VALUES-JSON",
        "JSON's 16-bit integers always have a sign",
        _of(ColumnType.JSON, _scalars(_signed_short)),
        also=("FORMAT-ROWS-PARTIAL-UPDATE",),
    ),
    _cells(
        "json-short-paths",
        "PARTIAL-UPDATE",
        "the path of a change ends after 250 bytes",
        _of(ColumnType.JSON, _paths_of_250),
    ),
    Mutant(
        "json-empty-refused",
        "FORMAT-ROWS-VALUES-JSON",
        "a JSON document of no bytes is refused",
        answer=_DocumentRefuser(_is_empty).answer,
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "json-gaps-refused",
        "FORMAT-ROWS-VALUES-JSON",
        "a JSON document is refused if its keys and values do not lie one after the other",
        answer=_DocumentRefuser(_has_gaps).answer,
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    _cells(
        "columns-stay-packed",
        "VALUES-MARIADB-COMPRESSED",
        "a compressed column keeps its compression header",
        _of(ColumnType.MARIADB_VARCHAR_COMPRESSED, lambda value: _noted(b"\0" + _bytes_of(value))),
    ),
    _cells(
        "vector-first-element-only",
        "VALUES-VECTOR",
        "a VECTOR ends after its first element",
        _of(ColumnType.VECTOR, lambda value: value[:1]),
    ),
    _cells(
        "vector-to-63",
        "VALUES-VECTOR",
        "a VECTOR has no more than 63 elements",
        _of(ColumnType.VECTOR, lambda value: value[:63]),
    ),
)
