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
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.families.ignorable_events import UNASSIGNED
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


@family(
    focus=("WL4033-CROSS-OLD-TO-NEW", "WL7592-RELAY-PREVIOUS-GTIDS-OWN", "WL7592-COMPAT-OLD-NEW"),
    profiles=WITH_IGNORABLE_FLAG,
)
def cross_version_streams(stream: StreamBuilder) -> None:
    """Logs of 5.1 and 5.5 read by a newer reader: no checksums, no Gtid events, fewer types."""
    reader = stream.server
    stream.server = server_of(stream.choose.one_of(OLDER))
    stream.checksummed = False
    stream.describe_format(post_header_lengths=stream.server.post_header_lengths)
    for _ in stream.choose.several(1, 3):
        _add_old_group(stream, rows=reader.reads_rows_v1)
    groups.end_log(stream)
    stream.server = reader
    stream.mark("WL4033-CROSS-OLD-TO-NEW", "WL7592-OLD-STREAMS-READ")


def _add_old_group(stream: StreamBuilder, *, rows: bool) -> None:
    choose = stream.choose
    planned = [mysql_events.query(stream, "BEGIN")]
    if rows and choose.yes():
        # CREATE TABLE ... SELECT as one group: the form before WL#7592.
        planned.append(mysql_events.query(stream, "CREATE TABLE `t2` (`a` int(11))"))
        planned += groups.row_changes(stream)
        planned.append(mysql_events.query(stream, "COMMIT"))
        planned = [event.marked("WL7592-OLD-CREATE-SELECT-READ") for event in planned]
    elif choose.yes(3):
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
    focus=("WL7592-OLD-STREAMS-READ", "WL7592-RELAY-PREVIOUS-GTIDS-OWN", "WL7592-COMPAT-OLD-NEW"), profiles=WITH_GTIDS
)
def streams_without_gtids(stream: StreamBuilder) -> None:
    """Logs in the format of this server without any Gtid, Anonymous_gtid or Previous_gtids event."""
    stream.describe_format()
    for _ in stream.choose.several(1, 3):
        replica_groups.add(stream, replica_groups.group(stream))
    stream.mark("WL7592-OLD-STREAMS-READ")


@family(focus="FORMAT-ROWS-PRE-GA", profiles=_OLD)
def rows_of_betas(stream: StreamBuilder) -> None:
    """Logs of 5.1's betas read by a reader of 5.1 or 5.5, which gets them from a source of that time."""
    choose = stream.choose
    length = choose.one_of((8, 6))
    lengths = bytearray(stream.server.post_header_lengths)
    for code in PRE_GA_ROWS:
        lengths[code - 1] = length
    stream.describe_format(post_header_lengths=bytes(lengths), version=_BETA)
    for _ in choose.several(1, 3):
        table_id = choose.integer(1, _TABLE_ID_LIMIT)
        columns = choose.integer(1, 9)
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
    code = choose.one_of(PRE_GA_ROWS)
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


@family(focus="WL7592-ANON-SKIPPED-BY-FLAG", profiles=Profiles("mysql >= 5.6, < 5.7", "mariadb"))
def anonymous_gtids_to_older_readers(stream: StreamBuilder) -> None:
    """Logs of a newer source with flagged Anonymous_gtid events, which a reader may know or skip by their flag."""
    reader = stream.server
    stream.server = server_of("mysql-5.7")
    stream.describe_format(post_header_lengths=stream.server.post_header_lengths)
    previous = gtid_events.previous_gtids(stream, GtidSet(()), flags=int(Flag.IGNORABLE))
    _add_known_or_skipped(stream, previous._replace(marks=()))
    for _ in stream.choose.several(1, 3):
        planned = groups.transaction(stream)
        flagged = groups.group_gtid(stream, planned, anonymous=True, flags=int(Flag.IGNORABLE))
        _add_known_or_skipped(stream, flagged._replace(marks=("WL7592-ANON-SKIPPED-BY-FLAG",)))
        for event in planned:
            stream.add(event.marked("WL7592-ANON-SKIPPED-BY-FLAG"))
    stream.server = reader


def _add_known_or_skipped(stream: StreamBuilder, event: PlannedEvent) -> None:
    """Add an event that a reader may know or skip."""
    stream.add(event)
    stream.leave_open("handled")


@dataclass(frozen=True, slots=True)
class _NewEvent:
    """An event that a newer source sends, and that no reader of 5.1 or 5.5 knows.

    Attributes:
        make: Makes it.
        flags: The flags with which servers have written it.
        marks: The requirements by which an old reader stops at it.
    """

    make: Callable[[StreamBuilder], PlannedEvent]
    flags: tuple[int, ...]
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


#: What newer sources send, the simplest first.
_NEW_EVENTS: Final = (
    _NewEvent(_unknown, (_FLAG,), _CROSS),
    _NewEvent(_statement_of_rows, (_FLAG,), _CROSS),
    _NewEvent(_previous_gtids, (_FLAG,), (*_CROSS, *_COMPAT)),
    _NewEvent(_previous_gtids, (0,), _COMPAT),
    _NewEvent(_gtid, (0,), _COMPAT),
    _NewEvent(_anonymous_gtid, (0, _FLAG), _COMPAT),
)
#: The sources without checksums, which no old replica could read, that newer servers can be.
_NEWER: Final = ("mysql-5.7", "mysql-5.6")


@family(focus="WL4033-CROSS-NEW-TO-OLD", profiles=_OLD, fault=True)
def new_streams_to_old_readers(stream: StreamBuilder) -> None:
    """Logs of 5.6 and 5.7 read by a reader of 5.1 or 5.5, which has no rule for the first event that is new to it."""
    choose, reader = stream.choose, stream.server
    source = server_of(choose.one_of(_NEWER))
    new = choose.one_of(_NEW_EVENTS)
    stream.server, stream.checksummed = source, False
    # Servers of that time have no such types: later ones declare them.
    more = UNASSIGNED[-1] - source.event_types if new.make is _unknown else 0
    stream.describe_format(post_header_lengths=source.post_header_lengths + bytes(more))
    # The algorithm of checksums, of which an old reader knows nothing, looks to it like the lengths of five more types.
    stream.leave_open("event_types")
    stream.leave_open("checksum_algorithm")
    stream.server = reader
    for _ in choose.several(0, 2):
        _add_plain(stream, groups.group(stream))
    begun = new.make is _statement_of_rows
    if begun:
        stream.add(mysql_events.query(stream, "BEGIN"))
    stream.server = source
    event = new.make(stream)
    stream.refuse(event._replace(flags=choose.one_of(new.flags)), kind="unknown-event", marks=new.marks)
    stream.server = reader
    _add_plain(stream, [*groups.row_changes(stream), mysql_events.xid(stream)] if begun else groups.group(stream))


def _add_plain(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    for event in planned:
        stream.add(event)
