"""Comparisons of two values in the notation of the protocol, by column type."""

import base64
import binascii
import re
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.total_table import total

#: A number in more characters than these is not parsed.
_NUMBER_CHARACTERS: Final = 200
_OF_NO_CHARACTER: Final = re.compile("\N{REPLACEMENT CHARACTER}+")
_FLOAT: Final = struct.Struct("<f")
_DOUBLE: Final = struct.Struct("<d")

Same = Callable[[Any, Any], bool]


def same_bytes(expected: Any, seen: Any) -> bool:
    """Return whether both mean the same bytes: a text in UTF-8, or an object with base64.

    If `expected` also has the text of the bytes in their character set, that text is right too.
    """
    if isinstance(expected, dict) and "text" in expected:
        if seen == expected or same_bytes(expected["text"], seen):
            return True
        expected = {"base64": expected["base64"]}
    wanted = _bytes_of(expected)
    return wanted is not None and wanted == _bytes_of(seen)


def same_statement(expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the statement; where U+FFFD stands for bytes of no character, it may have anything."""
    if expected == seen or not isinstance(expected, str) or not isinstance(seen, str):
        return bool(expected == seen)
    known = _OF_NO_CHARACTER.split(expected)
    return len(known) > 1 and re.fullmatch(".+".join(map(re.escape, known)), seen, re.DOTALL) is not None


def _bytes_of(value: Any) -> bytes | None:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, ValueError):
            return None
    return None


def same_integer(expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the integer, or its decimal digits."""
    if isinstance(seen, str):
        return seen == str(expected)
    return isinstance(seen, int | float) and not isinstance(seen, bool) and bool(seen == expected)


def same_number(expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the exact decimal number: its text, or an integer."""
    if isinstance(seen, bool) or not isinstance(seen, int | str):
        return False
    text = str(seen)
    if len(text) > _NUMBER_CHARACTERS or text != text.strip() or "_" in text:
        return False
    try:
        return Decimal(text) == Decimal(expected)
    except InvalidOperation:
        return False


def _same_real(form: struct.Struct) -> Same:
    def same(expected: Any, seen: Any) -> bool:
        if isinstance(seen, bool) or not isinstance(seen, int | float):
            return False
        try:
            return form.pack(seen) == form.pack(expected)
        except (OverflowError, struct.error):
            return False

    return same


same_float: Final = _same_real(_FLOAT)
same_double: Final = _same_real(_DOUBLE)


def same_text(expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the same text."""
    return isinstance(seen, str) and seen == expected


def same_time(expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the same time; trailing zeros of its fraction may be left out."""
    return isinstance(seen, str) and _without_zeros(seen) == _without_zeros(expected)


def _without_zeros(text: str) -> str:
    whole, point, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}{point}{fraction}" if fraction else whole


def same_json(expected: Any, seen: Any) -> bool:
    """Return whether two JSON values are equal: members in any order, 1 equal to 1.0, but neither equal to true.

    Digits that mean the expected double are right, also without their exponent, as a parser of JSON may read them as
    another integer: so may `-0`, but 0.0 is not -0.0.
    """
    if isinstance(expected, dict):
        return (
            isinstance(seen, dict)
            and expected.keys() == seen.keys()
            and all(same_json(value, seen[key]) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(seen, list)
            and len(expected) == len(seen)
            and all(same_json(*pair) for pair in zip(expected, seen, strict=True))
        )
    if isinstance(expected, bool) or isinstance(seen, bool):
        return expected is seen
    if isinstance(expected, float) and not expected and isinstance(seen, float):
        return same_double(expected, seen)
    if isinstance(expected, int | float):
        return isinstance(seen, int | float) and (expected == seen or _is_double_of(expected, seen))
    return type(expected) is type(seen) and bool(expected == seen)


def _is_double_of(expected: float, seen: float) -> bool:
    """Return whether `seen` is an expected double, or the integer that its digits are without the exponent."""
    if not isinstance(expected, float):
        return False
    try:
        return float(seen) == expected
    except OverflowError:
        return False


def _same_vector(expected: Any, seen: Any) -> bool:
    if not isinstance(seen, list) or len(seen) != len(expected):
        return False
    return all(same_float(*pair) for pair in zip(expected, seen, strict=True))


_SAME: Final[Mapping[int, Same | None]] = total(
    f"{__name__}._SAME",
    ColumnType,
    {
        ColumnType.DATE: same_text,
        ColumnType.FLOAT: same_float,
        ColumnType.DOUBLE: same_double,
        ColumnType.JSON: same_json,
        ColumnType.VECTOR: _same_vector,
    },
    entry="what compares two values of it",
    rest={
        (*INTEGER_BYTES, ColumnType.BIT, ColumnType.YEAR, ColumnType.ENUM, ColumnType.SET): same_integer,
        (ColumnType.NEWDECIMAL, ColumnType.TIMESTAMP, ColumnType.TIMESTAMP2): same_number,
        (ColumnType.TIME, ColumnType.DATETIME, ColumnType.TIME2, ColumnType.DATETIME2): same_time,
        (ColumnType.STRING, ColumnType.VARCHAR, ColumnType.BLOB, ColumnType.GEOMETRY): same_bytes,
        (ColumnType.MARIADB_VARCHAR_COMPRESSED, ColumnType.MARIADB_BLOB_COMPRESSED): same_bytes,
        # No server writes them into a Table_map.
        (ColumnType.DECIMAL, ColumnType.NULL, ColumnType.NEWDATE, ColumnType.TYPED_ARRAY, ColumnType.VAR_STRING): None,
        (ColumnType.TINY_BLOB, ColumnType.MEDIUM_BLOB, ColumnType.LONG_BLOB): None,
    },
)


def same_cell(code: int, expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the expected value of a column of type `code`; NULL is null on both sides."""
    if expected is None or seen is None:
        return expected is seen
    same = _SAME[code]
    if same is None:
        raise ValueError(f"no server writes a column of type {code} into rows")
    return same(expected, seen)


def same_variable(expected: Any, seen: Any) -> bool:
    """Return whether `seen` is the value of a user variable: NULL, an integer, a double, or a text or bytes."""
    if expected is None:
        return seen is None
    if isinstance(expected, float):
        return same_double(expected, seen)
    return same_integer(expected, seen) if isinstance(expected, int) else same_bytes(expected, seen)
