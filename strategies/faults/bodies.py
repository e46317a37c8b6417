"""Faults of bodies: too short for their fields, or with a length or a count of more than they hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.binlog.codecs import Rest
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.layout import Span
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.servers import (
    WITH_ANONYMOUS_GTIDS,
    WITH_FLAG_OF_UNKNOWN_TYPES,
    WITH_GROUP_REPLICATION,
    WITH_GTIDS,
    WITH_ROWS_QUERIES,
)
from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.strategies.events import (
    gtid_events,
    mariadb_events,
    mysql_events,
    server_events,
    statement_events,
)
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

_IGNORABLE: Final = int(Flag.IGNORABLE)
_MARIADB: Final = Profiles("mariadb")
#: MariaDB reads these beyond their end without an error.
_CHECKED_BY_MYSQL: Final = Profiles("worklog", "mysql")


@dataclass(frozen=True, slots=True)
class _Number:
    """A length or a count in a body.

    Attributes:
        field: The field that it is, or that it precedes.
        width: Its width in bytes.
        at: Its place, in bytes from the start of that field.
        in_byte: How many of what it counts are in one byte.
    """

    field: str
    width: int
    at: int = 0
    in_byte: int = 1

    @property
    def highest(self) -> int:
        """The highest number that fits in it, as a packed integer if it has one byte."""
        return 250 if self.width == 1 else (1 << 8 * self.width) - 1


@dataclass(frozen=True, slots=True)
class Kind:
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


#: The lengths in a Query event that is not extended.
QUERY_LENGTHS: Final = (_Number("status_variables_length", 2), _Number("database_length", 1))
_OF_TABLE: Final = tuple(_Number(field, 1) for field in ("database", "table", "column_count", "column_metadata"))
#: The kinds of events, by the names of their types, the simplest first.
KINDS: Final[Mapping[str, Kind]] = {
    "Xid": Kind(mysql_events.xid, profiles=_CHECKED_BY_MYSQL),
    "Query": Kind(_statement, QUERY_LENGTHS),
    "Table_map": Kind(_table, _OF_TABLE, _CHECKED_BY_MYSQL),
    # The columns have a bit each.
    "rows": Kind(_rows, (_Number("column_count", 1, in_byte=8),)),
    "Rotate": Kind(mysql_events.rotate),
    "Intvar": Kind(mysql_events.intvar, profiles=_CHECKED_BY_MYSQL),
    "Rand": Kind(mysql_events.rand, profiles=_CHECKED_BY_MYSQL),
    "User_var": Kind(statement_events.user_var, (_Number("variable_name", 4), _Number("variable_value", 4))),
    "Incident": Kind(server_events.incident, (_Number("message", 1),)),
    "Begin_load_query": Kind(_first_block),
    "Append_block": Kind(_later_block),
    "Delete_file": Kind(_delete_file),
    "Execute_load_query": Kind(_execute_load_query, QUERY_LENGTHS),
    "Rows_query": Kind(_rows_query, profiles=WITH_ROWS_QUERIES),
    "Gtid": Kind(_gtid, profiles=WITH_GTIDS),
    "Anonymous_gtid": Kind(_anonymous_gtid, profiles=WITH_ANONYMOUS_GTIDS),
    "Previous_gtids": Kind(
        _previous_gtids, (_Number("previous_gtids", 8), _Number("previous_gtids", 8, 24)), WITH_GTIDS
    ),
    "XA_prepare": Kind(
        _xa_prepare, (_Number("xa_gtrid_length", 4), _Number("xa_bqual_length", 4)), Profiles("mysql >= 5.7")
    ),
    "Transaction_context": Kind(
        server_events.transaction_context,
        (_Number("server_uuid_length", 1), _Number("write_set_count", 4), _Number("read_set_count", 4)),
        WITH_GROUP_REPLICATION,
    ),
    "View_change": Kind(server_events.view_change, (_Number("certification_count", 4),), WITH_GROUP_REPLICATION),
    "MariaDB's Gtid_list": Kind(mariadb_events.gtid_list, (_Number("gtid_list_head", 4),), _MARIADB),
    "MariaDB's Binlog_checkpoint": Kind(mariadb_events.binlog_checkpoint, (_Number("log_name_length", 4),), _MARIADB),
    "MariaDB's Gtid": Kind(_mariadb_gtid, profiles=_MARIADB),
}
_KIND: Final = Dimension("event", KINDS, profiles={name: each.profiles for name, each in KINDS.items()})
#: What is wrong with a body: what is left of it, or by how much a length is too large, up to a checksum and beyond it.
WRONG: Final = Dimension[tuple[str, int]](
    "what is wrong",
    {
        "no byte": ("left", 0),
        "one byte": ("left", 1),
        "half": ("half", 0),
        "a byte too few": ("missing", 1),
        "some bytes too few": ("some", 0),
        "a length 1 too large": ("beyond", 1),
        "a length 4 too large": ("beyond", 4),
        "a length 5 too large": ("beyond", 5),
        "a length 100 too large": ("beyond", 100),
        "the largest length": ("largest", 0),
    },
)
#: The words of it that need a length or a count in the body.
OF_LENGTHS: Final = ("beyond", "largest")
_FLAGGED: Final = Dimension("ignorable flag", {"no": False, "yes": True}, profiles={"yes": WITH_FLAG_OF_UNKNOWN_TYPES})
_BEFORE: Final = Number("groups before", fewest=0, few=2)


@family(
    focus="FORMAT-BODY-MALFORMED",
    fault=True,
    dimensions=(_KIND, WRONG, _FLAGGED, _BEFORE),
    impossible=(
        Impossible(
            {
                "event": tuple(name for name, each in KINDS.items() if not each.numbers),
                "what is wrong": tuple(name for name, (what, _) in WRONG.classes.items() if what in OF_LENGTHS),
            },
            "the body has no length or count",
        ),
    ),
)
def malformed_bodies(stream: StreamBuilder) -> None:
    """An event whose body is too short for its fields, or has a length or a count of more than it holds."""
    groups.begin_plain_log(stream)
    kind, (what, number) = stream.vary(_KIND), stream.vary(WRONG)
    flagged = stream.vary(_FLAGGED)
    for _ in stream.several_of(_BEFORE):
        groups.add_group(stream, groups.group(stream))
    event = malformed(stream, kind, what, number)
    marks = ["FORMAT-BODY-MALFORMED"]
    if flagged:
        event = event._replace(flags=event.flags | _IGNORABLE)
        marks.append("WL4033-READ-KNOWN-FLAGGED")
    stream.refuse(event, kind="malformed", marks=tuple(marks))
    groups.add_groups(stream, 1, 2)


def malformed(stream: StreamBuilder, kind: Kind, what: str, number: int) -> PlannedEvent:
    """Return an event with a malformed body, and without the ignorable flag.

    Args:
        stream: The stream that it is for.
        kind: The kind of event.
        what: What is wrong with it: a word of `WRONG`.
        number: The number that goes with the word.
    """
    event = kind.make(stream)
    wrong = None
    if what in OF_LENGTHS and kind.numbers:
        wrong = _claiming(stream, event, stream.choose.one_of(kind.numbers), number if what == "beyond" else None)
    body = _shortened(stream, event, what, number) if wrong is None else wrong
    return PlannedEvent(event.type, body, {}, event.flags & ~_IGNORABLE)


def _spans(stream: StreamBuilder, event: PlannedEvent) -> list[Span]:
    declared = stream.format.post_header_length(event.type)
    return layout_of(event.type, declared).spans(event.body, 0, len(event.body), post_header_length=declared)


def _shortened(stream: StreamBuilder, event: PlannedEvent, what: str, number: int) -> bytes:
    """Return the beginning of a body, without at least one byte of a field that cannot be absent."""
    layout = layout_of(event.type, stream.format.post_header_length(event.type))
    fields = (*layout.post_header, *layout.body)
    required = {each.name for each in fields if not each.optional and not isinstance(each.codec, Rest)}
    ends = {each.name: each.offset + each.size for each in _spans(stream, event) if each.name in required}
    least = max(ends.values())
    some = stream.choose.integer(0, least - 1) if what == "some" else least - 1
    left = {"left": number, "half": least // 2, "some": some}.get(what, least - 1)
    if event.type == EventType.TABLE_MAP and left == ends["column_types"]:
        # So the Table_map events of 5.1's alphas end, which readers take to this day.
        left -= 1
    return event.body[: min(left, least - 1)]


def _claiming(stream: StreamBuilder, event: PlannedEvent, number: _Number, beyond: int | None) -> bytes | None:
    """Return a body in which a number is too large; None if the body has none, or the number has too little room.

    Args:
        stream: The stream that it is for.
        event: The event with the sound body.
        number: The number.
        beyond: By how much it is too large; None for the highest number that fits.
    """
    span = next((each for each in _spans(stream, event) if each.name == number.field), None)
    if span is None or span.size <= number.at:
        return None
    at = span.offset + number.at
    most = (len(event.body) - at - number.width) * number.in_byte
    if most >= number.highest:
        return None
    wrong = number.highest if beyond is None else min(most + beyond, number.highest)
    return event.body[:at] + wrong.to_bytes(number.width, "little") + event.body[at + number.width :]
