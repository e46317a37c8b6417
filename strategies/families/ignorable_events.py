"""Ignorable events (WL#4033): flagged events of types that no reader knows."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER
from conformance.binlog.servers import MOST_EVENT_TYPES, WITH_IGNORABLE_FLAG
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Type codes that no server has given a meaning, up to the highest that MySQL can skip.
UNASSIGNED: Final = tuple(range(50, 128))
#: Codes that only the worklog and MariaDB let a reader skip, up to the highest that can be declared; and higher ones.
UNASSIGNED_HIGH: Final = (128, 140, 159, 180, MOST_EVENT_TYPES)
UNDECLARABLE: Final = (199, 200, 254)

#: Flags that are free on a server with boundary markers, which use some of the bits.
_BESIDE_MARKERS: Final = tuple(each for each in mysql_events.FREE_FLAGS if not MARKER_BITS.stored(int(each)))
_SKIPPED: Final = ("WL4033-READ-UNKNOWN-SKIPPED", "WL4033-READ-UNKNOWN-AS-IGNORABLE", "WL4033-CROSS-NEW-TO-NEW")


def declare_up_to(stream: StreamBuilder, type_code: int) -> bytes:
    """Return the server's post-header lengths, extended to cover a type code.

    The entries for unknown types are arbitrary, as in the logs of Aurora 5.7.12.
    """
    lengths = stream.server.post_header_lengths
    more = max(type_code - len(lengths), 0)
    return lengths + stream.choose.octets(more, more)


@family(
    focus=(
        "WL4033-READ-UNKNOWN-SKIPPED",
        "WL4033-SEND-IGNORABLE",
        "WL4033-RELAY-IGNORABLE-COPIED",
        "WL4033-APPLY-UNKNOWN-IGNORED",
    ),
    profiles=WITH_IGNORABLE_FLAG,
)
def ignorable_events(stream: StreamBuilder) -> None:
    """Valid streams with flagged events of unassigned types between, before and inside transactions."""
    choose = stream.choose
    code = choose.one_of(UNASSIGNED)
    high = stream.server.profile == "worklog" or stream.server.is_mariadb
    if high and choose.yes(6):
        code = choose.one_of(UNASSIGNED_HIGH)
    groups.begin_plain_log(stream, lengths=declare_up_to(stream, code))
    stream.mark("WL4033-READ-FUTURE-FORMAT")
    for _ in choose.several(1, 3):
        planned = []
        for event in groups.group(stream):
            if choose.yes(3):
                planned.append(_ignorable(stream, code))
            planned.append(event)
        groups.add_group(stream, planned, anonymous=True)
    # The last possible place, if there is none yet.
    if choose.yes() or not any(event.ignored for event, _, _ in stream.placed):
        stream.add(_ignorable(stream, code))
    groups.end_log(stream)


def _ignorable(stream: StreamBuilder, code: int) -> PlannedEvent:
    choose = stream.choose
    if choose.yes(6):
        code = int(EventType.IGNORABLE)
    elif choose.yes(4):
        # A second type in the same stream, which the format description declares too.
        code = choose.integer(UNASSIGNED[0], min(code, UNASSIGNED[-1]))
    flags = int(choose.one_of(_BESIDE_MARKERS if stream.server.profile == "worklog" else mysql_events.FREE_FLAGS))
    event = mysql_events.ignorable(stream, code, _body(stream), flags=flags).marked(
        *_SKIPPED, "WL4033-READ-UNKNOWN-ANY-BODY", "WL4033-READ-UNKNOWN-ANY-CODE"
    )
    if code == EventType.IGNORABLE:
        event = event.marked("WL4033-READ-IGNORABLE-TYPE-CODE", "WL4033-READ-IGNORABLE-POST-HEADER")
    if flags:
        event = event.marked("WL4033-READ-FLAG-BIT")
    return event


def _body(stream: StreamBuilder) -> bytes:
    """Return a body: empty, odd, large, or one that looks like an event."""
    choose = stream.choose
    kind = choose.integer(0, 3)
    if kind == 1:
        return choose.octets(1, 40)
    if kind == 2:
        return HEADER.pack(stream.timestamp, EventType.QUERY, 1, 40, 4, 0) + bytes(21)
    if kind == 3:
        return bytes(choose.integer(250, 300_000 if choose.yes(8) else 2000))
    return b""


@family(focus="WL4033-READ-UNKNOWN-ANY-CODE", profiles=WITH_IGNORABLE_FLAG)
def uncovered_ignorable_events(stream: StreamBuilder) -> None:
    """Flagged events of types that the format description does not declare, or above 127."""
    choose = stream.choose
    groups.begin_plain_log(stream)
    groups.add_groups(stream, 0, 2)
    declared = stream.format.event_types
    code = choose.one_of([each for each in (*UNASSIGNED, *UNASSIGNED_HIGH, *UNDECLARABLE) if each > declared])
    event = mysql_events.ignorable(stream, code, choose.octets(0, 20), flags=0)
    tolerated = stream.server.profile != "worklog"
    stream.add(event.marked("WL4033-READ-UNKNOWN-ANY-CODE")._replace(tolerated=tolerated))
    groups.add_groups(stream, 1, 2)
