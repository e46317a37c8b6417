"""Small logs that unpack to far more, each made here: what they hold is legal for a server, but large."""

import struct
import zlib

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.table import Column, column_metadata
from conformance.binlog.servers import server_of
from conformance.binlog.transaction_payload import pack_payload
from conformance.binlog.writer import frame, write_body

MIB = 1 << 20
#: Bytes that are packed at once.
PIECE = 1 << 18


def log_of(profile, *events):
    """Return a log of (type code, fields or body) under a profile."""
    server = server_of(profile)
    described = FormatDescription(4, server.version, 0, 19, server.post_header_lengths, 1)
    data = MAGIC + frame(EventType.FORMAT_DESCRIPTION, described.body(), offset=4, checksummed=True)
    for code, fields in events:
        body = fields if isinstance(fields, bytes) else write_body(code, fields, described)
        data += frame(code, body, offset=len(data), checksummed=True)
    return data


def packed(size, byte=b"\0"):
    """Return one byte `size` times as MariaDB compresses them, packed piece by piece."""
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(byte * PIECE) for _ in range(size // PIECE)) + packer.flush()
    return b"\x84" + struct.pack(">I", size) + data


def table_map(*columns, table_id=7):
    types, metadata, null_bits = column_metadata(columns)
    fields = {"table_id": table_id, "table_flags": 1, "database": b"test", "table": b"t"}
    rest = {"column_types": types, "column_metadata": metadata, "null_bits": null_bits, "optional_metadata": b""}
    return EventType.TABLE_MAP, fields | rest


def rows(data, *, columns=1, code=EventType.WRITE_ROWS, name="row_data"):
    present = ((1 << columns) - 1).to_bytes((columns + 7) // 8, "little")
    head = {"table_id": 7, "rows_flags": 1, "column_count": columns, "columns_present": present}
    return code, {**head, name: data}


def tiny_events(count):
    """Return a payload of `count` events without a body."""
    event = frame(EventType.STOP, b"", offset=0, checksummed=False)
    return EventType.TRANSACTION_PAYLOAD, pack_payload(event * count)


TINY = Column(ColumnType.TINY)
QUERY = {"thread_id": 1, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b""}
COMPRESSED_QUERY = EventType.MARIADB_QUERY_COMPRESSED
COMPRESSED_ROWS = EventType.MARIADB_WRITE_ROWS_COMPRESSED_V1

_EVERY = ("decode", "json", "dump", "check", "show", "show-vv", "events")
#: Name -> a log that is printed whole, and the commands that print it.
SHOWN = {
    "a compressed statement": (
        lambda: log_of("mariadb-10.x", (COMPRESSED_QUERY, QUERY | {"compressed_query": packed(15 * MIB, b" ")})),
        _EVERY,
    ),
    "compressed rows": (
        lambda: log_of(
            "mariadb-10.x",
            table_map(TINY),
            rows(packed(MIB // 2), code=COMPRESSED_ROWS, name="compressed_rows"),
        ),
        ("json", "show-vv"),
    ),
    "rows of NULL": (
        lambda: log_of("mysql-8.0", table_map(TINY), rows(b"\xff" * (MIB // 4))),
        ("json", "show-vv"),
    ),
    "a payload of tiny events": (
        lambda: log_of("mysql-8.0", tiny_events(30_000)),
        (*_EVERY, "filter"),
    ),
    "a wide table": (
        lambda: log_of("mysql-8.0", table_map(*[TINY] * 65_535), rows(b"\xff" * 8192, columns=65_535)),
        ("json", "check", "show-vv"),
    ),
}
#: Name -> a log that is refused, the limit that it is beyond, and what is met.
REFUSED = {
    "a compressed statement": (
        lambda: log_of("mariadb-10.x", (COMPRESSED_QUERY, QUERY | {"compressed_query": packed(256 * MIB)})),
        "event-bytes",
        "compressed data unpacks to 268435456 bytes; the limit is 16777216",
    ),
    "a payload of tiny events": (
        lambda: log_of("mysql-8.0", tiny_events(250_001)),
        "events",
        "the payload holds 250001 events or more; the limit is 250000",
    ),
    "a payload that declares too much": (
        lambda: log_of(
            "mysql-8.0", (EventType.TRANSACTION_PAYLOAD, pack_payload(b"") | {"uncompressed_size": (1 << 30) + 1})
        ),
        "payload-bytes",
        "the payload unpacks to 1073741825 bytes; the limit is 1073741824",
    ),
    "a long event": (
        lambda: log_of("mysql-8.0", (EventType.ROWS_QUERY, bytes(17 * MIB))),
        "event-bytes",
        "the event has 17825815 bytes; the limit is 16777216",
    ),
}
