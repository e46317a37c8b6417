"""The receiver: the relay logs that a replica writes from a source's events (WL#7592, WL#4033, WL#4162)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple, Self

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.servers import server_of
from conformance.binlog.total_table import total
from conformance.models.replica.event_kind import kind_of
from conformance.models.replica.groups import State, step
from conformance.models.replica.relay_rules import RELAY_RULES, OwnGtids, RelayRules
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.transaction_table import ANONYMOUS

_RELAY_LOG: Final = int(Flag.RELAY_LOG)
_IGNORABLE: Final = int(Flag.IGNORABLE)
_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: Offset of a log's first event, in bytes.
_FIRST: Final = len(MAGIC)
#: Bytes of the time at the start of a header.
_TIME_BYTES: Final = 4
#: Bytes from the start of a format description to its time of creation.
_CREATED_AT: Final = HEADER_BYTES + 2 + 50


class Reception(Enum):
    """What a receiver does with an event."""

    #: It is written unchanged.
    WRITTEN = "written"
    #: It is not written; instead, the replica writes a Rotate with the source's position.
    REPLACED = "replaced"
    LEFT_OUT = "left out"


_RECEPTIONS: Final[Mapping[int, Reception]] = total(
    f"{__name__}._RECEPTIONS",
    EventType,
    {
        EventType.STOP: Reception.LEFT_OUT,
        # WL#7592, Cross-version compatibility: it belongs to the source's log, not to its transactions.
        EventType.PREVIOUS_GTIDS: Reception.REPLACED,
    },
    entry="what a receiver does with it",
    rest={
        HEARTBEAT_TYPES: Reception.LEFT_OUT,
        # What a source logs, a receiver writes.
        frozenset(EventType) - HEARTBEAT_TYPES: Reception.WRITTEN,
    },
)
#: A source sends these between two events of its log, or at its end: they do not change the position.
_SENT_ONLY: Final = HEARTBEAT_TYPES | {EventType.STOP}
#: These are written even if their server id is to be ignored: they carry the position and the format.
_NEVER_IGNORED: Final = frozenset({int(EventType.FORMAT_DESCRIPTION), int(EventType.ROTATE)})


#: The settings that a question may lack.
_OPTIONAL: Final = ("ignored_ids", "flushes", "connections")


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySettings:
    """The settings of a receiving replica.

    Attributes:
        profile: The profile whose rules apply.
        server_id: The replica's own id.
        gtid_mode: Its own gtid_mode.
        relay_log: The prefix of the names of its relay logs.
        source_log: The source's log that is read first.
        retrieved: The GTIDs received before.
        ignored_ids: Ids of servers whose events are not written.
        flushes: Offsets of events, in the source's stream, before which the replica begins the next relay log.
        connections: Offsets of the events with which a new connection begins.
        timestamp: The time of the replica's own events, in seconds since 1970.
        version: The version that the replica reports; empty: that of the profile's server.
        source_checksums: Whether the source's events before its format description have a checksum.
        own_checksums: Whether the replica writes checksums before it knows whether the source does, where it can.
    """

    profile: str
    server_id: int = 100
    gtid_mode: str = "OFF"
    relay_log: str = "relay"
    source_log: str = "binlog.000001"
    retrieved: GtidSet = field(default_factory=GtidSet)
    ignored_ids: frozenset[int] = frozenset()
    flushes: frozenset[int] = frozenset()
    connections: frozenset[int] = frozenset()
    timestamp: int = 0
    version: str = ""
    source_checksums: bool = True
    own_checksums: bool = True

    @property
    def rules(self) -> RelayRules:
        """The properties of the relay logs."""
        return RELAY_RULES[self.profile]

    @classmethod
    def of_json(cls, profile: str, settings: Mapping[str, Any]) -> Self:
        """Return the settings of a question in the role `relay`.

        Raises:
            ValueError: There is no such profile.
        """
        server_of(profile)
        return cls(
            profile=profile,
            server_id=settings.get("server_id", 100),
            gtid_mode=settings.get("gtid_mode", "OFF"),
            source_log=settings.get("source_log", "binlog.000001"),
            ignored_ids=frozenset(settings.get("ignored_ids", ())),
            flushes=frozenset(settings.get("flushes", ())),
            connections=frozenset(settings.get("connections", ())),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the settings as in a question, which holds the profile separately."""
        settings = {"server_id": self.server_id, "gtid_mode": self.gtid_mode, "source_log": self.source_log}
        return settings | {name: sorted(getattr(self, name)) for name in _OPTIONAL if getattr(self, name)}


#: Takes an event that is queued for the relay log; returns the warning to log, None if there is none.
Feed = Callable[[ReplicaEvent], str | None]
#: Returns a function that feeds events to a new boundary parser; None if the replica has no parser.
NewFeed = Callable[[], Feed | None]


def _no_feed() -> Feed | None:
    return None


class RelayEvent(NamedTuple):
    """One event of a relay log.

    Attributes:
        log: The number of its relay log, from 0.
        type: Event type code.
        server_id: The id in its header.
        log_pos: The end position in its header.
        flags: The flags word.
        data: All its bytes.
        source: The received event that it is, or that it replaces; None for the replica's own.
        written: Whether it is that event, byte for byte.
        warning: The warning logged when it was received, empty if there was none.
    """

    log: int
    type: int
    server_id: int
    log_pos: int
    flags: int
    data: bytes
    source: ReplicaEvent | None = None
    written: bool = False
    warning: str = ""


class Receiver:
    """Receives what a source sends, over one connection or several.

    Args:
        settings: The replica's settings.
        new_feed: Makes what feeds each event that is queued to a boundary parser, which is new for each connection
            (WL#4162).

    Attributes:
        events: The events of the relay logs, in their order.
    """

    def __init__(self, settings: RelaySettings, new_feed: NewFeed = _no_feed) -> None:
        self.settings = settings
        self.events: list[RelayEvent] = []
        self._server = server_of(settings.profile)
        own = ChecksumAlgorithm.CRC32 if settings.own_checksums else ChecksumAlgorithm.NONE
        self._algorithm = int(own) if self._server.checksums else None
        self._timestamp = settings.timestamp
        self._logs: list[bytearray] = []
        self._retrieved = ExecutedGtids(settings.retrieved)
        self._gtid = ""
        self._source_log = settings.source_log
        #: The source's format description, with which another relay log goes on.
        self._source_format: bytes | None = None
        #: Whether it governs the next event.
        self._is_described = False
        #: Whether nothing has been received on this connection.
        self._begins = True
        self._new_feed = new_feed
        self._feed = new_feed()
        self._state = State.OUTSIDE
        self._left_out: ReplicaEvent | None = None
        self._own = self._rules()
        self._open(created=settings.timestamp)

    @property
    def logs(self) -> tuple[bytes, ...]:
        """The relay logs, oldest first."""
        return tuple(map(bytes, self._logs))

    def entries(self) -> list[dict[str, Any]]:
        """Return the entries of the role `relay` for the events in the relay logs."""
        return [{"log": each.log, "data": each.data.hex(), "warning": each.warning} for each in self.events]

    def receive_all(self, events: Iterable[tuple[ReplicaEvent, bytes]]) -> None:
        """Receive events, each with all its bytes."""
        for event, data in events:
            self.receive(event, data)

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        """Receive one event.

        Args:
            event: The event.
            data: All its bytes, header and checksum included.
        """
        if event.offset in self.settings.connections:
            self._connect()
        if event.offset in self.settings.flushes:
            self.rotate()
        reception = self._reception(event)
        is_described = self._is_described
        if event.type not in _SENT_ONLY:
            self._left_out = event if reception is Reception.LEFT_OUT else None
        if reception is not Reception.LEFT_OUT:
            self._note(event, data)
        if reception is Reception.REPLACED:
            self._replace(event)
        elif reception is Reception.WRITTEN:
            warning = self._warning(event)
            if not is_described:
                data = self._with_checksum(event, data)
            data = self._stamped(event, data)
            self._write(RelayEvent(self._log, *_header(event), data, source=event, written=True, warning=warning))
        return reception

    def leaves_out(self, event: ReplicaEvent) -> bool:
        """Return whether servers of the profile have no use for an event, and do not write it."""
        rules = self._own
        return event.type in rules.leaves_out or (event.ignorable and rules.leaves_out_ignorable)

    def _connect(self) -> None:
        """Begin a new connection: what has been received of an unfinished transaction comes again, or its rest."""
        self._feed = self._new_feed()
        self._begins = True
        if self._state is not State.OUTSIDE:
            self._gtid = ""

    def close(self) -> None:
        """End the connection: if the last event was left out, write one Rotate in its place."""
        if self._left_out is not None:
            self._replace(self._left_out)
            self._left_out = None

    def rotate(self, *, timestamp: int | None = None) -> None:
        """Begin the next relay log, as after FLUSH RELAY LOGS, or when a log is too large.

        Args:
            timestamp: The time of the replica's own events from now on, in seconds since 1970; None: unchanged.
        """
        self._timestamp = self._timestamp if timestamp is None else timestamp
        logs = len(self._logs)
        self._rotate()
        if self._source_format is not None and len(self._logs) > logs:
            # The next events are in the source's format, and no Rotate from the source will announce it again.
            renewed = bytearray(self._source_format)
            renewed[_CREATED_AT : _CREATED_AT + 4] = bytes(4)
            timestamp, code, server_id, length, _, flags = HEADER.unpack(renewed[:HEADER_BYTES])
            flags |= _ARTIFICIAL
            renewed[:HEADER_BYTES] = HEADER.pack(timestamp, code, server_id, length, 0, flags)
            if self._algorithm is not None:
                renewed[-CHECKSUM_BYTES:] = checksum(renewed[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
            self._write(RelayEvent(self._log, code, server_id, 0, flags, bytes(renewed)))

    @property
    def _log(self) -> int:
        return len(self._logs) - 1

    def _rules(self) -> RelayRules:
        return self.settings.rules

    def _reception(self, event: ReplicaEvent) -> Reception:
        if event.server_id == self.settings.server_id:
            return Reception.LEFT_OUT
        if self.leaves_out(event):
            return Reception.LEFT_OUT
        reception = _RECEPTIONS.get(event.type, Reception.WRITTEN)
        if reception is Reception.REPLACED and self._own.replaces_previous_gtids:
            # By what names the position, so of an ignored server too.
            return reception
        if event.server_id in self.settings.ignored_ids and event.type not in _NEVER_IGNORED:
            return Reception.LEFT_OUT
        return Reception.WRITTEN if reception is Reception.REPLACED else reception

    def _note(self, event: ReplicaEvent, data: bytes) -> None:
        if event.gtid or event.type in (EventType.ROTATE, EventType.FORMAT_DESCRIPTION):
            # A transaction that has not ended by now never will: the source crashed within it. 5.6.24 counts it.
            if self._gtid and not self._own.retrieves_at_end:
                self._retrieved.add(*gtid_parts(self._gtid))
            self._gtid = event.gtid if event.gtid != ANONYMOUS and ":" in event.gtid else ""
        self._follow(event)
        if event.type == EventType.ROTATE:
            self._is_described = False
            if not self._own.keeps_format:
                self._source_format = None
            self._rotate()
            self._source_log = event.next_file
        elif event.type == EventType.FORMAT_DESCRIPTION:
            self._source_format, self._is_described = data, True
            self._algorithm = FormatDescription.from_event(data).checksum_algorithm

    def _follow(self, event: ReplicaEvent) -> None:
        """Follow the transaction that an event belongs to: a GTID is retrieved when its transaction is complete."""
        kind = kind_of(event)
        before, self._state = self._state, step(self._state, kind).state
        ends = before is not State.OUTSIDE and self._state is State.OUTSIDE
        if ends and self._gtid and self._own.retrieves_at_end:
            self._retrieved.add(*gtid_parts(self._gtid))
            self._gtid = ""

    def _with_checksum(self, event: ReplicaEvent, data: bytes) -> bytes:
        """Return the bytes to write: in a log with checksums, the first Rotate of a source without them gets one."""
        own_format = self._algorithm == ChecksumAlgorithm.CRC32 and not self.settings.source_checksums
        if not own_format or event.type != EventType.ROTATE:
            return data
        timestamp, code, server_id, length, log_pos, flags = HEADER.unpack(data[:HEADER_BYTES])
        head = HEADER.pack(timestamp, code, server_id, length + CHECKSUM_BYTES, log_pos, flags)
        data = head + data[HEADER_BYTES:]
        return data + checksum(data).to_bytes(CHECKSUM_BYTES, "little")

    def _stamped(self, event: ReplicaEvent, data: bytes) -> bytes:
        """Return the bytes to write: some replicas give the Rotate between two logs, which has no time, their own."""
        if event.type != EventType.ROTATE or not event.artificial:
            return data
        begins, self._begins = self._begins, False
        if begins or not self._own.stamps_rotates or not self._timestamp:
            return data
        made = bytearray(data)
        made[:_TIME_BYTES] = self._timestamp.to_bytes(_TIME_BYTES, "little")
        if self._algorithm == ChecksumAlgorithm.CRC32:
            made[-CHECKSUM_BYTES:] = checksum(made[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
        return bytes(made)

    def _warning(self, event: ReplicaEvent) -> str:
        if self._feed is None or (event.artificial and event.type == EventType.ROTATE):
            return ""
        return self._feed(event) or ""

    def _replace(self, event: ReplicaEvent) -> None:
        body = layout_of(EventType.ROTATE, 8).write(
            {"next_position": event.log_pos, "next_file": self._source_log.encode()}, post_header_length=8
        )
        counted = self._own.counts_replacements
        self._make(EventType.ROTATE, body, server_id=0, flags=0, counted=counted, source=event)

    def _open(self, *, created: int) -> None:
        self._logs.append(bytearray(MAGIC))
        server = self._server
        algorithm = None
        if server.checksums:
            algorithm = int(ChecksumAlgorithm.NONE) if self._algorithm is None else self._algorithm
        form = FormatDescription(
            binlog_version=4,
            server_version=self.settings.version or server.version,
            created=created,
            header_length=HEADER_BYTES,
            post_header_lengths=server.post_header_lengths,
            checksum_algorithm=algorithm,
        )
        rules = self._own
        self._make(EventType.FORMAT_DESCRIPTION, form.body(), flags=rules.format_flags)
        wanted = rules.previous_gtids is OwnGtids.ALWAYS or (
            rules.previous_gtids is OwnGtids.WITH_GTID_MODE and self.settings.gtid_mode == "ON"
        )
        if wanted:
            gtids = self._retrieved.gtids().to_bytes()
            self._make(EventType.PREVIOUS_GTIDS, gtids, flags=rules.gtids_flags)

    def _rotate(self) -> None:
        following = f"{self.settings.relay_log}.{len(self._logs) + 1:06d}"
        body = layout_of(EventType.ROTATE, 8).write(
            {"next_position": _FIRST, "next_file": following.encode()}, post_header_length=8
        )
        self._make(EventType.ROTATE, body, flags=_RELAY_LOG)
        self._open(created=0)

    def _make(
        self,
        code: EventType,
        body: bytes,
        *,
        flags: int,
        server_id: int | None = None,
        counted: bool = True,
        source: ReplicaEvent | None = None,
    ) -> None:
        """Write an event of the replica's own; `counted`: its end position counts in the relay log."""
        if server_id is None:
            server_id = 0 if self._own.own_id_zero else self.settings.server_id
        plain = self._algorithm in (None, ChecksumAlgorithm.NONE)
        checked = self._server.checksums if code == EventType.FORMAT_DESCRIPTION else not plain
        length = HEADER_BYTES + len(body) + (CHECKSUM_BYTES if checked else 0)
        log_pos = len(self._logs[-1]) + length if counted else 0
        data = HEADER.pack(self._timestamp, code, server_id, length, log_pos, flags) + body
        if checked:
            data += checksum(data).to_bytes(CHECKSUM_BYTES, "little")
        self._write(RelayEvent(self._log, int(code), server_id, log_pos, flags, data, source))

    def _write(self, event: RelayEvent) -> None:
        self._logs[-1] += event.data
        self.events.append(event)


def _header(event: ReplicaEvent) -> tuple[int, int, int, int]:
    return event.type, event.server_id, event.log_pos, event.flags
