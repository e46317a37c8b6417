"""MariaDB's own events: its GTIDs, the statements that made row changes, and compressed statements and rows."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import LENGTH_AT
from conformance.binlog.layouts import mariadb_layouts
from conformance.strategies.events import mysql_events
from conformance.strategies.events.plain_compression import mariadb_part
from conformance.strategies.events.status_variables import status_variables
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import LAST_MARIADB_NUMBER, StreamBuilder

#: The GTIDs that a Gtid_list has, one for each server in each domain.
LISTED: Final = Number("GTIDs of a Gtid_list", fewest=0, many=(257, 300))
#: The flags of MariaDB's Gtid events.
_GTID_FLAGS: Final = int(Flag.SUPPRESS_USE)
_ENCRYPTION_SCHEME: Final = 1
_NONCE_BYTES: Final = 12
_LENGTH_BYTES: Final = 4
#: The most bytes of each of the two parts of an XA transaction's name.
_XID_PART_LIMIT: Final = 64

#: A statement that begins or ends an XA transaction, and its name.
_XA_STATEMENT: Final = re.compile(
    r"XA (?:START|COMMIT|ROLLBACK) X'(?P<gtrid>[0-9a-f]*)',X'(?P<bqual>[0-9a-f]*)',(?P<format_id>\d+)"
)


def _engines(choose: Chooser) -> dict[str, int]:
    return {"mariadb_gtid_extra_flags": mariadb_layouts.MULTI_ENGINE, "extra_engines": choose.integer(1, 0xFF)}


def _end_of_alter(choose: Chooser) -> dict[str, int]:
    flags = choose.one_of((mariadb_layouts.COMMIT_ALTER, mariadb_layouts.ROLLBACK_ALTER))
    return {"mariadb_gtid_extra_flags": flags, "start_alter_gno": whole_number(choose, 64, low=1)}


def _thread(choose: Chooser) -> dict[str, int]:
    return {"mariadb_gtid_extra_flags": mariadb_layouts.EXTRA_THREAD_ID, "thread_id": whole_number(choose, 32, low=1)}


#: What the flags of newer servers announce after the other fields.
_EXTRA: Final = (_engines, _end_of_alter, _thread)


def with_gtid(stream: StreamBuilder, planned: Sequence[PlannedEvent], *, plain: bool = False) -> list[PlannedEvent]:
    """Return a group with its Gtid event, which stands in the place of BEGIN, and of XA START: 10.11.18 to 11.8.9.

    Args:
        stream: The stream it is for.
        planned: The events of the group.
        plain: Whether the Gtid event has nothing but what the group needs, so that a replica can apply it.
    """
    text = planned[0].fields.get("query", "")
    begins = text == "BEGIN" or text.startswith("XA START ")
    make = plain_gtid if plain else gtid
    return [make(stream, standalone=not begins, xa=_XA_STATEMENT.fullmatch(text)), *planned[1 if begins else 0 :]]


def plain_gtid(stream: StreamBuilder, *, standalone: bool, xa: re.Match[str] | None = None) -> PlannedEvent:
    """Return the Gtid event of the next group in domain 0, with nothing that the group does not need; see `gtid`."""
    gno = stream.mariadb_number(0, 1)
    return gtid_of(
        stream,
        {"gno": gno, "domain_id": 0, **(_xid_of(xa) if xa else {})},
        {"gtid": f"0-{stream.server_id}-{gno}"},
        _flags_of(xa, standalone=standalone),
    )


def gtid(stream: StreamBuilder, *, standalone: bool, xa: re.Match[str] | None = None) -> PlannedEvent:
    """Return a Gtid event.

    Args:
        stream: The stream it is for.
        standalone: Whether one statement follows instead of a transaction.
        xa: The statement that begins or ends an XA transaction, as `_XA_STATEMENT` matches it.
    """
    choose = stream.choose
    domain_id = whole_number(choose, 32)
    gno = stream.mariadb_number(domain_id, whole_number(choose, 64, low=1))
    flags = _flags_of(xa, standalone=standalone)
    flags |= mariadb_layouts.ALLOW_PARALLEL if choose.yes() else 0
    wire: dict[str, Any] = {"gno": gno, "domain_id": domain_id}
    fields: dict[str, Any] = {"gtid": f"{domain_id}-{stream.server_id}-{gno}"}
    if not standalone and choose.yes(3):
        flags |= mariadb_layouts.GROUP_COMMIT
        wire["commit_id"] = fields["commit_id"] = whole_number(choose, 64)
    if xa:
        wire |= _xid_of(xa)
    elif not standalone and choose.yes(8):
        flags |= choose.one_of((mariadb_layouts.PREPARED_XA, mariadb_layouts.COMPLETED_XA))
        gtrid, bqual = choose.octets(1, _XID_PART_LIMIT), choose.octets(0, _XID_PART_LIMIT)
        wire |= _xid(whole_number(choose, 32), gtrid, bqual)
    if choose.yes(6):
        wire |= choose.one_of(_EXTRA)(choose)
    return gtid_of(stream, wire, fields, flags)


def _flags_of(xa: re.Match[str] | None, *, standalone: bool) -> int:
    """Return the flags of a group: 141 and 76 where an XA transaction is ended and prepared, 41 for CREATE TABLE."""
    if xa is None:
        return mariadb_layouts.STANDALONE | mariadb_layouts.DDL if standalone else mariadb_layouts.TRANSACTIONAL
    ends = mariadb_layouts.STANDALONE | mariadb_layouts.COMPLETED_XA
    return mariadb_layouts.TRANSACTIONAL | (ends if standalone else mariadb_layouts.PREPARED_XA)


def _xid_of(statement: re.Match[str]) -> dict[str, Any]:
    return _xid(int(statement["format_id"]), *map(bytes.fromhex, statement.group("gtrid", "bqual")))


def _xid(format_id: int, gtrid: bytes, bqual: bytes) -> dict[str, Any]:
    """Return the fields of a Gtid event with the name of an XA transaction."""
    lengths = {"xa_gtrid_length": len(gtrid), "xa_bqual_length": len(bqual)}
    return {"xa_format_id": format_id, **lengths, "xa_data": gtrid + bqual}


def gtid_of(stream: StreamBuilder, wire: dict[str, Any], fields: dict[str, Any], flags: int) -> PlannedEvent:
    """Return a Gtid event with given fields, and the flags that announce them."""
    wire["mariadb_gtid_flags"] = fields["mariadb_gtid_flags"] = flags
    marks = ("FORMAT-MARIADB-GTID",)
    return mysql_events.plan(stream, EventType.MARIADB_GTID, wire, fields, flags=_GTID_FLAGS, marks=marks)


def gtid_list(stream: StreamBuilder) -> PlannedEvent:
    """Return the Gtid_list event that a log begins with: the last GTIDs of each domain so far."""
    choose, last = stream.choose, stream.mariadb_gtids
    if not last:
        for _ in stream.several_of(LISTED):
            place = whole_number(choose, 32), whole_number(choose, 32, low=1)
            last[place] = min(whole_number(choose, 64, low=1), LAST_MARIADB_NUMBER)
    return gtid_list_of(stream)


def gtid_list_of(stream: StreamBuilder, *, flags: int = 0) -> PlannedEvent:
    """Return the Gtid_list event of the last GTIDs of each domain; `flags` are in the highest bits of its count."""
    last = stream.mariadb_gtids
    listed = [{"domain_id": domain, "server_id": server, "gno": gno} for (domain, server), gno in last.items()]
    text = ",".join(f"{each['domain_id']}-{each['server_id']}-{each['gno']}" for each in listed)
    wire = {"gtid_list_head": flags | len(listed), "gtid_list": listed}
    mark = "FORMAT-MARIADB-GTID-LIST-FLAGS" if flags else "FORMAT-MARIADB-GTID-LIST"
    planned = mysql_events.plan(stream, EventType.MARIADB_GTID_LIST, wire, {"gtid_list": text}, marks=(mark,))
    return planned.only_for(mark) if flags else planned


def binlog_checkpoint(stream: StreamBuilder) -> PlannedEvent:
    """Return a Binlog_checkpoint event: the oldest log that recovery still needs."""
    name = mysql_events.log_name(stream)
    marks = ("FORMAT-MARIADB-BINLOG-CHECKPOINT",)
    wire = {"log_name": name.encode()}
    return mysql_events.plan(stream, EventType.MARIADB_BINLOG_CHECKPOINT, wire, {"log_name": name}, marks=marks)


def start_encryption(stream: StreamBuilder) -> PlannedEvent:
    """Return a Start_encryption event: all that follows is encrypted with the key of a version, and a nonce."""
    choose = stream.choose
    wire = {
        "encryption_scheme": _ENCRYPTION_SCHEME,
        "key_version": whole_number(choose, 32, low=1),
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
    choose = stream.choose
    size = choose.one_of((1, 251, 256, 65_536)) if choose.yes(4) else choose.integer(2, 100)
    statement = mysql_events.text_of(choose.one_of(mysql_events.FRAGMENTS), size)
    marks = ("FORMAT-MARIADB-ANNOTATE-ROWS",)
    wire = {"rows_query": statement.encode()}
    return mysql_events.plan(stream, EventType.MARIADB_ANNOTATE_ROWS, wire, {"rows_query": statement}, marks=marks)


#: Bytes of a statement that is compressed, none for any: its size has as many bytes as it needs.
COMPRESSED_BYTES: Final = Dimension(
    "bytes of the compressed statement",
    {"any": 0, **{str(each): each for each in (255, 256, 65_535, 65_536)}},
    when={"changes of a group": ("compressed statement",)},
    heavy=("65535", "65536"),
)


def query_compressed(stream: StreamBuilder) -> PlannedEvent:
    """Return a Query_compressed event: a Query whose statement is compressed."""
    choose = stream.choose
    size = stream.vary(COMPRESSED_BYTES) or choose.integer(1, 600)
    statement = mysql_events.text_of(choose.one_of(mysql_events.FRAGMENTS), size)
    database = choose.one_of(mysql_events.DATABASES)
    about = {
        "thread_id": whole_number(choose, 32),
        "exec_time": whole_number(choose, 32),
        "error_code": choose.one_of((0, 1, 1062, 65535)),
    }
    wire = {
        **about,
        "status_variables": status_variables(stream),
        "database": database.encode(),
        "compressed_query": mariadb_part(statement.encode()),
    }
    fields = {**about, "database": database, "query": statement}
    marks = ("FORMAT-MARIADB-QUERY-COMPRESSED",)
    return mysql_events.plan(stream, EventType.MARIADB_QUERY_COMPRESSED, wire, fields, marks=marks)
