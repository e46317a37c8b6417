"""Events of a server's logs that are missing, and some that should not be there: the causes, and the places."""

from typing import Final

from conformance.binlog.event_types import ROWS_TYPES, EventType, type_name
from conformance.binlog.header import MAGIC
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause

#: How an event is wrong that should not be there.
UNEXPECTED: Final = "not expected"
#: One change of rows is logged under these names, by the format and the statement; a context event comes before it.
_CHANGES: Final = frozenset(
    {
        "INSERT", "REPLACE", "UPDATE", "DELETE", "LOAD", "WITH",
        *map(type_name, (*ROWS_TYPES, EventType.TABLE_MAP, EventType.INTVAR, EventType.RAND, EventType.USER_VAR)),
    }
)  # fmt: skip
#: Their common name.
ROW_CHANGE: Final = "row change"


def logged_cause(name: str, kind: str) -> Cause:
    """Return the cause of an event that is missing or not expected: one, whatever rules it breaks.

    Args:
        name: The name of the event: the first words of a statement, or its type.
        kind: How it is wrong.
    """
    return Cause(kind, ROW_CHANGE if name in _CHANGES else name, role="log")


def change_cause(kind: str) -> Cause:
    """Return the cause of a change of rows that is wrong, in whatever format it is logged."""
    return Cause(kind, ROW_CHANGE, role="log")


def place_of_missing(alignment: Alignment, index: int) -> int:
    """Return the offset at which an expected event is missing: where the last one before it in its log ends.

    Args:
        alignment: The answer beside the expected one.
        index: Index of the expected event.
    """
    expected = alignment.case.expected.events
    log = expected[index]["log"]
    for before in range(index - 1, -1, -1):
        seen = alignment.observed(before)
        if expected[before]["log"] != log or (seen is not None and seen["log"] != log):
            break
        if seen is not None:
            end: int = seen["offset"] + seen["length"]
            return end
    return len(MAGIC)
