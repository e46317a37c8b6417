"""Small binary logs made by hand, for tests of adapters."""

import struct

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body

UUID = bytes.fromhex("3e11fa4771ca11e19e33c80aa9429562")
QUERY = {"thread_id": 9, "exec_time": 1, "error_code": 0, "status_variables": b"", "database": b"test"}
TABLE = {
    "table_id": 85, "table_flags": 1, "database": b"test", "table": b"t1", "column_types": b"\x03",
    "column_metadata": b"", "null_bits": b"\0", "optional_metadata": b"",
}  # fmt: skip
ROWS = {"table_id": 85, "rows_flags": 1, "row_data": b"\x01\xff\0\x07\0\0\0"}

#: A transaction of a source that logs statements, then rows, then goes to the next file.
EVENTS = (
    (EventType.GTID, {"gtid_flags": 1, "source_uuid": UUID, "gno": 23, "logical_timestamp_typecode": 2,
              "last_committed": 4, "sequence_number": 5}),
    (EventType.QUERY, {**QUERY, "query": b"BEGIN"}),
    (EventType.INTVAR, {"intvar_type": 2, "intvar_value": 7}),
    (EventType.RAND, {"seed1": 11, "seed2": 12}),
    (EventType.QUERY, {**QUERY, "query": "insert into t1 values ('日本', rand())".encode()}),
    (EventType.TABLE_MAP, TABLE),
    (EventType.WRITE_ROWS, ROWS),
    (EventType.XID, {"xid": 31}),
    (EventType.ROTATE, {"next_position": 4, "next_file": b"binlog.000002"}),
)  # fmt: skip


def log(*events, profile="mysql-8.0", checksums=True, flags=0):
    """A log of one server: each event is a type and its fields, or its body."""
    server = server_of(profile)
    algorithm = int(checksums) if server.checksums else None
    described = FormatDescription(4, server.version, 0, 19, server.post_header_lengths, algorithm)
    stream = MAGIC + frame(EventType.FORMAT_DESCRIPTION, described.body(), offset=4, checksummed=server.checksums)
    for code, content in events:
        body = content if isinstance(content, bytes) else write_body(code, content, described)
        stream += frame(code, body, offset=len(stream), checksummed=bool(described.checksum_bytes), flags=flags)
    return stream


def damaged(stream):
    """The same stream with the last byte of its last event changed."""
    return stream[:-1] + bytes([stream[-1] ^ 0xFF])


def offset_of_last(stream):
    """Where the last event starts."""
    at = 4
    while True:
        (length,) = struct.unpack_from("<I", stream, at + 9)
        if at + length >= len(stream):
            return at
        at += length
