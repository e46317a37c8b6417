"""The library's values in the notation of the protocol."""

import base64
import datetime
import decimal
import math
from typing import Any

from asyncmy.constants import FIELD_TYPE
from asyncmy.replication.row_events import UpdateRowsEvent, WriteRowsEvent
from server_tables import labels_of

TIMESTAMPS = (FIELD_TYPE.TIMESTAMP, 17)


def rows_of(event: Any) -> list[dict[str, Any]]:
    """Return the rows of an event; the library reads them here, and may refuse them."""
    first = getattr(event, "columns_present_bitmap", b"")
    if isinstance(event, UpdateRowsEvent):
        second = event.columns_present_bitmap2
        return [
            {"before": _image(event, row["before_values"], first), "after": _image(event, row["after_values"], second)}
            for row in event.rows
        ]
    images = [_image(event, row["values"], first) for row in event.rows]
    if isinstance(event, WriteRowsEvent):
        return [{"before": None, "after": image} for image in images]
    return [{"before": image, "after": None} for image in images]


def _image(event: Any, values: dict[str, Any], present: bytes) -> dict[str, Any]:
    """Return the values of an image by column number; the library has them by name, in the order of the columns."""
    schemas = event.table_map[event.table_id].column_schemas
    return {
        str(index): _cell(column, schema, values.get(column.name))
        for index, (column, schema) in enumerate(zip(event.columns, schemas, strict=False))
        if present[index // 8] >> index % 8 & 1
    }


def _cell(column: Any, schema: dict[str, Any], value: Any) -> Any:
    if value is None:
        return (
            None  # Also for an empty SET, a date with a zero and JSON's null: the library has no other value for them.
        )
    if column.type == FIELD_TYPE.JSON:
        return {"json": json_of(value)}
    if column.type == FIELD_TYPE.BIT:
        return int(value, 2)
    if column.type == FIELD_TYPE.ENUM:
        labels = ["", *labels_of(schema)]
        return labels.index(value) if value in labels else value
    if column.type == FIELD_TYPE.SET:
        labels = labels_of(schema)
        if not value <= set(labels):
            return ",".join(sorted(value))
        return sum(1 << labels.index(label) for label in value)
    if column.type in TIMESTAMPS:
        return _seconds(value)
    return noted(value)


def noted(value: Any) -> Any:
    """Return a value in the notation of the protocol, by its Python type."""
    if isinstance(value, bytes):
        return base64_of(value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _clock(value)
    return _number(value)


def base64_of(value: bytes) -> dict[str, str]:
    """Return bytes."""
    return {"base64": base64.b64encode(value).decode("ascii")}


def json_of(value: Any) -> Any:
    """Return a document of the library, whose texts are bytes, as JSON."""
    if isinstance(value, dict):
        return {json_of(key): json_of(each) for key, each in value.items()}
    if isinstance(value, list):
        return [json_of(each) for each in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else _number(value)


def _number(value: Any) -> Any:
    """Return a number as JSON can have it, which has no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _clock(span: datetime.timedelta) -> str:
    """Return a span of time as hours, minutes, seconds and a fraction, if there is one."""
    sign = "-" if span < datetime.timedelta(0) else ""
    seconds, micro = divmod(abs(span) // datetime.timedelta(microseconds=1), 10**6)
    fraction = f".{micro:06d}" if micro else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def _seconds(moment: datetime.datetime) -> str:
    """Return a time of the library, which is in the zone of the process, as seconds since 1970."""
    span = moment - datetime.datetime(1970, 1, 1)
    seconds, micro = divmod(span // datetime.timedelta(microseconds=1), 10**6)
    return f"{seconds}.{micro:06d}" if micro else str(seconds)
