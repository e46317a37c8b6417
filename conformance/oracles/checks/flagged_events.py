"""Known events that a reader passes over for their ignorable flag: one fault, whatever their types.

One that does not know a type passes over its events for the flag too, and rightly so called. So the flag is the reason
only where the answer shows that the reader knows the type, or that it passes over known types for the flag.
"""

from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from itertools import takewhile
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import Cause
from conformance.oracles.checks.source_logs import logs_without_checksums
from conformance.protocol.roles.client import may_be_kept_back
from conformance.protocol.roles.decode import FIELDS_OF_TYPE, TypeFields, own_fields

#: The cause of all of them.
FOR_FLAG: Final = Cause("passed over for its ignorable flag", "known event")
#: Types that no client leaves out that reports what changes.
_DELIVERED: Final = frozenset({EventType.QUERY, EventType.XID})
#: Types that servers write with the flag: readers that do not know them may pass over them.
_USUALLY_FLAGGED: Final = frozenset(
    {
        EventType.ROWS_QUERY,
        EventType.ANONYMOUS_GTID,
        EventType.PREVIOUS_GTIDS,
        EventType.TRANSACTION_CONTEXT,
        EventType.VIEW_CHANGE,
        EventType.LARGE_TRANSACTION_HEADER,
    }
)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def passed_over_for_flag(alignment: Alignment) -> frozenset[int]:
    """Return the indices of the known events that a reader passes over for their ignorable flag alone."""
    if alignment.case.role == "client":
        return frozenset(_unread_statements(alignment))
    if alignment.case.role != "decode":
        return frozenset()
    events = alignment.case.expected.events
    over = {index for index, entry in enumerate(events) if _is_passed_over(alignment, index, entry)}
    over -= _after_the_end(alignment, over)
    plain = {index for index in over if not events[index]["flags"] & Flag.IGNORABLE}
    unread = {events[index]["type"] for index in plain}
    read = {events[index]["type"] for index in _read(alignment)}
    flagged = {index for index in over - plain if events[index]["type"] not in unread}
    if any(events[index]["type"] in read for index in flagged):
        return frozenset(flagged)
    likely = {index for index in flagged if _is_expected(alignment, events[index]["type"])}
    return frozenset(likely) if any(_is_declared(alignment, events[index]["type"]) for index in likely) else frozenset()


def _unread_statements(alignment: Alignment) -> Iterator[int]:
    """Yield the indices of the Query events that a client delivers without their statements, if all have the flag.

    In a log without checksums one without the flag must have its statement: a client that verifies what it takes for a
    checksum has none.
    """
    events = alignment.case.expected.events
    delivered = [
        (index, bool(entry["flags"] & Flag.IGNORABLE), seen.get("query") is not None)
        for index, entry in enumerate(events)
        if "query" in entry and (seen := alignment.observed(index)) is not None
    ]
    unread = {is_flagged for _, is_flagged, is_read in delivered if not is_read}
    reads_plain = any(is_read and not is_flagged for _, is_flagged, is_read in delivered)
    if unread == {True} and (reads_plain or not any(logs_without_checksums(alignment))):
        yield from (index for index, _, is_read in delivered if not is_read)


@lru_cache(maxsize=1)
def leaves_out_flagged(alignment: Alignment) -> bool:
    """Return whether a client leaves out events for their ignorable flag: those that it leaves out have it.

    One of their types is delivered elsewhere without the flag, or is among those that every client delivers. What is
    missing right after a lost connection may be lost with it.
    """
    events = alignment.case.expected.events
    left_out: set[int] = set()
    plain: set[int] = set()
    lost = _right_after_cuts(alignment)
    for index, entry in enumerate(events):
        is_flagged = bool(entry.get("flags", 0) & Flag.IGNORABLE)
        if alignment.fate(index) is Fate.DELIVERED and not is_flagged:
            plain.add(entry["type"])
        elif alignment.fate(index) is Fate.DROPPED and not may_be_kept_back(entry):
            if not is_flagged:
                return False
            if index not in lost:
                left_out.add(entry["type"])
    return not left_out.isdisjoint(plain | _DELIVERED)


def _right_after_cuts(alignment: Alignment) -> set[int]:
    """Return the indices of the events between each lost connection and the next event that is delivered after it."""
    lost: set[int] = set()
    for cut in alignment.case.settings["source"]["cuts"]:
        after = range(cut["index"] + 1, alignment.count)
        lost.update(takewhile(lambda index: alignment.fate(index) is not Fate.DELIVERED, after))
    return lost


def _is_passed_over(alignment: Alignment, index: int, entry: Mapping[str, Any]) -> bool:
    """Return whether a known event is reported as ignored, or not at all."""
    if entry.get("handled") != "known":
        return False
    fate = alignment.fate(index)
    return fate is Fate.DROPPED or (fate is Fate.DELIVERED and alignment.is_unknown(index))


def _after_the_end(alignment: Alignment, over: Set[int]) -> Set[int]:
    """Return which events that were passed over come after the end of an answer that lacks others there too.

    Such an answer has ended before them, and the flag is not why.
    """
    events = alignment.case.expected.events
    if (silent := alignment.fell_silent) is not None:
        return {index for index in over if index >= silent}
    reached = (index for index in range(alignment.count) if alignment.fate(index) is not Fate.DROPPED)
    last = max(reached, default=-1)
    after = {index for index in over if index > last}
    return after if any(not events[index]["flags"] & Flag.IGNORABLE for index in after) else frozenset()


def _read(alignment: Alignment) -> Iterator[int]:
    """Yield the indices of the known events without the flag that the reader decodes."""
    for index, entry in enumerate(alignment.case.expected.events):
        is_plain = entry.get("handled") == "known" and not entry["flags"] & Flag.IGNORABLE
        if is_plain and alignment.fate(index) is Fate.DELIVERED and not alignment.is_unknown(index):
            yield index


def _is_expected(alignment: Alignment, code: int) -> bool:
    """Return whether a reader should know a type: one that servers write with the flag, if it declares its fields."""
    return code not in _USUALLY_FLAGGED or not alignment.declared.isdisjoint(own_fields(code))


def _is_declared(alignment: Alignment, code: int) -> bool:
    """Return whether the reader declares a field of a type, of one that has fields which no other type has.

    A type whose fields others have too, such as rows of another version, need not be known for them.
    """
    kind = FIELDS_OF_TYPE.get(code, TypeFields())
    return bool(own_fields(code)) and not alignment.declared.isdisjoint((*kind.required, *kind.optional))
