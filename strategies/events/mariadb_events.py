"""MariaDB's own events: its GTIDs, the statements that made row changes, and compressed statements and rows."""

from itertools import pairwise
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import LENGTH_AT
from conformance.binlog.layouts import mariadb_layouts
from conformance.strategies.events import mysql_events
from conformance.strategies.events.plain_compression import mariadb_part
from conformance.strategies.events.status_variables import status_variables
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The flags of MariaDB's Gtid events.
_GTID_FLAGS: Final = int(Flag.SUPPRESS_USE)
_ENCRYPTION_SCHEME: Final = 1
_NONCE_BYTES: Final = 12
_LENGTH_BYTES: Final = 4


def gtid(stream: StreamBuilder, *, standalone: bool) -> PlannedEvent:
    """Return a Gtid event; `standalone` means that one statement follows instead of a transaction."""
    choose = stream.choose
    domain_id, gno = choose.integer(0, 2**32 - 1), choose.integer(1, 2**64 - 1)
    flags = mariadb_layouts.STANDALONE | mariadb_layouts.DDL if standalone else mariadb_layouts.TRANSACTIONAL
    flags |= mariadb_layouts.ALLOW_PARALLEL if choose.yes() else 0
    wire: dict[str, Any] = {"gno": gno, "domain_id": domain_id}
    fields: dict[str, Any] = {"gtid": f"{domain_id}-{stream.server_id}-{gno}"}
    if not standalone and choose.yes(3):
        flags |= mariadb_layouts.GROUP_COMMIT
        wire["commit_id"] = fields["commit_id"] = choose.integer(0, 2**64 - 1)
    wire["mariadb_gtid_flags"] = fields["mariadb_gtid_flags"] = flags
    marks = ("FORMAT-MARIADB-GTID",)
    return mysql_events.plan(stream, EventType.MARIADB_GTID, wire, fields, flags=_GTID_FLAGS, marks=marks)


def gtid_list(stream: StreamBuilder) -> PlannedEvent:
    """Return the Gtid_list event that a log begins with: the last GTID of each domain so far."""
    choose = stream.choose
    listed = [
        {
            "domain_id": choose.integer(0, 2**32 - 1),
            "server_id": choose.integer(1, 2**32 - 1),
            "gno": choose.integer(1, 2**64 - 1),
        }
        for _ in choose.several(0, 3)
    ]
    text = ",".join(f"{each['domain_id']}-{each['server_id']}-{each['gno']}" for each in listed)
    marks = ("FORMAT-MARIADB-GTID-LIST",)
    return mysql_events.plan(
        stream, EventType.MARIADB_GTID_LIST, {"gtid_list": listed}, {"gtid_list": text}, marks=marks
    )


def binlog_checkpoint(stream: StreamBuilder) -> PlannedEvent:
    """Return a Binlog_checkpoint event: the oldest log that recovery still needs."""
    name = f"binlog.{stream.choose.integer(1, 999_999):06d}"
    marks = ("FORMAT-MARIADB-BINLOG-CHECKPOINT",)
    wire = {"log_name": name.encode()}
    return mysql_events.plan(stream, EventType.MARIADB_BINLOG_CHECKPOINT, wire, {"log_name": name}, marks=marks)


def start_encryption(stream: StreamBuilder) -> PlannedEvent:
    """Return a Start_encryption event: all that follows is encrypted with the key of a version, and a nonce."""
    choose = stream.choose
    wire = {
        "encryption_scheme": _ENCRYPTION_SCHEME,
        "key_version": choose.integer(1, 2**32 - 1),
        "nonce": choose.octets(_NONCE_BYTES, _NONCE_BYTES),
    }
    marks = ("FORMAT-MARIADB-START-ENCRYPTION",)
    return mysql_events.plan(stream, EventType.MARIADB_START_ENCRYPTION, wire, {}, marks=marks)


def encrypt(stream: StreamBuilder, start: int) -> None:
    """Make every event from the offset `start` on unreadable except for its length, which MariaDB does not encrypt."""
    bounds = [*(at for at in stream.offsets if at >= start), stream.offset]
    encrypted = stream.bytes
    for at, end in pairwise(bounds):
        hidden = stream.choose.octets(end - at - _LENGTH_BYTES, end - at - _LENGTH_BYTES)
        length = encrypted[at + LENGTH_AT : at + LENGTH_AT + _LENGTH_BYTES]
        encrypted[at:end] = hidden[:LENGTH_AT] + length + hidden[LENGTH_AT:]
    stream.damage(encrypted)


def annotate_rows(stream: StreamBuilder) -> PlannedEvent:
    """Return an Annotate_rows event: the statement that made the row changes."""
    statement = mysql_events.text(stream, 1, 400)
    marks = ("FORMAT-MARIADB-ANNOTATE-ROWS",)
    wire = {"rows_query": statement.encode()}
    return mysql_events.plan(stream, EventType.MARIADB_ANNOTATE_ROWS, wire, {"rows_query": statement}, marks=marks)


def query_compressed(stream: StreamBuilder) -> PlannedEvent:
    """Return a Query_compressed event: a Query whose statement is compressed."""
    choose = stream.choose
    statement = mysql_events.text(stream, 1, 600)
    about = {"thread_id": choose.integer(0, 0xFFFFFFFF), "exec_time": choose.integer(0, 255), "error_code": 0}
    wire = {
        **about,
        "status_variables": status_variables(stream),
        "database": b"test",
        "compressed_query": mariadb_part(statement.encode()),
    }
    fields = {**about, "database": "test", "query": statement}
    marks = ("FORMAT-MARIADB-QUERY-COMPRESSED",)
    return mysql_events.plan(stream, EventType.MARIADB_QUERY_COMPRESSED, wire, fields, marks=marks)
