"""The differences that are left to replication clients: what need not be delivered, and what may be twice."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference
from conformance.protocol.roles.client import KEPT_BACK, is_end, kind_of, may_be_kept_back
from conformance.specs.catalogue import ENTRY

Entry = Mapping[str, Any]

#: What a source makes for a connection, sends again with the beginning of a log, or to a client that asks for it.
_OF_CONNECTION: Final = KEPT_BACK - {
    int(EventType.ANONYMOUS_GTID),
    int(EventType.ROWS_QUERY),
    int(EventType.IGNORABLE),
}


def is_of_log(entry: Entry) -> bool:
    """Return whether an event is about a log or the connection, and so may come again with a connection."""
    return entry["type"] in _OF_CONNECTION


def is_kept_back(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event is missing that need not be delivered; one at which the client stops is not kept back."""
    if difference.field != ENTRY or difference.index >= alignment.count or difference.index == alignment.stop:
        return False
    return may_be_kept_back(alignment.case.expected.events[difference.index])


def is_of_begun_group(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event is missing of a group of which the source sends no more, and none after it is there."""
    is_of_group = alignment.count - alignment.begun <= difference.index < alignment.count
    return difference.field == ENTRY and is_of_group and lacks_end_alone(alignment)


def lacks_end_alone(alignment: Alignment) -> bool:
    """Return whether what is missing of a group of which the source sends no more are its last events, or all."""
    begun = range(alignment.count - alignment.begun, alignment.count)
    owed = [index for index in begun if not may_be_kept_back(alignment.case.expected.events[index])]
    kinds = [kind_of(alignment.case.expected.events[index]) for index in owed]
    there = [kind for kind, index in zip(kinds, owed, strict=True) if alignment.observed(index) is not None]
    # Of events that are alike any may be the one that is aligned.
    return there == kinds[: len(there)]


def is_end_beside_error(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an entry more is the one about the end, beside the error of the source."""
    if difference.place is None or alignment.case.expected.refused_at is None or alignment.observation.error is None:
        return False
    return is_end(alignment.observation.events[difference.place])


def is_type_missing(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the type is missing of an event that need not be delivered at all."""
    if difference.field != "type" or difference.index not in alignment.untyped:
        return False
    return may_be_kept_back(alignment.case.expected.events[difference.index])


def is_of_connection(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an entry more is about a log or the connection."""
    return difference.place is not None and is_of_log(alignment.observation.events[difference.place])


def is_sent_again(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an entry more is of a group that was interrupted, and then came from its beginning."""
    return difference.place is not None and difference.place in sent_again(alignment)


def has_own_error(alignment: Alignment) -> bool:
    """Return whether the answer ends with an error that is not that of a source which fails there."""
    return alignment.observation.error is not None and not alignment.stops_at_fault


def sent_again(alignment: Alignment) -> frozenset[int]:
    """Return the places of the entries of groups that were interrupted, which may be there once more for each time."""
    allowed: Counter[Hashable] = Counter()
    events = alignment.case.expected.events
    cuts, begin = alignment.case.settings["source"]["cuts"], 0
    for cut in cuts:
        first = cut["index"] + 1 - cut["resent"]
        allowed.update(kind_of(entry) for entry in events[first : cut["index"] + 1])
        if alignment.stop is not None and cut["index"] < alignment.stop:
            begin = first
    for entry in events[len(events) - alignment.begun :]:
        # It may ask again where the source ends with an error.
        allowed[kind_of(entry)] += len(alignment.phantoms)
    if has_own_error(alignment):
        # It gives up, and may have connected before to try again: from the group on that was interrupted last.
        for entry in events[begin : alignment.stop]:
            allowed[kind_of(entry)] += len(alignment.phantoms)
    places = set()
    for place in alignment.phantoms:
        kind = kind_of(alignment.observation.events[place])
        if allowed[kind]:
            allowed[kind] -= 1
            places.add(place)
    return frozenset(places)
