"""A replica's connection to a real server, which asks for a dump of its binary logs and keeps what is sent."""

import secrets
import struct
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

import pymysql

from conformance.binlog.event_types import HEARTBEAT_TYPES
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import MAGIC, TYPE_AT
from conformance.binlog.limits import current_limits
from conformance.servers.guarded_session import MOST_PACKET_BYTES, GuardedSession, reading_answers

_COM_BINLOG_DUMP: Final = 0x12
_COM_BINLOG_DUMP_GTID: Final = 0x1E
#: Flags of a dump: the connection ends where the last log does; heartbeats of the second version; Annotate_rows events.
NOT_BLOCKING: Final = 1
HEARTBEAT_V2: Final = 2
ANNOTATE_ROWS: Final = 2
#: Seconds without an event after which a dump that blocks is at its end.
_SILENCE: Final = 4
#: Seconds without even a heartbeat after which a server is lost.
_LIVE_SILENCE: Final = 30
#: Nanoseconds between two heartbeats.
_PERIOD: Final = 1_000_000_000
#: The same where none are wanted: every replica asks for some, and without it 5.7 sends one for each event skipped.
_RARELY: Final = 3600 * 10**9


@dataclass(frozen=True, slots=True)
class Dumped:
    """What a server sent.

    Attributes:
        events: The events, without the byte of the protocol before each.
        error: The number of the error with which it ended the connection; 0 if there is none.
        message: Its text.
    """

    events: tuple[bytes, ...]
    error: int = 0
    message: str = ""


class Server(Protocol):
    """A server to which a replica connects."""

    @property
    def is_mariadb(self) -> bool:
        """Whether it is MariaDB."""

    def connect(self, **arguments: Any) -> GuardedSession:
        """Return a new session; `arguments` are further ones for `pymysql.connect`."""


def dump(
    server: Server,
    *,
    log_name: str = "",
    log_pos: int = 4,
    gtid_set: GtidSet | None = None,
    checksum: str = "CRC32",
    flags: int = NOT_BLOCKING,
    heartbeats: int = 0,
) -> Dumped:
    """Return what a server sends to a replica.

    Args:
        server: The server.
        log_name: The log to begin with.
        log_pos: The position there, in bytes.
        gtid_set: The GTIDs that the replica has; None asks by position.
        checksum: What the replica announces for checksums.
        flags: The flags of the command.
        heartbeats: Ask for heartbeats, one each second, and stop after so many; 0 asks for none.
    """
    events: list[bytes] = []
    seen = 0
    command = _command(log_name, log_pos, gtid_set, flags)
    try:
        for event in _sent(server, command, checksum, has_heartbeats=heartbeats > 0):
            events.append(event)
            seen += event[TYPE_AT] in HEARTBEAT_TYPES
            if heartbeats and seen == heartbeats:
                break
    except pymysql.err.MySQLError as error:
        return Dumped(tuple(events), int(error.args[0]), str(error.args[1]))
    return Dumped(tuple(events))


def live_events(server: Server, log_name: str) -> Generator[bytes]:
    """Yield what a server sends of a log and all later ones, for ever; about once a second there is a heartbeat.

    An event beyond the limit that is in force is not read.

    Raises:
        pymysql.err.MySQLError: The server refuses, or the connection is lost.
    """
    flags = ANNOTATE_ROWS if server.is_mariadb else 0
    command = _command(log_name, len(MAGIC), None, flags)
    return _sent(
        server, command, "CRC32", has_heartbeats=True, silence=_LIVE_SILENCE, most=current_limits().event_bytes
    )


def _sent(
    server: Server,
    command: tuple[int, bytes],
    checksum: str,
    *,
    has_heartbeats: bool,
    silence: int = _SILENCE,
    most: int = MOST_PACKET_BYTES,
) -> Generator[bytes]:
    with reading_answers():
        connected = server.connect(read_timeout=silence)
    with connected as session:
        with reading_answers(), session.cursor() as cursor:
            for statement in _announcement(checksum, has_heartbeats, mariadb=server.is_mariadb):
                cursor.execute(statement)
        session._execute_command(*command)
        try:
            while event := session.read_event(most):
                yield event
        finally:
            with suppress(AttributeError):
                session._force_close()


def _announcement(checksum: str, has_heartbeats: bool, *, mariadb: bool) -> Sequence[str]:
    names = ("master",) if mariadb else ("master", "source")
    made = [f"SET @{name}_binlog_checksum = '{checksum}'" for name in names]
    period = _PERIOD if has_heartbeats else _RARELY
    made += [f"SET @{name}_heartbeat_period = {period}" for name in names]
    # A replica of today, which understands MariaDB's own events.
    return [*made, "SET @mariadb_slave_capability = 4"] if mariadb else made


def _command(log_name: str, log_pos: int, gtid_set: GtidSet | None, flags: int) -> tuple[int, bytes]:
    name = log_name.encode()
    if gtid_set is None:
        return _COM_BINLOG_DUMP, struct.pack("<IHI", log_pos, flags, _replica_id()) + name
    gtids = gtid_set.to_bytes()
    head = struct.pack("<HII", flags, _replica_id(), len(name)) + name
    return _COM_BINLOG_DUMP_GTID, head + struct.pack("<QI", log_pos, len(gtids)) + gtids


def _replica_id() -> int:
    """Return an id that no other replica has: a server ends the dump of a replica when one with its id asks again."""
    return secrets.randbelow(1 << 31) + (1 << 31)
