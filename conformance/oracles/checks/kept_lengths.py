"""Whether a reader takes the lengths of post-headers from the latest format description, or from an earlier one.

One that keeps them reads the bodies from a wrong place on, in ways that depend on the bytes: whatever is wrong up to
the next format description is one fault.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Final

from conformance.binlog.errors import BinlogError
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.reader import READS_ALL, read_events
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import Cause, group_of_entry
from conformance.oracles.checks.governing_formats import governed_events
from conformance.oracles.checks.post_headers import OF_READER, finds_value, known_part
from conformance.oracles.oracle import Check
from conformance.protocol.roles.decode import HEADER_FIELDS

KEPT_LENGTHS: Final = Cause("kept", "post-header lengths of an earlier format description")
#: A type that is always misread is a fault of its own; several at once have their lengths in common, as have events of
#: a type that are read rightly before the lengths change.
_SEVERAL: Final = 2


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def of_kept_lengths(alignment: Alignment) -> Mapping[int, int]:
    """Return the offsets of the events that a reader reads by earlier lengths, with their indices."""
    if alignment.case.role != "decode":
        return {}
    events, formats = alignment.case.expected.events, _formats(alignment.case.stream)
    places: dict[int, int] = {}
    for (before, end_before), (start, end) in pairwise(governed_events(alignment)):
        earlier, later = (formats.get(events[index]["offset"]) for index in (before, start))
        if earlier is None or later is None:
            continue
        affected = [index for index in range(start + 1, end) if _differ(earlier, later, events[index]["type"])]
        shown = {index: right for index in affected if (right := _is_right(alignment, index)) is not None}
        if any(shown.values()):
            continue
        groups = {group_of_entry(events[index]) for index in shown}
        if len(groups) >= _SEVERAL or any(
            group_of_entry(events[index]) in groups and _is_right(alignment, index)
            for index in range(before + 1, end_before)
        ):
            places |= {events[index]["offset"]: index for index in shown}
    return places


def _formats(stream: bytes) -> Mapping[int, FormatDescription]:
    """Return the format description that governs each event, by its offset; it governs itself."""
    formats: dict[int, FormatDescription] = {}
    with suppress(BinlogError):
        formats.update((event.offset, event.format) for event in read_events(stream, READS_ALL))
    return formats


def _differ(earlier: FormatDescription, later: FormatDescription, code: int) -> bool:
    lengths = [each.post_header_length(code) for each in (earlier, later)]
    return 0 not in lengths and lengths[0] != lengths[1]


def _is_right(alignment: Alignment, index: int) -> bool | None:
    """Return whether what follows the post-header of an event is read rightly; None if the answer does not show it."""
    seen = alignment.observed(index)
    if alignment.refusal(index):
        return False
    if seen is None or alignment.is_unknown(index) or alignment.fate(index) is Fate.UNREACHED:
        return None
    entry = alignment.case.expected.events[index]
    names = entry.keys() & alignment.declared - set(HEADER_FIELDS) - set(OF_READER) - known_part(entry["type"])
    body = {name for name in names if entry[name] is not None and alignment.asks(index, name)}
    # A value that is read at its place, such as a text in other characters, is wrong for another reason.
    differing = body.intersection(alignment.differing(index))
    return all(finds_value(alignment, index, name) for name in differing) if body else None


def latest_lengths(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Yield the failed check of the first event that is read by earlier lengths, if there is one."""
    for at, index in sorted(of_kept_lengths(alignment).items())[:1]:
        message = f"{alignment.describe(index)} is read with the post-header length of an earlier format description"
        yield Check("post-header lengths kept", message, at, KEPT_LENGTHS)
