"""Events that a replica does not know, or knows although they are flagged (WL#4033, WL#7592): receiver and applier."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import server_of
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.families.ignorable_events import UNASSIGNED, UNASSIGNED_HIGH, declare_up_to
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups

_IGNORABLE: Final = int(Flag.IGNORABLE)
_OLD: Final = Profiles("mysql < 5.6")
#: The types of WL#4033 that a source with it sends, besides later ones.
_OF_WL4033: Final = (EventType.ROWS_QUERY, EventType.IGNORABLE)
_OF_WL7592: Final = (EventType.ANONYMOUS_GTID, EventType.GTID, EventType.PREVIOUS_GTIDS)


@family(focus=("WL4033-APPLY-UNKNOWN-REFUSED", "WL4033-RELAY-UNKNOWN-NOT-LOST"), fault=True)
def unknown_events_refused(stream: StreamBuilder) -> None:
    """An event of an unassigned type without the ignorable flag between, before or inside groups."""
    choose = stream.choose
    code = choose.one_of((*UNASSIGNED, *UNASSIGNED_HIGH))
    replica_groups.begin_relay_log(stream, lengths=declare_up_to(stream, code))
    mode = replica_groups.choose_mode(stream)
    for _ in choose.several(0, 2):
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))
    flags = int(choose.one_of(mysql_events.FREE_FLAGS))
    unknown = PlannedEvent(code, choose.octets(0, 40), {}, flags)
    _add_with(stream, mode, unknown, ("WL4033-APPLY-UNKNOWN-REFUSED",))


@family(focus=("WL4033-APPLY-CROSS-NEW-TO-OLD", "WL4033-RELAY-UNKNOWN-NOT-LOST"), profiles=_OLD, fault=True)
def newer_streams_to_old_replicas(stream: StreamBuilder) -> None:
    """Events that came with WL#4033, WL#7592 or later, for a replica of 5.1 or 5.5, which cannot skip them."""
    choose = stream.choose
    code = int(choose.one_of((*_OF_WL4033, *_OF_WL7592, *UNASSIGNED)))
    lengths = server_of("mysql-5.7").post_header_lengths
    replica_groups.begin_relay_log(stream, lengths=lengths + bytes(max(code - len(lengths), 0)))
    for _ in choose.several(0, 2):
        replica_groups.add(stream, replica_groups.group(stream))
    of_gtids = code in _OF_WL7592
    flags = 0 if of_gtids and choose.yes() else _IGNORABLE
    mark = "WL7592-APPLY-NEW-55" if of_gtids else "WL4033-APPLY-CROSS-NEW-TO-OLD"
    _add_with(stream, "OFF", PlannedEvent(code, choose.octets(0, 42), {}, flags), (mark,))


def _add_with(stream: StreamBuilder, mode: str, unknown: PlannedEvent, marks: tuple[str, ...]) -> None:
    """Add a group with an event in it, before it or after it that is refused, and perhaps another group."""
    choose = stream.choose
    planned = replica_groups.in_mode(stream, replica_groups.group(stream), mode)
    place = choose.integer(0, len(planned))
    replica_groups.add(stream, planned[:place])
    stream.refuse(unknown, kind="unknown-event", marks=marks)
    replica_groups.add(stream, planned[place:])
    for _ in choose.several(0, 1):
        replica_groups.add(stream, replica_groups.in_mode(stream, replica_groups.group(stream), mode))


@family(
    focus=("WL4033-APPLY-KNOWN-HANDLED", "WL4033-RELAY-IGNORABLE-COPIED"), profiles=Profiles("worklog", "mysql >= 5.6")
)
def flagged_groups(stream: StreamBuilder) -> None:
    """Groups of ordinary events of which some, or all, carry the ignorable flag."""
    choose = stream.choose
    replica_groups.begin_relay_log(stream)
    mode = replica_groups.choose_mode(stream)
    every = choose.yes(4)
    for _ in choose.several(1, 3):
        planned = replica_groups.in_mode(stream, replica_groups.group(stream), mode)
        odd = choose.integer(0, len(planned) - 1)
        for place, event in enumerate(planned):
            is_flagged = every or place == odd or choose.yes()
            planned[place] = event._replace(flags=event.flags | _IGNORABLE) if is_flagged else event
        replica_groups.add(stream, planned)
