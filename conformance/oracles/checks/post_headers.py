"""What a longer post-header can change: the bytes of the fields after those that a reader does not know."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from conformance.binlog.event_types import PLAIN_GTID_TYPES
from conformance.binlog.layouts.by_type import layout_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import NOT_KNOWN, Cause
from conformance.oracles.checks.signed_numbers import SIGNED, UNSIGNED, is_read_as_signed
from conformance.oracles.checks.text_encodings import OTHER_CHARACTERS, is_in_other_characters
from conformance.oracles.differences import Difference
from conformance.protocol.roles.decode import HEADER_FIELDS

#: The requirement for which streams have longer post-headers.
LONGER: Final = "FORMAT-POST-HEADER-LENGTHS"
#: The one for which rows events have extra data, which comes after their post-header.
EXTRA_DATA: Final = "FORMAT-ROWS-EXTRA-DATA"
#: Reported fields that are made of fields of the post-header -> the types.
_MADE_OF_IT: Final = {"gtid": PLAIN_GTID_TYPES}
#: What a reader keeps, and does not read from a body.
OF_READER: Final = ("position", "executed_gtid_set")
#: How many numbers there are of two to seven bytes.
_NUMBERS_OF_BYTES: Final = tuple(1 << 8 * size for size in range(2, 8))


@cache
def known_part(code: int) -> frozenset[str]:
    """Return the reported fields that come before the unknown bytes of a longer post-header."""
    # The known fields are the same whatever length is declared.
    known = (each.name for each in layout_of(code, 0).post_header)
    return frozenset((*known, *(name for name, types in _MADE_OF_IT.items() if code in types)))


def can_misread(code: int, cause: Cause | None) -> bool:
    """Return whether a longer post-header can be why something is wrong with an event.

    Args:
        code: The type of the event, whose post-header is longer.
        cause: What is wrong, as far as it is known.
    """
    if cause is None:
        return True
    before = cause.field in (*HEADER_FIELDS, *OF_READER) or cause.field in known_part(code)
    return cause.kind not in (NOT_KNOWN, SIGNED, UNSIGNED) and cause != OTHER_CHARACTERS and not before


def _is_cut(expected: object, seen: object) -> bool:
    """Return whether a number has the lower bytes of a larger one, two at least; zeros may be any bytes."""
    if not isinstance(expected, int) or not isinstance(seen, int) or not seen:
        return False
    return expected != seen and any(expected % numbers == seen for numbers in _NUMBERS_OF_BYTES)


def _is_part(expected: object, seen: object) -> bool:
    """Return whether a text has the right beginning, or the right end and none of the bytes before it."""
    if not isinstance(expected, str) or not isinstance(seen, str) or not expected or not seen:
        return False
    return expected != seen and (expected.startswith(seen) or seen.startswith(expected) or expected.endswith(seen))


def _has_fewer_rows(expected: object, seen: object) -> bool:
    """Return whether rows are the first of those expected; a rows event has one at least."""
    if not isinstance(expected, list | tuple) or not isinstance(seen, list | tuple) or not seen:
        return False
    return len(seen) < len(expected) and list(seen) == list(expected[: len(seen)])


def finds_value(alignment: Alignment, index: int, field: str, *, alone: bool = False) -> bool:
    """Return whether a field of an expected event has the bytes that are expected, and is made of them wrongly.

    A number has a sign then, or lacks its upper bytes; a text is in other characters, or a part of it is missing; of
    rows the last are missing. It is read at its place, whatever the length of the post-header.

    Args:
        alignment: The answer beside the expected one.
        index: Index of the expected event.
        field: The field.
        alone: Whether it is to show this by itself, as a part of a text does not: it may be among other bytes, too.
    """
    seen = alignment.observed(index) if index < alignment.count else None
    if seen is None:
        return False
    values = alignment.case.expected.events[index].get(field), seen.get(field)
    return any(is_so(*values) for is_so in _FOUND if not (alone and is_so is _is_part))


#: How a value is wrong that was found at its place.
_FOUND: Final = (is_read_as_signed, _is_cut, is_in_other_characters, _is_part, _has_fewer_rows)


def has_same_rows(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the rows of an event differ in some values, and neither in number nor in their columns.

    A reader that takes a post-header for shorter than it is gets the columns of the rows and their ends wrong.
    """
    if difference.field != "rows" or difference.index >= alignment.count:
        return False
    seen = alignment.observed(difference.index)
    rows = None if seen is None else seen.get("rows")
    wanted = alignment.case.expected.events[difference.index]["rows"]
    return (
        isinstance(rows, list | tuple)
        and list(map(_shape, rows)) == list(map(_shape, wanted))
        and bool(set(_values(wanted)) & set(_values(rows)))
    )


def _shape(row: Mapping[str, Any]) -> list[Any]:
    return [side if (side := row.get(name)) is None else sorted(side) for name in ("before", "after")]


def _values(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the values of rows with their columns, in words."""
    return [
        f"{number} {name} {column} {value}"
        for number, row in enumerate(rows)
        for name in ("before", "after")
        for column, value in (row.get(name) or {}).items()
    ]
