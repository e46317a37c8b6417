"""Events that a reader gets wrong because it got an earlier one wrong, which is blamed for all of it.

The format description governs how the events after it are checksummed, and a Table_map how the rows after it are read.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.governing_formats import ends_right, governed_events, is_misdescribed, misgoverned
from conformance.oracles.checks.kept_lengths import of_kept_lengths
from conformance.oracles.checks.text_ends import LAST_FIELDS

Entry = Mapping[str, Any]


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def misled(alignment: Alignment) -> frozenset[int]:
    """Return the offsets of the events that a reader gets wrong because of what it has read before."""
    if alignment.case.role != "decode":
        return frozenset()
    return frozenset(
        (*misgoverned(alignment), *of_kept_lengths(alignment), *_misdescribed(alignment), *_without_table(alignment))
    )


def _misdescribed(alignment: Alignment) -> Iterator[int]:
    """Yield the events that are not read to their ends, in logs whose checksum algorithm is reported wrong.

    Where every text ends where its event does, the reader knows where events end, whatever it reports.
    """
    events = alignment.case.expected.events
    for format_at, end in governed_events(alignment):
        if is_misdescribed(alignment, format_at):
            governed = range(format_at + 1, end)
            texts = {ends_right(alignment, index, LAST_FIELDS) for index in governed}
            if True in texts and False not in texts:
                continue
            yield from (events[index]["offset"] for index in governed if ends_right(alignment, index) is not True)


def _without_table(alignment: Alignment) -> Iterator[int]:
    """Yield the rows events that are not read, as their Table_map event is passed over."""
    passed_over: set[int] = set()
    for index, entry in enumerate(alignment.case.expected.events):
        if entry["type"] == EventType.TABLE_MAP:
            unknown = alignment.observed(index) is not None and alignment.is_unknown(index)
            (passed_over.add if unknown else passed_over.discard)(entry["table_id"])
        elif entry["type"] in ROWS_TYPES and entry.get("table_id") in passed_over:
            yield entry["offset"]
