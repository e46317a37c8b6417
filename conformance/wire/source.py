"""A source: the logs that it has, what clients may ask about it, and what it sends to one that asks for events.

What is sent is that of the models: `models.sender` for the events, `models.handshake` for a client that does not know
checksums, and for the events that MariaDB sends in the place of its own.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER_BYTES, TYPE_AT
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import WITH_HEARTBEAT_V2, server_of
from conformance.log_check.server_profile import profile_of
from conformance.models.handshake.refusal import NO_EVENT_THERE, NO_SUCH_LOG, UNAWARE
from conformance.models.handshake.replacement import for_replica
from conformance.models.sender.sender import (
    FATAL_ERROR,
    Log,
    LoggedEvent,
    Origin,
    Sender,
    SenderStopped,
    SentEvent,
)
from conformance.models.sender.sender_settings import FIRST, NO_HOLE, Hole, LogFile, SenderSettings, Wait
from conformance.protocol.reported_event import report
from conformance.protocol.roles.relay import body_of
from conformance.specs.profiles import profile_named
from conformance.wire.dump_commands import ANNOTATE_ROWS, HEARTBEAT_V2, DumpCommand
from conformance.wire.messages import WireError

#: The UUID of every source.
UUID: Final = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#: A source sends what its logs have, whatever it is.
_READS_ALL: Final = ReaderRules(
    verify_checksums=False, beyond_format_description=True, known=frozenset(range(256)), passes_unknown=True
)
_GROUP_STARTS: Final = frozenset(map(int, (*GTID_TYPES, EventType.MARIADB_GTID)))
#: Of other events nothing but their bytes is known to a source.
_WITH_GTIDS: Final = GTID_TYPES | {EventType.PREVIOUS_GTIDS}
#: Events of a log that belong to no group.
_OF_LOGS: Final = frozenset(
    map(int, (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP))
)
#: In a MariaDB Gtid event, after the header: the number and the domain.
_MARIADB_GTID: Final = struct.Struct("<QI")


class Ending(NamedTuple):
    """How a dump ends on purpose.

    Attributes:
        events: The number of events after which it ends.
        error: The number of the error with which it ends; 0: the connection is lost.
    """

    events: int
    error: int = 0


class Failure(NamedTuple):
    """The error with which a source answers those that ask for its events.

    Attributes:
        message: Its words.
        at_once: Whether it is sent instead of events, not after the last of them.
        dumps: How many dumps end with it: those after them go on to the end, so that a client which never gives up has
            an end, too.
    """

    message: str
    at_once: bool = False
    dumps: int = 20


class Cut(NamedTuple):
    """A place in the logs after which the connection is lost, the first time that it is sent.

    Attributes:
        log_name: The log.
        log_pos: Where the event ends there, in bytes; `FIRST`: after the Rotate with which the source begins it.
        again: How many of the connections after it are lost, too, each after the Rotate with which it begins.
    """

    log_name: str
    log_pos: int
    again: int = 0


class Sent(NamedTuple):
    """One event that is sent.

    Attributes:
        data: All its bytes.
        log_name: The log in which the source then is.
        log_pos: Where it is there, in bytes.
        is_logged: Whether the log has it.
        ends_group: Whether a group of events ends with it, which a semi-synchronous client acknowledges.
    """

    data: bytes
    log_name: str
    log_pos: int
    is_logged: bool = False
    ends_group: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What a client announced before it asks for events.

    Attributes:
        checksum: What it announced for checksums; None if nothing.
        capability: Its value of mariadb_slave_capability.
        connect_state: The GTIDs of MariaDB after which it asks to begin; None if it asks by position.
        heartbeats: Whether it asks for heartbeats.
    """

    checksum: str | None = None
    capability: int = 0
    connect_state: str | None = None
    heartbeats: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source with its logs.

    Attributes:
        profile: Whose rules it follows.
        version: What it calls itself.
        logs: Its logs, oldest first.
        sizes: The bytes of each log.
        damage: What is wrong after the last event that can be sent; empty if nothing is.
        server_id: Its server id.
        gtid_mode: Its gtid_mode.
        checksum: Its binlog_checksum.
        waits: Where heartbeats are sent between events.
        endings: How its first dumps end, one after the other; those after them go on to the end.
        cuts: The places after which it loses connections.
        failure: The error with which dumps end; None if they do not.
        ends: Whether a dump ends at the end of the last log also for a client that would wait there.
        semi_sync: Whether it offers semi-synchronous replication.
        timestamp: Its time, in seconds since 1970.
    """

    profile: str
    version: str
    logs: tuple[Log, ...]
    sizes: tuple[int, ...]
    damage: str = ""
    server_id: int = 1
    gtid_mode: str = "OFF"
    checksum: str = "NONE"
    waits: tuple[Wait, ...] = ()
    endings: tuple[Ending, ...] = ()
    cuts: tuple[Cut, ...] = ()
    failure: Failure | None = None
    ends: bool = False
    semi_sync: bool = False
    timestamp: int = 1

    @property
    def is_mariadb(self) -> bool:
        """Whether it is MariaDB."""
        return profile_named(self.profile).product == "mariadb"

    def executed(self) -> GtidSet:
        """Return the GTIDs of MySQL that its logs have, those before them included."""
        gtids = ExecutedGtids()
        for event in (event for log in self.logs for event in log.events):
            if event.previous_gtids is not None:
                gtids.add_set(event.previous_gtids)
            if event.gtid:
                gtids.add(*gtid_parts(event.gtid))
        return gtids.gtids()

    def purged(self) -> GtidSet:
        """Return the GTIDs of MySQL that came before its logs."""
        return self.logs[0].previous_gtids

    def sender(self, command: DumpCommand, client: Client) -> Sender:
        """Return the sender for a client.

        Raises:
            WireError: There is no such place in its logs.
        """
        name, place = self._place(command, by_gtids=self.is_mariadb and client.connect_state is not None)
        return Sender(
            SenderSettings(
                profile=self.profile,
                logs=tuple(LogFile(log.name, size) for log, size in zip(self.logs, self.sizes, strict=True)),
                server_id=self.server_id,
                gtid_mode=self.gtid_mode,
                log_name="" if command.gtid_set is not None else name,
                log_pos=FIRST if command.gtid_set is not None else place,
                gtid_set=command.gtid_set,
                checksum=client.checksum or "NONE",
                heartbeat_v2=self.profile in WITH_HEARTBEAT_V2 and bool(command.flags & HEARTBEAT_V2),
                annotate_rows=self.is_mariadb and bool(command.flags & ANNOTATE_ROWS),
                waits=self.waits if client.heartbeats else (),
            )
        )

    def events(self, sender: Sender, client: Client) -> Iterator[Sent]:
        """Yield what is sent to a client, up to the end of the last log.

        Raises:
            WireError: The source ends the connection, after the events before.
        """
        error: WireError | None = WireError(FATAL_ERROR, self.damage) if self.damage else None
        try:
            sender.send(self.logs)
        except SenderStopped as stopped:
            error = WireError(FATAL_ERROR, str(stopped))
        ends = self._group_ends() if self.semi_sync else frozenset()
        name, place, checksummed = "", FIRST, False
        for event in self._without_known(sender.events, client):
            if event.origin is Origin.ROTATE:
                name, place = _named(event.data), FIRST
            if event.data[TYPE_AT] == EventType.FORMAT_DESCRIPTION:
                checksummed = _has_checksums(event.data)
                if checksummed and client.checksum is None:
                    raise WireError(FATAL_ERROR, f"Slave {UNAWARE} master is configured to log")
            data = event.data
            if self.is_mariadb and event.origin is Origin.LOGGED:
                data = for_replica(data, capability=client.capability, checksummed=checksummed)
            place = event.source.end if event.source is not None else place
            ends_group = event.source is not None and event.source.offset in ends
            yield Sent(data, name, place, event.origin is Origin.LOGGED, ends_group)
        if error is not None:
            raise error

    def _place(self, command: DumpCommand, *, by_gtids: bool) -> tuple[str, int]:
        """Return the log and the position that a client asks for.

        Raises:
            WireError: The logs do not have them.
        """
        first = self.logs[0].name
        if command.gtid_set is not None or by_gtids:
            return first, FIRST
        name = command.log_name or first
        size = next((size for log, size in zip(self.logs, self.sizes, strict=True) if log.name == name), None)
        if size is None:
            raise WireError(FATAL_ERROR, NO_SUCH_LOG)
        starts = {event.start for log in self.logs if log.name == name for event in log.events}
        # Where the log has no such position, the sender refuses it.
        if FIRST <= command.log_pos <= size and command.log_pos not in starts | {size, FIRST}:
            raise WireError(FATAL_ERROR, f"{NO_EVENT_THERE} {name}:{command.log_pos}")
        return name, command.log_pos

    def _group_ends(self) -> frozenset[int]:
        """Return the offsets of the events with which groups end."""
        ends = set()
        for log in self.logs:
            for event, following in zip(log.events, (*log.events[1:], None), strict=True):
                last = following is None or following.type in _GROUP_STARTS | _OF_LOGS
                if event.type not in _OF_LOGS and (last or event.type == EventType.XID):
                    ends.add(event.offset)
        return frozenset(ends)

    def _without_known(self, events: Sequence[SentEvent], client: Client) -> Iterator[SentEvent]:
        """Yield what is sent, of MariaDB's transactions those only that come after the ones that the client names."""
        known = _positions(client.connect_state or "")
        skipping = False
        for event in events:
            if event.source is not None and event.origin is Origin.LOGGED:
                if event.source.type == EventType.MARIADB_GTID:
                    number, domain = _MARIADB_GTID.unpack_from(event.data, HEADER_BYTES)
                    skipping = number <= known.get(domain, 0)
                elif event.source.type in _OF_LOGS:
                    skipping = False
                if skipping:
                    continue
            yield event


def source_of_logs(
    logs: Mapping[str, bytes], *, profile: str | None = None, holes: Mapping[str, Hole] | None = None
) -> Source:
    """Return the source that has binary logs, with what the logs show of it.

    Args:
        logs: The logs by name, oldest first, each with its magic number.
        profile: Which server it is; None: the release in the last format description.
        holes: The holes of logs by their names.

    Raises:
        BinlogError: A log is not one at all.
    """
    made: list[Log] = []
    damage, begun = "", 0
    format_description: FormatDescription | None = None
    first: Event | None = None
    known = holes or {}
    for name, data in logs.items():
        events: list[LoggedEvent] = []
        hole = known.get(name, NO_HOLE)
        try:
            for event in read_events(data, _READS_ALL):
                format_description = event.format
                first = first or event
                events.append(_logged(event, begun, hole))
        except BinlogError as error:
            if error.kind == "not-a-binlog":
                raise
            damage = damage or f"{error.message} in {name} at {error.at}"
        made.append(Log(name, tuple(events)))
        begun += len(data)
        if damage:
            break
    version = format_description.server_version if format_description else ""
    chosen = profile or profile_of(version) or "worklog"
    return Source(
        profile=chosen,
        version=version if version and profile is None else server_of(chosen).version,
        logs=tuple(made),
        sizes=tuple(len(data) + known.get(name, NO_HOLE).length for name, data in logs.items())[: len(made)],
        damage=damage,
        server_id=first.header.server_id if first else 1,
        gtid_mode=_gtid_mode(made),
        checksum="CRC32" if format_description and format_description.checksum_bytes else "NONE",
        timestamp=first.header.timestamp if first else 1,
    )


def _logged(event: Event, begun: int, hole: Hole) -> LoggedEvent:
    offset, start = begun + event.offset, hole.passed(event.offset)
    if event.header.type not in _WITH_GTIDS:
        return LoggedEvent(offset, start, event.data)
    try:
        return LoggedEvent.of_entry(report(event), start=start, offset=offset, data=event.data)
    except (MalformedBody, ValueError, KeyError):
        # What cannot be read is sent like anything else.
        return LoggedEvent(offset, start, event.data)


def _gtid_mode(logs: Sequence[Log]) -> str:
    """Return a gtid_mode with which the logs can be sent."""
    types = {event.type for log in logs for event in log.events} & GTID_TYPES
    if not types:
        return "OFF"
    if EventType.ANONYMOUS_GTID not in types:
        return "ON"
    return "OFF" if types == {EventType.ANONYMOUS_GTID} else "ON_PERMISSIVE"


def _positions(connect_state: str) -> dict[int, int]:
    """Return the last number in each domain of a list of MariaDB's GTIDs.

    Raises:
        WireError: It is not such a list.
    """
    try:
        parts = [each.strip().split("-") for each in connect_state.split(",") if each.strip()]
        return {int(domain): int(number) for domain, _, number in parts}
    except ValueError as error:
        raise WireError(FATAL_ERROR, f"Error parsing slave_connect_state {connect_state!r}") from error


def _named(rotate: bytes) -> str:
    """Return the log that a Rotate of the sender names, which may end with a checksum or not."""
    return body_of(rotate)[8:].decode("utf-8", "replace")


def _has_checksums(description: bytes) -> bool:
    try:
        return bool(FormatDescription.from_event(description).checksum_bytes)
    except MalformedBody:
        return False
