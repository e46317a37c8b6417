"""The role `send`: what a source sends to a replica from its binary logs (WL#4162, WL#4033, WL#7592)."""

from collections.abc import Hashable, Mapping
from typing import Any, Final

from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.protocol.role import AnswerField, Role, required
from conformance.protocol.roles.relay import body_of, event_data, type_of

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "data": AnswerField("text", "the whole event as sent, from header to checksum, in hex"),
}

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: Bytes of a body that distinguish events.
_BODY_BYTES: Final = 24


def kind_of(entry: Mapping[str, Any]) -> Hashable:
    """Return what distinguishes one event that is sent from another: its type and its body.

    All heartbeats are of one kind, and all format descriptions. Of two Rotate events that name the same log, one of the
    log and one that the sender makes, the second has no position. The kind of data that is not an event is None.
    """
    data = event_data(entry)
    if data is None:
        return None
    header = Header(*HEADER.unpack(data[:HEADER_BYTES]))
    if header.type in HEARTBEAT_TYPES:
        return "heartbeat"
    if header.type == EventType.FORMAT_DESCRIPTION:
        return header.type
    made = header.type == EventType.ROTATE and (not header.log_pos or bool(header.flags & _ARTIFICIAL))
    return (header.type, made, body_of(data)[:_BODY_BYTES])


#: The role itself.
ROLE: Final = Role(
    name="send",
    question="Which events does a source send to a replica that asks for its logs in this way?",
    fields=FIELDS,
    always=("data",),
    missing=required(*FIELDS),
    settings={
        "server_id": "the source's own server id",
        "gtid_mode": "the source's gtid_mode: ``OFF``, ``OFF_PERMISSIVE``, ``ON_PERMISSIVE`` or ``ON``",
        "logs": "the logs that the source has, oldest first: for each its `name`, and its `length` in bytes of the "
        "stream; where events of it are not there, a `hole` with the position `at` which they begin, and their "
        "`length` in bytes",
        "log_name": "the log in which the replica asks to begin; empty if it asks by GTIDs",
        "log_pos": "the position there, in bytes",
        "gtid_set": "the GTIDs that the replica has, as servers print a set; null if it asks by position",
        "checksum": "what the replica announced in ``@source_binlog_checksum``, ``CRC32`` or ``NONE``",
        "heartbeat_v2": "whether the replica takes heartbeats of the second version, of MySQL 8.0.26",
        "annotate_rows": "whether the replica asks for MariaDB's Annotate_rows events",
        "waits": "the places at which a log ended when the source came to it, and was continued later: for each "
        "`log_name`, `log_pos`, and in `heartbeats` how many heartbeat periods passed there",
    },
    aligned="sequence",
    kind_of=kind_of,
    noun="event sent",
    type_of=type_of,
)
