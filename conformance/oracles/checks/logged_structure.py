"""The first place at which the events of a server's logs are others than expected: what follows has the same cause.

A transaction that is missing takes along its BEGIN, its rows and its end, and later statements find other rows. So what
is missing or not expected up to the end of the first such group names the cause of all that is so in the answer.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from conformance.binlog.event_types import GTID_TYPES, EventType, type_name
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import DIFFERS, MISSING, Cause
from conformance.oracles.checks.logged_causes import ROW_CHANGE, UNEXPECTED, logged_cause
from conformance.oracles.checks.logged_event_comparisons import Entry, name_of
from conformance.protocol.roles.log import END, kind_of

#: The events that are about a log, and belong to no group.
_OF_LOG: Final = frozenset({EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP})
_NAMES_OF_LOG: Final = frozenset(map(type_name, _OF_LOG))
#: What a group begins or ends with, or has only beside something else.
_AROUND: Final = _NAMES_OF_LOG | {
    "BEGIN", "COMMIT", "ROLLBACK", "XID", "ROWS_QUERY", "MARIADB_ANNOTATE_ROWS", "MARIADB_GTID", "MARIADB_GTID_LIST",
    *map(type_name, GTID_TYPES),
}  # fmt: skip
#: A statement that decides what becomes of the changes before it.
_DECIDING: Final = frozenset({"SAVEPOINT"})
#: How an event is wrong that is missing at one place of its group, and not expected at another.
_MOVED: Final = "at another place"
#: The fields that differ where something is missing before them: the log of an event, the name of the next one.
_FOLLOWING: Final = frozenset({"log", "next_file"})


class _Gap(NamedTuple):
    """An event that is missing or not expected.

    Attributes:
        place: Where it is among the expected events.
        name: The name of the event.
        kind: How it is wrong.
    """

    place: float
    name: str
    kind: str

    @property
    def rank(self) -> tuple[int, bool, float]:
        """The sort key by which the gaps of a group name it: those first that bring others with them."""
        is_change = logged_cause(self.name, self.kind).subject == ROW_CHANGE
        weight = 0 if self.name in _DECIDING else 1 if is_change else 3 if self.name in _AROUND else 2
        return weight, self.kind == UNEXPECTED, self.place


def with_its_structure(alignment: Alignment, cause: Cause) -> Cause:
    """Return the cause of a failed check on a server's logs, or that of the first events that are others than expected.

    Args:
        alignment: The answer beside the expected one.
        cause: The cause as far as the check knows it.
    """
    lead = cause_of_structure(alignment)
    if lead is None or cause.role != "log":
        return cause
    is_event = cause.kind in (MISSING, UNEXPECTED) and not cause.field
    is_place = cause.kind == DIFFERS and cause.field in _FOLLOWING
    is_row = cause.kind == DIFFERS and cause.field == "rows" and _lacks_changes(alignment)
    return lead if is_event or is_place or is_row else cause


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def cause_of_structure(alignment: Alignment) -> Cause | None:
    """Return the cause of the first events that are missing or not expected; None if there are none."""
    gaps = _gaps(alignment)
    if not gaps:
        return None
    border = _border(alignment, gaps[0].place)
    first = [each for each in gaps if each.place < border]
    logs = [len({entry["log"] for entry in entries}) for entries in _both(alignment)]
    if logs[0] != logs[1] and all(each.name in _NAMES_OF_LOG for each in first):
        return Cause(MISSING if logs[1] < logs[0] else UNEXPECTED, "log", role="log")
    lead = min(first, key=lambda gap: gap.rank)
    kinds = {each.kind for each in first if each.name == lead.name}
    return logged_cause(lead.name, lead.kind if len(kinds) == 1 else _MOVED)


def _both(alignment: Alignment) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    return tuple(alignment.case.expected.events), tuple(alignment.observation.events)


@lru_cache(maxsize=1)
def _gaps(alignment: Alignment) -> list[_Gap]:
    """Return what is missing or not expected, in the order of the logs."""
    return sorted((*_missing(alignment), *_unexpected(alignment)))


def _missing(alignment: Alignment) -> Iterator[_Gap]:
    for index, entry in enumerate(alignment.case.expected.events):
        if alignment.observed(index) is None:
            yield _Gap(index, name_of(entry), MISSING)


def _unexpected(alignment: Alignment) -> Iterator[_Gap]:
    expected, events = _both(alignment)
    places = {id(entry): place for place, entry in enumerate(events)}
    partners = {places[id(seen)]: index for index in range(len(expected)) if (seen := alignment.observed(index))}
    phantoms, last = set(alignment.phantoms), -1
    for place, entry in enumerate(events):
        last = partners.get(place, last)
        if place in phantoms:
            yield _Gap(last + 0.5, name_of(entry), UNEXPECTED)


def _border(alignment: Alignment, place: float) -> float:
    """Return the place of the event that is there and does not belong to the group of an event before it."""
    for index, entry in enumerate(alignment.case.expected.events):
        if index > place and alignment.observed(index) is not None and _is_border(entry):
            return index
    return float("inf")


def _is_border(entry: Entry) -> bool:
    return entry["type"] in GTID_TYPES or entry["type"] in _OF_LOG or kind_of(entry) in ("BEGIN", END)


def _lacks_changes(alignment: Alignment) -> bool:
    """Return whether rows can be others as a change of rows before them is missing or not expected."""
    return any(logged_cause(gap.name, gap.kind).subject == ROW_CHANGE for gap in _gaps(alignment))
