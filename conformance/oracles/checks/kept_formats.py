"""Whether a reader passes over a later format description, and goes on by the one before it.

It then reports the fields of the one before, and whatever is wrong up to the next format description is one fault.
"""

from collections.abc import Set
from functools import lru_cache
from itertools import pairwise
from typing import Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.governing_formats import governed_events
from conformance.oracles.oracle import same_field
from conformance.protocol.roles.decode import HEADER_FIELDS

KEPT_FORMAT: Final = Cause("kept", "earlier format description")


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def of_kept_formats(alignment: Alignment) -> Set[int]:
    """Return the offsets of the events that a reader reads by a format description before the one that governs them."""
    if alignment.case.role != "decode":
        return frozenset()
    events, offsets = alignment.case.expected.events, set()
    for (before, _), (start, end) in pairwise(governed_events(alignment)):
        if _is_reported_as(alignment, start, before):
            offsets |= {events[index]["offset"] for index in range(start, end)}
    return offsets


def _is_reported_as(alignment: Alignment, index: int, earlier: int) -> bool:
    """Return whether a format description is reported with the fields of an earlier one, which differ from its own."""
    events = alignment.case.expected.events
    seen, own, before = alignment.observed(index), events[index], events[earlier]
    if seen is None:
        return False
    differing = {
        name
        for name in alignment.differing(index)
        if name not in HEADER_FIELDS and not same_field(name, own.get(name), seen.get(name))
    }
    return bool(differing) and all(same_field(name, before.get(name), seen.get(name)) for name in differing)
