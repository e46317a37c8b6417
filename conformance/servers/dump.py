"""A replica's connection to a real server, which asks for a dump of its binary logs and keeps what is sent."""

import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import pymysql

from conformance.binlog.event_types import HEARTBEAT_TYPES
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import TYPE_AT
from conformance.servers.real_server import RealServer

_COM_BINLOG_DUMP: Final = 0x12
_COM_BINLOG_DUMP_GTID: Final = 0x1E
#: Flags of a dump: the connection ends where the last log does; heartbeats of the second version; Annotate_rows events.
NOT_BLOCKING: Final = 1
HEARTBEAT_V2: Final = 2
ANNOTATE_ROWS: Final = 2
_REPLICA_ID: Final = 77
_END: Final = 0xFE
#: The most bytes of the packet that ends a dump.
_END_BYTES: Final = 9
#: Seconds without an event after which a dump that blocks is at its end.
_SILENCE: Final = 4
#: Nanoseconds between two heartbeats.
_PERIOD: Final = 1_000_000_000


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


def dump(
    server: RealServer,
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
    with server.connect(read_timeout=_SILENCE) as session:
        with session.cursor() as cursor:
            for statement in _announcement(checksum, heartbeats, mariadb=server.product.is_mariadb):
                cursor.execute(statement)
        session._execute_command(*_command(log_name, log_pos, gtid_set, flags))
        try:
            return _received(session, heartbeats)
        finally:
            with suppress(AttributeError):
                session._force_close()


def _announcement(checksum: str, heartbeats: int, *, mariadb: bool) -> Sequence[str]:
    names = ("master",) if mariadb else ("master", "source")
    made = [f"SET @{name}_binlog_checksum = '{checksum}'" for name in names]
    made += [f"SET @{name}_heartbeat_period = {_PERIOD}" for name in names if heartbeats]
    # A replica of today, which understands MariaDB's own events.
    return [*made, "SET @mariadb_slave_capability = 4"] if mariadb else made


def _command(log_name: str, log_pos: int, gtid_set: GtidSet | None, flags: int) -> tuple[int, bytes]:
    name = log_name.encode()
    if gtid_set is None:
        return _COM_BINLOG_DUMP, struct.pack("<IHI", log_pos, flags, _REPLICA_ID) + name
    gtids = gtid_set.to_bytes()
    head = struct.pack("<HII", flags, _REPLICA_ID, len(name)) + name
    return _COM_BINLOG_DUMP_GTID, head + struct.pack("<QI", log_pos, len(gtids)) + gtids


def _received(session: Any, heartbeats: int) -> Dumped:
    events: list[bytes] = []
    seen = 0
    try:
        while True:
            packet = session._read_packet().get_all_data()
            if packet[0] == _END and len(packet) < _END_BYTES:
                return Dumped(tuple(events))
            events.append(packet[1:])
            seen += packet[1 + TYPE_AT] in HEARTBEAT_TYPES
            if heartbeats and seen == heartbeats:
                return Dumped(tuple(events))
    except pymysql.err.MySQLError as error:
        return Dumped(tuple(events), int(error.args[0]), str(error.args[1]))
