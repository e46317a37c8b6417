"""Answers that end before the stream, without an error: one gap, whatever the events are that are missing."""

from functools import lru_cache
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import LENGTHS_IGNORED, Cause, group_of_entry
from conformance.oracles.checks.common_refusals import feature_of
from conformance.oracles.checks.flagged_events import FOR_FLAG, passed_over_for_flag
from conformance.oracles.checks.post_headers import LONGER

#: How the signature of an answer that ends too soon begins.
ENDS_SILENTLY: Final = "stream ends silently after"
#: The last events of a log: a reader that ends after one takes it for the end of all.
_LAST_OF_LOGS: Final = frozenset({EventType.ROTATE, EventType.STOP})
#: A reader that goes to the position of an event's end returns to an earlier event where that is not after it.
REPEATED: Final = Cause("event repeated or out of order")


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _missing_tail(alignment: Alignment) -> range:
    """Return the indices of the expected events after the last one of the answer, if they are missing."""
    if alignment.case.role != "decode" or alignment.astray is not None or alignment.stop is not None:
        return range(0)
    every = range(alignment.count)
    answered = (index for index in every if alignment.fate(index) not in (Fate.DROPPED, Fate.UNREACHED))
    return range(max(answered, default=-1) + 1, alignment.count)


def cause_of_gap(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of what is missing at the end of an answer; None if an event is not about that.

    A reader that leaves out a type lacks the last events where all are of it, and every one before. Otherwise it has
    stopped without a word: after the end of a log, or at an event that it cannot read.

    Args:
        alignment: The answer beside the expected one.
        index: Index of an expected event: one that is missing, or the last before these.
    """
    tail = _missing_tail(alignment)
    required = [each for each in tail if not alignment.may_be_dropped(each)]
    if not required or index < tail.start - 1:
        return None
    if alignment.ends_with_repeated:
        return REPEATED
    feature = feature_of(alignment.case.expected, required[0])
    # The flag is a likely reason only where there is no other.
    if feature is None and passed_over_for_flag(alignment).issuperset(required):
        return FOR_FLAG
    events = alignment.case.expected.events
    groups = {group_of_entry(events[each]) for each in required}
    delivered = {group_of_entry(each) for number, each in enumerate(events) if alignment.observed(number) is not None}
    if len(groups) == 1 and not groups & delivered:
        return Cause(f"{groups.pop()} dropped")
    if not tail.start:
        return Cause("no event is delivered")
    if alignment.case.expected.made_for.get(required[0]) == LONGER:
        # What the reader takes for more of the event than there is, it takes for the end of the stream.
        return LENGTHS_IGNORED
    last = events[tail.start - 1]
    if last["type"] in _LAST_OF_LOGS:
        return Cause(f"{ENDS_SILENTLY} {group_of_entry(last)}")
    return Cause(f"stream ends silently at {f'a {feature}' if feature else group_of_entry(events[required[0]])}")
