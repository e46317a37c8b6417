"""Events before one that cannot be read that a reader does not hand over, as it reads by more than one event.

It may read a log as a whole, or hand over only groups that are complete: whatever it lacks then is one finding.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.oracle import GOOD, Check

BEFORE_FAULT: Final = "FORMAT-EVENTS-BEFORE-FAULT"
HELD_BACK: Final = Cause("not handed over", "events before one that cannot be read")

#: The types of the events with which a group begins.
_MARKERS: Final = GTID_TYPES | {EventType.MARIADB_GTID}


def not_held_back(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A reader that stops at an event hands over all that it has read before."""
    offsets = sorted(held_back(alignment))
    if offsets:
        message = f"{len(offsets)} events before the one that cannot be read are not handed over"
        yield Check(HELD_BACK.text, message, offsets[0], HELD_BACK)
    elif alignment.stops_at_fault or alignment.refuses_fault:
        yield GOOD


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def held_back(alignment: Alignment) -> frozenset[int]:
    """Return the offsets of the events that a reader holds back, all or those of the last group, before a fault.

    An error without a place is about the fault only where nothing at all is handed over.
    """
    end = _end(alignment)
    if end is None or alignment.phantoms:
        return frozenset()
    missing = [index for index in range(end) if alignment.observed(index) is None]
    required = [index for index in missing if not alignment.may_be_dropped(index)]
    if not required or (_has_no_place(alignment) and len(missing) < end):
        return frozenset()
    goes_on = any(alignment.observed(index) is not None for index in range(required[0], alignment.count))
    if goes_on or not (required[0] == 0 or _begins_a_group(alignment, required[0])):
        return frozenset()
    return frozenset(alignment.case.expected.events[index]["offset"] for index in missing)


def _end(alignment: Alignment) -> int | None:
    """Return the index of the event at which a reader stops, if it has to or may refuse that one; None otherwise."""
    expected, error = alignment.case.expected, alignment.observation.error
    if alignment.case.role != "decode" or error is None:
        return None
    may_stop = sorted(expected.tolerated)
    if _has_no_place(alignment):
        return next(iter(may_stop), None if expected.refused_at is None else alignment.count)
    if error.at == expected.refused_at:
        return alignment.count
    return next((index for index in may_stop if expected.events[index]["offset"] == error.at), None)


def _has_no_place(alignment: Alignment) -> bool:
    return alignment.observation.error is not None and alignment.observation.error.at is None


def _begins_a_group(alignment: Alignment, index: int) -> bool:
    entry = alignment.case.expected.events[index]
    return entry["type"] in _MARKERS or entry.get("query") == "BEGIN"
