"""The differences that are left to boundary parsers: after spare markers, and in groups that may be passed over."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.step_entry import worklog_entry
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.boundary_steps import OF_STEP, fed_by_offset
from conformance.oracles.differences import Difference
from conformance.specs.catalogue import ERROR

#: A type code that no server has given a meaning.
_OF_NO_SERVER: Final = 99


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
    follows = difference.field in OF_STEP
    return follows and any(MARKER_BITS.stored(_flags(alignment, each)) in SPARE_VALUES for each in before)


def is_of_parser_that_skips(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a parser answers so that passes over unmarked Anonymous_gtid events with the ignorable flag."""
    index = difference.index
    if index >= alignment.count or alignment.case.id.profile != "worklog" or difference.field not in OF_STEP:
        return False
    seen = alignment.observed(index)
    entries = _entries_of_parser_that_skips(alignment.case.stream, tuple(alignment.case.settings["resets"]))
    return seen is not None and index < len(entries) and entries[index][difference.field] == seen.get(difference.field)


@lru_cache(maxsize=4)
def _entries_of_parser_that_skips(stream: bytes, resets: tuple[int, ...]) -> list[Mapping[str, str]]:
    parser = WorklogParser()
    entries: list[Mapping[str, str]] = []
    for offset, fed in fed_by_offset(stream).items():
        if offset in resets:
            parser.reset()
        anonymous = fed.type == EventType.ANONYMOUS_GTID and fed.ignorable and not MARKER_BITS.stored(fed.flags)
        step = parser.feed(replace(fed, type=_OF_NO_SERVER) if anonymous else fed)
        entries.append(worklog_entry(step, header_answers(fed.flags), within=parser.within_transaction))
    return entries


def is_truncated(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a stream that ends within an event is read without an error."""
    return (
        difference.field == ERROR
        and alignment.observation.error is None
        and alignment.case.expected.refused_kind == "truncated"
    )
