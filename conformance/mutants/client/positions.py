"""Mutants of the role `client` about where a client begins and is: names of logs and positions in them."""

from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import Header
from conformance.mutants.client.faulty_client import RESUMED, SIGN, mutant
from conformance.reference.client import Client
from conformance.wire.dump_commands import DumpCommand


class _MovedByFormat(Client):
    """Takes the log_pos 0 of a format description for a position."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        super().move(header, entry)
        if header.type == EventType.FORMAT_DESCRIPTION:
            self.place = self.place[0], header.log_pos or 4


class _KeepsFirstLog(Client):
    """Takes the name of the log from the Rotate events of logs alone, so that it misses the log after a crash."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type != EventType.ROTATE or header.log_pos:
            super().move(header, entry)


class _KeepsPositionAtRotate(Client):
    """Takes the name of the next log from a Rotate event, and not the position."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        before = self.place[1]
        super().move(header, entry)
        if header.type == EventType.ROTATE:
            self.place = self.place[0], before


class _KeepsPositionAtBeginning(Client):
    """Takes the name of the next log from the Rotate that the source makes, and the position from the log's events."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        before = self.place
        super().move(header, entry)
        if header.type == EventType.ROTATE and not header.log_pos:
            self.place = self.place[0], before[1]


class _CutsNames(Client):
    """Takes a checksum off the Rotate events that a source makes without one, as mysql-replication 1.0.17 does."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        super().move(header, entry)
        if header.type == EventType.ROTATE and not header.log_pos:
            self.place = self.place[0][:-4], self.place[1]


class _LowerCaseNames(Client):
    """Turns the names of logs into lower case."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        super().move(header, entry)
        self.place = self.place[0].lower(), self.place[1]


class _NamesToSpace(Client):
    """Takes the name of a log up to its first space."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        super().move(header, entry)
        self.place = self.place[0].split(" ")[0], self.place[1]


class _CountsCharacters(Client):
    """Sends as many bytes of a log's name as that has characters, as mysql-replication 1.0.17 does."""

    def command(self) -> DumpCommand:
        command = super().command()
        name = command.log_name
        return replace(command, log_name=name.encode()[: len(name)].decode(errors="replace"))


class _SignedPosition(Client):
    """Takes the highest bit of a position for a sign, and does not move to what is then less than 0."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type == EventType.ROTATE or header.log_pos < SIGN:
            super().move(header, entry)


class _AsksWithoutSign(Client):
    """Asks for 31 bits of the position."""

    def command(self) -> DumpCommand:
        command = super().command()
        return replace(command, log_pos=command.log_pos % SIGN)


class _BeforeTheEvent(Client):
    """Would resume before the last event, which it has delivered."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type == EventType.ROTATE or not header.log_pos:
            super().move(header, entry)
        else:
            self.place = self.place[0], header.log_pos - header.length


class _StaysAtPayload(Client):
    """Does not move at the events that hold a whole transaction."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type != EventType.TRANSACTION_PAYLOAD:
            super().move(header, entry)


_POSITION: Final = "FORMAT-CLIENT-POSITION"
MUTANTS: Final = (
    mutant(
        "client-moved-by-format",
        _POSITION,
        "takes the position of a format description from its header, also where that is 0",
        _MovedByFormat,
    ),
    mutant(
        "client-first-log",
        _POSITION,
        "does not take the log from artificial Rotate events",
        _KeepsFirstLog,
        also=("FORMAT-CLIENT-RESUMED",),
    ),
    mutant("client-position-kept", RESUMED, "does not take the position from a Rotate event", _KeepsPositionAtRotate),
    mutant(
        "client-position-kept-at-beginning",
        RESUMED,
        "takes the name of the next log from an artificial Rotate event, and not the position",
        _KeepsPositionAtBeginning,
    ),
    mutant("client-names-cut", _POSITION, "takes four bytes too many off the name in a Rotate event", _CutsNames),
    mutant("client-names-in-lower-case", _POSITION, "turns the names of logs into lower case", _LowerCaseNames),
    mutant("client-names-to-space", _POSITION, "takes the name of a log up to its first space", _NamesToSpace),
    mutant(
        "client-counts-characters",
        "FORMAT-CLIENT-BEGIN",
        "sends as many bytes of a log's name as that has characters",
        _CountsCharacters,
    ),
    mutant("client-payload-position", _POSITION, "does not move at a transaction in a payload", _StaysAtPayload),
    mutant(
        "client-position-signed",
        _POSITION,
        "does not move to positions from 2^31 on, which it reads as less than 0",
        _SignedPosition,
    ),
    mutant("client-asks-31-bits", "FORMAT-CLIENT-BEGIN", "asks for 31 bits of the position", _AsksWithoutSign),
    mutant(
        "client-before-event",
        _POSITION,
        "would resume before the event that it has delivered",
        _BeforeTheEvent,
        also=("FORMAT-CLIENT-RESUMED",),
    ),
)
