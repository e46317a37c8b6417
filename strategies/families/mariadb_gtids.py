"""MariaDB's Gtid and Gtid_list events with every field that their flags announce, at the ends of what it holds."""

from typing import Any, Final

from conformance.binlog.layouts.mariadb_layouts import (
    ALLOW_PARALLEL,
    COMMIT_ALTER,
    COMPLETED_XA,
    DDL,
    EXTRA_THREAD_ID,
    GROUP_COMMIT,
    MULTI_ENGINE,
    PREPARED_XA,
    ROLLBACK_ALTER,
    STANDALONE,
    START_ALTER,
    TRANSACTIONAL,
    WAITED,
)
from conformance.specs.versions import Profiles
from conformance.strategies.events import mariadb_events, mysql_events
from conformance.strategies.grammar.dimension import Dimension, bits, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import LAST_MARIADB_NUMBER, StreamBuilder
from conformance.strategies.groups import transactions as groups

_MARIADB: Final = Profiles("mariadb")
#: A single statement has neither a commit id nor the name of an XA transaction.
_STANDALONE: Final = yes_or_no("single statement")
_IN_TRANSACTION: Final = {_STANDALONE.name: ("no",)}
_FLAGS: Final = bits("flags", (ALLOW_PARALLEL, WAITED))
_COMMIT: Final = Dimension(
    "commit id", {"none": None, "0": 0, "1": 1, "2^63": 1 << 63, "2^64 - 1": (1 << 64) - 1}, when=_IN_TRANSACTION
)
_XA: Final = Dimension(
    "XA transaction", {"none": 0, "prepared": PREPARED_XA, "completed": COMPLETED_XA}, when=_IN_TRANSACTION
)
_OF_XA: Final = {_XA.name: ("prepared", "completed")}
_GTRID: Final = choices("bytes of gtrid", (1, 63, 64), when=_OF_XA)
_BQUAL: Final = choices("bytes of bqual", (0, 1, 64), when=_OF_XA)
#: What the flags of newer servers announce after the other fields, in the order in which it stands there.
_EXTRA: Final = Dimension(
    "extra flags",
    {
        "none": 0,
        "several engines": MULTI_ENGINE,
        "START ALTER": START_ALTER,
        "COMMIT ALTER": COMMIT_ALTER,
        "ROLLBACK ALTER": ROLLBACK_ALTER,
        "thread id": EXTRA_THREAD_ID,
        "several engines, COMMIT ALTER, thread id": MULTI_ENGINE | COMMIT_ALTER | EXTRA_THREAD_ID,
    },
)
_DOMAIN: Final = choices("domain", (0, 1, 1 << 31, (1 << 32) - 1))
_NUMBER: Final = choices("number", (1, 1 << 31, 1 << 32, 1 << 63, LAST_MARIADB_NUMBER))


@family(
    focus="FORMAT-MARIADB-GTID",
    profiles=_MARIADB,
    dimensions=(_STANDALONE, _FLAGS, _COMMIT, _XA, _GTRID, _BQUAL, _EXTRA, _DOMAIN, _NUMBER),
)
def mariadb_gtid_fields(stream: StreamBuilder) -> None:
    """A transaction or a statement of MariaDB after a Gtid event with any of the fields that its flags announce."""
    groups.begin_log(stream)
    standalone = stream.vary(_STANDALONE)
    stream.add(_gtid(stream, standalone=standalone))
    if standalone:
        stream.add(mysql_events.query(stream, "DROP TABLE t1"))
    else:
        # The Gtid event stands in the place of BEGIN.
        for event in (mysql_events.query(stream, "INSERT INTO t1 VALUES (1)"), mysql_events.xid(stream)):
            stream.add(event)
    groups.end_log(stream)


def _gtid(stream: StreamBuilder, *, standalone: bool) -> PlannedEvent:
    domain = stream.vary(_DOMAIN)
    number = stream.mariadb_number(domain, stream.vary(_NUMBER))
    flags = stream.vary(_FLAGS) | (STANDALONE | DDL if standalone else TRANSACTIONAL)
    wire: dict[str, Any] = {"gno": number, "domain_id": domain}
    fields: dict[str, Any] = {"gtid": f"{domain}-{stream.server_id}-{number}"}
    if not standalone:
        commit_id, kind = stream.vary(_COMMIT), stream.vary(_XA)
        flags |= kind
        if commit_id is not None:
            flags |= GROUP_COMMIT
            wire["commit_id"] = fields["commit_id"] = commit_id
        if kind:
            wire |= _name(stream.vary(_GTRID), stream.vary(_BQUAL))
    wire |= _extra(stream.vary(_EXTRA))
    return mariadb_events.gtid_of(stream, wire, fields, flags)


def _name(gtrid: int, bqual: int) -> dict[str, Any]:
    """Return the fields that name an XA transaction."""
    lengths = {"xa_format_id": 1, "xa_gtrid_length": gtrid, "xa_bqual_length": bqual}
    return lengths | {"xa_data": b"g" * gtrid + b"b" * bqual}


def _extra(flags: int) -> dict[str, Any]:
    """Return the fields that the extra flags announce."""
    wire: dict[str, Any] = {"mariadb_gtid_extra_flags": flags} if flags else {}
    wire |= {"extra_engines": 2} if flags & MULTI_ENGINE else {}
    wire |= {"start_alter_gno": (1 << 63) + 1} if flags & (COMMIT_ALTER | ROLLBACK_ALTER) else {}
    return wire | ({"thread_id": (1 << 32) - 1} if flags & EXTRA_THREAD_ID else {})


#: The count of GTIDs has 28 bits; those above are flags, which a source sets for a replica that stops at a GTID.
#: A reader that counts with them asks for much memory: each occurs once.
_LIST_FLAGS: Final = Dimension(
    "flags of the list", {"none": 0, "2^28": 1 << 28, "2^29": 1 << 29}, heavy=("2^28", "2^29")
)
_COUNT: Final = choices("GTIDs", (0, 1, 2, 255, 256))
_SERVER: Final = choices("server id", (1, 1 << 31, (1 << 32) - 1))


@family(
    focus="FORMAT-MARIADB-GTID-LIST", profiles=_MARIADB, dimensions=(_COUNT, _LIST_FLAGS, _DOMAIN, _SERVER, _NUMBER)
)
def mariadb_gtid_lists(stream: StreamBuilder) -> None:
    """A log whose Gtid_list has any number of GTIDs, with the ends of what they hold, and flags."""
    stream.describe_format()
    stream.add(_gtid_list(stream))
    stream.add(mariadb_events.binlog_checkpoint(stream))
    groups.add_group(stream, groups.ddl(stream), anonymous=True)
    groups.end_log(stream)


def _gtid_list(stream: StreamBuilder) -> PlannedEvent:
    count, flags = stream.vary(_COUNT), stream.vary(_LIST_FLAGS)
    domain, server, number = stream.vary(_DOMAIN), stream.vary(_SERVER), stream.vary(_NUMBER)
    for at in range(count):
        stream.mariadb_gtids[(domain + at) % (1 << 32), server] = number
    return mariadb_events.gtid_list_of(stream, flags=flags)
