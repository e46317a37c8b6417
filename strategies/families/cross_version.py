"""Streams of one version read by another: old logs, and new events given to old readers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.binlog.event_types import PRE_GA_ROWS, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.servers import WITH_GTIDS, WITH_IGNORABLE_FLAG, server_of
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events, server_events
from conformance.strategies.families.ignorable_events import UNASSIGNED
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups import transactions as groups

#: The sources without Gtid events whose logs newer servers are given; they are readers of betas' logs themselves.
OLDER: Final = ("mysql-5.1", "mysql-5.5")
_OLD: Final = Profiles("mysql < 5.6")
_BETA: Final = "5.1.15-beta-log"
_TABLE_ID_LIMIT: Final = 2**32 - 1

_SOURCE: Final = choices("source", OLDER)
_GROUPS: Final = Number("groups")
_OLD_GROUP: Final = Dimension(
    "group",
    {each: each for each in ("statement", "logical timestamp", "CREATE TABLE ... SELECT in one")},
    # No release logged the timestamps. Later readers do not know rows of version 1.
    profiles={
        "logical timestamp": Profiles("worklog"),
        "CREATE TABLE ... SELECT in one": Profiles("worklog", "mysql < 8.3", "mariadb"),
    },
)
_BEFORE: Final = Number("groups before", fewest=0, few=2)


@family(
    focus=("WL4033-CROSS-OLD-TO-NEW", "WL7592-RELAY-PREVIOUS-GTIDS-OWN", "WL7592-COMPAT-OLD-NEW"),
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(_SOURCE, _GROUPS, _OLD_GROUP),
)
def cross_version_streams(stream: StreamBuilder) -> None:
    """Logs of 5.1 and 5.5 read by a newer reader: no checksums, no Gtid events, fewer types."""
    reader = stream.server
    stream.server = server_of(stream.vary(_SOURCE))
    stream.checksummed = False
    stream.describe_format(post_header_lengths=stream.server.post_header_lengths)
    for _ in stream.several_of(_GROUPS):
        # Which groups there are depends on what the reader knows.
        _add_old_group(stream, stream.choose.vary(_OLD_GROUP, reader.profile))
    groups.end_log(stream)
    stream.server = reader
    stream.mark("WL4033-CROSS-OLD-TO-NEW", "WL7592-OLD-STREAMS-READ")


def _add_old_group(stream: StreamBuilder, form: str) -> None:
    choose = stream.choose
    planned = [mysql_events.query(stream, "BEGIN")]
    if form == "CREATE TABLE ... SELECT in one":
        # CREATE TABLE ... SELECT as one group: the form before WL#7592.
        planned.append(mysql_events.query(stream, "CREATE TABLE `t2` (`a` int(11))"))
        planned += groups.row_changes(stream)
        planned.append(mysql_events.query(stream, "COMMIT"))
        planned = [event.marked("WL7592-OLD-CREATE-SELECT-READ") for event in planned]
    elif form == "logical timestamp":
        # Development releases stored a logical timestamp among the status variables: code 14, 8 bytes.
        timestamp = b"\x0e" + choose.octets(8, 8)
        marks = ("WL7592-OLD-QUERY-TIMESTAMPS-READ",)
        planned.append(mysql_events.query(stream, "INSERT INTO t1 VALUES (1)", status_variables=timestamp, marks=marks))
        planned.append(mysql_events.xid(stream))
    else:
        planned.append(mysql_events.query(stream, mysql_events.text(stream, 1, 200)))
        planned.append(mysql_events.xid(stream))
    for event in planned:
        stream.add(event)


@family(
    focus=("WL7592-OLD-STREAMS-READ", "WL7592-RELAY-PREVIOUS-GTIDS-OWN", "WL7592-COMPAT-OLD-NEW"),
    profiles=WITH_GTIDS,
    dimensions=(_GROUPS,),
)
def streams_without_gtids(stream: StreamBuilder) -> None:
    """Logs in the format of this server without any Gtid, Anonymous_gtid or Previous_gtids event."""
    stream.describe_format()
    for _ in stream.several_of(_GROUPS):
        replica_groups.add(stream, replica_groups.group(stream))
    stream.mark("WL7592-OLD-STREAMS-READ")


_BETA_LENGTH: Final = choices("post-header length of rows", (8, 6))
_BETA_ROWS: Final = choices("type of rows", PRE_GA_ROWS, text=lambda each: each.name)
#: At 8 and 16 the mark before the null bits takes another byte.
_COLUMNS: Final = choices("columns", (1, 7, 8, 9, 15, 16))


@family(focus="FORMAT-ROWS-PRE-GA", profiles=_OLD, dimensions=(_BETA_LENGTH, _BETA_ROWS, _COLUMNS, _GROUPS))
def rows_of_betas(stream: StreamBuilder) -> None:
    """Logs of 5.1's betas read by a reader of 5.1 or 5.5, which gets them from a source of that time."""
    choose = stream.choose
    length = stream.vary(_BETA_LENGTH)
    lengths = bytearray(stream.server.post_header_lengths)
    for code in PRE_GA_ROWS:
        lengths[code - 1] = length
    stream.describe_format(post_header_lengths=bytes(lengths), version=_BETA)
    for _ in stream.several_of(_GROUPS):
        table_id = choose.integer(1, _TABLE_ID_LIMIT)
        columns = stream.vary(_COLUMNS)
        planned = [
            mysql_events.table_map(stream, table_id=table_id, table=choose.one_of(mysql_events.NAMES), columns=columns)
        ]
        planned.append(_beta_rows(stream, length, table_id, columns))
        for event in (mysql_events.query(stream, "BEGIN"), *planned, mysql_events.xid(stream)):
            stream.add(event)
    groups.end_log(stream)


def _beta_rows(stream: StreamBuilder, length: int, table_id: int, columns: int) -> PlannedEvent:
    """Return a rows event of a beta; its images begin with the bits of the record: a mark, then the null bits."""
    choose = stream.choose
    code = stream.vary(_BETA_ROWS)
    nulls = (columns + 1 + 7) // 8
    mark = ((1 << 8 * nulls) - 1 & ~(((1 << columns) - 1) << 1)).to_bytes(nulls, "little")
    images = 2 if code == EventType.PRE_GA_UPDATE_ROWS else 1
    fields = {"table_id": table_id, "rows_flags": 1}
    wire = {
        **fields,
        "column_count": columns,
        "columns_present": bytes([0xFF]) * ((columns + 7) // 8),
        "row_data": b"".join(mark + choose.octets(4 * columns, 4 * columns) for _ in range(images)),
    }
    body = layout_of(code, length).write(wire, post_header_length=length)
    # Today's readers refuse these types, as no released server wrote them.
    return PlannedEvent(code, body, fields, tolerated=True).only_for("FORMAT-ROWS-PRE-GA")


@family(
    focus="WL7592-ANON-SKIPPED-BY-FLAG",
    profiles=Profiles("mysql >= 5.6, < 5.7", "mariadb"),
    dimensions=(_GROUPS,),
)
def anonymous_gtids_to_older_readers(stream: StreamBuilder) -> None:
    """Logs of a newer source with flagged Anonymous_gtid events, which a reader may know or skip by their flag."""
    reader = stream.server
    stream.server = server_of("mysql-5.7")
    stream.describe_format(post_header_lengths=stream.server.post_header_lengths)
    previous = gtid_events.previous_gtids(stream, GtidSet(()), flags=int(Flag.IGNORABLE))
    _add_known_or_skipped(stream, previous._replace(marks=()))
    for _ in stream.several_of(_GROUPS):
        planned = groups.transaction(stream)
        flagged = groups.group_gtid(stream, planned, anonymous=True, flags=int(Flag.IGNORABLE))
        _add_known_or_skipped(stream, flagged._replace(marks=("WL7592-ANON-SKIPPED-BY-FLAG",)))
        for event in planned:
            stream.add(event.marked("WL7592-ANON-SKIPPED-BY-FLAG"))
    stream.server = reader


#: A source of MySQL, and what it logs that MariaDB does not write into a relay log.
_MYSQL_SOURCE: Final = choices("source", ("mysql-5.6", "mysql-5.7", "mysql-8.0"))
_LEFT_OUT: Final = Dimension[Callable[[StreamBuilder], PlannedEvent]](
    "event left out",
    {
        "Gtid": lambda stream: groups.group_gtid(stream, [], anonymous=False, flags=0),
        "Anonymous_gtid": lambda stream: groups.group_gtid(stream, [], anonymous=True, flags=0),
        "Anonymous_gtid with the flag": lambda stream: groups.group_gtid(
            stream, [], anonymous=True, flags=int(Flag.IGNORABLE)
        ),
        "Previous_gtids": lambda stream: gtid_events.previous_gtids(
            stream,
            gtid_events.gtid_set(stream),
            flags=0 if stream.server.gtid_form == "5.6" else int(Flag.IGNORABLE),
        ),
        "Rows_query": lambda stream: mysql_events.rows_query(stream, mysql_events.text(stream, 1, 80)),
        "Transaction_context": server_events.transaction_context,
        "View_change": server_events.view_change,
        "unassigned type": lambda stream: mysql_events.ignorable(
            stream, UNASSIGNED[0], stream.choose.octets(0, 42), flags=0
        ),
        "Query with the flag": lambda stream: mysql_events.query(stream, "DO 1")._replace(flags=int(Flag.IGNORABLE)),
    },
)
_AT: Final = choices("place", ("before the groups", "inside a group", "at the end"))


@family(
    focus="FORMAT-RELAY-MARIADB-LEFT-OUT",
    profiles=Profiles("mariadb"),
    dimensions=(_MYSQL_SOURCE, _LEFT_OUT, _AT, _GROUPS),
    impossible=(
        Impossible(
            {"source": ("mysql-5.6",), "event left out": ("Transaction_context", "View_change")},
            "group replication came with 5.7",
        ),
        Impossible(
            {
                "source": ("mysql-8.0",),
                "event left out": ("Gtid", "Anonymous_gtid", "Anonymous_gtid with the flag"),
            },
            "a Gtid event of 8.0 has the length of its transaction, which it does not have here",
        ),
    ),
)
def mysql_logs_to_mariadb(stream: StreamBuilder) -> None:
    """Logs of MySQL for a receiver of MariaDB, with an event for which it has no use."""
    replica = stream.server
    stream.server = server_of(stream.vary(_MYSQL_SOURCE))
    lengths = stream.server.post_header_lengths
    stream.describe_format(post_header_lengths=lengths + bytes(max(UNASSIGNED[0] - len(lengths), 0)))
    if stream.server.gtid_form != "5.6":
        # Since 5.7 every log has it.
        stream.add(gtid_events.previous_gtids(stream, GtidSet(()), flags=int(Flag.IGNORABLE)))
    left_out, place = stream.vary(_LEFT_OUT)(stream), stream.vary(_AT)
    if place == "before the groups":
        stream.add(left_out)
    for number in stream.several_of(_GROUPS):
        planned = groups.transaction(stream)
        replica_groups.add(stream, planned[:1])
        if place == "inside a group" and not number:
            stream.add(left_out)
        replica_groups.add(stream, planned[1:])
    if place == "at the end":
        stream.add(left_out)
    stream.server = replica


def _add_known_or_skipped(stream: StreamBuilder, event: PlannedEvent) -> None:
    """Add an event that a reader may know or skip."""
    stream.add(event)
    stream.leave_open("handled")


@dataclass(frozen=True, slots=True)
class _NewEvent:
    """An event that a newer source sends, and that no reader of 5.1 or 5.5 knows.

    Attributes:
        make: Makes it.
        flags: Its flags.
        marks: The requirements by which an old reader stops at it.
    """

    make: Callable[[StreamBuilder], PlannedEvent]
    flags: int
    marks: tuple[str, ...]


_CROSS: Final = ("WL4033-CROSS-NEW-TO-OLD",)
_COMPAT: Final = ("WL7592-COMPAT-NEW-55",)
_FLAG: Final = int(Flag.IGNORABLE)


def _unknown(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.ignorable(stream, stream.choose.one_of(UNASSIGNED), stream.choose.octets(0, 42), flags=0)


def _statement_of_rows(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.rows_query(stream, mysql_events.text(stream, 1, 80))


def _previous_gtids(stream: StreamBuilder) -> PlannedEvent:
    return gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=0)


def _gtid(stream: StreamBuilder) -> PlannedEvent:
    return groups.group_gtid(stream, [], anonymous=False)


def _anonymous_gtid(stream: StreamBuilder) -> PlannedEvent:
    return groups.group_gtid(stream, [], anonymous=True)


#: What newer sources send.
_NEW: Final = Dimension(
    "new event",
    {
        "ignorable of an unknown type": _NewEvent(_unknown, _FLAG, _CROSS),
        "Rows_query": _NewEvent(_statement_of_rows, _FLAG, _CROSS),
        "Previous_gtids, flagged": _NewEvent(_previous_gtids, _FLAG, (*_CROSS, *_COMPAT)),
        "Previous_gtids": _NewEvent(_previous_gtids, 0, _COMPAT),
        "Gtid": _NewEvent(_gtid, 0, _COMPAT),
        "Anonymous_gtid": _NewEvent(_anonymous_gtid, 0, _COMPAT),
        "Anonymous_gtid, flagged": _NewEvent(_anonymous_gtid, _FLAG, _COMPAT),
    },
)
#: The sources without checksums, which no old replica could read, that newer servers can be.
_NEWER: Final = choices("newer source", ("mysql-5.7", "mysql-5.6"))


@family(focus="WL4033-CROSS-NEW-TO-OLD", profiles=_OLD, fault=True, dimensions=(_NEWER, _NEW, _BEFORE))
def new_streams_to_old_readers(stream: StreamBuilder) -> None:
    """Logs of 5.6 and 5.7 read by a reader of 5.1 or 5.5, which has no rule for the first event that is new to it."""
    reader = stream.server
    source, new = server_of(stream.vary(_NEWER)), stream.vary(_NEW)
    stream.server, stream.checksummed = source, False
    # Servers of that time have no such types: later ones declare them.
    more = UNASSIGNED[-1] - source.event_types if new.make is _unknown else 0
    stream.describe_format(post_header_lengths=source.post_header_lengths + bytes(more))
    # The algorithm of checksums, of which an old reader knows nothing, looks to it like the lengths of five more types.
    stream.leave_open("event_types")
    stream.leave_open("checksum_algorithm")
    stream.server = reader
    for _ in stream.several_of(_BEFORE):
        _add_plain(stream, groups.group(stream))
    begun = new.make is _statement_of_rows
    if begun:
        stream.add(mysql_events.query(stream, "BEGIN"))
    stream.server = source
    event = new.make(stream)
    stream.refuse(event._replace(flags=new.flags), kind="unknown-event", marks=new.marks)
    stream.server = reader
    _add_plain(stream, [*groups.row_changes(stream), mysql_events.xid(stream)] if begun else groups.group(stream))


def _add_plain(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    for event in planned:
        stream.add(event)
