"""A reader that takes the last four bytes of each event for a checksum, in a log without checksums.

A text shows it: it lacks these bytes. Bodies that are too short for their fields, and rows that are not there, follow.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import ROWS_TYPES
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import NOT_KNOWN, Cause
from conformance.oracles.checks.text_ends import FOUR_SHORT, LAST_FIELDS, are_rotates, none_ends_right
from conformance.oracles.oracle import Check
from conformance.oracles.reasons import OF_BOUNDS, OF_CHARACTERS

_TAKEN: Final = Cause(FOUR_SHORT, "the last field of an event")
#: Words for a body that is too short, those of Rust's readers among them, or for a text that is not UTF-8.
_OF_SHORT: Final = re.compile(rf"{OF_BOUNDS.pattern}|UnexpectedEof|{OF_CHARACTERS.pattern}", re.IGNORECASE)
#: The fields of causes that are about the end of an event: a last text, rows and their values, or no field at all.
_OF_END: Final = LAST_FIELDS | {"", "rows", "value"}


def cause_of_taken_end(alignment: Alignment, check: Check) -> Cause | None:
    """Return the cause of a failed check at an event whose end is taken for a checksum; None for another check."""
    index = alignment.index_at(check.at)
    if index is None or not _takes_ends(alignment) or _have_checksums(alignment)[index]:
        return None
    if check.cause is not None and (check.cause.field not in _OF_END or check.cause.kind == NOT_KNOWN):
        return None
    words, seen = alignment.refusal(index), alignment.observed(index)
    if words:
        return _TAKEN if _OF_SHORT.search(words) else None
    if seen is None:
        return None
    entry = alignment.case.expected.events[index]
    lacks_rows = entry["type"] in ROWS_TYPES and "rows" in alignment.differing(index)
    return _TAKEN if lacks_rows or any(_cut_texts(entry, seen)) else None


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _takes_ends(alignment: Alignment) -> bool:
    """Return whether a text lacks its last four bytes, and none in a log without checksums is read to its end."""
    if alignment.case.role != "decode" or not none_ends_right(alignment, checksummed=False) or are_rotates(alignment):
        return False
    events, checksums = alignment.case.expected.events, _have_checksums(alignment)
    seen = ((index, alignment.observed(index)) for index in range(alignment.count) if not checksums[index])
    return any(any(_cut_texts(events[index], entry)) for index, entry in seen if entry is not None)


def _cut_texts(entry: Any, seen: Any) -> Iterator[bool]:
    """Yield whether each last text of an event is the expected one without four bytes."""
    for name in LAST_FIELDS & entry.keys() & seen.keys():
        if entry[name]:
            yield seen[name] == entry[name].encode()[:-CHECKSUM_BYTES].decode("utf-8", "replace")


@lru_cache(maxsize=1)
def _have_checksums(alignment: Alignment) -> tuple[bool, ...]:
    """Return whether each expected event ends with a checksum, by the format description before it or its own."""
    flags, has = [], False
    for entry in alignment.case.expected.events:
        has = entry.get("checksum_algorithm", "crc32" if has else "none") != "none"
        flags.append(has)
    return tuple(flags)
