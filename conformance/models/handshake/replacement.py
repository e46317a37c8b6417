"""What a MariaDB source sends in the place of its own events to a replica that does not understand them.

Source: MariaDB 10.1.23, 10.11.18 and 11.8.6, sending to MySQL 5.5.9 to 8.0.15. Each event keeps its length, so that
positions stay as they are.
"""

from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, TYPE_AT
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.models.handshake.announcement import CAPABILITY_GTID

#: The events that stand for nothing in a replica of MySQL.
_DUMMIES: Final = frozenset(
    {EventType.MARIADB_GTID_LIST, EventType.MARIADB_BINLOG_CHECKPOINT, EventType.MARIADB_ANNOTATE_ROWS}
)
#: The flags in a Gtid event are after its number and its domain.
_GTID_FLAGS_AT: Final = HEADER_BYTES + 12
#: What takes the room of the number of a group commit: a time zone without a name. From 11.8 on there is the thread
#: besides, and the room for both has variables of no meaning.
_TIME_ZONE: Final = b"\x05\x00"
_NO_VARIABLE: Final = b"\xff"
_VARIABLE: Final = b"!dummyvar"
_COMMENT: Final = "# Dummy event replacing event type {} that slave cannot handle."
#: Length of a Query event's post-header, in bytes, of every server since 5.0.
_QUERY_POST_HEADER: Final = 13


def for_replica(data: bytes, *, capability: int, checksummed: bool) -> bytes:
    """Return what is sent for an event of a MariaDB log.

    Args:
        data: All bytes of the event.
        capability: The replica's, see `Announcement`.
        checksummed: Whether the event ends in a checksum.
    """
    if capability >= CAPABILITY_GTID:
        return data
    size = len(data) - HEADER_BYTES - (CHECKSUM_BYTES if checksummed else 0)
    if data[TYPE_AT] in _DUMMIES:
        code, body = _dummy(data[TYPE_AT], size)
    elif data[TYPE_AT] == EventType.MARIADB_GTID:
        standalone = data[_GTID_FLAGS_AT] & STANDALONE
        room = size - len(_query(b"BEGIN"))
        padding = _TIME_ZONE if room == len(_TIME_ZONE) else _NO_VARIABLE * room
        begin = EventType.QUERY, _query(b"BEGIN", status_variables=padding)
        code, body = _dummy(data[TYPE_AT], size) if standalone else begin
    else:
        return data
    timestamp, _, server_id, length, log_pos, flags = HEADER.unpack(data[:HEADER_BYTES])
    flags = flags & ~int(Flag.THREAD_SPECIFIC) | int(Flag.SUPPRESS_USE)
    made = HEADER.pack(timestamp, code, server_id, length, log_pos, flags) + body
    return made + checksum(made).to_bytes(CHECKSUM_BYTES, "little") if checksummed else made


def _dummy(code: int, size: int) -> tuple[EventType, bytes]:
    """Return the type and the body of an event of no effect: a comment, or a variable where that has no room."""
    room = size - len(_query(b""))
    if room > 0:
        return EventType.QUERY, _query(_COMMENT.format(code).encode()[:room].ljust(room))
    fields = {"variable_name": _VARIABLE[: size - len(_variable(b""))]}
    return EventType.USER_VAR, _variable(fields["variable_name"])


def _variable(name: bytes) -> bytes:
    return layout_of(EventType.USER_VAR, 0).write({"variable_name": name}, post_header_length=0)


def _query(statement: bytes, *, status_variables: bytes = b"") -> bytes:
    fields = {
        "thread_id": 0,
        "exec_time": 0,
        "error_code": 0,
        "status_variables": status_variables,
        "database": b"",
        "query": statement,
    }
    layout = layout_of(EventType.QUERY, _QUERY_POST_HEADER)
    return layout.write(fields, post_header_length=_QUERY_POST_HEADER)
