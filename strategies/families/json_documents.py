"""Rows with JSON documents: every kind of value in every place of a document, and every change of one."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.json_diff import DiffOperation, JsonDiff, JsonDiffs
from conformance.binlog.rows.json_types import JsonUnsigned
from conformance.binlog.rows.json_writing import write_json
from conformance.binlog.rows.temporal import Date, DateTime, Time
from conformance.binlog.servers import WITH_JSON, WITH_TABLE_METADATA
from conformance.strategies.events import row_events
from conformance.strategies.events.columns import JSON, kind_of
from conformance.strategies.events.json_values import CHANGES
from conformance.strategies.grammar.dimension import Dimension, Number
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.notation import Value
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Integers with a sign at the ends of each width, and those without one.
_SIGNED: Final = (0, -1, 32_767, -32_768, 32_768, -32_769, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63))
_UNSIGNED: Final = (32_768, 65_535, 65_536, 2**32 - 1, 2**32, 2**64 - 1)
#: Sizes of texts in bytes at the ends of what one, two and three bytes of a length hold.
_SIZES: Final = (0, 127, 128, 256, 16_383, 16_384)
_DOUBLES: Final = (0.5, -0.0, -1e308, 5e-324)


def _same(value: Any) -> Value:
    return Value(value, value)


def _decimal(text: str) -> Value:
    return Value(Decimal(text), float(text) if "." in text else int(text))


_VALUES: Final[dict[str, Value]] = {
    **{word: _same(value) for word, value in (("null", None), ("true", True), ("false", False))},
    **{str(number): _same(number) for number in _SIGNED},
    **{f"{number} unsigned": Value(JsonUnsigned(number), number) for number in _UNSIGNED},
    **{f"double {number}": _same(number) for number in _DOUBLES},
    **{f"text of {size} bytes": _same("t" * size) for size in _SIZES},
    "text of other characters": _same("äß日本\U0001f600"),
    "text with NUL, quotes and controls": _same('a\0"b\\\n\t\x1f/'),
    **{f"decimal {text}": _decimal(text) for text in ("0", "-0.5", "1234567890.0625")},
    "date": Value(Date(2024, 2, 29), "2024-02-29"),
    "time": Value(Time(23, 59, 58, 1), "23:59:58.000001"),
    "time below zero": Value(Time(838, 59, 59, 0, True), "-838:59:59.000000"),
    "datetime": Value(DateTime(1000, 1, 31, 23, 59, 59, 999_999), "1000-01-31 23:59:59.999999"),
    "empty array": _same([]),
    "empty object": _same({}),
    "array of an array": _same([[1]]),
    "object of an object": _same({"": {"a": None}}),
}
#: Containers have the small form up to 64 KiB, and another one above.
_FILL: Final = "f" * 70_000
#: Where a value is in a document; keys are stored by length, then by their bytes.
_PLACES: Final[dict[str, Callable[[Any], Any]]] = {
    "whole document": lambda value: value,
    "last element": lambda value: ["first", -7, {"a": 1}, value],
    "first and last member": lambda value: {"日": -1, "k" * 256: value, "": value},
    "only element, in the third level": lambda value: {"a": [1, {"b": [value], "c": 2}]},
    "element and member of large containers": lambda value: [value, {"zz": 1, "a": _FILL, "b": value}, 1],
}
_VALUE: Final = Dimension("value", _VALUES)
_PLACE: Final = Dimension("place in the document", _PLACES)


@family(focus="FORMAT-ROWS-VALUES-JSON", profiles=WITH_JSON, dimensions=(_VALUE, _PLACE))
def json_documents(stream: StreamBuilder) -> None:
    """A row with a JSON document: every kind of value, at the ends of its width or length, in every place."""
    value, place = stream.vary(_VALUE), stream.vary(_PLACE)
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, [JSON, kind_of(ColumnType.LONG)])
    document = _document(place(value.wire), place(value.shown))
    groups.add_rows(stream, rows, lambda: row_events.row_of(stream, rows, "write", after=[document, _BESIDE]))
    groups.end_log(stream)


_CHANGES: Final = Number("changes of a document", fewest=0, few=2, many=(30, 40), heavy=False)
_CHANGED: Final = {_CHANGES.name: ("1", "2", "many")}
#: Paths, whose length has one byte up to 250 and three above.
_PATHS: Final = {
    **{"a member": "$.a", "an element": "$[0]", "in the fourth level": "$.a[12].b[0]", "quoted": '$."ä b"."日😀"'},
    **{f"of {size} bytes": "$." + "p" * (size - 2) for size in (250, 251, 255, 256)},
}
_PATH: Final = Dimension("path", _PATHS, when=_CHANGED)
_OPERATION: Final = Dimension("operation", {each.name.lower(): each for each in DiffOperation}, when=_CHANGED)
_WITH_VALUE: Final = {_OPERATION.name: ("replace", "insert")}
#: The new values of changes; the length of a value takes one byte up to 250.
_NEW: Final = {
    **{name: _VALUES[name] for name in ("null", "-32769", "65536 unsigned", "double 0.5", "decimal -0.5", "datetime")},
    **{f"of {size} bytes": _same("n" * (size - (2 if size < 130 else 3))) for size in (249, 250, 251, 255, 256)},
    **{"array": _same([1, "a"]), "object": _same({"b": {"a": []}}), "large": _same(["f" * 70_000, 1])},
}
_NEW_VALUE: Final = Dimension("new value", _NEW, when=_WITH_VALUE, heavy=("large",))
_COLUMNS: Final = Dimension(
    "columns with changes", {"first": (True, False), "last": (False, True), "both": (True, True)}
)


@family(
    focus="FORMAT-ROWS-PARTIAL-UPDATE",
    profiles=WITH_TABLE_METADATA,
    dimensions=(_CHANGES, _OPERATION, _PATH, _NEW_VALUE, _COLUMNS),
)
def json_changes(stream: StreamBuilder) -> None:
    """A partial update with every kind of change of a document, in one column or in one of two."""
    changes, (first, last) = _changes(stream), stream.vary(_COLUMNS)
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, [JSON, kind_of(ColumnType.LONG), JSON])
    after = [changes if first else _UNCHANGED, _BESIDE, changes if last else _UNCHANGED]
    before = [_UNCHANGED, _BESIDE, _UNCHANGED]
    update = row_events.row_of(stream, rows, "update", before=before, after=after)
    groups.add_rows(stream, rows, lambda: update)
    groups.end_log(stream)


def _changes(stream: StreamBuilder) -> Value:
    """Return changes of one document: the last as the dimensions have it, with others before it."""
    wire, shown = [], []
    several = list(stream.several_of(_CHANGES))
    for number in several:
        change = _drawn(stream) if number == several[-1] else (DiffOperation.REPLACE, "$.b", _same(number))
        operation, path, value = change
        wire.append(JsonDiff(operation, path.encode(), None if value is None else write_json(value.wire)))
        entry = {"operation": operation.name.lower(), "path": path}
        shown.append(entry if value is None else entry | {"value": value.shown})
    return Value(JsonDiffs(tuple(wire)), {CHANGES: shown})


def _drawn(stream: StreamBuilder) -> tuple[DiffOperation, str, Value | None]:
    operation, path = stream.vary(_OPERATION), stream.vary(_PATH)
    return operation, path, None if operation == DiffOperation.REMOVE else stream.vary(_NEW_VALUE)


def _document(wire: Any, shown: Any) -> Value:
    return Value(write_json(wire), {"json": shown})


#: The values of the other columns: the document that is left as it is, and a number.
_UNCHANGED: Final = _document({"a": 1}, {"a": 1})
_BESIDE: Final = _same(7)
