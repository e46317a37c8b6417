"""Relay logs of a ring of servers (WL#7592): events come back to the server that made them."""

from dataclasses import replace
from typing import Final

from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, group_shapes, replica_groups
from conformance.strategies.groups.replica_variants import (
    BEFORE,
    CHANGE,
    CHANGE_OF_ANY,
    MODE,
    SERVER_IDS,
    WITH_GROUPS_CUT_OFF,
    add_before,
    set_mode,
    set_server_ids,
)

_CHANGES: Final = 3
_OWN_END: Final = "none, but the end of the group"
#: Which changes of a group have the replica's own server id; where its end has, which is skipped, the group goes on.
_OWN: Final = Dimension(
    "own changes",
    {"the first": (0,), "the second": (1,), "the last": (2,), "all": (0, 1, 2), _OWN_END: (_CHANGES,)},
    profiles={_OWN_END: WITH_GROUPS_CUT_OFF},
)
_OWN_CHANGES: Final = [each for each in _OWN.classes if each != _OWN_END]
_CHANGE: Final = replace(CHANGE_OF_ANY, when={_OWN.name: _OWN_CHANGES})
_END: Final = choices("end of the group", ("Xid", "COMMIT"))
#: Where an applier is to stop: a position within the group is reached after its end, whoever made the events there.
_UNTIL: Final = Dimension(
    "stop position",
    {each: each for each in ("none", "before the group", "at its first own change", "in its last event", "after it")},
)
_AFTER: Final = Number("groups after", fewest=0, few=2)
#: Events of the replica itself are skipped before they are counted, but for the end of a group, which servers count
#: first. With gtid_mode=ON they refuse a counter, or skip nothing.
_COUNTER: Final = Dimension(
    "skip counter",
    {"0": 0, "1": 1, "2": 2, "1000": 1000},
    when={
        MODE.name: ("OFF",),
        _UNTIL.name: ("none",),
        _OWN.name: _OWN_CHANGES,
    },
)


@family(
    focus="FORMAT-APPLY-OWN-EVENTS",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(MODE, _OWN, _CHANGE, _END, BEFORE, _AFTER, _UNTIL, _COUNTER, SERVER_IDS),
)
def own_events_applied(stream: StreamBuilder) -> None:
    """A group in which changes of the replica itself have come back to it, between changes of the source."""
    replica_id, source_id = set_server_ids(stream, SERVER_IDS)
    replica_groups.begin_relay_log(stream)
    mode, own = set_mode(stream), stream.vary(_OWN)
    add_before(stream, mode)
    changes = [
        stream.vary(_CHANGE)(stream) if number in own else data_changes.row_changes(stream)
        for number in range(_CHANGES)
    ]
    end = mysql_events.xid(stream) if stream.vary(_END) == "Xid" else data_changes.query(stream, "COMMIT")
    made_by = [replica_id if number in own else source_id for number in range(_CHANGES)]
    ids = [each for server, change in zip(made_by, changes, strict=True) for each in [server] * len(change)]
    ids.append(replica_id if _CHANGES in own else source_id)
    planned = [data_changes.query(stream, "BEGIN"), *(event for change in changes for event in change), end]
    group = replica_groups.in_mode(stream, planned, mode)
    stream.timestamp += 1
    first = len(group) - len(planned) + 1
    start = stream.offset
    for number, event in enumerate(group):
        at = number - first
        stream.server_id = ids[at] if 0 <= at < len(ids) else source_id
        stream.add(event)
    if (place := stream.vary(_UNTIL)) != "none":
        offsets = stream.offsets[-len(group) :]
        position = {
            "before the group": start,
            "at its first own change": offsets[first + ids.index(replica_id)],
            "in its last event": offsets[-1] + 1,
            "after it": stream.offset + 1,
        }[place]
        stream.settings["until"] = {"log_name": replica_groups.SOURCE_LOG, "log_pos": position}
    elif mode == "OFF" and (counter := stream.vary(_COUNTER)):
        stream.settings["skip_counter"] = counter
    _add_after(stream, mode, _AFTER)


def _add_after(stream: StreamBuilder, mode: str, number: Number) -> None:
    for _ in stream.several_of(number):
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


_SHAPES: Final = group_shapes.shapes(
    *(group_shapes.TRANSACTION, group_shapes.STATEMENT, group_shapes.ROLLED_BACK, group_shapes.TO_SAVEPOINT),
    *(group_shapes.IN_PAYLOAD, group_shapes.PREPARED),
)
#: At the group itself the positions are not judged, but after the next one.
_NEXT: Final = Number("groups after", few=2)
_SENT_AGAIN: Final = yes_or_no("it comes back twice")


@family(
    focus="FORMAT-APPLY-OWN-EVENTS",
    profiles=WITH_ANONYMOUS_GTIDS,
    dimensions=(MODE, _SHAPES, CHANGE, BEFORE, _NEXT, _SENT_AGAIN, SERVER_IDS),
)
def own_groups_applied(stream: StreamBuilder) -> None:
    """A group that is wholly of the replica itself, with its Gtid event, and has come back to it."""
    replica_id, source_id = set_server_ids(stream, SERVER_IDS)
    replica_groups.begin_relay_log(stream)
    mode = set_mode(stream)
    add_before(stream, mode)
    group = replica_groups.in_mode(stream, group_shapes.shaped(stream, _SHAPES), mode)
    stream.server_id = replica_id
    for _ in range(2 if stream.vary(_SENT_AGAIN) else 1):
        replica_groups.add(stream, group)
    stream.server_id = source_id
    _add_after(stream, mode, _NEXT)
