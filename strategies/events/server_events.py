"""Events that servers write on their own account: incidents, heartbeats, group replication, XA, large transactions."""

from collections.abc import Iterable
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import uuid_text
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.grammar.dimension import Dimension, choices, sizes
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.notation import shown_bytes
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

_IGNORABLE: Final = int(Flag.IGNORABLE)
_LOST_EVENTS: Final = 1
#: The most bytes of each of the two parts of an XA transaction's name.
_XID_PART_LIMIT: Final = 64
_LARGE_HEADER_VERSION: Final = 1
_MORE_THAN_A_BYTE: Final = (256, 260)


#: Size in bytes of an incident's message, and of the two parts of an XA transaction's name.
MESSAGE_SIZE: Final = sizes("size of the message", 33, 251, most=255)
_GTRID_SIZE: Final = sizes("size of the gtrid", 33, most=_XID_PART_LIMIT, fewest=1)
_BQUAL_SIZE: Final = sizes("size of the bqual", most=_XID_PART_LIMIT)
#: MariaDB logs what is committed in one phase as any other transaction: 10.11.18 and 11.8.9 do.
ONE_PHASE: Final = Dimension("phases", {"two": 0, "one": 1}, profiles={"one": Profiles("worklog", "mysql")})
_FORMAT_ID: Final = choices("format id", (1, 0, 2**31, 2**32 - 1))
#: With what both parts of an XA transaction's name begin and end: they are bytes, of which none is cut off.
_BORDERS: Final = Dimension(
    "bytes at the ends of the XA name", {"any": b"", "NUL": b"\0", "space": b" ", "line": b"\n"}
)
XA_DIMENSIONS: Final = (_GTRID_SIZE, _BQUAL_SIZE, _BORDERS, ONE_PHASE, _FORMAT_ID)


def incident(stream: StreamBuilder) -> PlannedEvent:
    """Return an Incident event: events were lost."""
    size = stream.vary(MESSAGE_SIZE)
    message = mysql_events.text_of(stream.choose.one_of(mysql_events.FRAGMENTS), size)
    fields = {"incident": _LOST_EVENTS, "message": message}
    wire = {**fields, "message": str(fields["message"]).encode()}
    return mysql_events.plan(stream, EventType.INCIDENT, wire, fields, marks=("FORMAT-INCIDENT",))


def heartbeat(stream: StreamBuilder) -> PlannedEvent:
    """Return a Heartbeat event, as a source sends it between two events."""
    name = mysql_events.log_name(stream)
    wire = {"log_name": name.encode()}
    event = mysql_events.plan(stream, EventType.HEARTBEAT, wire, {"log_name": name}, marks=("FORMAT-HEARTBEAT",))
    return event._replace(tolerated=True)  # No log holds one, so a reader of files may refuse it.


def heartbeat_v2(stream: StreamBuilder) -> PlannedEvent:
    """Return a heartbeat of MySQL 8.0.26 and later, whose position may be beyond 4 GiB."""
    name = mysql_events.log_name(stream)
    fields = {"log_name": name, "log_position": whole_number(stream.choose, 64, low=4)}
    wire = {**fields, "log_name": name.encode()}
    event = mysql_events.plan(stream, EventType.HEARTBEAT_V2, wire, fields, marks=("FORMAT-HEARTBEAT-V2",))
    return event._replace(tolerated=True)


def transaction_context(stream: StreamBuilder) -> PlannedEvent:
    """Return a Transaction_context event: the data by which a group certifies the next transaction."""
    choose = stream.choose
    snapshot = gtid_events.gtid_set(stream).to_bytes()
    writes, reads = ([choose.octets(8, 16) for _ in _some(stream)] for _ in range(2))
    about: dict[str, Any] = {
        "server_uuid": uuid_text(choose.one_of(gtid_events.UUIDS)),
        "thread_id": whole_number(choose, 32),
        "gtid_specified": choose.integer(0, 1),
    }
    fields = {
        **about,
        "snapshot_version": shown_bytes(snapshot),
        "write_set_count": len(writes),
        "read_set_count": len(reads),
    }
    wire = {
        **about,
        "server_uuid": about["server_uuid"].encode(),
        "snapshot_version": snapshot,
        "write_set": writes,
        "read_set": reads,
    }
    marks = ("FORMAT-TRANSACTION-CONTEXT", "WL4033-READ-KNOWN-FLAGGED")
    return mysql_events.plan(stream, EventType.TRANSACTION_CONTEXT, wire, fields, flags=_IGNORABLE, marks=marks)


def _some(stream: StreamBuilder) -> Iterable[int]:
    """Return what to repeat over: mostly few times, sometimes so many that one byte does not hold the number."""
    return stream.choose.several(*_MORE_THAN_A_BYTE) if stream.choose.yes(10) else stream.choose.several(0, 5)


def view_change(stream: StreamBuilder) -> PlannedEvent:
    """Return a View_change event: the members of the group change here."""
    choose = stream.choose
    view_id = f"{whole_number(choose, 64)}:{choose.integer(1, 99)}".rjust(40 if choose.yes(4) else 0, "0")
    certification = [
        {"key": choose.octets(8, 8), "value": gtid_events.gtid_set(stream).to_bytes()} for _ in _some(stream)
    ]
    about = {"view_id": view_id, "sequence_number": whole_number(choose, 63)}
    fields = {**about, "certification_count": len(certification)}
    wire = {**about, "view_id": view_id.encode(), "certification": certification}
    marks = ("FORMAT-VIEW-CHANGE", "WL4033-READ-KNOWN-FLAGGED")
    return mysql_events.plan(stream, EventType.VIEW_CHANGE, wire, fields, flags=_IGNORABLE, marks=marks)


def xa_transaction(stream: StreamBuilder, changes: list[PlannedEvent]) -> list[PlannedEvent]:
    """Return the events of an XA transaction with `changes` in it, prepared or committed in one phase."""
    choose = stream.choose
    border = stream.vary(_BORDERS)
    gtrid, bqual = (
        _between(border, choose.octets(size, size)) for size in (stream.vary(_GTRID_SIZE), stream.vary(_BQUAL_SIZE))
    )
    return _xa_events(
        stream, changes, gtrid, bqual, format_id=stream.vary(_FORMAT_ID), one_phase=stream.vary(ONE_PHASE)
    )


def _between(border: bytes, data: bytes) -> bytes:
    """Return bytes with a border in the place of the first and of the last one, if any is given."""
    return (border + data[1:-1] + border)[: len(data)] if border else data


def prepared_transaction(stream: StreamBuilder, changes: list[PlannedEvent]) -> list[PlannedEvent]:
    """Return the events of an XA transaction with `changes` in it, which is prepared; its name is an ordinary one."""
    return _xa_events(stream, changes, b"x", b"", format_id=1, one_phase=0)


def _xa_events(
    stream: StreamBuilder, changes: list[PlannedEvent], gtrid: bytes, bqual: bytes, *, format_id: int, one_phase: int
) -> list[PlannedEvent]:
    name = f"X'{gtrid.hex()}',X'{bqual.hex()}',{format_id}"
    return [
        mysql_events.query(stream, f"XA START {name}"),
        *changes,
        mysql_events.query(stream, f"XA END {name}"),
        xa_prepare(stream, gtrid, bqual, format_id=format_id, one_phase=one_phase),
    ]


def xa_prepare(stream: StreamBuilder, gtrid: bytes, bqual: bytes, *, format_id: int, one_phase: int) -> PlannedEvent:
    """Return the event with which an XA transaction is prepared, or committed in one phase."""
    about = {"one_phase": one_phase, "xa_format_id": format_id}
    fields = {**about, "xa_gtrid": shown_bytes(gtrid), "xa_bqual": shown_bytes(bqual)}
    wire = {
        **about,
        "xa_gtrid_length": len(gtrid),
        "xa_bqual_length": len(bqual),
        "xa_data": gtrid + bqual,
    }
    return mysql_events.plan(stream, EventType.XA_PREPARE, wire, fields, marks=("FORMAT-XA-PREPARE",))


def large_transaction_header(stream: StreamBuilder, *, terminating_offset: int) -> PlannedEvent:
    """Return a Large_transaction_header event: at which offset, and with which event, a long transaction ends."""
    fields = {
        "header_version": _LARGE_HEADER_VERSION,
        "terminating_offset": terminating_offset,
        "terminating_type": int(EventType.XID),
    }
    wire = {**fields, "fill": bytes(stream.choose.integer(0, 40))}
    marks = ("FORMAT-LARGE-TRANSACTION-HEADER",)
    return mysql_events.plan(stream, EventType.LARGE_TRANSACTION_HEADER, wire, fields, flags=_IGNORABLE, marks=marks)
