"""Mutants of the role `client` about connections: what is announced, lost, or ends with an error."""

from dataclasses import replace
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import HEARTBEAT_TYPES, ROWS_TYPES, EventType
from conformance.binlog.header import HEADER_BYTES, Header
from conformance.mutants.client.faulty_client import RESUMED, mutant
from conformance.reference.client import Client
from conformance.wire.client import Connection, ConnectionLost
from conformance.wire.dump_commands import DumpCommand
from conformance.wire.messages import EOF, WireError
from conformance.wire.packets import HEAD_BYTES, PACKET_LIMIT, packet_head


class _FromTheBeginning(Client):
    """Connects again with what it had at first, as the public library mysql-replication does by GTIDs."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self._first = super().command()

    def command(self) -> Any:
        return self._first

    def lose(self) -> None:
        """Forget nothing."""


class _BeginsAgainAfterTwo(Client):
    """Asks for what it had at first where it loses a second connection and has had no event on it."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self._first = super().command()
        self._begins_again, self._count = False, -1

    def command(self) -> DumpCommand:
        return self._first if self._begins_again else super().command()

    def lose(self) -> None:
        self._begins_again = len(self.entries) == self._count
        super().lose()
        self._count = len(self.entries)


class _GivesUp(Client):
    """Does not connect again."""

    def lose(self) -> None:
        raise ConnectionLost("the source has gone")


class _ErrorIsEnd(Client):
    """Takes an error of the source for the end of its logs."""

    def run(self) -> None:
        try:
            super().run()
        except WireError:
            self.entries.append({"type": None, "log_pos": 0, **self.state()})


class _ErrorIsLoss(Client):
    """Takes an error of the source for a lost connection, and connects again as often as it gets one."""

    def run(self) -> None:
        while True:
            try:
                return super().run()
            except WireError:
                self.lose()


class _ErrorAsLoss(Client):
    """Reports an error of the source as a lost connection."""

    def run(self) -> None:
        try:
            super().run()
        except WireError as error:
            raise ConnectionLost(str(error)) from error


class _FirstPackets(Connection):
    """A connection on which each packet is a payload."""

    def receive(self) -> bytes:
        size, number = packet_head(self._read(HEAD_BYTES))
        self._number = (number + 1) & 0xFF
        if not size:
            raise ConnectionLost("an empty packet")
        return self._checked(self._read(size))


class _EndsAtEmpty(Connection):
    """A connection on which an empty packet is the end."""

    _has_ended = False

    def receive(self) -> bytes:
        if self._has_ended:
            return EOF
        payload = super().receive()
        self._has_ended = len(payload) % PACKET_LIMIT == 0
        return payload


class _EventIsFirstPacket(Client):
    """Takes the first packet of an event for all of it."""

    connection = _FirstPackets

    def receive(self, data: bytes) -> None:
        if len(data) < HEADER_BYTES:
            raise MalformedBody("an event has a header")
        super().receive(data)


class _EmptyPacketIsEnd(Client):
    """Takes the empty packet after a full one for the end of what the source sends."""

    connection = _EndsAtEmpty


class _AtTheEnd(Client):
    """Skips to the end of the source's last log when it connects again."""

    _again = False

    def lose(self) -> None:
        super().lose()
        self._again = True

    def connect(self) -> Any:
        connection = super().connect()
        if self._again and self.has is None:
            name, size, *_ = connection.query("SHOW BINARY LOGS")[-1]
            self.place = str(name), int(str(size))
        return connection


class _NeverAnnounces(Client):
    """Does not announce that it takes checksums."""

    def announcements(self) -> list[str]:
        return [each for each in super().announcements() if "checksum" not in each]

    def announces_checksums(self) -> bool:
        return False


class _FirstChecksums(Client):
    """Reads the statements of all logs with or without checksums as the first format description announces them."""

    _first: int | None = None

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        described = self.format
        if header.type != EventType.QUERY or described is None:
            return super().report(header, data)
        self._first = described.checksum_algorithm if self._first is None else self._first
        self.format = replace(described, checksum_algorithm=self._first)
        try:
            return super().report(header, data)
        finally:
            self.format = described


class _DeliversHeartbeats(Client):
    """Delivers heartbeats like any other event."""

    def delivers(self, header: Header) -> bool:
        return header.type in HEARTBEAT_TYPES or super().delivers(header)


class _NeedsPeriod(Client):
    """Cannot be without heartbeats."""

    def announcements(self) -> list[str]:
        if self.settings["heartbeat_seconds"] is None:
            raise WireError(0, "the period of heartbeats has to be a number")
        return super().announcements()


class _ForgetsTables(Client):
    """Forgets its tables where it connects, and passes over rows of a table that it does not know."""

    def connect(self) -> Connection:
        self._has_table = False
        return super().connect()

    def delivers(self, header: Header) -> bool:
        self._has_table |= header.type == EventType.TABLE_MAP
        return super().delivers(header) and (self._has_table or header.type not in ROWS_TYPES)


_ERROR: Final = "FORMAT-CLIENT-ERROR"
_PACKETS: Final = "FORMAT-CLIENT-PACKETS"
MUTANTS: Final = (
    mutant("client-begins-again", RESUMED, "connects again with the position that it had at first", _FromTheBeginning),
    mutant(
        "client-tables-forgotten",
        RESUMED,
        "forgets its tables where it loses the connection, and passes over the rows that follow",
        _ForgetsTables,
    ),
    mutant(
        "client-begins-again-after-two",
        RESUMED,
        "asks for what it had at first where a second connection is lost before an event",
        _BeginsAgainAfterTwo,
    ),
    mutant("client-gives-up", RESUMED, "does not connect again", _GivesUp),
    mutant("client-first-packet", _PACKETS, "takes the first packet of an event for all of it", _EventIsFirstPacket),
    mutant(
        "client-empty-packet-ends",
        _PACKETS,
        "takes the empty packet after a full one for the end of what the source sends",
        _EmptyPacketIsEnd,
    ),
    mutant("client-error-is-end", _ERROR, "takes an error of the source for the end of its logs", _ErrorIsEnd),
    mutant(
        "client-error-is-loss",
        _ERROR,
        "takes an error of the source for a lost connection, and connects again for ever",
        _ErrorIsLoss,
    ),
    mutant("client-error-number-lost", _ERROR, "reports an error of the source as a lost connection", _ErrorAsLoss),
    mutant("client-at-end", RESUMED, "connects again at the end of the last log", _AtTheEnd),
    mutant(
        "client-unannounced",
        "FORMAT-CLIENT-CHECKSUM",
        "does not announce that it takes checksums",
        _NeverAnnounces,
    ),
    mutant(
        "client-first-checksums",
        "FORMAT-CLIENT-CHECKSUM",
        "takes the checksums of the first log for those of all",
        _FirstChecksums,
    ),
    mutant("client-heartbeats", "FORMAT-CLIENT-HEARTBEAT", "delivers heartbeats", _DeliversHeartbeats),
    mutant("client-needs-period", "FORMAT-CLIENT-BEGIN", "stops where no heartbeats are to be asked for", _NeedsPeriod),
)
