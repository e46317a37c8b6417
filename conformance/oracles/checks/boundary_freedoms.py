"""The differences that are left to boundary parsers: after spare markers, and where an event has several readings."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, WITHIN_TRANSACTION
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.open_readings import OPEN_READINGS, OpenReadings, Reading
from conformance.models.boundary.step_entry import WITHOUT_TEXT, worklog_entry
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.boundary_steps import OF_STEP, fed_by_offset
from conformance.oracles.differences import Difference
from conformance.specs.catalogue import ERROR


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


def is_of_other_reading(others: tuple[Reading, ...]) -> Callable[[Alignment, Difference], bool]:
    """Return the check whether a parser with one of some readings, which the worklog leaves open, answers so."""

    def covers(alignment: Alignment, difference: Difference) -> bool:
        index = difference.index
        if index >= alignment.count or alignment.case.id.profile != "worklog" or difference.field not in OF_STEP:
            return False
        seen = alignment.observed(index)
        entries = _entries_by_readings(alignment.case.stream, tuple(alignment.case.settings["resets"]), others)
        if seen is None or index >= len(entries):
            return False
        return any(entry[difference.field] == seen.get(difference.field) for entry in entries[index])

    return covers


def is_of_one_reading(alignment: Alignment, index: int) -> bool:
    """Return whether a parser with one of the readings that the worklog leaves open answers so about an event."""
    seen = alignment.observed(index)
    entries = _entries_by_readings(alignment.case.stream, tuple(alignment.case.settings["resets"]), OPEN_READINGS)
    if seen is None or index >= len(entries):
        return False
    declared = [name for name in OF_STEP if name in seen and name in alignment.declared]
    return any(all(entry[name] == seen[name] for name in declared) for entry in entries[index])


@lru_cache(maxsize=4)
def _entries_by_readings(
    stream: bytes, resets: tuple[int, ...], others: tuple[Reading, ...]
) -> list[list[Mapping[str, str]]]:
    """Return for each event the entries of parsers with any of some readings."""
    readings = OpenReadings(others)
    entries: list[list[Mapping[str, str]]] = []
    for offset, fed in fed_by_offset(stream).items():
        if offset in resets:
            readings.reset()
        answers = header_answers(fed.flags)
        entries.append(
            [worklog_entry(step, answers, within=step.state in WITHIN_TRANSACTION) for step in readings.feed(fed)]
        )
    return entries


def is_in_own_words(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is the text of a warning for which servers have none."""
    if difference.index >= alignment.count or difference.field != "warning":
        return False
    seen = alignment.observed(difference.index)
    without_text = alignment.case.expected.events[difference.index]["warning"] == WITHOUT_TEXT
    return without_text and seen is not None and bool(seen["warning"])


def is_truncated(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a stream that ends within an event is read without an error."""
    return (
        difference.field == ERROR
        and alignment.observation.error is None
        and alignment.case.expected.refused_kind == "truncated"
    )


def goes_on(alignment: Alignment) -> bool:
    """Return whether a parser reports events from a malformed one on."""
    at, is_malformed = alignment.case.expected.refused_at, alignment.case.expected.refused_kind == "malformed"
    return is_malformed and at is not None and any(each >= at for each in alignment.phantoms)


def is_after_malformed(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a parser goes on at a malformed event, or what it then reports."""
    at = alignment.case.expected.refused_at
    if at is None or not goes_on(alignment):
        return False
    return difference.field == ERROR or (difference.place is not None and difference.place >= at)
