"""The values that the reference reader returns, in the notation of the protocol."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from conformance.binlog.mariadb_compression import PackedValue
from conformance.binlog.rows.images import ABSENT, Image, Row
from conformance.binlog.rows.json_diff import JsonDiffs
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_text import value_text
from conformance.binlog.rows.table import Column, Table
from conformance.binlog.rows.temporal import DateTime, Time, Timestamp


def noted_bytes(data: bytes) -> Any:
    """Return bytes as text if they are UTF-8, else as base64.

    Text in another character set is bytes like any others: only the number of a collation identifies the character set,
    and many logs do not have even that.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def noted(value: Any, *, digits: int = 0) -> Any:
    """Return a value as the protocol writes it.

    Args:
        value: None for NULL, or a value as `conformance.binlog` reads it.
        digits: The digits of fraction of a temporal value.

    Raises:
        MalformedBody: The value of a compressed column, or a JSON document, cannot be read.
    """
    if value is None or type(value) is int:
        return value  # Most values of most rows.
    if isinstance(value, bytes):
        return noted_bytes(value)
    if isinstance(value, PackedValue):
        return noted_bytes(value.unpacked())
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Time | DateTime | Timestamp):
        return value.text(digits)
    if isinstance(value, JsonDocument):
        return {"json": _json(value.value())}
    if isinstance(value, JsonDiffs):
        return {"json_changes": [_change(each.operation.name, each.path, each.value) for each in value.diffs]}
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, int | float) else str(value)


def _change(operation: str, path: bytes, value: JsonDocument | None) -> dict[str, Any]:
    change: dict[str, Any] = {"operation": operation.lower(), "path": path.decode("utf-8", "replace")}
    if value is not None:
        change["value"] = _json(value.value())
    return change


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_json(each) for each in value]
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value_text(value).strip('"')  # Other types are the text that servers print.


def noted_rows(rows: Iterable[Row], table: Table) -> Iterator[dict[str, Any]]:
    """Yield rows as the protocol writes them."""
    columns = [(str(index), _digits(column)) for index, column in enumerate(table.columns)]
    for before, after in rows:
        yield {"before": _image(before, columns), "after": _image(after, columns)}


def _image(image: Image | None, columns: Sequence[tuple[str, int]]) -> dict[str, Any] | None:
    """Return an image by the names of its columns; each name has the digits of its fraction beside it."""
    if image is None:
        return None
    return {
        name: value if type(value) is int else noted(value, digits=digits)
        for (name, digits), value in zip(columns, image, strict=True)
        if value is not ABSENT
    }


def _digits(column: Column) -> int:
    return column.meta if column.meta <= 6 else 0
