"""Events of known types with the ignorable flag set or cleared (WL#4033), which are read all the same."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    WITH_FLAG_OF_UNKNOWN_TYPES,
    WITH_GROUP_REPLICATION,
    WITH_GTIDS,
    WITH_PAYLOADS,
    WITH_ROWS_QUERIES,
    WITH_TAGGED_GTIDS,
    WITH_XA_PREPARE,
)
from conformance.strategies.events import mysql_events
from conformance.strategies.families import event_types
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_IGNORABLE: Final = int(Flag.IGNORABLE)


def add_rows_query(stream: StreamBuilder) -> None:
    """Add a transaction with a Rows_query event."""
    statement = mysql_events.rows_query(stream, mysql_events.text(stream, 1, 80))
    begin, end = mysql_events.query(stream, "BEGIN"), mysql_events.xid(stream)
    groups.add_group(stream, [begin, statement, *groups.row_changes(stream), end], anonymous=True)


def add_gtid(stream: StreamBuilder) -> None:
    """Add a group with a Gtid event."""
    groups.add_group(stream, groups.group(stream), anonymous=False)


#: What a log has twice, with the flag and without it.
_EVENTS: Final = Dimension[Callable[[StreamBuilder], None]](
    "events",
    {
        "statements or rows": event_types.add_ordinary,
        "rows of every kind": event_types.add_row_changes,
        "Rows_query": add_rows_query,
        "Gtid": add_gtid,
        "User_var": event_types.add_user_variables,
        "LOAD DATA": event_types.add_load_data,
        "Incident": event_types.add_incident,
        "group replication": event_types.add_group_replication,
        "XA transaction": event_types.add_xa_transaction,
        "payload": event_types.add_payload,
        "tagged Gtid": event_types.add_tagged_group,
    },
    profiles={
        "Rows_query": WITH_ROWS_QUERIES,
        "Gtid": WITH_GTIDS,
        "group replication": WITH_GROUP_REPLICATION,
        "XA transaction": WITH_XA_PREPARE,
        "payload": WITH_PAYLOADS,
        "tagged Gtid": WITH_TAGGED_GTIDS,
    },
)
_DESCRIPTION: Final = yes_or_no("flag of the format description")
_OTHERS: Final = yes_or_no("flag the other way in every event")
_END: Final = choices("end of a log", ("Rotate", "Stop"))


@family(
    focus="WL4033-READ-KNOWN-FLAGGED",
    profiles=WITH_FLAG_OF_UNKNOWN_TYPES,
    dimensions=(_EVENTS, _DESCRIPTION, _OTHERS, _END),
)
def flagged_known_events(stream: StreamBuilder) -> None:
    """Two logs with the same kinds of events, in the second of which the ignorable flag is the other way."""
    choose = stream.choose
    additions = [stream.vary(_EVENTS) for _ in choose.several(1, 2)]
    end = mysql_events.rotate if stream.vary(_END) == "Rotate" else mysql_events.stop
    groups.begin_log(stream)
    for addition in additions:
        addition(stream)
    stream.add(end(stream))
    # A reader that refuses a type whatever its flags breaks another requirement.
    seen = {event.type for event, _, _ in stream.placed}
    every = stream.vary(_OTHERS)
    stream.alter = lambda event: _other_way(event) if event.type in seen and (every or choose.yes()) else event
    groups.begin_next_log(stream, flags=_IGNORABLE if stream.vary(_DESCRIPTION) else 0)
    for addition in additions:
        addition(stream)
    stream.add(end(stream))


FLAGGED: Final = Dimension(
    "known events with the ignorable flag",
    {"no": False, "yes": True},
    profiles={"yes": WITH_FLAG_OF_UNKNOWN_TYPES},
)


def flag_following(stream: StreamBuilder) -> None:
    """Give the events that follow the ignorable flag, if the dimension `FLAGGED` has it so."""
    if stream.vary(FLAGGED):
        # Without a mark: nothing shows here that a reader knows the types without the flag.
        stream.alter = lambda event: event._replace(flags=event.flags | _IGNORABLE)


def _other_way(event: PlannedEvent) -> PlannedEvent:
    """Return an event with the ignorable flag the other way."""
    return event._replace(flags=event.flags ^ _IGNORABLE).marked("WL4033-READ-KNOWN-FLAGGED")
