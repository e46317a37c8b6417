"""How streams for a replica vary: its mode, the groups, and an odd event among them."""

from dataclasses import replace
from typing import Final

from conformance.binlog.servers import WITH_GTIDS, WITH_TAGGED_GTIDS
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.unassigned_types import codes_dimension
from conformance.strategies.grammar.dimension import Dimension, Number, bits, choices, sizes, yes_or_no
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups

_PERMISSIVE: Final = Profiles("worklog", "mysql >= 5.7.6")
#: The replica's gtid_mode, whose groups are those of a source in that mode; of both kinds in a permissive one.
MODE: Final = Dimension(
    "gtid_mode",
    {each: each for each in ("OFF", "ON", "OFF_PERMISSIVE", "ON_PERMISSIVE")},
    profiles={"ON": WITH_GTIDS, "OFF_PERMISSIVE": _PERMISSIVE, "ON_PERMISSIVE": _PERMISSIVE},
)
#: Whether the GTIDs of the groups have tags, which the sets of relay logs then have too.
TAGS: Final = Dimension(
    "tags of GTIDs",
    {"none": False, "some": True},
    when={"gtid_mode": ("ON",)},
    profiles={"some": WITH_TAGGED_GTIDS},
)
#: The two modes in between.
PERMISSIVE: Final = choices("gtid_mode", ("OFF_PERMISSIVE", "ON_PERMISSIVE"))
_ANONYMOUS, _GTID, _NONE = "Anonymous_gtid", "Gtid", "none"
_KINDS: Final = ((_ANONYMOUS,), (_GTID,), (_NONE,), (_ANONYMOUS, _GTID), (_GTID, _ANONYMOUS))
#: Servers from 5.7.22 to 9.7.4 refuse a group without a Gtid event after one with a GTID (1837).
_OF_WORKLOG: Final = ((_GTID, _NONE), (_NONE, _GTID))
#: The events before the groups, repeated: a source that changes its mode and goes back writes one, then the other.
KINDS_OF_GROUPS: Final = Dimension(
    "events before groups",
    {", ".join(each): each for each in _KINDS + _OF_WORKLOG},
    profiles={", ".join(each): Profiles("worklog") for each in _OF_WORKLOG},
)
#: The groups before the one that a stream is made for.
BEFORE: Final = Number("groups before", fewest=0, few=2, many=(100, 120))
#: The groups of a stream.
GROUPS: Final = Number("groups", many=(100, 120))
#: The group that a stream is made for.
GROUP: Final = choices("group", ("transaction", "statement that is one"))
#: How the transaction changes data.
CHANGE: Final = replace(data_changes.CHANGE, when={"group": ("transaction",)})
#: The same where there is no other group.
CHANGE_OF_ANY: Final = data_changes.CHANGE
#: The replicas of which it is known what they do after a group that is cut off; 9.7.4 may crash there.
WITH_GROUPS_CUT_OFF: Final = Profiles("worklog", "mysql >= 5.7, < 8.0.27")
#: The servers whose replicas can ignore events by the ids of the servers that made them.
WITH_IGNORED_SERVERS: Final = Profiles("worklog", "mysql >= 5.5", "mariadb")
#: Whether a whole group with the same GTID is executed before it, so that it is skipped. What cannot be read, or is
#: of an unknown type, is met before anything is skipped.
EXECUTED_BEFORE: Final = yes_or_no("its GTID is executed before", when={MODE.name: ("ON",)})
#: The server ids of the replica and of its source; they may differ in one bit alone.
SERVER_IDS: Final = Dimension(
    "server ids",
    {
        "small": (replica_groups.REPLICA_ID, replica_groups.SOURCE_ID),
        "alike but for a high byte": (replica_groups.REPLICA_ID, (1 << 8) + replica_groups.REPLICA_ID),
        "alike but for the upper half": ((1 << 16) + replica_groups.REPLICA_ID, replica_groups.REPLICA_ID),
        "alike but for the highest bit": ((1 << 31) + replica_groups.REPLICA_ID, replica_groups.REPLICA_ID),
        "the largest": ((1 << 32) - 1, (1 << 31) - 1),
    },
)
#: Where an odd event is in it.
PLACE: Final = choices(
    "place", ("before the group", "after its first event", "in its middle", "before its last event", "after the group")
)
#: Flags that have nothing to do with unknown events, without those of boundary markers.
FLAGS: Final = bits("flags", (0x0001, 0x0008, 0x0100, 0x4000, 0x8000))
#: The sizes of the body of an odd event.
BODY: Final = sizes("size of the body", 251, most=70_000)
#: The type codes of an event that no reader knows.
CODE: Final = codes_dimension("any up to 127", "28", "44", "127", "128", "198")


def code_of(stream: StreamBuilder, codes: Dimension[tuple[int, ...]] = CODE) -> int:
    """Return a type code that no reader knows, of a class of a dimension."""
    of_class: tuple[int, ...] = stream.vary(codes)
    return stream.choose.one_of(of_class)


def set_mode(stream: StreamBuilder) -> str:
    """Set the replica's gtid_mode for the question, and return it."""
    mode = stream.vary(MODE)
    stream.settings["gtid_mode"] = mode
    return mode


def set_server_ids(stream: StreamBuilder, ids: Dimension[tuple[int, int]]) -> tuple[int, int]:
    """Set the replica's server id for the question and its source's for the stream, and return both."""
    replica_id, source_id = stream.vary(ids)
    stream.settings["server_id"] = replica_id
    stream.server_id = source_id
    return replica_id, source_id


def group(stream: StreamBuilder, mode: str, *, by_change: bool = True, again: bool = False) -> list[PlannedEvent]:
    """Return the group that a stream is made for, as a source in a mode logs it.

    Args:
        stream: The stream it is for.
        mode: The source's gtid_mode.
        by_change: Whether `CHANGE` gives the change of data; the family declares it then.
        again: Whether it is a further one of these, of any kind.
    """
    if again:
        return replica_groups.in_mode(stream, replica_groups.group(stream, temporary=True), mode)
    return replica_groups.in_mode(stream, plain_group(stream, by_change=by_change), mode)


def plain_group(stream: StreamBuilder, *, by_change: bool = True) -> list[PlannedEvent]:
    """Return the group that a stream is made for, without the event that may come before it; see `group`."""
    return group_of(stream, stream.vary(GROUP), by_change=by_change)


def group_of(stream: StreamBuilder, kind: str, *, by_change: bool = True) -> list[PlannedEvent]:
    """Return a group of one of the classes of `GROUP`."""
    if kind != "transaction":
        return replica_groups.create(stream, temporary=True)
    planned = replica_groups.transaction(stream)
    return [planned[0], *stream.vary(CHANGE)(stream), planned[-1]] if by_change else planned


def is_executed_before(stream: StreamBuilder, mode: str) -> bool:
    """Return whether the group that a stream is made for is one whose GTID is executed; see `EXECUTED_BEFORE`."""
    return mode == "ON" and stream.vary(EXECUTED_BEFORE)


def add_before(stream: StreamBuilder, mode: str, number: Number = BEFORE) -> int:
    """Add the groups before that one, and return the number of their events."""
    count = 0
    for _ in stream.several_of(number):
        planned = replica_groups.in_mode(stream, replica_groups.group(stream, temporary=True), mode)
        replica_groups.add(stream, planned)
        count += len(planned)
    return count


def index_of(place: str, count: int) -> int:
    """Return the index before which an odd event is put into a group of `count` events."""
    return {
        "before the group": 0,
        "after its first event": 1,
        "in its middle": (count + 1) // 2,
        "before its last event": count - 1,
        "after the group": count,
    }[place]


def unknown(stream: StreamBuilder, code: int) -> PlannedEvent:
    """Return an ignorable event of a type, with the body and the flags of its stream."""
    size = stream.vary(BODY)
    return mysql_events.ignorable(stream, code, stream.choose.octets(size, size), flags=stream.vary(FLAGS))
