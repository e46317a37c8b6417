"""What a longer post-header can change: the fields after the bytes that a reader does not know."""

from functools import cache
from typing import Final

from conformance.binlog.event_types import PLAIN_GTID_TYPES
from conformance.binlog.layouts.by_type import layout_of
from conformance.oracles.cause import NOT_KNOWN, Cause
from conformance.protocol.roles.decode import HEADER_FIELDS

#: The requirement for which streams have longer post-headers.
LONGER: Final = "FORMAT-POST-HEADER-LENGTHS"
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
