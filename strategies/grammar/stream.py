"""The stream builder: planned events to bytes, with what is known of them."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm
from conformance.binlog.checksum import checksum as crc
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.binlog.servers import WITH_CHECKSUMS, Server, with_own_length
from conformance.strategies.grammar.case import EVERY_EVENT
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, Value
from conformance.strategies.grammar.planned_event import PlannedEvent

#: 10 June 2010, the day of the WL#4033 sample: the earliest time of a generated stream.
EPOCH: Final = 1276143737

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_IN_USE: Final = int(Flag.BINLOG_IN_USE)
#: Where the header of an event has its time, and its log_pos, and the largest one that fits.
_TIMESTAMP: Final = slice(0, 4)
_LOG_POS: Final = slice(13, 17)
_LARGEST_LOG_POS: Final = 0xFFFFFFFF
#: The largest id of a table; the one above stands for none.
_LARGEST_TABLE_ID: Final = 2**48 - 2
#: The largest number that is chosen for a GTID of MariaDB: there is room for those that follow it.
LAST_MARIADB_NUMBER: Final = 2**64 - 2**16

#: Whether the events of a stream have checksums, where its family leaves that open.
CHECKSUM: Final = Dimension("checksum", {"crc32": True, "none": False}, profiles={"crc32": WITH_CHECKSUMS})

#: What every event of every stream exercises.
_ALWAYS: Final = (
    "FORMAT-EVENT-DELIVERED",
    "FORMAT-EVENT-START",
    "FORMAT-HEADER-TYPE",
    "FORMAT-HEADER-TIMESTAMP",
    "FORMAT-HEADER-SERVER-ID",
    "FORMAT-HEADER-LENGTH",
    "FORMAT-HEADER-LOG-POS",
    "FORMAT-HEADER-FLAGS",
    "FORMAT-READER-POSITION",
    "FORMAT-READER-GTIDS",
    "WL7592-HEADER-19-BYTES",
    "WL4033-READ-POSITION-CHAIN",
)


@lru_cache(maxsize=4096)
def _described(version: str, lengths: bytes, created: int, algorithm: int | None) -> tuple[FormatDescription, bytes]:
    """Return a format description and its body: the streams of a server share a few of them."""
    described = FormatDescription(
        binlog_version=4,
        server_version=version,
        created=created,
        header_length=HEADER_BYTES,
        post_header_lengths=with_own_length(lengths),
        checksum_algorithm=algorithm,
    )
    return described, described.body()


class StreamBuilder:
    """Builds one stream: bytes, expected events, and the requirements that each event exercises.

    Attributes:
        choose: The chooser that answers the grammar's questions.
        server: The server whose stream it is.
        format: The format description in force.
        refused: Whether a reader has refused an event; nothing after it is expected.
        placed: Every event added, refused ones included, each with its offset and its log_pos.
        settings: What a production passes to the questions about its stream in roles other than `decode`.
        tolerated: Indices of events at which a clean refusal is as good as the delivery.
        columns: Index of a rows event -> the column type codes of its table, in their order.
        made_for: Index of an event that is made for a requirement, mostly a should -> that requirement.
        burden: What the last event claims or holds, far more than it should, in words; empty if it is none such.
        alter: Changes each event that is added; None leaves them as they are.
        executed: The GTIDs used so far, in Previous_gtids and in Gtid events.
        gtid_step: How far apart the numbers of the GTIDs are, which then have one source: 1 as in most logs; 0 if both
            are any.
        first_gno: The number from which an unused one is looked for, if they have one source.
        sequence_number: The sequence number of the last Gtid event; 0 before the first.
        mariadb_gtids: Domain and server -> the number of their last GTID in MariaDB's logs.
    """

    def __init__(self, chooser: Chooser, server: Server, *, checksums: bool | None = None) -> None:
        self.choose = chooser
        self.server = server
        if checksums is None:
            checksums = chooser.vary(CHECKSUM, server.profile)
        self.checksummed = checksums and server.checksums
        self.format, _ = _described(server.version, server.post_header_lengths, 0, self._algorithm())
        self.refused = False
        self.tolerated: list[int] = []
        self.timestamp = EPOCH
        self.server_id = 1
        self._bytes = bytearray(MAGIC)
        #: Bytes of the stream before the source's log in which the next event is.
        self._before = 0
        self._events: list[dict[str, Any]] = []
        self.placed: list[tuple[PlannedEvent, int, int]] = []
        self.settings: dict[str, Any] = {}
        self.executed = ExecutedGtids()
        self.gtid_step = 0
        self.first_gno = 1
        self.sequence_number = 0
        self.mariadb_gtids: dict[tuple[int, int], int] = {}
        self.columns: dict[int, tuple[int, ...]] = {}
        #: The id of a table -> the table, since the server's start.
        self._tables: dict[int, Hashable] = {}
        self._earlier_ids: list[int] = []
        self.made_for: dict[int, str] = {}
        self.alter: Callable[[PlannedEvent], PlannedEvent] | None = None
        self._marks: dict[str, list[int]] = defaultdict(list, {each: [EVERY_EVENT] for each in _ALWAYS})
        self._refused_at: int | None = None
        self._refused_kind = ""
        self.burden = ""

    @property
    def offset(self) -> int:
        """The offset of the next event, in bytes from the start of the stream."""
        return len(self._bytes)

    @property
    def position(self) -> int:
        """The position of the next event in the source's log that it is in, in bytes."""
        return self.offset - self._before

    @property
    def count(self) -> int:
        """How many events are expected so far."""
        return len(self._events)

    @property
    def offsets(self) -> list[int]:
        """The offset of each event added, refused ones included."""
        return [offset for _, offset, _ in self.placed]

    @property
    def marks(self) -> dict[str, list[int]]:
        """The requirements marked so far, of every role, with the indices of the events they govern."""
        return self._marks

    @property
    def expected_events(self) -> tuple[dict[str, Any], ...]:
        """The events that a reader delivers."""
        return tuple(self._events)

    @property
    def refused_kind(self) -> str:
        """Why a reader refuses it, one of `conformance.binlog.errors.ERROR_KINDS`; empty if it reads to the end."""
        return self._refused_kind

    @property
    def refused_at(self) -> int | None:
        """Offset of the event that a reader refuses; None if it reads to the end."""
        return self._refused_at

    def _algorithm(self) -> int | None:
        if not self.server.checksums:
            return None
        return int(ChecksumAlgorithm.CRC32 if self.checksummed else ChecksumAlgorithm.NONE)

    def vary(self, dimension: Dimension[Value]) -> Value:
        """Return what the grammar takes for a class of a dimension."""
        return self.choose.vary(dimension, self.server.profile)

    def several_of(self, number: Number) -> Iterator[int]:
        """Yield 0, 1, 2, ... as many times as a class of a dimension of numbers has it."""
        return self.choose.several_of(number, self.server.profile)

    def begin_log_of_source(self, at: int = len(MAGIC)) -> None:
        """Count the log_pos of what follows from here, as in the next log of a source, which sends no magic number.

        Args:
            at: The position there, in bytes.
        """
        self._before = len(self._bytes) - at

    def table_id(self, chosen: int, table: Hashable) -> int:
        """Return the id of a table: the chosen one, or the next that no other table has had.

        A server counts the ids of its tables up from its start: after another start they are those that other tables
        had before it.
        """
        if self._earlier_ids:
            chosen = self._earlier_ids.pop(0)
        while self._tables.setdefault(chosen, table) != table:
            chosen = chosen % _LARGEST_TABLE_ID + 1
        return chosen

    def mariadb_number(self, domain_id: int, chosen: int) -> int:
        """Return the number of the next GTID in a domain: the chosen one, if it is not one of the past.

        A server of MariaDB counts the numbers of a domain up, whatever server they are from.
        """
        last = max((number for (domain, _), number in self.mariadb_gtids.items() if domain == domain_id), default=0)
        number = max(min(chosen, LAST_MARIADB_NUMBER), last + 1)
        self.mariadb_gtids[domain_id, self.server_id] = number
        return number

    def length_of(self, event: PlannedEvent) -> int:
        """Return the length of a planned event in bytes, header and checksum included."""
        return HEADER_BYTES + len(event.body) + (CHECKSUM_BYTES if self.checksummed else 0)

    def describe_format(
        self,
        *,
        flags: int = 0,
        created: int = 0,
        post_header_lengths: bytes | None = None,
        version: str | None = None,
        marks: tuple[str, ...] = (),
    ) -> None:
        """Add a format description, which governs what follows."""
        self.format, _ = _described(
            version or self.server.version,
            post_header_lengths or self.format.post_header_lengths,
            created,
            self._algorithm(),
        )
        if created:
            self._earlier_ids = [*self._tables]
            self._tables.clear()
        self._append(self.described(flags=flags).marked(*marks), checksummed=self.server.checksums)

    def described(self, *, flags: int = 0) -> PlannedEvent:
        """Return the format description in force as one more event, as a source sends it again to a replica."""
        governing = self.format
        _, body = _described(
            governing.server_version, governing.post_header_lengths, governing.created, self._algorithm()
        )
        fields = {
            "binlog_version": 4,
            "server_version": governing.server_version,
            "created": governing.created,
            "event_types": governing.event_types,
            "checksum_algorithm": "crc32" if self.checksummed else "none",
        }
        marks: tuple[str, ...] = ("FORMAT-DESCRIPTION-FIELDS", "FORMAT-TYPE-COUNT")
        if self.server.checksums:
            marks += ("FORMAT-CHECKSUM-ALGORITHM",)
        if flags & _IN_USE and self.checksummed:
            marks += ("FORMAT-IN-USE-CHECKSUM",)
        return PlannedEvent(EventType.FORMAT_DESCRIPTION, body, fields, flags, marks)

    def add(self, event: PlannedEvent) -> None:
        """Add an event; after a refused one it is only bytes, which no reader reaches."""
        # A format description has room for a checksum wherever it names the algorithm.
        is_format = event.type == EventType.FORMAT_DESCRIPTION
        checksummed = self.server.checksums if is_format else self.checksummed
        self._append(self.alter(event) if self.alter else event, checksummed=checksummed)

    def refuse(self, event: PlannedEvent, *, kind: str, marks: tuple[str, ...]) -> None:
        """Add an event that a reader refuses, and the requirements by which it does."""
        self.expect_refusal(at=self.offset, kind=kind, marks=marks)
        self._append(event, checksummed=self.checksummed)

    def strain(self, event: PlannedEvent, *, burden: str, requirement: str) -> None:
        """Add an event that takes much memory or time of a careless reader, which may refuse it or read it.

        Args:
            event: The event.
            burden: What it claims or holds.
            requirement: The requirement on what the reader takes.
        """
        self.burden = burden
        self.refuse(event, kind="malformed", marks=(requirement,))

    def expect_refusal(self, *, at: int, kind: str, marks: tuple[str, ...]) -> None:
        """Expect a reader to stop at the offset `at`: events from there on are no longer expected."""
        while self._events and self._events[-1]["offset"] >= at:
            self._events.pop()
            self.columns.pop(len(self._events), None)
            self.made_for.pop(len(self._events), None)
        count = len(self._events)
        for requirement, indices in list(self._marks.items()):
            # Where no event is expected, what every event exercises is not exercised at all.
            kept = [index for index in indices if index < count and (count or index != EVERY_EVENT)]
            if kept:
                self._marks[requirement] = kept
            else:
                del self._marks[requirement]
        self.refused = True
        self._refused_at = at
        self._refused_kind = kind
        for requirement in marks:
            self._marks[requirement].append(count)

    def mark(self, *requirements: str) -> None:
        """Record that requirements govern every event of the stream."""
        for requirement in requirements:
            self._marks[requirement].append(EVERY_EVENT)

    def mark_following(self, requirement: str, *, events: int = 1) -> None:
        """Record that a requirement governs the next `events` events."""
        self._marks[requirement] += range(len(self._events), len(self._events) + events)

    def mark_events(self, requirement: str, indices: Iterable[int]) -> None:
        """Record that a requirement governs the events of some indices."""
        self._marks[requirement] += indices

    def set_log_pos(self, log_pos: int) -> None:
        """Change the log_pos of the last event, in bytes: its end as counted in another log.

        Raises:
            ValueError: The event is not expected, or the header has no room for the number.
        """
        if self.refused or not 0 <= log_pos <= _LARGEST_LOG_POS:
            raise ValueError(f"the last event cannot have the log_pos {log_pos}")
        event, at, _ = self.placed[-1]
        self._overwrite(_LOG_POS, log_pos)
        self.placed[-1] = (event, at, log_pos)
        self._events[-1]["log_pos"] = log_pos

    def set_timestamp(self, timestamp: int) -> None:
        """Change the time of the last event, in seconds since 1970.

        Raises:
            ValueError: The event is not expected.
        """
        if self.refused:
            raise ValueError(f"the last event is not expected, so it cannot have the time {timestamp}")
        self._overwrite(_TIMESTAMP, timestamp)
        self._events[-1]["timestamp"] = timestamp

    def _overwrite(self, field: slice, value: int) -> None:
        """Change a field of the last event's header, and its checksum."""
        event, at, _ = self.placed[-1]
        border = at + HEADER_BYTES + len(event.body)
        self._bytes[at + field.start : at + field.stop] = value.to_bytes(4, "little")
        if border < self.offset:
            self._bytes[border:] = crc(self._bytes[at:border]).to_bytes(CHECKSUM_BYTES, "little")

    def leave_open(self, field: str) -> None:
        """Expect nothing of a field of the last event, as readers of the profile may differ in it."""
        del self._events[-1][field]

    def damage(self, stream: bytes | bytearray) -> None:
        """Replace the bytes of the stream by damaged ones."""
        self._bytes = bytearray(stream)

    @property
    def bytes(self) -> bytearray:
        """The bytes so far."""
        return self._bytes

    def _append(self, event: PlannedEvent, *, checksummed: bool) -> None:
        at = len(self._bytes)
        type_code, body, fields, flags, marks, ignored, tolerated, columns, made_for = event
        length = HEADER_BYTES + len(body) + (CHECKSUM_BYTES if checksummed else 0)
        # An artificial event is in no log of its source, so it has no position and no time.
        artificial = flags & _ARTIFICIAL
        log_pos = 0 if artificial else (at - self._before + length) & _LARGEST_LOG_POS
        timestamp = 0 if artificial else self.timestamp
        if type_code in HEARTBEAT_TYPES:
            log_pos, timestamp = (at - self._before) & _LARGEST_LOG_POS, 0
        framed = HEADER.pack(timestamp, type_code, self.server_id, length, log_pos, flags) + body
        self._bytes += framed
        if checksummed:
            self._bytes += crc(framed).to_bytes(CHECKSUM_BYTES, "little")
        self.placed.append((event, at, log_pos))
        if self.refused:
            return
        index = len(self._events)
        self._events.append(
            {
                "offset": at,
                "type": int(type_code),
                "timestamp": timestamp,
                "server_id": self.server_id,
                "length": length,
                "log_pos": log_pos,
                "flags": flags,
                "handled": "ignored" if ignored else "known",
                **fields,
            }
        )
        if tolerated:
            self.tolerated.append(index)
        for requirement in marks:
            self._marks[requirement].append(index)
        if columns:
            self.columns[index] = columns
        if made_for:
            self.made_for[index] = made_for
