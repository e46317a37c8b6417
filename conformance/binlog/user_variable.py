"""The value of a User_var event."""

import struct
from collections.abc import Mapping
from decimal import Decimal
from enum import IntEnum
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.rows.decimal_column import DecimalColumn

_UNSIGNED: Final = 0x01


class VariableType(IntEnum):
    """The type byte of a User_var event."""

    STRING = 0
    REAL = 1
    INT = 2
    ROW = 3
    DECIMAL = 4


def variable_value(fields: Mapping[str, Any]) -> bytes | float | int | Decimal | None:
    """Return the value that the fields of a User_var event hold; None is SQL's NULL.

    Raises:
        MalformedBody: The value does not have the size of its type.
    """
    if fields["is_null"]:
        return None
    data: bytes = fields["variable_value"]
    kind = fields["variable_type"]
    if kind == VariableType.REAL and len(data) == 8:
        (number,) = struct.unpack("<d", data)
        return float(number)
    if kind == VariableType.INT and len(data) == 8:
        unsigned = bool(fields.get("variable_flags", 0) & _UNSIGNED)
        return int.from_bytes(data, "little", signed=not unsigned)
    if kind == VariableType.DECIMAL and len(data) >= 2:
        value, _ = DecimalColumn(data[0], data[1]).read(data, 2, len(data), {})
        return value
    if kind in (VariableType.STRING, VariableType.ROW):
        return data
    raise MalformedBody(f"{len(data)} bytes are not a valid value of a user variable of type {kind}")
