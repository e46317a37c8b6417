"""The differences that are left to replication clients: what need not be delivered, and what may be twice."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference
from conformance.protocol.roles.client import kind_of
from conformance.specs.catalogue import ENTRY

Entry = Mapping[str, Any]

_IGNORABLE: Final = int(Flag.IGNORABLE)
#: Events about a log, and events that inform about others.
_KEPT_BACK: Final = frozenset(
    map(
        int,
        (
            EventType.FORMAT_DESCRIPTION,
            EventType.PREVIOUS_GTIDS,
            EventType.ROTATE,
            EventType.STOP,
            EventType.ANONYMOUS_GTID,
            EventType.ROWS_QUERY,
            EventType.IGNORABLE,
            EventType.MARIADB_GTID_LIST,
            EventType.MARIADB_BINLOG_CHECKPOINT,
            EventType.MARIADB_ANNOTATE_ROWS,
        ),
    )
)
#: What a source makes for a connection, sends again with the beginning of a log, or to a client that asks for it.
_OF_CONNECTION: Final = _KEPT_BACK - {
    int(EventType.ANONYMOUS_GTID),
    int(EventType.ROWS_QUERY),
    int(EventType.IGNORABLE),
}


def may_be_kept_back(entry: Entry) -> bool:
    """Return whether a client need not deliver an event."""
    return entry["type"] in _KEPT_BACK or bool(entry.get("flags", 0) & _IGNORABLE)


def is_of_log(entry: Entry) -> bool:
    """Return whether an event is about a log or the connection, and so may come again with a connection."""
    return entry["type"] in _OF_CONNECTION


def is_kept_back(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event is missing that need not be delivered; one at which the client stops is not kept back."""
    if difference.field != ENTRY or difference.index >= alignment.count or difference.index == alignment.stop:
        return False
    return may_be_kept_back(alignment.case.expected.events[difference.index])


def is_of_connection(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an entry more is about a log or the connection."""
    return difference.place is not None and is_of_log(alignment.observation.events[difference.place])


def is_sent_again(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an entry more is of a group that was interrupted, and then came from its beginning."""
    return difference.place is not None and difference.place in sent_again(alignment)


def sent_again(alignment: Alignment) -> frozenset[int]:
    """Return the places of the entries of groups that were interrupted, which may be there once more for each time."""
    allowed: Counter[Hashable] = Counter()
    events = alignment.case.expected.events
    for cut in alignment.case.settings["source"]["cuts"]:
        first = cut["index"] + 1 - cut["resent"]
        allowed.update(kind_of(entry) for entry in events[first : cut["index"] + 1])
    places = set()
    for place in alignment.phantoms:
        kind = kind_of(alignment.observation.events[place])
        if allowed[kind]:
            allowed[kind] -= 1
            places.add(place)
    return frozenset(places)
