"""The storage analysis of WL#7592, calculated from the layouts.

The worklog's figures are one server's: a database name of one character, a short statement, a checksum on each event,
and the status variables that this server's sessions had. The 57 bytes of a Gtid event are those of a development
release: the fixed part, and one 8-byte number after a byte of value 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import PLAIN_GTID_TYPES, EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.layout import TAIL
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.servers import server_of
from conformance.binlog.status_variables import write_status_variables

#: Status variables of 42 bytes, which give the 79 bytes of the worklog: the usual ones, and those of a session with its
#: own increment, time zone and language.
USUAL_STATUS: Final[Mapping[str, Any]] = {
    "flags2": 0,
    "sql_mode": 0,
    "catalog": b"std",
    "auto_increment": {"increment": 2, "offset": 1},
    "charset": {"character_set_client": 8, "collation_connection": 8, "collation_server": 8},
    "time_zone": b"SYSTEM",
    "lc_time_names": 0,
}
#: The bytes of a logical timestamp in an earlier Query event.
QUERY_TIMESTAMP_BYTES: Final = 8
#: The byte before the number in the Gtid event of that release, with a constant value.
_COMMIT_FIELD: Final = b"\x01"


def event_bytes(type_code: int, fields: Mapping[str, Any]) -> int:
    """Return the length in bytes of an event with a checksum, as the worklog's server writes it."""
    declared = server_of("worklog").post_header_lengths[type_code - 1]
    if type_code in PLAIN_GTID_TYPES:
        # The development release declared the fixed part only.
        declared = server_of("mysql-5.6").post_header_lengths[type_code - 1]
    body = layout_of(type_code, declared).write(fields, post_header_length=declared)
    return HEADER_BYTES + len(body) + CHECKSUM_BYTES


def query_bytes(statement: str, database: str) -> int:
    """Return the length in bytes of a Query event whose session has `USUAL_STATUS`."""
    fields = {
        "thread_id": 1,
        "exec_time": 0,
        "error_code": 0,
        "status_variables": write_status_variables(USUAL_STATUS),
        "database": database.encode(),
        "query": statement.encode(),
    }
    return event_bytes(EventType.QUERY, fields)


@dataclass(frozen=True, slots=True)
class StorageAnalysis:
    """The figures of the worklog, all in bytes.

    Attributes:
        gtid: A Gtid event.
        net: What it adds, less the logical timestamp that Query events had before.
        query: A Query event without database name and statement.
        xid: An Xid event.
        minimal_transaction: BEGIN, one statement and Xid, without a Gtid event.
        saved_later: What is saved if the Gtid event replaces BEGIN and Xid.
    """

    gtid: int
    net: int
    query: int
    xid: int
    minimal_transaction: int
    saved_later: int

    @property
    def overhead(self) -> float:
        """The length that the Gtid event adds, as a fraction of a minimal transaction."""
        return self.net / self.minimal_transaction


def storage_analysis() -> StorageAnalysis:
    """Return the worklog's figures."""
    fixed = {"gtid_flags": 0, "source_uuid": bytes(16), "gno": 0, TAIL: _COMMIT_FIELD + bytes(8)}
    gtid = event_bytes(EventType.GTID, fixed)
    net = gtid - QUERY_TIMESTAMP_BYTES
    xid = event_bytes(EventType.XID, {"xid": 1})
    begin = query_bytes("BEGIN", "x")
    minimal = begin + query_bytes("INSERT INTO t SET a=1", "x") + xid
    return StorageAnalysis(gtid, net, query_bytes("", ""), xid, minimal, begin + xid - net)
