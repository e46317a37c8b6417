"""The reference in the role `client`: it replicates from the source, and connects again where that is lost."""

from collections.abc import Callable
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, KNOWN_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report
from conformance.wire.client import Connection, ConnectionLost
from conformance.wire.dump_commands import NOT_BLOCKING, DumpCommand
from conformance.wire.messages import WireError
from conformance.wire.shared_listener import begin, end

#: Connections without an event between them after which it gives up.
_TRIES: Final = 3
_REPLICA_ID: Final = 4242
_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: Events about the connection or the log, which a client needs for itself.
_OWN: Final = HEARTBEAT_TYPES | {EventType.FORMAT_DESCRIPTION}
#: The events with which a transaction ends, and the statements.
_ENDS: Final = frozenset({EventType.XID, EventType.XA_PREPARE, EventType.TRANSACTION_PAYLOAD})
_END_WORDS: Final = ("COMMIT", "ROLLBACK")


class Client:
    """A client that delivers the events of a source.

    Args:
        settings: Those of the question.

    Attributes:
        entries: What it has delivered.
        place: The log and the position at which it is.
        has: The GTIDs that it has; None if it begins at a position.
    """

    #: What its connections are.
    connection: type[Connection] = Connection

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.entries: list[dict[str, Any]] = []
        self.place: tuple[str, int] = settings["log_name"], settings["log_pos"]
        gtids = settings["gtid_set"]
        self.has = None if gtids is None else ExecutedGtids(GtidSet.from_text(gtids))
        self.format: FormatDescription | None = None
        #: The GTID of the transaction that is being received, and whether it has begun to have statements.
        self.pending = ""
        self.in_transaction = False
        #: How many entries there were before that transaction.
        self.before = 0

    def run(self) -> None:
        """Receive everything.

        Raises:
            WireError: The source ends with an error.
            ConnectionLost: It cannot be reached any more.
        """
        tries = 0
        while True:
            received = 0
            try:
                with self.connect() as connection:
                    for data in connection.dump(self.command()):
                        received += 1
                        self.receive(data)
                break
            except ConnectionLost:
                tries = 0 if received else tries + 1
                if tries == _TRIES:
                    raise
                self.lose()
        self.entries.append({"type": None, "log_pos": 0, **self.state()})

    def connect(self) -> Connection:
        """Return a connection on which everything is announced."""
        settings = self.settings
        self.format = None
        connection = self.connection(
            settings["host"], settings["port"], user=settings["user"], password=settings["password"]
        )
        for statement in self.announcements():
            connection.query(statement)
        return connection

    def announcements(self) -> list[str]:
        """Return the statements before a dump."""
        made = ["SET @master_binlog_checksum = 'CRC32', @source_binlog_checksum = 'CRC32'"]
        seconds = self.settings["heartbeat_seconds"]
        if seconds is not None:
            period = seconds * 1_000_000_000
            made.append(f"SET @master_heartbeat_period = {period}, @source_heartbeat_period = {period}")
        return [*made, "SET @mariadb_slave_capability = 4"]

    def command(self) -> DumpCommand:
        """Return what it asks for: what it lacks."""
        name, position = ("", 4) if self.has is not None else self.place
        return DumpCommand(name, position, NOT_BLOCKING, _REPLICA_ID, None if self.has is None else self.has.gtids())

    def lose(self) -> None:
        """Forget the transaction that was interrupted, where the source sends it again from its beginning."""
        if self.has is not None and self.pending:
            del self.entries[self.before :]
            self.pending, self.in_transaction = "", False

    def receive(self, data: bytes) -> None:
        """Receive an event."""
        header = Header(*HEADER.unpack(data[:HEADER_BYTES]))
        if header.type == EventType.FORMAT_DESCRIPTION:
            self.format = FormatDescription.from_event(data)
        entry = self.report(header, data)
        self.move(header, entry)
        if self.delivers(header):
            if header.type in GTID_TYPES:
                self.begin(entry)
            self.track(header, entry)
            shown = {"query": entry["query"]} if header.type == EventType.QUERY else {}
            names = ("type", "log_pos", "timestamp", "server_id", "flags")
            self.entries.append({**{name: entry[name] for name in names}, **shown, **self.state()})

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        """Return an event in the words of the protocol."""
        governing = self.format
        if governing is None:
            # The first Rotate of a connection, which has a checksum where the client has announced that it takes one.
            governing = FormatDescription(4, "", 0, HEADER_BYTES, bytes([0, 13, 0, 8]), int(self.announces_checksums()))
        return report(Event(0, header, data, governing, header.type in KNOWN_TYPES))

    def announces_checksums(self) -> bool:
        """Return whether it announces that it takes checksums."""
        return True

    def delivers(self, header: Header) -> bool:
        """Return whether an event is handed on: one of a log."""
        return header.type not in _OWN and not header.flags & _ARTIFICIAL

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        """Move the place to after an event; artificial events have none, and a Rotate names another."""
        if header.type == EventType.ROTATE:
            self.place = entry["next_file"], entry["next_position"]
        elif header.log_pos:
            self.place = self.place[0], header.log_pos

    def begin(self, entry: dict[str, Any]) -> None:
        """Begin a transaction."""
        self.pending = "" if entry["type"] == EventType.ANONYMOUS_GTID else entry["gtid"]
        self.in_transaction = False
        self.before = len(self.entries)

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        """Count a transaction as received where it ends."""
        words = entry.get("query", "").upper() if header.type == EventType.QUERY else ""
        if words == "BEGIN" or words.startswith("XA START "):
            self.in_transaction = True
            return
        is_alone = header.type in (EventType.QUERY, EventType.EXECUTE_LOAD_QUERY) and not self.in_transaction
        if header.type in _ENDS or words in _END_WORDS or is_alone:
            self.complete()

    def complete(self) -> None:
        """Count the transaction as received."""
        if self.has is not None and self.pending:
            self.has.add(*gtid_parts(self.pending))
        self.pending, self.in_transaction = "", False

    def state(self) -> dict[str, Any]:
        """Return where it would resume."""
        if self.has is not None:
            return {"executed_gtids": str(self.has.gtids())}
        return {"resume_log": self.place[0], "resume_pos": self.place[1]}


def answer(request: Request) -> Observation:
    """Return what the client delivers of a source that has the logs of the request."""
    return answer_with(Client, request)


def answer_with(client: Callable[[dict[str, Any]], Client], request: Request) -> Observation:
    """Return what a client delivers; where it stops, the error has the source's number.

    Args:
        client: Makes the client from the settings of the question.
        request: The question.
    """
    refusal = None
    question, port = begin(request)
    try:
        made = client(dict(question.settings))
        made.run()
    except WireError as error:
        refusal = Refusal(None, "other", str(error), code=error.number)
    except (ConnectionLost, MalformedBody) as error:
        refusal = Refusal(None, "other", str(error))
    finally:
        deliveries = end(port)
    return Observation(tuple(made.entries), refusal, deliveries=deliveries)
