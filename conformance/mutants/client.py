"""The mutants of the role `client`: the reference client with one fault each."""

import re
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import HEARTBEAT_TYPES, KNOWN_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER_BYTES, TYPE_AT, Header
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.client import Client, answer_with
from conformance.wire.client import Connection, ConnectionLost
from conformance.wire.dump_commands import DumpCommand
from conformance.wire.messages import EOF, WireError
from conformance.wire.packets import HEAD_BYTES, PACKET_LIMIT, packet_head

_DEFINITIONS: Final = ("CREATE ", "ALTER ", "DROP ", "BEGIN", "XA ")
#: What is negative with a sign.
_SIGN: Final = 1 << 31
#: The hyphens of a UUID.
_OF_UUID: Final = 4


def _signed_62(number: int) -> int:
    """Return a number of 63 bits whose highest bit is taken for a sign."""
    return number - (1 << 63) if number >> 62 else number


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


class _MovedByZero(Client):
    """Takes the log_pos 0 of an event within a transaction of MariaDB for a position."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        super().move(header, entry)
        if self.delivers(header) and header.type != EventType.ROTATE:
            self.place = self.place[0], header.log_pos


class _EndsAtDefinitions(Client):
    """Knows the statements that are a transaction alone by their first word: those that define something."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        words = entry.get("query", "").upper()
        is_alone = header.type == EventType.QUERY and not self.in_transaction
        if not is_alone or words.startswith(_DEFINITIONS):
            super().track(header, entry)


class _XaEndsNothing(Client):
    """Takes every statement of an XA transaction for one within it, also that which finishes a prepared one."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if not entry.get("query", "").startswith(("XA COMMIT", "XA ROLLBACK")):
            super().track(header, entry)


class _EndsAtLoad(Client):
    """Takes the statement of LOAD DATA for the end of a transaction."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        super().track(header, entry)
        if header.type == EventType.EXECUTE_LOAD_QUERY:
            self.complete()


class _EndsAtFirstEvent(Client):
    """Takes a transaction without BEGIN for one event, also where a variable comes before the statement."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        super().track(header, entry)
        if header.type == EventType.USER_VAR and not self.in_transaction:
            self.complete()


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
        if header.type == EventType.ROTATE or header.log_pos < _SIGN:
            super().move(header, entry)


class _ReportsPositionWithoutSign(Client):
    """Reports 31 bits of a position."""

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        entry = super().report(header, data)
        return {**entry, "log_pos": entry["log_pos"] % _SIGN}


class _AsksWithoutSign(Client):
    """Asks for 31 bits of the position."""

    def command(self) -> DumpCommand:
        command = super().command()
        return replace(command, log_pos=command.log_pos % _SIGN)


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


class _UncountedIgnorable(Client):
    """Does not move at ignorable events of types that it does not know."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type in KNOWN_TYPES:
            super().move(header, entry)


class _StopsAtUnknown(Client):
    """Stops at an ignorable event of a type that it does not know."""

    def receive(self, data: bytes) -> None:
        if data[4] not in KNOWN_TYPES:
            raise WireError(0, f"unknown event type {data[4]}")
        super().receive(data)


class _StopsAtSecondUnknown(Client):
    """Stops at an unknown ignorable event right after another one."""

    _after_unknown = False

    def receive(self, data: bytes) -> None:
        is_unknown = data[TYPE_AT] not in KNOWN_TYPES
        if is_unknown and self._after_unknown:
            raise WireError(0, f"unknown event type {data[TYPE_AT]}")
        self._after_unknown = is_unknown
        super().receive(data)


class _StopsAtLargeUnknown(Client):
    """Stops at an ignorable event of a type that it does not know if its length needs more than two bytes."""

    def receive(self, data: bytes) -> None:
        if data[TYPE_AT] not in KNOWN_TYPES and len(data) >= 1 << 16:
            raise WireError(0, f"unknown event type {data[TYPE_AT]}")
        super().receive(data)


class _StopsAtText(Client):
    """Stops at a statement's text before its rows."""

    def receive(self, data: bytes) -> None:
        if data[TYPE_AT] == EventType.ROWS_QUERY:
            raise WireError(0, "a statement within rows")
        super().receive(data)


class _CountsAtText(Client):
    """Counts a transaction as received at the text of a statement in it."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        super().track(header, entry)
        if header.type == EventType.ROWS_QUERY:
            self.complete()


class _StatementIsText(Client):
    """Takes a statement that comes after rows, in a transaction with the text of one, for what that text has shown."""

    _has_text = False

    def receive(self, data: bytes) -> None:
        if data[TYPE_AT] in (EventType.ROWS_QUERY, EventType.XID):
            self._has_text = data[TYPE_AT] == EventType.ROWS_QUERY
        super().receive(data)

    def delivers(self, header: Header) -> bool:
        return not (self._has_text and header.type == EventType.QUERY) and super().delivers(header)


class _PassesOverFlagged(Client):
    """Passes over every event with the ignorable flag, those of the types that it knows too."""

    def delivers(self, header: Header) -> bool:
        return not header.flags & Flag.IGNORABLE and super().delivers(header)


class _FlaggedEndsNothing(Client):
    """Delivers an event with the ignorable flag, and does not take it for the end of a transaction."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if not header.flags & Flag.IGNORABLE:
            super().track(header, entry)


class _HidesServerZero(Client):
    """Takes events with the server id 0 for those that a source makes."""

    def delivers(self, header: Header) -> bool:
        return header.server_id != 0 and super().delivers(header)


class _ForgetsFirstGtids(Client):
    """Has only the GTIDs that it has received itself."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self._began_with = self.has.gtids() if self.has is not None else None

    def state(self) -> dict[str, Any]:
        if self.has is None or self._began_with is None:
            return super().state()
        return {"executed_gtids": str(self.has.missing_in(self._began_with))}


class _LosesTags(Client):
    """Counts a transaction with a tag as the one without."""

    def complete(self) -> None:
        uuid, _, rest = self.pending.partition(":")
        if ":" in rest:
            self.pending = f"{uuid}:{rest.rpartition(':')[2]}"
        super().complete()


class _NegativeTagged(Client):
    """Reads the number of a GTID with a tag as if its highest bit were a sign, as go-mysql 1.15.0 does."""

    def state(self) -> dict[str, Any]:
        state = super().state()
        if "executed_gtids" in state:
            state["executed_gtids"] = re.sub(r":[a-z_]\w*(?::[\d-]+)+", self._of_tag, state["executed_gtids"])
        return state

    @staticmethod
    def _of_tag(intervals: re.Match[str]) -> str:
        return re.sub(r"\d{19}", lambda number: str(_signed_62(int(number[0]))), intervals[0])


class _LacksEnd(Client):
    """Does not know one of the other ends of a transaction."""

    _of_type: int | None = None
    _of_text: str | None = None

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type != self._of_type and entry.get("query", "") != self._of_text:
            super().track(header, entry)


class _NoRollback(_LacksEnd):
    _of_text = "ROLLBACK"


class _NoPrepare(_LacksEnd):
    _of_type = int(EventType.XA_PREPARE)


class _NoPayload(_LacksEnd):
    _of_type = int(EventType.TRANSACTION_PAYLOAD)


class _EndsAtSavepoint(Client):
    """Takes the return to a savepoint for the end of a transaction, so that it loses the rest with the connection."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if entry.get("query", "").startswith("ROLLBACK TO "):
            self.complete()
        else:
            super().track(header, entry)


class _EndsAtXaEnd(Client):
    """Takes XA END for the end of a transaction, so that it loses XA PREPARE with the connection."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if entry.get("query", "").startswith("XA END"):
            self.complete()
        else:
            super().track(header, entry)


class _LosesSingleNumbers(Client):
    """Asks without the intervals of its GTIDs that have a single number."""

    def command(self) -> DumpCommand:
        command = super().command()
        if command.gtid_set is None:
            return command
        parts = str(command.gtid_set).split(",")
        kept = (each for part in parts if (each := re.sub(r":\d+(?![\d-])", "", part)).count("-") > _OF_UUID)
        return replace(command, gtid_set=GtidSet.from_text(",".join(kept)))


class _CountsAtGtid(Client):
    """Counts a transaction as received at its Gtid event, so that it loses the rest with the connection."""

    def begin(self, entry: dict[str, Any]) -> None:
        super().begin(entry)
        self.complete()


class _FromTheBeginning(Client):
    """Connects again with what it had at first, as the public library mysql-replication does by GTIDs."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self._first = super().command()

    def command(self) -> Any:
        return self._first

    def lose(self) -> None:
        """Forget nothing."""


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


class _SignedTimes(Client):
    """Takes the time of an event for a number with a sign."""

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        entry = super().report(header, data)
        time = entry["timestamp"]
        return {**entry, "timestamp": time - (1 << 32) if time >= 1 << 31 else time}


class _WithoutTableMaps(Client):
    """Does not deliver Table_map events."""

    def delivers(self, header: Header) -> bool:
        return header.type != EventType.TABLE_MAP and super().delivers(header)


class _ForgetsTables(Client):
    """Forgets its tables where it connects, and passes over rows of a table that it does not know."""

    def connect(self) -> Connection:
        self._has_table = False
        return super().connect()

    def delivers(self, header: Header) -> bool:
        self._has_table |= header.type == EventType.TABLE_MAP
        return super().delivers(header) and (self._has_table or header.type not in ROWS_TYPES)


def _mutant(name: str, requirement: str, text: str, client: type[Client], *, also: tuple[str, ...] = ()) -> Mutant:
    def answer(request: Request) -> Observation:
        return answer_with(client, request)

    return Mutant(name, requirement, text, answer=answer, also=also)


_POSITION: Final = "FORMAT-CLIENT-POSITION"
_RESUMED: Final = "FORMAT-CLIENT-RESUMED"
_ERROR: Final = "FORMAT-CLIENT-ERROR"
_PACKETS: Final = "FORMAT-CLIENT-PACKETS"
MUTANTS: Final = (
    _mutant(
        "client-moved-by-format",
        _POSITION,
        "takes the position of a format description from its header, also where that is 0",
        _MovedByFormat,
    ),
    _mutant(
        "client-first-log",
        _POSITION,
        "does not take the log from artificial Rotate events",
        _KeepsFirstLog,
        also=("FORMAT-CLIENT-RESUMED",),
    ),
    _mutant("client-position-kept", _RESUMED, "does not take the position from a Rotate event", _KeepsPositionAtRotate),
    _mutant(
        "client-position-kept-at-beginning",
        _RESUMED,
        "takes the name of the next log from an artificial Rotate event, and not the position",
        _KeepsPositionAtBeginning,
    ),
    _mutant(
        "client-moved-by-zero",
        _RESUMED,
        "takes the position of an event within a transaction of MariaDB from its header, also where that is 0",
        _MovedByZero,
    ),
    _mutant(
        "client-ends-at-definitions",
        "FORMAT-CLIENT-GTIDS",
        "counts a statement without BEGIN only if it is CREATE, ALTER or DROP",
        _EndsAtDefinitions,
    ),
    _mutant(
        "client-xa-ends-nothing",
        "FORMAT-CLIENT-GTIDS",
        "never counts the XA COMMIT or XA ROLLBACK of a transaction that was prepared before",
        _XaEndsNothing,
    ),
    _mutant(
        "client-ends-at-variable",
        _RESUMED,
        "counts a transaction without BEGIN at the variable before its statement",
        _EndsAtFirstEvent,
    ),
    _mutant(
        "client-ends-at-load",
        _RESUMED,
        "counts a transaction with LOAD DATA at its statement",
        _EndsAtLoad,
    ),
    _mutant("client-names-cut", _POSITION, "takes four bytes too many off the name in a Rotate event", _CutsNames),
    _mutant("client-names-in-lower-case", _POSITION, "turns the names of logs into lower case", _LowerCaseNames),
    _mutant("client-names-to-space", _POSITION, "takes the name of a log up to its first space", _NamesToSpace),
    _mutant(
        "client-counts-characters",
        "FORMAT-CLIENT-BEGIN",
        "sends as many bytes of a log's name as that has characters",
        _CountsCharacters,
    ),
    _mutant("client-payload-position", _POSITION, "does not move at a transaction in a payload", _StaysAtPayload),
    _mutant(
        "client-position-signed",
        _POSITION,
        "does not move to positions from 2^31 on, which it reads as less than 0",
        _SignedPosition,
    ),
    _mutant(
        "client-log-pos-31-bits",
        "FORMAT-CLIENT-EVENT",
        "reports 31 bits of the position in a header",
        _ReportsPositionWithoutSign,
    ),
    _mutant("client-asks-31-bits", "FORMAT-CLIENT-BEGIN", "asks for 31 bits of the position", _AsksWithoutSign),
    _mutant(
        "client-before-event",
        _POSITION,
        "would resume before the event that it has delivered",
        _BeforeTheEvent,
        also=("FORMAT-CLIENT-RESUMED",),
    ),
    _mutant(
        "client-ignorable-uncounted",
        "WL4033-CLIENT-IGNORABLE",
        "does not count ignorable events of unknown types in its position",
        _UncountedIgnorable,
    ),
    _mutant(
        "client-stops-at-second-ignorable",
        "WL4033-CLIENT-IGNORABLE",
        "stops at an ignorable event of an unknown type right after another one",
        _StopsAtSecondUnknown,
    ),
    _mutant(
        "client-stops-at-large-ignorable",
        "WL4033-CLIENT-IGNORABLE",
        "stops at an ignorable event of an unknown type of 64 KiB or more",
        _StopsAtLargeUnknown,
    ),
    _mutant(
        "client-stops-at-ignorable",
        "WL4033-CLIENT-IGNORABLE",
        "stops at an ignorable event of an unknown type",
        _StopsAtUnknown,
    ),
    _mutant(
        "client-stops-at-text", "FORMAT-CLIENT-EVENT", "stops at the text of a statement before its rows", _StopsAtText
    ),
    _mutant(
        "client-counts-at-text",
        _RESUMED,
        "counts a transaction as received at the text of a statement in it",
        _CountsAtText,
    ),
    _mutant(
        "client-statement-taken-for-text",
        "FORMAT-CLIENT-EVENT",
        "does not deliver a statement after rows in a transaction with the text of one",
        _StatementIsText,
    ),
    _mutant(
        "client-flagged-passed-over",
        "WL4033-CLIENT-KNOWN-FLAGGED",
        "passes over events with the ignorable flag of types that it knows",
        _PassesOverFlagged,
        also=("FORMAT-CLIENT-GTIDS",),
    ),
    _mutant(
        "client-flagged-ends-nothing",
        "FORMAT-CLIENT-GTIDS",
        "does not take an event with the ignorable flag for the end of a transaction",
        _FlaggedEndsNothing,
    ),
    _mutant(
        "client-server-0-hidden",
        "FORMAT-CLIENT-EVENT",
        "does not deliver events with the server id 0",
        _HidesServerZero,
    ),
    _mutant(
        "client-first-gtids-lost", "FORMAT-CLIENT-GTIDS", "forgets the GTIDs that it began with", _ForgetsFirstGtids
    ),
    _mutant(
        "client-tagged-negative",
        "FORMAT-CLIENT-GTIDS",
        "takes the number of a GTID with a tag, from 2^62 on, for a negative one",
        _NegativeTagged,
    ),
    _mutant("client-tags-lost", "FORMAT-CLIENT-GTIDS", "counts a GTID without its tag", _LosesTags),
    _mutant(
        "client-rollback-uncounted", "FORMAT-CLIENT-GTIDS", "does not count a transaction with ROLLBACK", _NoRollback
    ),
    _mutant("client-prepared-uncounted", "FORMAT-CLIENT-GTIDS", "does not count a prepared transaction", _NoPrepare),
    _mutant("client-payload-uncounted", "FORMAT-CLIENT-GTIDS", "does not count a transaction in a payload", _NoPayload),
    _mutant("client-ends-at-savepoint", _RESUMED, "takes ROLLBACK TO for the end of a transaction", _EndsAtSavepoint),
    _mutant("client-ends-at-xa-end", _RESUMED, "takes XA END for the end of a transaction", _EndsAtXaEnd),
    _mutant(
        "client-single-numbers-lost",
        "FORMAT-CLIENT-BEGIN",
        "asks without the intervals of its GTIDs that have a single number",
        _LosesSingleNumbers,
    ),
    _mutant("client-counts-early", _RESUMED, "counts a transaction as received at its Gtid event", _CountsAtGtid),
    _mutant(
        "client-begins-again", _RESUMED, "connects again with the position that it had at first", _FromTheBeginning
    ),
    _mutant(
        "client-tables-forgotten",
        _RESUMED,
        "forgets its tables where it loses the connection, and passes over the rows that follow",
        _ForgetsTables,
    ),
    _mutant("client-gives-up", _RESUMED, "does not connect again", _GivesUp),
    _mutant("client-first-packet", _PACKETS, "takes the first packet of an event for all of it", _EventIsFirstPacket),
    _mutant(
        "client-empty-packet-ends",
        _PACKETS,
        "takes the empty packet after a full one for the end of what the source sends",
        _EmptyPacketIsEnd,
    ),
    _mutant("client-error-is-end", _ERROR, "takes an error of the source for the end of its logs", _ErrorIsEnd),
    _mutant(
        "client-error-is-loss",
        _ERROR,
        "takes an error of the source for a lost connection, and connects again for ever",
        _ErrorIsLoss,
    ),
    _mutant("client-error-number-lost", _ERROR, "reports an error of the source as a lost connection", _ErrorAsLoss),
    _mutant("client-at-end", _RESUMED, "connects again at the end of the last log", _AtTheEnd),
    _mutant(
        "client-unannounced",
        "FORMAT-CLIENT-CHECKSUM",
        "does not announce that it takes checksums",
        _NeverAnnounces,
    ),
    _mutant(
        "client-first-checksums",
        "FORMAT-CLIENT-CHECKSUM",
        "takes the checksums of the first log for those of all",
        _FirstChecksums,
    ),
    _mutant("client-heartbeats", "FORMAT-CLIENT-HEARTBEAT", "delivers heartbeats", _DeliversHeartbeats),
    _mutant(
        "client-needs-period", "FORMAT-CLIENT-BEGIN", "stops where no heartbeats are to be asked for", _NeedsPeriod
    ),
    _mutant(
        "client-times-signed",
        "FORMAT-CLIENT-EVENT",
        "takes the time of an event for a number with a sign",
        _SignedTimes,
    ),
    _mutant("client-table-maps-lost", "FORMAT-CLIENT-EVENT", "does not deliver Table_map events", _WithoutTableMaps),
)
