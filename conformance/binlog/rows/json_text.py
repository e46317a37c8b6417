"""JSON documents as text, as servers and mysqlbinlog print them."""

import base64
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.json_document import JsonDocument, unpack_temporal
from conformance.binlog.rows.json_types import JsonOpaque
from conformance.binlog.rows.temporal import Date, DateTime, Time

_ESCAPES: Final = str.maketrans(
    {
        '"': '\\"',
        "\\": "\\\\",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        **{chr(code): f"\\u{code:04x}" for code in range(0x20) if chr(code) not in "\b\f\n\r\t"},
    }
)
#: The most digits before and after the point with which a double is printed without an exponent; with a digit after
#: the point any number may come before it.
_PLAIN_DIGITS: Final = 15


def json_text(document: JsonDocument) -> str:
    """Return the text of a document.

    Raises:
        MalformedBody: The bytes are not a valid document.
    """
    return value_text(document.value())


def value_text(value: Any) -> str:
    """Return the text of a value of `JsonDocument.value`."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quote(key)}: {value_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    if isinstance(value, str):
        return _quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value) if isinstance(value, int) else f'"{_opaque_text(value)}"'


def double_text(value: float) -> str:
    """Return a double with the fewest digits that identify it, and a point or an exponent."""
    if not math.isfinite(value):
        return str(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    figures = "".join(map(str, digits))
    point = len(figures) + int(exponent)
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0.0"
    if point >= -_PLAIN_DIGITS + 1 and (point <= _PLAIN_DIGITS or point < len(figures)):
        plain = f"{Decimal(repr(value)):f}"
        return plain if "." in plain else f"{plain}.0"
    fraction = f".{figures[1:]}" if len(figures) > 1 else ""
    return f"{minus}{figures[0]}{fraction}e{point - 1}"


def _quote(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _opaque_text(value: Any) -> str:
    if isinstance(value, JsonOpaque):
        if value.type == ColumnType.TIMESTAMP and len(value.data) == 8:
            packed = int.from_bytes(value.data, "little", signed=True)
            return _opaque_text(unpack_temporal(ColumnType.DATETIME, packed))
        return f"base64:type{value.type}:{base64.b64encode(value.data).decode()}"
    if isinstance(value, Time | DateTime):
        return value.text(6)
    if isinstance(value, Date):
        return str(value)
    raise TypeError(f"{value!r} is not a valid value of a JSON document")
