"""The commands with which a client asks for events: by a position, or by the GTIDs that it has."""

import struct
from dataclasses import dataclass
from typing import Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.gtid_set import GtidSet
from conformance.wire.messages import MalformedPacket

COM_BINLOG_DUMP: Final = 0x12
COM_BINLOG_DUMP_GTID: Final = 0x1E

#: Flags of both: end where the last log ends; and one bit with two meanings, Annotate_rows events of MariaDB, or
#: heartbeats of the second version.
NOT_BLOCKING: Final = 1
ANNOTATE_ROWS: Final = 2
HEARTBEAT_V2: Final = 2

_BY_POSITION: Final = struct.Struct("<IHI")
_BY_GTIDS: Final = struct.Struct("<HII")
_PLACE: Final = struct.Struct("<QI")


@dataclass(frozen=True, slots=True)
class DumpCommand:
    """What a client asks for.

    Attributes:
        log_name: The log to begin with; empty for the first one.
        log_pos: The position there, in bytes.
        flags: The flags.
        server_id: The client's server id.
        gtid_set: The GTIDs that it has; None if it asks by position.
    """

    log_name: str
    log_pos: int
    flags: int
    server_id: int
    gtid_set: GtidSet | None = None

    @property
    def blocks(self) -> bool:
        """Whether the source waits at the end of the last log for more."""
        return not self.flags & NOT_BLOCKING

    def payload(self) -> bytes:
        """Return the command as a client sends it."""
        name = self.log_name.encode()
        if self.gtid_set is None:
            return bytes([COM_BINLOG_DUMP]) + _BY_POSITION.pack(self.log_pos, self.flags, self.server_id) + name
        gtids = self.gtid_set.to_bytes()
        head = bytes([COM_BINLOG_DUMP_GTID]) + _BY_GTIDS.pack(self.flags, self.server_id, len(name))
        return head + name + _PLACE.pack(self.log_pos, len(gtids)) + gtids


def read_dump_command(payload: bytes) -> DumpCommand:
    """Return the command that a packet is.

    Raises:
        MalformedPacket: It is cut short, or its GTID set cannot be read.
    """
    try:
        if payload[0] == COM_BINLOG_DUMP:
            log_pos, flags, server_id = _BY_POSITION.unpack_from(payload, 1)
            return DumpCommand(_name(payload[1 + _BY_POSITION.size :]), log_pos, flags, server_id)
        flags, server_id, size = _BY_GTIDS.unpack_from(payload, 1)
        at = 1 + _BY_GTIDS.size
        name = _name(payload[at : at + size])
        log_pos, length = _PLACE.unpack_from(payload, at + size)
        at += size + _PLACE.size
        if len(payload) < at + length:
            raise MalformedPacket("a GTID set that is cut short")
        return DumpCommand(name, log_pos, flags, server_id, GtidSet.from_bytes(payload[at : at + length]))
    except (struct.error, MalformedBody, ValueError) as error:
        raise MalformedPacket(f"a dump command that cannot be read: {error}") from error


def _name(text: bytes) -> str:
    # Some clients end it with NULs, as mysqlbinlog and mysql-replication do.
    return text.partition(b"\0")[0].decode("utf-8", "replace")
