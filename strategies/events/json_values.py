"""JSON documents, and the changes of partial updates."""

from decimal import Decimal
from typing import Any, Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.json_diff import DiffOperation, JsonDiff, JsonDiffs
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_types import JsonOpaque, JsonUnsigned
from conformance.binlog.rows.json_writing import write_json
from conformance.binlog.rows.table import Column
from conformance.binlog.rows.temporal import Date, DateTime, Time
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.notation import DOUBLE, Value, real
from conformance.strategies.grammar.stream import StreamBuilder

#: The depth of the deepest generated document.
_DEEPEST: Final = 3
_KEYS: Final = ("a", "b", "key", "ä", "日本", "x" * 70, "", "k" * 300, "n\0k")
#: Strings that a reader of C strings cuts: their length is stored before them.
_WITH_NULS: Final = ("a\0b", "\0", "\0" * 3, "日\0")
#: A double that equals 0 and is another one, which MySQL shows as -0.0.
_MINUS_ZERO: Final = -0.0
#: Decimals that a double holds exactly, as JSON numbers are doubles in many languages.
_DECIMALS: Final = ("0.5", "-12.25", "1234567.875", "100")
_TEMPORAL: Final = (
    Value(Date(2024, 2, 29), "2024-02-29"),
    Value(Time(11, 22, 33, 125000), "11:22:33.125000"),
    Value(Time(838, 59, 59, 0, True), "-838:59:59.000000"),
    Value(DateTime(1999, 12, 31, 23, 59, 59, 1), "1999-12-31 23:59:59.000001"),
    Value(DateTime(2024, 2, 29, 11, 22, 33, 0), "2024-02-29 11:22:33.000000"),
    Value(Time(0, 0, 1, 500000, True), "-00:00:01.500000"),
    # 5.7.22 and 9.7.4 store a column of the type TIMESTAMP as such, with the bytes of a DATETIME.
    Value(JsonOpaque(ColumnType.TIMESTAMP, bytes.fromhex("20a107a1b5bab219")), "2024-02-29 11:22:33.500000"),
)
#: A text with which a container no longer fits the small form, with offsets of two bytes.
_LARGE: Final = "large " * 12_000
#: Containers of the large form: of many texts, and of what has four bytes and stands in the place of an offset.
_LARGE_ARRAYS: Final[tuple[list[Any], ...]] = (
    [f"{number:040d}" for number in range(3000)],
    [_LARGE, 70_000, -70_000, True, None, [1, 2], 7],
)
_LARGE_OBJECT: Final[dict[str, Any]] = {"a": _LARGE, "b": -70_000, "key": {"a": 1}, "ä": False}
#: MySQL updates documents in place since 8.0.3, and logs them with what earlier values have left: seen in the logs of
#: 8.0.15 and 9.7.4 after JSON_SET and JSON_REMOVE, while those of 5.7.22 have nothing between keys and values.
_UPDATED_IN_PLACE: Final = Profiles("mysql >= 8.0.3")
_LEFT: Final = b"left"
#: The key of the changes of a document in the notation of the protocol.
CHANGES: Final = "json_changes"
_PATHS: Final = ("$.a", "$.key[2]", "$[0]", '$."ä"')


def json_column_value(stream: StreamBuilder, column: Column) -> Value:
    """Return a document for a JSON column."""
    choose = stream.choose
    # The document of a column that may not be NULL, set to NULL by INSERT IGNORE, or added by ALTER TABLE.
    if choose.yes(12):
        return Value(JsonDocument(b""), {"json": None})
    value = _json_value(stream, 0)
    updated = stream.server.profile in _UPDATED_IN_PLACE and choose.yes(3)
    return Value(write_json(value.wire, left=_LEFT if updated else b""), {"json": value.shown})


def _json_value(stream: StreamBuilder, depth: int) -> Value:
    choose = stream.choose
    kind = choose.integer(0, 6 if depth >= _DEEPEST else 9)
    if kind < 7:
        return _scalar(stream, kind)
    if kind in (7, 8) and depth == 0 and choose.yes(10):
        return _shown_as_written(choose.one_of((*_LARGE_ARRAYS, _LARGE_OBJECT)))
    if kind in (7, 8):
        items = [_json_value(stream, depth + 1) for _ in choose.several(0, 4)]
        return Value([each.wire for each in items], [each.shown for each in items])
    members = {choose.one_of(_KEYS): _json_value(stream, depth + 1) for _ in choose.several(0, 4)}
    return Value(
        {key: each.wire for key, each in members.items()},
        {key: each.shown for key, each in members.items()},
    )


def _scalar(stream: StreamBuilder, kind: int) -> Value:
    choose = stream.choose
    if kind == 0:
        return _shown_as_written(choose.one_of((None, True, False)))
    if kind == 1:
        return _json_integer(choose)
    if kind == 2:
        return _shown_as_written(_MINUS_ZERO if choose.yes(6) else real(choose, DOUBLE))
    if kind == 3 and choose.yes(6):
        return _shown_as_written(choose.one_of(_WITH_NULS))
    if kind == 3:
        return _shown_as_written(mysql_events.text(stream, 0, 150))
    if kind == 4:
        text = choose.one_of(_DECIMALS)
        return Value(Decimal(text), float(text) if "." in text else int(text))
    return choose.one_of(_TEMPORAL) if kind == 5 else _shown_as_written(choose.integer(-100, 100))


def _json_integer(choose: Chooser) -> Value:
    """Return an integer of any of the widths: 16, 32 and 64 bits, each with a sign or without."""
    bits = choose.one_of((16, 32, 64))
    if choose.yes():
        number = choose.integer(0, (1 << bits) - 1)
        return Value(JsonUnsigned(number), number)
    return _shown_as_written(choose.integer(-(1 << bits - 1), (1 << bits - 1) - 1))


def _shown_as_written(value: Any) -> Value:
    return Value(value, value)


def is_changes(shown: object) -> bool:
    """Return whether a value is what a partial update has in the place of a document: the changes to it."""
    return isinstance(shown, dict) and CHANGES in shown


def json_changes(stream: StreamBuilder) -> Value:
    """Return the changes that replace a document in the after-image of a partial update."""
    choose = stream.choose
    wire, shown = [], []
    for _ in choose.several(0, 3):
        operation = choose.one_of((DiffOperation.REPLACE, DiffOperation.INSERT, DiffOperation.REMOVE))
        path = choose.one_of(_PATHS)
        change: dict[str, Any] = {"operation": operation.name.lower(), "path": path}
        value = None
        if operation != DiffOperation.REMOVE:
            chosen = _json_value(stream, _DEEPEST - 1)
            value, change["value"] = write_json(chosen.wire), chosen.shown
        wire.append(JsonDiff(operation, path.encode(), value))
        shown.append(change)
    return Value(JsonDiffs(tuple(wire)), {CHANGES: shown})
