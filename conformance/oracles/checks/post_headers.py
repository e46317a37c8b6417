"""What a longer post-header can change: the fields after the bytes that a reader does not know."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from conformance.binlog.event_types import PLAIN_GTID_TYPES
from conformance.binlog.layouts.by_type import layout_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import NOT_KNOWN, Cause
from conformance.oracles.differences import Difference
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, HEADER_FIELDS
from conformance.specs.catalogue import ENTRY

#: The requirement for which streams have longer post-headers.
LONGER: Final = "FORMAT-POST-HEADER-LENGTHS"
#: Characters of a value that no other bytes have by chance.
_DISTINCT: Final = 4
#: Reported fields that are made of fields of the post-header -> the types.
_MADE_OF_IT: Final = {"gtid": PLAIN_GTID_TYPES}


@cache
def _known_part(code: int) -> frozenset[str]:
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
    before = cause.field in HEADER_FIELDS or cause.field in _known_part(code)
    return cause.kind != NOT_KNOWN and not before


def knows_the_end(alignment: Alignment, index: int | None, field: str) -> bool:
    """Return whether a field of an event is wrong and another one after the unknown bytes is right.

    The reader then knows where they end. Not of rows events, of which each field but the rows may be right by chance.
    """
    if index is None or index >= alignment.count or field in ("", ENTRY, *FIELDS_OF_EVERY_TYPE):
        return False
    wanted, seen = alignment.case.expected.events[index], alignment.observed(index)
    if seen is None or "rows" in wanted or "type" not in wanted:
        return False
    before = _known_part(wanted["type"]).union(FIELDS_OF_EVERY_TYPE)
    return any(
        len(str(value)) >= _DISTINCT and seen.get(name) == value for name, value in wanted.items() if name not in before
    )


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
