"""The differences that are left to boundary parsers: after spare markers, and in groups that may be passed over."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, BoundaryType
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference
from conformance.specs.catalogue import ERROR

#: The fields that depend on the events before.
_OF_PARSER: Final = ("boundary_type", "state", "within_transaction", "warning")
_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY.heading


def _flags(alignment: Alignment, index: int) -> int:
    at = alignment.case.expected.events[index]["offset"]
    return int(HEADER.unpack(alignment.case.stream[at : at + HEADER_BYTES])[5])


def _start(alignment: Alignment, index: int) -> int:
    """Return the index of the first event after the last reset before an event."""
    events, resets = alignment.case.expected.events, frozenset(alignment.case.settings["resets"])
    return next((each for each in range(index, 0, -1) if events[each]["offset"] in resets), 0)


def is_after_spare_marker(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is at an event with a spare marker, or follows from one."""
    index = difference.index
    if index >= alignment.count or alignment.case.id.profile != "worklog" or difference.field == "type":
        return False
    if MARKER_BITS.stored(_flags(alignment, index)) in SPARE_VALUES:
        return True
    before = range(_start(alignment, index), index)
    follows = difference.field in _OF_PARSER
    return follows and any(MARKER_BITS.stored(_flags(alignment, each)) in SPARE_VALUES for each in before)


def is_in_doubted_group(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is in a group whose first event may be passed over, up to the next step after the group."""
    index = difference.index
    if index >= alignment.count or alignment.case.id.profile != "worklog" or difference.field not in _OF_PARSER:
        return False
    doubted = ended = False
    events = alignment.case.expected.events
    for each in range(_start(alignment, index), index + 1):
        within = events[each]["within_transaction"] == "yes"
        if not doubted or ended:
            takes_part = events[each]["boundary_type"] != _IGNORE
            doubted = within and _may_be_passed_over(alignment, each) if takes_part else doubted
            ended = ended and not takes_part
        elif not within:
            ended = True
    return doubted and not (ended and difference.field == "within_transaction")


def _may_be_passed_over(alignment: Alignment, index: int) -> bool:
    flags = _flags(alignment, index)
    anonymous = alignment.case.expected.events[index]["type"] == EventType.ANONYMOUS_GTID
    return anonymous and bool(flags & Flag.IGNORABLE) and not MARKER_BITS.stored(flags)


def is_truncated(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a stream that ends within an event is read without an error."""
    return (
        difference.field == ERROR
        and alignment.observation.error is None
        and alignment.case.expected.refused_kind == "truncated"
    )
