"""Format descriptions: post-headers longer than today's, more types than today's, and which description governs."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import (
    MOST_EVENT_TYPES,
    WITH_ANONYMOUS_GTIDS,
    WITH_CHECKSUMS,
    WITH_GROUP_REPLICATION,
    WITH_GTIDS,
    WITH_IGNORABLE_FLAG,
    WITH_ROWS_QUERIES,
    WITH_XA_PREPARE,
)
from conformance.strategies.events import mysql_events
from conformance.strategies.events.unassigned_types import UNASSIGNED, declare_up_to
from conformance.strategies.families import event_types, flagged_events
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups


def _add_anonymous(stream: StreamBuilder) -> None:
    groups.add_group(stream, groups.group(stream), anonymous=True)


def _add_rotate(stream: StreamBuilder) -> None:
    stream.add(mysql_events.rotate(stream))
    groups.begin_next_log(stream, lengths=stream.format.post_header_lengths)


def _add_statement(stream: StreamBuilder) -> None:
    groups.add_group(stream, groups.ddl(stream), anonymous=True)


def _add_intvar(stream: StreamBuilder) -> None:
    statement = mysql_events.query(stream, "INSERT INTO t1 VALUES (NULL, RAND())")
    context = [mysql_events.intvar(stream), mysql_events.rand(stream)]
    planned = [mysql_events.query(stream, "BEGIN"), *context, statement, mysql_events.xid(stream)]
    groups.add_group(stream, planned, anonymous=True)


#: The types whose post-header grows, as that of Gtid events did between 5.6 and 5.7, and what has events of them. No
#: Query post-header has 17 bytes, as that means the extended Query event of WL#40.
_GROWING: Final = Dimension[tuple[tuple[int, ...], Callable[[StreamBuilder], None]]](
    "types with a longer post-header",
    {
        "Query": ((EventType.QUERY,), _add_statement),
        "Table_map": ((EventType.TABLE_MAP,), event_types.add_row_changes),
        "rows": ((), event_types.add_row_changes),
        "Rotate": ((EventType.ROTATE,), _add_rotate),
        "Intvar and Rand": ((EventType.INTVAR, EventType.RAND), _add_intvar),
        "Xid": ((EventType.XID,), _add_intvar),
        "User_var": ((EventType.USER_VAR,), event_types.add_user_variables),
        "load events": (
            (
                EventType.BEGIN_LOAD_QUERY,
                EventType.APPEND_BLOCK,
                EventType.DELETE_FILE,
                EventType.EXECUTE_LOAD_QUERY,
            ),
            event_types.add_load_data,
        ),
        "Incident": ((EventType.INCIDENT,), event_types.add_incident),
        "Rows_query": ((EventType.ROWS_QUERY,), flagged_events.add_rows_query),
        "Gtid": ((EventType.GTID,), flagged_events.add_gtid),
        "Anonymous_gtid": ((EventType.ANONYMOUS_GTID,), _add_anonymous),
        "Previous_gtids": ((EventType.PREVIOUS_GTIDS,), _add_rotate),
        "XA_prepare": ((EventType.XA_PREPARE,), event_types.add_xa_transaction),
        "group replication": (
            (EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE),
            event_types.add_group_replication,
        ),
    },
    profiles={
        "Rows_query": WITH_ROWS_QUERIES,
        "Gtid": WITH_GTIDS,
        "Anonymous_gtid": WITH_ANONYMOUS_GTIDS,
        "Previous_gtids": WITH_ANONYMOUS_GTIDS,
        "XA_prepare": WITH_XA_PREPARE,
        "group replication": WITH_GROUP_REPLICATION,
    },
)
_GROWTH: Final = choices("bytes more", (1, 2, 3, 8, 100))
_MORE_TYPES: Final = choices("event types", ("as many as the server's", "one more", "as many as can be"))


@family(focus="FORMAT-POST-HEADER-LENGTHS", dimensions=(_GROWING, _GROWTH, _MORE_TYPES))
def post_header_lengths(stream: StreamBuilder) -> None:
    """Streams whose format description declares longer post-headers, and more types, than any server does."""
    types, addition = stream.vary(_GROWING)
    lengths = bytearray(stream.server.post_header_lengths)
    more = stream.vary(_GROWTH)
    for type_code in types or stream.server.rows_events:
        lengths[type_code - 1] += more
    declared = {"as many as the server's": 0, "one more": 1}.get(
        stream.vary(_MORE_TYPES), MOST_EVENT_TYPES - len(lengths)
    )
    lengths += bytes(declared)
    groups.begin_plain_log(stream, lengths=bytes(lengths))
    if declared:
        stream.mark("WL4033-READ-FUTURE-FORMAT")
    if stream.server.gtid_form != "absent":
        stream.mark("WL7592-ANON-CODE-DECLARED-EARLY")
    addition(stream)
    for _ in stream.choose.several(0, 2):
        groups.add_group(stream, groups.transaction(stream), anonymous=True)
    groups.end_log(stream)


#: How the first format description of a stream differs from the second, the server's own.
_FIRST: Final = choices(
    "first format description",
    ("the same", "more types", "fewer types", "longer post-headers", "shorter post-headers"),
)
_CHECKSUMS: Final = Dimension(
    "checksums after the second",
    {"as before": False, "the other way": True},
    profiles={"the other way": WITH_CHECKSUMS},
)
_KIND: Final = choices("kind of stream", ("relay log", "two logs of a source"))
#: A source that was started again has the time of the start in its next log too.
_STARTED: Final = yes_or_no("the second has the time of a start")
#: As a source sends it that is asked from a position on, and a replica repeats it in its next relay log.
_ARTIFICIAL: Final = yes_or_no("the second is artificial")
#: The longest version of a server: its field has 50 bytes, with the NUL at its end.
_VERSION_CHARACTERS: Final = 49
#: What follows the number in the version of the server.
_SUFFIX: Final = Dimension(
    "end of the server's version",
    {"the usual": "", "that of a package": "-0ubuntu0.24.04.1-log", "the longest": "-".ljust(_VERSION_CHARACTERS, "x")},
)
#: What comes after the second: any type may be read by the first, and only some types are in ordinary groups.
_AFTER: Final = Dimension(
    "group after the second",
    {**{name: add for name, (add, _) in event_types.ADDITIONS.items()}, "Rows_query": flagged_events.add_rows_query},
    profiles={
        **{name: profiles for name, (_, profiles) in event_types.ADDITIONS.items()},
        "Rows_query": WITH_ROWS_QUERIES,
    },
)


@family(focus="FORMAT-LATEST-GOVERNS", dimensions=(_FIRST, _CHECKSUMS, _KIND, _STARTED, _SUFFIX, _AFTER, _ARTIFICIAL))
def changed_format_descriptions(stream: StreamBuilder) -> None:
    """Streams with two format descriptions that differ; all but the first events follow the second one."""
    is_relay_log = stream.vary(_KIND) == "relay log"
    stream.describe_format(
        flags=int(Flag.RELAY_LOG) if is_relay_log else 0,
        post_header_lengths=_first_lengths(stream, stream.vary(_FIRST)),
    )
    stream.add(mysql_events.rotate(stream, flags=int(Flag.ARTIFICIAL)))
    if stream.vary(_CHECKSUMS):
        stream.checksummed = not stream.checksummed
    lengths = declare_up_to(stream, UNASSIGNED[-1])
    created = stream.timestamp if stream.vary(_STARTED) else 0
    version = f"{stream.server.version}{stream.vary(_SUFFIX)}"[:_VERSION_CHARACTERS]
    stream.describe_format(
        flags=int(Flag.ARTIFICIAL) if stream.vary(_ARTIFICIAL) else 0,
        created=created,
        post_header_lengths=lengths,
        version=version,
        marks=("FORMAT-LATEST-GOVERNS",),
    )
    start = len(stream.placed)
    groups.add_group(stream, groups.transaction(stream))
    event_types.add_row_changes(stream)
    stream.vary(_AFTER)(stream)
    if stream.server.profile in WITH_IGNORABLE_FLAG:
        event = mysql_events.ignorable(stream, UNASSIGNED[-1], stream.choose.octets(0, 20), flags=0)
        stream.add(event.marked("WL4033-READ-UNKNOWN-SKIPPED"))
    groups.add_groups(stream, 0, 2)
    stream.add(mysql_events.rotate(stream))
    stream.mark_events("FORMAT-LATEST-GOVERNS", range(start, len(stream.placed)))


def _first_lengths(stream: StreamBuilder, kind: str) -> bytes:
    """Return the post-header lengths of a first format description, which has no other event than a Rotate."""
    own = stream.server.post_header_lengths
    if kind == "more types":
        return declare_up_to(stream, MOST_EVENT_TYPES)
    if kind == "fewer types":
        return own[: EventType.INCIDENT]
    lengths = bytearray(own)
    step = {"longer post-headers": 4, "shorter post-headers": -2}.get(kind, 0)
    for type_code in (EventType.QUERY, EventType.TABLE_MAP, *stream.server.rows_events, EventType.GTID):
        if type_code <= len(lengths) and lengths[type_code - 1]:
            # One more for a Query, whose post-header of 17 bytes has another layout.
            lengths[type_code - 1] += step + (type_code == EventType.QUERY and step > 0)
    return bytes(lengths)
