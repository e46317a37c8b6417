"""The sender: which events a source sends to a replica from its logs (WL#4162, rpl_binlog_sender.cc; WL#4033, WL#7592).

Besides the two markers of WL#4162 it does what MySQL 9.7.4, MariaDB 10.11.18 and 11.8.6 were seen to do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import FLAGS_AT, HEADER, HEADER_BYTES, TYPE_AT
from conformance.binlog.layouts.by_type import layout_of
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender_settings import FIRST, SenderSettings
from conformance.specs.versions import Profiles

_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_IN_USE: Final = int(Flag.BINLOG_IN_USE)
_LOG_POS: Final = slice(13, 17)
#: The bytes of a format description with its time of creation.
_CREATED: Final = slice(HEADER_BYTES + 52, HEADER_BYTES + 56)
_ROTATE_POST_HEADER: Final = 8
#: The servers that mark the events which the sender makes.
_MARKING: Final = Profiles("worklog")
#: The servers that log Annotate_rows events.
ANNOTATING: Final = Profiles("mariadb")
#: The servers whose sender holds its logs to the gtid_mode.
WITH_MODE_CHECK: Final = Profiles("mysql >= 5.7")
#: gtid_mode -> the type of event that a sender then refuses.
REFUSED: Final[Mapping[str, frozenset[int]]] = {
    "ON": frozenset({int(EventType.ANONYMOUS_GTID)}),
    "OFF": frozenset({int(EventType.GTID), int(EventType.GTID_TAGGED)}),
}
#: ER_SOURCE_FATAL_ERROR_READING_BINLOG, with which a sender ends a connection.
FATAL_ERROR: Final = 1236
#: The words of that error where the logs no longer have what the replica lacks, before the missing set.
PURGED: Final = "Cannot replicate because the source purged required binary logs; the missing transactions are"
#: The words of that error where a log does not have the position, before what is wrong with it.
NO_SUCH_POSITION: Final = "Client requested source to start replication from position"


class Origin(Enum):
    """Where an event that is sent comes from."""

    #: The log has it, byte for byte.
    LOGGED = "logged"
    #: The log has it; the sender may change what is about the log alone.
    FORMAT = "format"
    #: The sender makes it.
    ROTATE = "rotate"
    HEARTBEAT = "heartbeat"


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event of a log.

    Attributes:
        offset: Where it starts in the stream of all logs, in bytes.
        start: Where it starts in its log, in bytes.
        data: All its bytes.
        gtid: Of a Gtid event the GTID, else empty.
        previous_gtids: Of a Previous_gtids event its set, else None.
    """

    offset: int
    start: int
    data: bytes
    gtid: str = ""
    previous_gtids: GtidSet | None = None

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any], *, start: int, offset: int, data: bytes) -> "LoggedEvent":
        """Return the event that an entry of the role `decode` describes."""
        has_gtid = entry["type"] in GTID_TYPES and entry["type"] != EventType.ANONYMOUS_GTID
        has_set = entry["type"] == EventType.PREVIOUS_GTIDS
        return cls(
            offset,
            start,
            data,
            gtid=entry.get("gtid", "") if has_gtid else "",
            previous_gtids=GtidSet.from_text(entry["previous_gtids"]) if has_set else None,
        )

    @property
    def type(self) -> int:
        """Event type code."""
        return self.data[TYPE_AT]

    @property
    def end(self) -> int:
        """Where it ends in its log, in bytes."""
        return self.start + len(self.data)


@dataclass(frozen=True, slots=True)
class Log:
    """One log: its name and its events."""

    name: str
    events: tuple[LoggedEvent, ...]

    @property
    def previous_gtids(self) -> GtidSet:
        """The GTIDs of before it, by its Previous_gtids event; none if it has no such event."""
        return next((each.previous_gtids for each in self.events if each.previous_gtids is not None), GtidSet())


class SentEvent(NamedTuple):
    """One event that is sent: where it comes from, all its bytes, and the event of the log that it is."""

    origin: Origin
    data: bytes
    source: LoggedEvent | None = None


class SenderStopped(Exception):
    """The sender ends the connection with an error.

    Attributes:
        event: The event at which it stops.
    """

    def __init__(self, event: LoggedEvent, reason: str) -> None:
        super().__init__(reason)
        self.event = event


class NoSuchPosition(SenderStopped):
    """The sender sends nothing, as the log has no such position; the event is the first of the log.

    MySQL 5.5.9 to 9.7.4 and MariaDB 10.1.23 to 11.8.9 answer so below the first event and beyond the end of the file.
    """


class TransactionsPurged(SenderStopped):
    """The sender sends nothing, as the replica lacks transactions of before the logs; the event is their first one.

    MySQL 5.7.22, 8.0.15 and 9.7.4 answer so.
    """


class Sender:
    """Sends logs to one replica.

    Args:
        settings: What the sender has, and what the replica asks for.

    Attributes:
        events: What was sent so far.
    """

    def __init__(self, settings: SenderSettings) -> None:
        self.settings = settings
        self.events: list[SentEvent] = []
        self._checksummed = settings.checksum == "CRC32"
        self._excluded = None if settings.gtid_set is None else ExecutedGtids(settings.gtid_set)
        #: Where the group ends that was skipped last, as long as nothing was sent after it.
        self._skipped_to: int | None = None
        self._skipping = False

    def entries(self) -> list[dict[str, Any]]:
        """Return the entries of the role `send` for what was sent."""
        return [{"data": each.data.hex()} for each in self.events]

    def send(self, logs: Sequence[Log]) -> None:
        """Send the logs from the place that the replica asks for.

        Args:
            logs: Every log, oldest first.

        Raises:
            SenderStopped: At an event that its gtid_mode forbids, at a position that the log does not have, or as the
                replica lacks transactions of before the logs.
        """
        first = self.first(logs)
        if self.settings.gtid_set is None:
            self._check_position(logs[first])
        else:
            self._check_purged(logs[0])
        position = FIRST if self.settings.gtid_set is not None else self.settings.log_pos
        for number, log in enumerate(logs[first:], first):
            self._send_log(log, position, opens=number == first)
            position = FIRST
        # A sender waits at the end of its last log.
        self._send_skipped_position(logs[-1])

    def _check_position(self, log: Log) -> None:
        """Refuse a position before the first event, and one beyond the end; the end itself is one to wait at."""
        position = self.settings.log_pos
        size = next(each.size for each in self.settings.logs if each.name == log.name)
        if not FIRST <= position <= size:
            limit = f"< {FIRST}" if position < FIRST else "> file size"
            raise NoSuchPosition(log.events[0], f"{NO_SUCH_POSITION} {limit}")

    def _check_purged(self, log: Log) -> None:
        """Refuse a replica that lacks what came before the first log."""
        missing = self._missing_before(log)
        if missing.sources:
            raise TransactionsPurged(log.events[0], f"{PURGED} '{missing}'")

    def first(self, logs: Sequence[Log]) -> int:
        """Return the index of the first log to send: by GTIDs, the last one before which the replica has everything."""
        if self._excluded is None:
            return next(number for number, log in enumerate(logs) if log.name == self.settings.log_name)
        return max((number for number, log in enumerate(logs) if self._has_all_before(log)), default=0)

    def _has_all_before(self, log: Log) -> bool:
        return not self._missing_before(log).sources

    def _missing_before(self, log: Log) -> GtidSet:
        """Return the transactions of before a log that the replica lacks."""
        assert self.settings.gtid_set is not None, "only a replica that asks by GTIDs has a set"
        return ExecutedGtids(log.previous_gtids).missing_in(self.settings.gtid_set)

    def _send_log(self, log: Log, position: int, *, opens: bool) -> None:
        self._skipped_to, self._skipping = None, False
        self._send_rotate(log.name, position)
        for event in log.events:
            if event.start == FIRST and event.type == EventType.FORMAT_DESCRIPTION:
                clears = opens and self._skips_first_group(log)
                self._send_format(event, moved=position > FIRST, created=not (clears or position > FIRST))
            elif event.start >= position:
                self._send_event(log, event)
            if event.end >= position and self.settings.heartbeats_at(log.name, event.end) is not None:
                self._wait(log, event.end)

    def _skips_first_group(self, log: Log) -> bool:
        gtid = next((each.gtid for each in log.events if each.gtid), "")
        return self._excluded is not None and bool(gtid) and gtid in self._excluded

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        self._check_mode(event)
        self._skipping = self._skips(event)
        if self._skipping:
            self._skipped_to = event.end
            return
        if self._leaves_out(event):
            return
        self._send_skipped_position(log)
        self.events.append(SentEvent(Origin.LOGGED, event.data, event))

    def _check_mode(self, event: LoggedEvent) -> None:
        mode = self.settings.gtid_mode
        if self.settings.profile in WITH_MODE_CHECK and event.type in REFUSED.get(mode, ()):
            kind = "anonymous transaction" if mode == "ON" else "GTID-transaction"
            raise SenderStopped(event, f"Cannot replicate {kind} when @@GLOBAL.GTID_MODE = {mode}")

    def _skips(self, event: LoggedEvent) -> bool:
        """Return whether an event belongs to a group that the replica has; a group ends where the next one begins."""
        if self._excluded is None:
            return False
        if event.type in GTID_TYPES:
            return bool(event.gtid) and event.gtid in self._excluded
        return self._skipping and event.type != EventType.ROTATE

    def _leaves_out(self, event: LoggedEvent) -> bool:
        # In other servers' logs the code is one without a meaning.
        if self.settings.profile not in ANNOTATING:
            return False
        return event.type == EventType.MARIADB_ANNOTATE_ROWS and not self.settings.annotate_rows

    def _wait(self, log: Log, position: int) -> None:
        """Wait at the end of a log: send the position after what was skipped, then one heartbeat for each period."""
        self._send_skipped_position(log)
        self._skipping = False
        for _ in range(self.settings.heartbeats_at(log.name, position) or 0):
            self._send_heartbeat(log.name, position)

    def _send_heartbeat(self, name: str, position: int) -> None:
        self.events.append(SentEvent(Origin.HEARTBEAT, self.heartbeat(name, position)))

    def _send_skipped_position(self, log: Log) -> None:
        """Send a heartbeat after groups that were skipped, so that the replica's position moves over them."""
        if self._skipped_to is not None:
            self._send_heartbeat(log.name, self._skipped_to)
            self._skipped_to = None

    def _send_rotate(self, name: str, position: int) -> None:
        body = layout_of(EventType.ROTATE, _ROTATE_POST_HEADER).write(
            {"next_position": position, "next_file": name.encode()}, post_header_length=_ROTATE_POST_HEADER
        )
        flags = self._marked(_ARTIFICIAL, BoundaryType.IGNORE_BOUNDARY)
        self.events.append(SentEvent(Origin.ROTATE, self._made(EventType.ROTATE, body, flags=flags)))

    def heartbeat(self, name: str, position: int) -> bytes:
        """Return the heartbeat that is sent while the sender waits at a place of a log.

        Args:
            name: The log.
            position: The place, in bytes.
        """
        code = EventType.HEARTBEAT_V2 if self.settings.heartbeat_v2 else EventType.HEARTBEAT
        fields = {"log_name": name.encode(), "log_position": position}
        body = layout_of(code, 0).write(fields, post_header_length=0)
        flags = self._marked(0, BoundaryType.SELF_CONTAINED)
        return self._made(code, body, flags=flags, log_pos=position)

    def _marked(self, flags: int, boundary: BoundaryType) -> int:
        return MARKER_BITS.write(flags, boundary) if self.settings.profile in _MARKING else flags

    def _made(self, code: EventType, body: bytes, *, flags: int, log_pos: int = 0) -> bytes:
        """Return an event that the sender makes, which has no time, in no log."""
        length = HEADER_BYTES + len(body) + (CHECKSUM_BYTES if self._checksummed else 0)
        data = HEADER.pack(0, code, self.settings.server_id, length, log_pos, flags) + body
        return data + checksum(data).to_bytes(CHECKSUM_BYTES, "little") if self._checksummed else data

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        """Send the format description of a log.

        Args:
            event: The event of the log.
            moved: Whether the replica asks for a later position: then the event does not move it.
            created: Whether the time of creation stays, at which a replica drops its temporary tables.
        """
        data = bytearray(event.data)
        data[FLAGS_AT] &= ~_IN_USE
        if moved:
            data[_LOG_POS] = bytes(4)
        if not created:
            data[_CREATED] = bytes(4)
        self._checksummed = FormatDescription.from_event(event.data).checksum_algorithm == ChecksumAlgorithm.CRC32
        if self._checksummed:
            # Without checksums servers leave the bytes as they are, although they are then wrong.
            data[-CHECKSUM_BYTES:] = checksum(data[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
        self.events.append(SentEvent(Origin.FORMAT, bytes(data), event))
