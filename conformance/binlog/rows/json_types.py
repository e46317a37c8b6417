"""The type bytes of binary JSON, and the values that have no Python counterpart."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

#: The most levels of nesting that servers accept.
DEPTH_LIMIT: Final = 100


class JsonType(IntEnum):
    """The type byte before a JSON value."""

    SMALL_OBJECT = 0x00
    LARGE_OBJECT = 0x01
    SMALL_ARRAY = 0x02
    LARGE_ARRAY = 0x03
    LITERAL = 0x04
    INT16 = 0x05
    UINT16 = 0x06
    INT32 = 0x07
    UINT32 = 0x08
    INT64 = 0x09
    UINT64 = 0x0A
    DOUBLE = 0x0B
    STRING = 0x0C
    OPAQUE = 0x0F


LITERALS: Final[dict[int, bool | None]] = {0: None, 1: True, 2: False}


@dataclass(frozen=True, slots=True)
class JsonOpaque:
    """A value of another column type inside a JSON document.

    Attributes:
        type: The column's type code.
        data: The value's bytes.
    """

    type: int
    data: bytes


class JsonUnsigned(int):
    """An integer of an unsigned SQL type, which servers store as such, however small it is."""
