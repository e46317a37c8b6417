"""The events of a log that belong to the transaction of a Gtid event, by their types alone."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.oracles.checks.logged_event_comparisons import Entry

#: What ends a transaction that began before, and belongs to none.
_OUTSIDE: Final = GTID_TYPES | {
    EventType.FORMAT_DESCRIPTION,
    EventType.PREVIOUS_GTIDS,
    EventType.ROTATE,
    EventType.STOP,
}


def length_after(codes: Sequence[int], sizes: Sequence[int]) -> int:
    """Return how many bytes of a transaction are after its Gtid event.

    Args:
        codes: The type codes of the events after it in the log.
        sizes: Their sizes.
    """
    end = next((place for place, code in enumerate(codes) if code in _OUTSIDE), len(codes))
    return sum(sizes[:end])


def has_length_of_group(events: Sequence[Entry], place: int) -> bool:
    """Return whether the transaction_length of a Gtid event counts all up to the next one, whatever the events are."""
    gtid = events[place]
    after = [each for each in events[place + 1 :] if each["log"] == gtid["log"]]
    length = length_after([each["type"] for each in after], [each["length"] for each in after])
    return bool(gtid.get("transaction_length") == gtid["length"] + length)
