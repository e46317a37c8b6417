"""Single events for a boundary parser: of every type, with every flag, with or without a marker that fits the type."""

from collections.abc import Callable, Mapping
from typing import Final

from conformance.binlog.event_types import MARIADB_TYPES, PRE_GA_ROWS, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.total_table import total
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.strategies.events import gtid_events, mysql_events, row_events, server_events, statement_events
from conformance.strategies.events.columns import column_kinds
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.boundary_words import word

Make = Callable[[StreamBuilder], PlannedEvent]

_IGNORABLE: Final = int(Flag.IGNORABLE)
_FIRST_FILE: Final = (1).to_bytes(4, "little")
#: The bits of the flags word that are not of the marker.
BITS: Final = tuple(1 << bit for bit in range(16) if not MARKER_BITS.mask >> bit & 1)
_ALL: Final = sum(BITS)
#: How many in eight events have no further flags.
_UNFLAGGED: Final = 4


def _of(code: int, body: bytes = b"") -> Make:
    """Return the maker of events of a type with a body of which nothing is reported."""
    return lambda stream: PlannedEvent(code, body, {}, tolerated=True)


def _rows(code: EventType, operation: row_events.Operation) -> Make:
    """Return the maker of rows events of a type, which has rows of an operation."""

    def make(stream: StreamBuilder) -> PlannedEvent:
        rows = row_events.table_of(stream, column_kinds(stream)[:1])
        event = row_events.rows_event(stream, rows, operation)
        return event if event.type == code else boundaries.older_rows(event, code)

    return make


def _partial_update(stream: StreamBuilder) -> PlannedEvent:
    return row_events.partial_update(stream, row_events.table_of(stream, column_kinds(stream)[:1]))


def _gtid(stream: StreamBuilder, *, anonymous: bool) -> PlannedEvent:
    flags = stream.choose.one_of((0, _IGNORABLE))
    return groups.group_gtid(stream, (), anonymous=anonymous, flags=flags)


def _xa_prepare(stream: StreamBuilder) -> PlannedEvent:
    return server_events.xa_transaction(stream, [])[-1]


def _later(stream: StreamBuilder) -> PlannedEvent:
    """Return an event of an unknown type, ignorable or not."""
    return boundaries.later_event(stream, 0) if stream.choose.yes() else boundaries.unknown(stream)


#: Event type -> what makes a small event of it.
_MAKERS: Final[Mapping[EventType, Make]] = total(
    f"{__name__}._MAKERS",
    EventType,
    {
        EventType.UNKNOWN: _of(EventType.UNKNOWN),
        EventType.START_V3: boundaries.start_v3,
        EventType.QUERY: word,
        EventType.STOP: mysql_events.stop,
        EventType.ROTATE: mysql_events.rotate,
        EventType.INTVAR: mysql_events.intvar,
        EventType.LOAD: boundaries.load,
        EventType.SLAVE: boundaries.slave,
        EventType.CREATE_FILE: boundaries.create_file,
        EventType.APPEND_BLOCK: _of(EventType.APPEND_BLOCK, _FIRST_FILE + b"1\n"),
        EventType.EXEC_LOAD: boundaries.exec_load,
        EventType.DELETE_FILE: boundaries.delete_file,
        EventType.NEW_LOAD: boundaries.new_load,
        EventType.RAND: mysql_events.rand,
        EventType.USER_VAR: statement_events.user_var,
        EventType.FORMAT_DESCRIPTION: StreamBuilder.described,
        EventType.XID: mysql_events.xid,
        EventType.BEGIN_LOAD_QUERY: _of(EventType.BEGIN_LOAD_QUERY, _FIRST_FILE + b"1\n"),
        EventType.EXECUTE_LOAD_QUERY: lambda stream: statement_events.execute_load_query(stream, 1),
        EventType.TABLE_MAP: lambda stream: mysql_events.table_map(stream, table_id=1, table="t1", columns=1),
        **{
            code: _rows(code, operation)
            for types in (PRE_GA_ROWS, ROWS_V1, ROWS_V2)
            for code, operation in zip(types, row_events.OPERATIONS, strict=True)
        },
        EventType.INCIDENT: server_events.incident,
        EventType.HEARTBEAT: server_events.heartbeat,
        EventType.IGNORABLE: lambda stream: PlannedEvent(EventType.IGNORABLE, stream.choose.octets(0, 12), {}),
        EventType.ROWS_QUERY: lambda stream: mysql_events.rows_query(stream, "UPDATE t1"),
        EventType.GTID: lambda stream: _gtid(stream, anonymous=False),
        EventType.ANONYMOUS_GTID: lambda stream: _gtid(stream, anonymous=True),
        EventType.PREVIOUS_GTIDS: boundaries.previous_gtids,
        EventType.TRANSACTION_CONTEXT: server_events.transaction_context,
        EventType.VIEW_CHANGE: server_events.view_change,
        EventType.XA_PREPARE: _xa_prepare,
        EventType.PARTIAL_UPDATE_ROWS: _partial_update,
        EventType.TRANSACTION_PAYLOAD: _of(EventType.TRANSACTION_PAYLOAD, b"\x02\x01\xff\x03\x01\x00\x00"),
        EventType.HEARTBEAT_V2: server_events.heartbeat_v2,
        EventType.GTID_TAGGED: lambda stream: gtid_events.gtid_tagged(stream, group_length=0),
        EventType.LARGE_TRANSACTION_HEADER: lambda stream: server_events.large_transaction_header(
            stream, terminating_offset=0
        ),
        # The worklog's servers know none of them. After Start_encryption a reader cannot go on.
        **{code: _of(code, bytes(8)) for code in MARIADB_TYPES},
        EventType.MARIADB_START_ENCRYPTION: _of(EventType.MARIADB_GTID_LIST, bytes(8)),
    },
    entry="what makes a small event of it",
)
#: Types that WL#4162 does not name, of which servers log each event with the ignorable flag. With it and without a
#: marker they may be passed over; without it they are what an event without a rule is, and one of an unknown type.
_FLAGGED: Final = (EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE)
#: Types that WL#4162 does not name, and which are not what an event without a rule is: no event of them is unmarked.
_NEVER_UNMARKED: Final = (EventType.TRANSACTION_PAYLOAD, EventType.LARGE_TRANSACTION_HEADER)
_ONLY_MARKED: Final = (*_FLAGGED, *_NEVER_UNMARKED)
_UNMARKED: Final[tuple[Make, ...]] = (
    *(make for code, make in _MAKERS.items() if code not in _ONLY_MARKED),
    _later,
    _later,
)
_MARKED: Final[tuple[Make, ...]] = (*_UNMARKED, *(_MAKERS[code] for code in _ONLY_MARKED))
#: Small events that are made quickly; half of the carriers are of these.
_PLAIN: Final[tuple[Make, ...]] = (mysql_events.xid, mysql_events.stop, mysql_events.intvar, _later, word)


def carrier(stream: StreamBuilder, value: int) -> PlannedEvent:
    """Return an event of any type with a marker, or without one; the type need not fit the marker."""
    choose = stream.choose
    makers = _PLAIN if choose.yes() else _MARKED if value else _UNMARKED
    return _finished(stream, with_flags(stream, choose.one_of(makers)(stream)), value)


def of_code(stream: StreamBuilder, code: int, value: int, flags: int | None = None) -> PlannedEvent:
    """Return an event with a type code, known or not, with a marker or without one.

    Args:
        stream: The stream it is for.
        code: Its type code.
        value: Its marker; an unmarked event that servers do not log so is marked Self Contained.
        flags: Its flags besides its own and the marker, and whether it is ignorable, whatever servers log; chosen when
            None.
    """
    known = EventType(code) if code in _MAKERS else None
    ignorable = flags is None or bool(flags & _IGNORABLE)
    if not value and (known in _NEVER_UNMARKED or (known in _FLAGGED and ignorable)):
        value = BoundaryType.SELF_CONTAINED
    event = _MAKERS[known](stream) if known is not None else PlannedEvent(code, stream.choose.octets(0, 12), {})
    if flags is None:
        flagged = with_flags(stream, event)
    else:
        flagged = event._replace(flags=int(event.flags) & ~_IGNORABLE | flags)
    return _finished(stream, flagged, value)


def _finished(stream: StreamBuilder, event: PlannedEvent, value: int) -> PlannedEvent:
    if not 0 < event.type <= stream.format.event_types:
        # A reader refuses a type that is not declared, unless it may skip the event.
        event = event._replace(flags=int(event.flags) | _IGNORABLE)
    return boundaries.with_marker(event, value)


def with_flags(stream: StreamBuilder, event: PlannedEvent) -> PlannedEvent:
    """Return the event, sometimes with flags besides its own: one, two, or all that are not of the marker."""
    choose = stream.choose
    kind = choose.integer(0, 7)
    if kind < _UNFLAGGED:
        return event
    added = _ALL if kind == _UNFLAGGED else choose.one_of(BITS)
    if kind == _UNFLAGGED + 1:
        added |= choose.one_of(BITS)
    return event._replace(flags=int(event.flags) | added)
