"""Logs written event by event, for tests that need one with a certain order or a certain fault."""

from typing import Any

from conformance.binlog.checksum import ChecksumAlgorithm
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.layouts.gtid_layouts import LOGICAL_TIMESTAMP_TYPECODE
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body

UUID = bytes(range(16))
OTHER_UUID = bytes(range(16, 32))


def gtid_set(*ranges: tuple[int, int], uuid: bytes = UUID) -> GtidSet:
    """Return a set of one source; the ranges include their ends."""
    return GtidSet((Source(uuid, tuple(Interval(start, end + 1) for start, end in ranges)),))


class WrittenLog:
    """A log that is written event by event.

    Attributes:
        data: The bytes so far.
        offsets: The offset of each event.
    """

    def __init__(
        self, profile: str = "mysql-8.0", *, checksums: bool = True, server_version: str = "", created: int = 0
    ) -> None:
        server = server_of(profile)
        algorithm = ChecksumAlgorithm.CRC32 if checksums else ChecksumAlgorithm.NONE
        self.server = server
        self.format = FormatDescription(
            binlog_version=4,
            server_version=server_version or server.version,
            created=created,
            header_length=HEADER_BYTES,
            post_header_lengths=server.post_header_lengths,
            checksum_algorithm=int(algorithm) if server.checksums else None,
        )
        self.data = bytearray(MAGIC)
        self.offsets: list[int] = []
        self._numbers = 0

    @property
    def last(self) -> int:
        """The offset of the last event."""
        return self.offsets[-1]

    def bytes(self, code: int, body: bytes, *, flags: int = 0, at: int | None = None, checksummed: bool | None = None):
        """Write an event from its bytes; `at` is the offset that its header claims."""
        here = len(self.data)
        if checksummed is None:
            checksummed = self.format.checksum_bytes > 0
        self.offsets.append(here)
        self.data += frame(
            code, body, offset=here if at is None else at, checksummed=checksummed, timestamp=1, flags=flags
        )
        return self

    def event(self, code: int, *, flags: int = 0, at: int | None = None, **fields: Any):
        """Write an event from its fields."""
        return self.bytes(code, write_body(code, fields, self.format), flags=flags, at=at)

    def describe(self, *, flags: int = 0, at: int | None = None):
        has_checksum = self.format.checksum_algorithm is not None
        return self.bytes(
            EventType.FORMAT_DESCRIPTION, self.format.body(), flags=flags, at=at, checksummed=has_checksum
        )

    def previous_gtids(self, gtids: GtidSet | None = None, *, flags: int = int(Flag.IGNORABLE)):
        return self.event(EventType.PREVIOUS_GTIDS, previous_gtids=gtids or GtidSet(), flags=flags)

    def begin(self, gtids: GtidSet | None = None, *, flags: int = 0):
        """Write the events that every log of the server begins with."""
        self.describe(flags=flags)
        if self.format.is_mariadb:
            return self.event(EventType.MARIADB_GTID_LIST, gtid_list=())
        return self.previous_gtids(gtids) if self.server.gtid_form not in ("absent", "5.6") else self

    def gtid(self, number: int, *, uuid: bytes = UUID, timestamps: tuple[int, int] | None = None, **also: Any):
        return self._marker(EventType.GTID, uuid, number, timestamps, 0, also)

    def anonymous(self, *, timestamps: tuple[int, int] | None = None, flags: int = 0, **also: Any):
        return self._marker(EventType.ANONYMOUS_GTID, bytes(16), 0, timestamps, flags, also)

    def mariadb_gtid(self, number: int, *, domain_id: int = 0, standalone: bool = True):
        fields = {"gno": number, "domain_id": domain_id, "mariadb_gtid_flags": int(standalone)}
        return self.event(EventType.MARIADB_GTID, **fields)

    def _marker(self, code, uuid, number, timestamps, flags, also):
        self._numbers += 1
        fields = {"gtid_flags": 0, "source_uuid": uuid, "gno": number}
        if self.server.gtid_form != "5.6":
            committed, sequence = timestamps or (self._numbers - 1, self._numbers)
            fields["logical_timestamp_typecode"] = LOGICAL_TIMESTAMP_TYPECODE
            fields |= {"last_committed": committed, "sequence_number": sequence}
        return self.event(code, flags=flags, **fields, **also)

    def query(self, text: str, *, status_variables: bytes = b"", flags: int = 0, at: int | None = None):
        return self.event(
            EventType.QUERY,
            flags=flags,
            at=at,
            thread_id=1,
            exec_time=0,
            error_code=0,
            status_variables=status_variables,
            database=b"d",
            query=text.encode(),
        )

    def rows_query(self, text: str = "INSERT INTO t VALUES (1)", *, flags: int = int(Flag.IGNORABLE)):
        return self.event(EventType.ROWS_QUERY, length_byte=len(text) & 0xFF, rows_query=text.encode(), flags=flags)

    def table_map(self, table_id: int = 7, *, columns: int = 1, table: bytes = b"t", types: Any = None):
        if types is None:
            types = b"\x03" * columns
        return self.event(
            EventType.TABLE_MAP,
            table_id=table_id,
            table_flags=1,
            database=b"d",
            table=table,
            column_types=types,
            column_metadata=b"",
            null_bits=bytes((len(types) + 7) // 8),
            optional_metadata=b"",
        )

    def rows(self, table_id: int = 7, *, columns: int = 1, last: bool = True, cut: int = 0):
        """Write rows of integers; `cut` bytes of the last value are missing."""
        bitmap = (columns + 7) // 8
        row = bytes(bitmap) + bytes(4 * columns - cut)
        return self.event(
            self.server.rows_events[0],
            table_id=table_id,
            rows_flags=int(last),
            row_data=bytes([columns]) + b"\xff" * bitmap + row,
        )

    def xid(self, number: int = 1):
        return self.event(EventType.XID, xid=number)

    def rotate(self, name: str, *, position: int = 4, flags: int = 0, at: int | None = None):
        return self.event(EventType.ROTATE, next_position=position, next_file=name.encode(), flags=flags, at=at)

    def stop(self):
        return self.bytes(EventType.STOP, b"")

    def insert(self, *, rows_query: bool = False):
        """Write BEGIN, the rows of one statement, and Xid."""
        self.query("BEGIN")
        if rows_query:
            self.rows_query()
        return self.table_map().rows().xid()
