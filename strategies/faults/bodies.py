"""Faults of bodies: too short for their fields, or with a length or a count of more than they hold."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.binlog.codecs import Rest
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.layout import Span
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, WITH_GROUP_REPLICATION, WITH_GTIDS, WITH_ROWS_QUERIES
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import (
    gtid_events,
    mariadb_events,
    mysql_events,
    server_events,
    statement_events,
)
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_IGNORABLE: Final = int(Flag.IGNORABLE)
_MARIADB: Final = Profiles("mariadb")
#: To MariaDB every event with the ignorable flag is one to ignore.
_KNOWN_WITH_FLAG: Final = Profiles("worklog", "mysql >= 5.6")
#: MariaDB reads these beyond their end without an error.
_CHECKED_BY_MYSQL: Final = Profiles("worklog", "mysql")


@dataclass(frozen=True, slots=True)
class _Number:
    """A length or a count in a body.

    Attributes:
        field: The field that it is, or that it precedes.
        width: Its width in bytes.
        at: Its place, in bytes from the start of that field.
    """

    field: str
    width: int
    at: int = 0

    @property
    def highest(self) -> int:
        """The highest number that fits in it, as a packed integer if it has one byte."""
        return 250 if self.width == 1 else (1 << 8 * self.width) - 1


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of event whose body can be malformed.

    Attributes:
        make: Makes a sound one.
        numbers: The lengths and counts in it.
        profiles: The servers that write such events, and refuse malformed ones.
    """

    make: Callable[[StreamBuilder], PlannedEvent]
    numbers: tuple[_Number, ...] = ()
    profiles: Profiles = EVERY_PROFILE


def _statement(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.query(stream, mysql_events.text(stream, 0, 80))


def _table(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.table_map(stream, table_id=stream.choose.integer(1, 9), table="t1", columns=3)


def _rows(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.write_rows(stream, table_id=stream.choose.integer(1, 9), columns=3, rows=1, last=True)


def _rows_query(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.rows_query(stream, "")


def _previous_gtids(stream: StreamBuilder) -> PlannedEvent:
    return gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=0)


def _gtid(stream: StreamBuilder) -> PlannedEvent:
    return groups.group_gtid(stream, [], anonymous=False, flags=0)


def _anonymous_gtid(stream: StreamBuilder) -> PlannedEvent:
    return groups.group_gtid(stream, [], anonymous=True, flags=0)


def _first_block(stream: StreamBuilder) -> PlannedEvent:
    return statement_events.load_block(stream, 1, first=True)


def _later_block(stream: StreamBuilder) -> PlannedEvent:
    return statement_events.load_block(stream, 1, first=False)


def _delete_file(stream: StreamBuilder) -> PlannedEvent:
    return statement_events.delete_file(stream, 1)


def _execute_load_query(stream: StreamBuilder) -> PlannedEvent:
    return statement_events.execute_load_query(stream, 1)


def _xa_prepare(stream: StreamBuilder) -> PlannedEvent:
    return server_events.xa_transaction(stream, [])[-1]


def _mariadb_gtid(stream: StreamBuilder) -> PlannedEvent:
    return mariadb_events.gtid(stream, standalone=True)


_OF_STATEMENT: Final = (_Number("status_variables_length", 2), _Number("database_length", 1))
_OF_TABLE: Final = tuple(_Number(field, 1) for field in ("database", "table", "column_count", "column_metadata"))
#: The kinds of events, the simplest first.
_KINDS: Final = (
    _Kind(mysql_events.xid, profiles=_CHECKED_BY_MYSQL),
    _Kind(_statement, _OF_STATEMENT),
    _Kind(_table, _OF_TABLE, _CHECKED_BY_MYSQL),
    _Kind(_rows),
    _Kind(mysql_events.rotate),
    _Kind(mysql_events.intvar, profiles=_CHECKED_BY_MYSQL),
    _Kind(mysql_events.rand, profiles=_CHECKED_BY_MYSQL),
    _Kind(statement_events.user_var, (_Number("variable_name", 4), _Number("variable_value", 4))),
    _Kind(server_events.incident, (_Number("message", 1),)),
    _Kind(_first_block),
    _Kind(_later_block),
    _Kind(_delete_file),
    _Kind(_execute_load_query, _OF_STATEMENT),
    _Kind(_rows_query, profiles=WITH_ROWS_QUERIES),
    _Kind(_gtid, profiles=WITH_GTIDS),
    _Kind(_anonymous_gtid, profiles=WITH_ANONYMOUS_GTIDS),
    _Kind(_previous_gtids, (_Number("previous_gtids", 8), _Number("previous_gtids", 8, 24)), WITH_GTIDS),
    _Kind(_xa_prepare, (_Number("xa_gtrid_length", 4), _Number("xa_bqual_length", 4)), Profiles("mysql >= 5.7")),
    _Kind(
        server_events.transaction_context,
        (_Number("server_uuid_length", 1), _Number("write_set_count", 4), _Number("read_set_count", 4)),
        WITH_GROUP_REPLICATION,
    ),
    _Kind(server_events.view_change, (_Number("certification_count", 4),), WITH_GROUP_REPLICATION),
    _Kind(mariadb_events.gtid_list, (_Number("gtid_list_head", 4),), _MARIADB),
    _Kind(mariadb_events.binlog_checkpoint, (_Number("log_name_length", 4),), _MARIADB),
    _Kind(_mariadb_gtid, profiles=_MARIADB),
)
#: Bytes by which a length is too large, from the end of the body: up to those of a checksum, and beyond it.
_BEYOND: Final = (1, 4, 5, 100)


@family(focus="FORMAT-BODY-MALFORMED", fault=True)
def malformed_bodies(stream: StreamBuilder) -> None:
    """An event whose body is too short for its fields, or has a length or a count of more than it holds."""
    choose, server = stream.choose, stream.server
    groups.begin_plain_log(stream)
    groups.add_groups(stream, 0, 2)
    kind = choose.one_of([each for each in _KINDS if server.profile in each.profiles])
    event = kind.make(stream)
    wrong = _claiming(stream, event, choose.one_of(kind.numbers)) if kind.numbers and choose.yes() else None
    flags, marks = event.flags & ~_IGNORABLE, ["FORMAT-BODY-MALFORMED"]
    if server.profile in _KNOWN_WITH_FLAG and choose.yes():
        flags |= _IGNORABLE
        marks.append("WL4033-READ-KNOWN-FLAGGED")
    body = _shortened(stream, event) if wrong is None else wrong
    stream.refuse(PlannedEvent(event.type, body, {}, flags), kind="malformed", marks=tuple(marks))
    groups.add_groups(stream, 1, 2)


def _spans(stream: StreamBuilder, event: PlannedEvent) -> list[Span]:
    declared = stream.format.post_header_length(event.type)
    return layout_of(event.type, declared).spans(event.body, 0, len(event.body), post_header_length=declared)


def _shortened(stream: StreamBuilder, event: PlannedEvent) -> bytes:
    """Return the beginning of a body, without at least one byte of a field that cannot be absent."""
    choose = stream.choose
    layout = layout_of(event.type, stream.format.post_header_length(event.type))
    fields = (*layout.post_header, *layout.body)
    required = {each.name for each in fields if not each.optional and not isinstance(each.codec, Rest)}
    ends = {each.name: each.offset + each.size for each in _spans(stream, event) if each.name in required}
    least = max(ends.values())
    left = choose.one_of((0, 1, least // 2, least - 1, choose.integer(0, least - 1)))
    if event.type == EventType.TABLE_MAP and left == ends["column_types"]:
        # So the Table_map events of 5.1's alphas end, which readers take to this day.
        left -= 1
    return event.body[: min(left, least - 1)]


def _claiming(stream: StreamBuilder, event: PlannedEvent, number: _Number) -> bytes | None:
    """Return a body in which a number is too large; None if the body has none, or the number has too little room."""
    span = next((each for each in _spans(stream, event) if each.name == number.field), None)
    if span is None or span.size <= number.at:
        return None
    at = span.offset + number.at
    most = len(event.body) - at - number.width
    numbers = [most + more for more in _BEYOND if most + more <= number.highest]
    if most < number.highest:
        numbers.append(number.highest)
    if not numbers:
        return None
    wrong = stream.choose.one_of(numbers)
    return event.body[:at] + wrong.to_bytes(number.width, "little") + event.body[at + number.width :]
