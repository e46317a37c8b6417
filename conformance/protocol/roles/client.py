"""The role `client`: what a replication client delivers of a source over the network (WL#4033, WL#7592, WL#4162)."""

from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from conformance.binlog.event_types import ROWS_TYPES, EventType, Purpose, types_of
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import framed_event
from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.role import AnswerField, Role

#: Every field by name, in the order of the protocol's page.
FIELDS: Final[Mapping[str, AnswerField]] = {
    "type": AnswerField(
        "integer",
        "event type code; null if the client does not report it, and in the last entry, which is about the end",
    ),
    "log_pos": AnswerField(
        "integer", "where the event ends in its log, in bytes, according to its header; 0 in the last entry"
    ),
    "timestamp": AnswerField("integer", "seconds since 1970"),
    "server_id": AnswerField("integer", "id of the server that logged the event"),
    "flags": AnswerField("integer", "the header's flags word"),
    "query": AnswerField("text", "of a Query event: the statement, without checksum or terminator"),
    "resume_log": AnswerField("text", "the client's own: the log in which it would resume after the event"),
    "resume_pos": AnswerField("integer", "the client's own: the position there, in bytes"),
    "executed_gtids": AnswerField("text", "the client's own: the GTIDs that it has after the event, as a set"),
}
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The types that a client need not deliver: events about a log, and events that inform about others.
KEPT_BACK: Final = frozenset(
    map(
        int,
        (
            EventType.FORMAT_DESCRIPTION,
            EventType.PREVIOUS_GTIDS,
            EventType.ROTATE,
            EventType.STOP,
            EventType.ANONYMOUS_GTID,
            EventType.ROWS_QUERY,
            EventType.IGNORABLE,
            EventType.MARIADB_GTID_LIST,
            EventType.MARIADB_BINLOG_CHECKPOINT,
            EventType.MARIADB_ANNOTATE_ROWS,
        ),
    )
)
#: The types that every client handles by what they are, whatever their flags (WL#4033, IGNORED ON SLAVE 2): they change
#: data, end a transaction, or belong to the statement after them. A client need not know another one that is flagged.
_HANDLED: Final = (
    types_of(Purpose.STATEMENT, Purpose.CONTEXT, Purpose.COMMIT) | ROWS_TYPES | {int(EventType.TRANSACTION_PAYLOAD)}
) - KEPT_BACK
#: The highest bit of a position.
_SIGN: Final = 1 << 31
#: The fields of an event, which each entry but the last has where they are declared.
_OF_EVENT: Final = frozenset({"timestamp", "server_id", "flags"})


def _missing(declaration: RoleDeclaration, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the declared fields that an entry lacks; of the client's own position it may have what it knows."""
    if entry["type"] is None:
        return ()
    return tuple(sorted((_OF_EVENT & declaration.fields) - entry.keys()))


def kind_of(entry: Mapping[str, Any]) -> Hashable:
    """Return what distinguishes one event from another: its type and where it ends.

    The highest bit of the position does not: a client that takes it for a sign delivers the event all the same.
    """
    return entry["type"], entry["log_pos"] % _SIGN


def content_of(entry: Mapping[str, Any]) -> Hashable:
    """Return the same, when it was logged and its statement.

    Two logs may have an event of one type in the same place, and within transactions events may have no place.
    """
    return kind_of(entry), entry.get("timestamp"), entry.get("query")


def may_be_kept_back(entry: Mapping[str, Any]) -> bool:
    """Return whether a client need not deliver an event."""
    is_ignorable = bool(entry.get("flags", 0) & _IGNORABLE)
    return entry["type"] in KEPT_BACK or (is_ignorable and entry["type"] not in _HANDLED)


def is_untyped(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is of an event whose type the client does not report: the last one is not."""
    return entry["type"] is None and entry["log_pos"] > 0


def is_end(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is the one about the end."""
    return entry["type"] is None and not is_untyped(entry)


def format_descriptions(stream: bytes, logs: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the format description of each of a source's logs, as bytes from its header on.

    Args:
        stream: The logs, one after another.
        logs: The settings of each, in this order; `length` is its length in bytes.
    """
    for begin in accumulate((log["length"] for log in logs[:-1]), initial=len(MAGIC)):
        yield framed_event(stream, begin)


def with_types(
    delivered: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]], formats: Container[int] = ()
) -> tuple[Mapping[str, Any], ...]:
    """Return delivered entries, each with its type: that of the expected event that ends there, where none is reported.

    Events of two logs may end at one position: it is the next of them, or if there is none, the last one before. An
    event that is not expected may be a format description that the source sends again, and one without a position a
    Rotate that it makes; the last entry is about the end.

    Args:
        delivered: The entries of an answer.
        wanted: The entries that are expected.
        formats: Where the format descriptions of the source's logs end.
    """
    reported = {kind_of(entry) for entry in delivered}
    at_position: dict[Any, list[int]] = {}
    for index, entry in enumerate(wanted):
        at_position.setdefault(entry["log_pos"] % _SIGN, []).append(index)
    typed: list[Mapping[str, Any]] = []
    after = 0
    for number, each in enumerate(delivered):
        if is_end(each) and number < len(delivered) - 1:
            typed.append({**each, "type": int(EventType.ROTATE)})
            continue
        untyped = is_untyped(each)
        places = [
            index
            for index in at_position.get(each["log_pos"] % _SIGN, ())
            if (kind_of(wanted[index]) not in reported if untyped else wanted[index]["type"] == each["type"])
        ]
        place = next((index for index in places if index >= after), places[-1] if places else None)
        own = int(EventType.FORMAT_DESCRIPTION) if each["log_pos"] in formats else None
        typed.append({**each, "type": own if place is None else wanted[place]["type"]} if untyped else each)
        after = after if place is None else place + 1
    return tuple(typed)


#: The role itself.
ROLE: Final = Role(
    name="client",
    question="Which events does a client deliver that replicates from a source, and where would it resume after each?",
    fields=FIELDS,
    always=("type", "log_pos"),
    missing=_missing,
    settings={
        "host": "the address of the source",
        "port": "its port",
        "user": "the user to log on as",
        "password": "the password",
        "log_name": "the log in which to begin; empty to begin by GTIDs",
        "log_pos": "the position there, in bytes",
        "gtid_set": "the GTIDs that the client has, as servers print a set; null to begin at the position",
        "heartbeat_seconds": "the time between two heartbeats to ask for; null for none",
    },
    is_served=True,
    aligned="sequence",
    kind_of=kind_of,
    content_of=content_of,
    noun="event delivered",
)
