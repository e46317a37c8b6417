"""The role `relay`: what a replica's receiver writes to its relay logs (WL#7592, WL#4033, WL#4162)."""

from collections.abc import Hashable, Mapping
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ends_with_checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import FLAGS_AT, HEADER, HEADER_BYTES, TYPE_AT, Header
from conformance.protocol.role import AnswerField, Role, required

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "log": AnswerField("integer", "the number of the relay log that contains the event, from 0"),
    "data": AnswerField("text", "the whole event as written there, from header to checksum, in hex"),
    "warning": AnswerField("text", "the warning that the replica logged when it received the event, empty if none"),
}

#: Event types that a replica writes itself and copies too, with another body in each.
_OWN: Final = frozenset({int(EventType.FORMAT_DESCRIPTION), int(EventType.ROTATE)})
_LOG_POS: Final = slice(13, 17)
_SERVER_ID: Final = slice(5, 9)
#: Bytes of a body that distinguish events.
_BODY_BYTES: Final = 24


def event_data(entry: Mapping[str, Any]) -> bytes | None:
    """Return the bytes of the event that an entry holds, None if its data is not an event."""
    try:
        data = bytes.fromhex(entry["data"])
    except ValueError:
        return None
    return data if len(data) >= HEADER_BYTES else None


def type_of(entry: Mapping[str, Any]) -> int | None:
    """Return the event type of an entry, None if its data is not an event."""
    data = event_data(entry)
    return None if data is None else data[TYPE_AT]


def body_of(data: bytes) -> bytes:
    """Return what follows the header of an event, without its checksum if it has a right one."""
    return data[HEADER_BYTES : -CHECKSUM_BYTES if ends_with_checksum(data) else None]


def is_repeated_format(data: bytes) -> bool:
    """Return whether an event is a format description as a replica repeats the source's, in another relay log."""
    is_format = data[TYPE_AT] == EventType.FORMAT_DESCRIPTION
    return is_format and bool(data[FLAGS_AT] & Flag.ARTIFICIAL) and not any(data[_LOG_POS])


def begins_or_ends_a_log(header: Header, server_id: int) -> bool:
    """Return whether an event is one with which the replica of a server id begins or ends a relay log.

    Up to MySQL 5.5 and MariaDB 10.2 the replica's format description does not have the flag.
    """
    describes = header.type == EventType.FORMAT_DESCRIPTION
    return bool(header.flags & Flag.RELAY_LOG) or (describes and header.server_id == server_id)


def comes_with_a_log(entry: Mapping[str, Any], server_id: int) -> bool:
    """Return whether an event is in a relay log because a replica began another one, not because it was received."""
    data = event_data(entry)
    if data is None:
        return False
    return is_repeated_format(data) or begins_or_ends_a_log(Header(*HEADER.unpack(data[:HEADER_BYTES])), server_id)


def kind_of(entry: Mapping[str, Any]) -> Hashable:
    """Return what distinguishes one event of a relay log from another of its log: its type.

    Of Rotates and format descriptions, it is the type and whether the event is marked as one of a relay log; some
    replicas do not mark their format description, which differs from the source's by its server. The source's may be
    one that the replica repeats. A Previous_gtids event is the replica's own. The kind of data that is not an event is
    None.
    """
    data = event_data(entry)
    if data is None:
        return None
    type_code = data[TYPE_AT]
    if type_code not in _OWN:
        return type_code
    marked = bool(data[FLAGS_AT] & Flag.RELAY_LOG)
    if type_code != EventType.FORMAT_DESCRIPTION:
        return (type_code, marked)
    return (type_code, marked or data[_SERVER_ID], is_repeated_format(data))


def content_of(entry: Mapping[str, Any]) -> Hashable:
    """Return the kind of an event, and of one of the source its server and its body.

    A checksum is not part of the body: a relay log may have checksums if the source has none, and the reverse. A Rotate
    that is not marked is the source's, or stands in the place of an event of the source and has another server.
    """
    kind, data = kind_of(entry), event_data(entry)
    if kind == EventType.PREVIOUS_GTIDS and data is not None:
        return (kind, bool(data[FLAGS_AT] & Flag.RELAY_LOG))
    if data is None or (data[TYPE_AT] in _OWN and data[FLAGS_AT] & Flag.RELAY_LOG) or is_repeated_format(data):
        return kind
    if data[TYPE_AT] == EventType.FORMAT_DESCRIPTION:
        # Those of a server are alike but for where they end.
        return (kind, data[_LOG_POS])
    # Anonymous_gtid events are alike but for the server; those that come back from the replica itself are others.
    return (kind, data[_SERVER_ID], body_of(data)[:_BODY_BYTES])


#: The role itself.
ROLE: Final = Role(
    name="relay",
    question="Which events are in the relay logs of a replica that received these events?",
    fields=FIELDS,
    always=("log", "data"),
    missing=required(*FIELDS),
    settings={
        "server_id": "the replica's own server id",
        "gtid_mode": "the replica's gtid_mode, in which none of the events is forbidden: ``OFF``, ``OFF_PERMISSIVE``, "
        "``ON_PERMISSIVE`` or ``ON``",
        "source_log": "the name of the source's log that contains the first event",
        "ignored_ids": "the ids of servers whose events are to be ignored; missing if none",
        "flushes": "the offsets of the events before which the replica begins its next relay log, as after FLUSH RELAY "
        "LOGS; missing if none",
        "connections": "the offsets of the events with which a new connection begins; missing if there is only one",
    },
    aligned="sequence",
    kind_of=kind_of,
    content_of=content_of,
    noun="relay log event",
    type_of=type_of,
)
