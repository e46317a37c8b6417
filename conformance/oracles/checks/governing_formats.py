"""Whether a reader takes the checksum algorithm from the latest format description, or keeps an earlier one.

One that keeps it takes checksums for text and rows, or these for checksums, and verifies what is none: whatever is
wrong up to the next format description is one fault.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ends_with_checksum
from conformance.binlog.event_types import EventType
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import Cause
from conformance.oracles.checks.text_ends import ENDINGS, LAST_FIELDS, REPLACED, may_be_of_checksum
from conformance.oracles.oracle import Check, delivered, how_differs, same_field
from conformance.oracles.reasons import OF_CHARACTERS, OF_CHECKSUM

LATEST_GOVERNS: Final = "FORMAT-LATEST-GOVERNS"
KEPT: Final = Cause("kept", "checksum algorithm of an earlier format description")
_EACH: Final = delivered(LATEST_GOVERNS)
_ALGORITHM: Final = "checksum_algorithm"
_ROWS: Final = "rows"
#: The fields that show where an event ends.
_ENDS: Final = (*LAST_FIELDS, _ROWS)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def misgoverned(alignment: Alignment) -> Mapping[int, int]:
    """Return the offsets of the events that a reader reads by an earlier format description, with their indices."""
    if alignment.case.role != "decode" or LATEST_GOVERNS not in alignment.case.marks:
        return {}
    places: dict[int, int] = {}
    for start, end in _changes(alignment):
        if _may_be_kept(alignment, start, end) and any(_shows_kept(alignment, index) for index in range(start, end)):
            places |= {alignment.case.expected.events[index]["offset"]: index for index in range(start, end)}
    return places


def _may_be_kept(alignment: Alignment, start: int, end: int) -> bool:
    """Return whether no event that a format description governs shows that it is read to its end and no further.

    Rows show little: a reader that stops at the first row which begins at the end, or after it, may read the last one
    whole where it takes four bytes too many for a checksum. If texts before the change end where they should, those
    after it do not for this reason.
    """
    texts = [ends_right(alignment, index, LAST_FIELDS) for index in range(start, end)]
    if True in texts:
        return False
    before = (ends_right(alignment, index, LAST_FIELDS) for index in range(start))
    rows = (ends_right(alignment, index, frozenset({_ROWS})) for index in range(start, end))
    return True not in rows or (False in texts and True in before)


def _changes(alignment: Alignment) -> Iterator[tuple[int, int]]:
    """Yield the first and last events that a format description governs which has another algorithm, end exclusive."""
    events = alignment.case.expected.events
    for (before, _), (now, end) in pairwise(governed_events(alignment)):
        changes = events[before].get(_ALGORITHM) != events[now].get(_ALGORITHM)
        if changes and not is_misdescribed(alignment, now):
            yield now + 1, end


def governed_events(alignment: Alignment) -> Iterator[tuple[int, int]]:
    """Yield each format description with the end of the events that it governs, as indices."""
    events = alignment.case.expected.events
    formats = [index for index, entry in enumerate(events) if entry["type"] == EventType.FORMAT_DESCRIPTION]
    # Without a format description there is an end too many.
    return zip(formats, [*formats[1:], len(events)], strict=False)


def is_misdescribed(alignment: Alignment, index: int) -> bool:
    """Return whether a reader reports the checksum algorithm of a format description, and another one."""
    entry, seen = alignment.case.expected.events[index], alignment.observed(index)
    if seen is None or _ALGORITHM not in alignment.declared & entry.keys():
        return False
    return bool(seen.get(_ALGORITHM) != entry[_ALGORITHM])


def ends_right(alignment: Alignment, index: int, fields: Collection[str] = _ENDS) -> bool | None:
    """Return whether an event is read up to its end and no further; None where none of some fields shows it."""
    entry, seen = alignment.case.expected.events[index], alignment.observed(index)
    if seen is None:
        return None if alignment.fate(index) is Fate.UNREACHED or alignment.may_be_dropped(index) else False
    if alignment.is_unknown(index):
        return None
    shown = [name for name in fields if entry.get(name) and name in alignment.declared and alignment.asks(index, name)]
    return all(same_field(name, entry[name], seen.get(name)) for name in shown) if shown else None


def _shows_kept(alignment: Alignment, index: int) -> bool:
    """Return whether an event is refused for its checksum, or ends with one, or without four bytes of its own.

    With a checksum, or without its last bytes, a text may not be UTF-8, and be refused for that.
    """
    seen, entry = alignment.observed(index), alignment.case.expected.events[index]
    if seen is None:
        words = alignment.refusal(index)
        return OF_CHECKSUM.search(words) is not None or (
            OF_CHARACTERS.search(words) is not None and _ends_within_character(alignment, entry)
        )
    return any(
        how_differs(entry[name], seen.get(name)) in ENDINGS and may_be_of_checksum(entry[name], seen[name])
        for name in LAST_FIELDS & entry.keys()
    )


def _ends_within_character(alignment: Alignment, entry: Mapping[str, Any]) -> bool:
    """Return whether the last text of an event is UTF-8, and is not if it ends four bytes too late or too soon."""
    start, end = entry["offset"], entry["offset"] + entry["length"]
    event = alignment.case.stream[start:end]
    texts = [entry[name].encode() for name in LAST_FIELDS & entry.keys() if entry[name]]
    misread = (
        text + event[-CHECKSUM_BYTES:] if ends_with_checksum(event) else text[:-CHECKSUM_BYTES] for text in texts
    )
    return any(REPLACED in each.decode("utf-8", "replace") for each in misread if REPLACED.encode() not in each)


def later_governs(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that a later format description is read, and events by it.

    It is not blamed for an event that is refused for another reason.
    """
    for at, index in misgoverned(alignment).items():
        if _shows_kept(alignment, index):
            where = alignment.describe(index)
            message = f"{where} is read with the checksum algorithm of an earlier format description"
            yield Check("checksum algorithm kept", message + _words(alignment, index), at, KEPT)
            return
    formats = {entry["offset"] for entry in _formats(alignment)}
    yield from (check for check in _EACH.examine(alignment, requirement) if not check.signature or check.at in formats)


def _formats(alignment: Alignment) -> Iterator[Mapping[str, Any]]:
    return (entry for entry in alignment.case.expected.events if entry["type"] == EventType.FORMAT_DESCRIPTION)


def _words(alignment: Alignment, index: int) -> str:
    words = alignment.refusal(index)
    return f": {words}" if words else ""
