"""The roles of an unpacked server: each has servers of its own, with the options that its questions need."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import ClassVar, Final, Protocol

import pymysql

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, LOG_POS_AT, MAGIC, TYPE_AT
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body
from conformance.implementations.server.decided_runs import runs_of
from conformance.implementations.server.server_implementation import CannotAnswer
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Crash, Disconnect, Restart
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.servers.decision_server import UNSAFE, DecisionServer, Outcome, options_of
from conformance.servers.products import Product
from conformance.servers.real_server import RealServer, ServerFailed
from conformance.servers.receiving import RECEIVING, receive
from conformance.servers.relay_feed import OPTIONS
from conformance.servers.scenario_runner import Runner
from conformance.servers.scenario_sessions import is_lost
from conformance.servers.translated_logs import is_naming
from conformance.specs.versions import EVERY_PROFILE, Profiles

#: Reads every event, whatever its type.
_READS_ALL: Final = ReaderRules(known=frozenset(range(256)), beyond_format_description=True, verify_checksums=False)
#: The id of the source that sends streams; no generated event of a replica has it.
_SOURCE_ID: Final = 1


class AnsweringRole(Protocol):
    """What answers the questions of one role.

    Attributes:
        fields: The fields that it reports.
        abilities: What else it can do.
        profiles: The servers that have it.
    """

    fields: ClassVar[Sequence[str]]
    abilities: ClassVar[Sequence[str]]
    profiles: ClassVar[Profiles]

    def __init__(self, product: Product, folder: Path, template: Path) -> None: ...

    def answer(self, request: Request) -> Observation:
        """Return the answer to a question."""

    def end(self) -> None:
        """End its servers."""


class _Servers:
    """The servers of a role, by what distinguishes them; each is started when it is first needed."""

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self.product = product
        self._folder = folder
        self._template = template
        self._running: dict[str, RealServer] = {}

    def server(self, name: str, options: Sequence[str], *, uuid: str | None = None) -> RealServer:
        if name not in self._running:
            server = RealServer(self.product, self._folder / name, options=options, uuid=uuid, template=self._template)
            server.start()
            self._running[name] = server
        return self._running[name]

    def check(self) -> None:
        """Raise `ServerFailed` if a server has ended by itself."""
        for server in self._running.values():
            if not server.running:
                raise ServerFailed(f"{self.product.name} ended by itself")

    def end(self) -> None:
        for server in self._running.values():
            server.kill()
        self._running.clear()


class Logging:
    """The role `log`: the scenarios are run, and the logs are read from the data folder."""

    fields: ClassVar[Sequence[str]] = ()
    abilities: ClassVar[Sequence[str]] = ("framing",)
    profiles: ClassVar[Profiles] = EVERY_PROFILE

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self._servers = _Servers(product, folder, template)

    def answer(self, request: Request) -> Observation:
        """Return the logs that the server writes in a scenario."""
        scenario = Scenario.from_json(request.settings["scenario"])
        without = next((each.kind for each in scenario.statements if not _can_be_run(each)), None)
        if without is not None:
            raise CannotAnswer(f"there is no SQL for {without}")
        size = scenario.settings.binlog_row_event_max_size
        options = [f"--binlog-row-event-max-size={size}", "--binlog-format=ROW"]
        # Each statement's log is judged under the UUID that the scenario names.
        server = self._servers.server(str(size), options, uuid=Settings().server_uuid)
        _, streams = Runner(server).run(scenario)
        self._servers.check()
        return observed_streams(streams, server_of(request.profile).rules)

    def end(self) -> None:
        """End its servers."""
        self._servers.end()


def _can_be_run(statement: object) -> bool:
    return isinstance(statement, Disconnect | Restart | Crash) or sql_of(statement) is not None  # type: ignore[arg-type]


class Listing:
    """The role `render`: a closed log is overwritten with the stream, and listed with SHOW BINLOG EVENTS."""

    fields: ClassVar[Sequence[str]] = ("pos", "event_type", "server_id", "end_log_pos", "info")
    abilities: ClassVar[Sequence[str]] = ()
    profiles: ClassVar[Profiles] = EVERY_PROFILE

    _LOG: Final = "bin.000001"

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self._servers = _Servers(product, folder, template)

    def answer(self, request: Request) -> Observation:
        """Return the rows that the server lists."""
        if request.settings["form"] != "events":
            raise CannotAnswer("a server lists events; mysqlbinlog prints text: certify mysqlbinlog:PROGRAM")
        server = self._servers.server("list", ["--binlog-format=ROW"])
        log = server.data / self._LOG
        if server.logs() == [log]:
            server.run("FLUSH BINARY LOGS")
        log.write_bytes(request.stream)
        error: Refusal | None = None
        rows: Sequence[Sequence[object]] = ()
        with closing(server.connect(use_unicode=False)) as session, session.cursor() as cursor:
            try:
                cursor.execute(f"SHOW BINLOG EVENTS IN '{self._LOG}'")
                rows = cursor.fetchall()
            except (pymysql.err.OperationalError, pymysql.err.InternalError) as failure:
                self._servers.check()
                if is_lost(failure):
                    raise
                error = Refusal(None, "other", str(failure.args[1]), int(failure.args[0]))
        return Observation(tuple(map(self._entry, rows)), error)

    def _entry(self, row: Sequence[object]) -> Mapping[str, object]:
        values = (row[1], _text(row[2]), row[3], row[4], _text(row[5]))
        return dict(zip(self.fields, values, strict=True))

    def end(self) -> None:
        """End its server."""
        self._servers.end()


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


class Deciding:
    """The role `decide`: each statement is run on tables of its engines, and the log shows its format."""

    fields: ClassVar[Sequence[str]] = ("format", "message")
    abilities: ClassVar[Sequence[str]] = ()
    profiles: ClassVar[Profiles] = EVERY_PROFILE

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self._servers = _Servers(product, folder, template)
        self._product = product
        self._decider: DecisionServer | None = None

    def answer(self, request: Request) -> Observation:
        """Return the formats and messages of the statements."""
        if self._decider is None:
            self._decider = DecisionServer(self._servers.server("decide", options_of(self._product)))
        runs = runs_of(request.settings["statements"], self._decider.kinds)
        entries = []
        for run in runs:
            self._decider.make_tables(run)
            entries.append(_decided(self._decider.run(run)))
        self._servers.check()
        return Observation(tuple(entries))

    def end(self) -> None:
        """End its server."""
        self._decider = None
        self._servers.end()


def _decided(outcome: Outcome) -> Mapping[str, str]:
    formats = {None: "none", "row": "row", "statement": "statement"}
    message = "none" if outcome.code is None else "warning" if outcome.code == UNSAFE else "error"
    return {"format": formats.get(outcome.format, "mixture"), "message": message}


class Receiving:
    """The role `relay`: a source of the kit's sends the stream over the loopback address, and relay logs are read."""

    fields: ClassVar[Sequence[str]] = ("log", "data")
    abilities: ClassVar[Sequence[str]] = ()
    profiles: ClassVar[Profiles] = RECEIVING

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self._servers = _Servers(product, folder, template)

    def answer(self, request: Request) -> Observation:
        """Return the events of the relay logs."""
        settings = request.settings
        for name in ("flushes", "connections"):
            if settings.get(name):
                raise CannotAnswer(f"{name} cannot be put between two events that a server receives")
        events = list(_framed(request.stream))
        if any(each[TYPE_AT] in HEARTBEAT_TYPES for each in events):
            raise CannotAnswer("a server uses the log and the position in a heartbeat, which are invented here")
        mode, log_name = settings["gtid_mode"], settings["source_log"]
        consistency = "ON" if mode == "ON" else "OFF"
        profile = self._servers.product.profile.name
        options = [*(OPTIONS[profile] or ()), f"--gtid-mode={mode}", f"--enforce-gtid-consistency={consistency}"]
        server = self._servers.server(mode, options)
        server.run(f"SET GLOBAL server_id = {settings['server_id']}")
        described = next(read_events(request.stream, _READS_ALL)).format
        rotate = _naming(log_name, described)
        done = receive(
            server,
            [rotate, *events],
            source_id=_SOURCE_ID,
            source_log=log_name,
            gtid_mode=mode,
            checksums=described.checksum_bytes > 0,
            ignored_ids=settings.get("ignored_ids", ()),
        )
        self._servers.check()
        answered = (
            {"log": number, "data": event.hex()}
            for number, log in enumerate(done.relay_logs)
            for event in _without_naming(log)
        )
        return Observation(tuple(answered), Refusal(None, "other", done.error) if done.error else None)

    def end(self) -> None:
        """End its servers."""
        self._servers.end()


def _framed(log: bytes) -> Iterator[bytes]:
    """Yield the events of a log as the lengths in their headers divide it, whatever they are."""
    at = len(MAGIC)
    while at + HEADER_BYTES <= len(log):
        length = max(HEADER.unpack_from(log, at)[3], HEADER_BYTES)
        yield log[at : at + length]
        at += length


def _naming(log_name: str, described: FormatDescription) -> bytes:
    """Return the Rotate with which a source names its log, which is not a part of the log."""
    body = write_body(EventType.ROTATE, {"next_position": 4, "next_file": log_name.encode()}, described)
    length = HEADER_BYTES + len(body) + described.checksum_bytes
    # What a source only sends has no position.
    return frame(
        EventType.ROTATE,
        body,
        offset=-length,
        checksummed=described.checksum_bytes > 0,
        server_id=_SOURCE_ID,
        flags=int(Flag.ARTIFICIAL),
    )


def _without_naming(log: bytes) -> Iterator[bytes]:
    """Yield the events of a relay log without the first Rotate that names the source's log.

    The question has none, as it begins with the format description. The positions of the replica's own events after it
    are where they would be without it.
    """
    removed = 0
    for event in _framed(log):
        _, code, server_id, length, log_pos, _ = HEADER.unpack_from(event)
        if not removed and is_naming(event) and server_id == _SOURCE_ID:
            removed = length
        elif removed and log_pos and code == EventType.ROTATE and not server_id:
            moved = event[:LOG_POS_AT] + (log_pos - removed).to_bytes(4, "little") + event[LOG_POS_AT + 4 :]
            body = len(event) - CHECKSUM_BYTES
            has_checksum = checksum(event[:body]).to_bytes(CHECKSUM_BYTES, "little") == event[body:]
            yield moved[:body] + checksum(moved[:body]).to_bytes(CHECKSUM_BYTES, "little") if has_checksum else moved
        else:
            yield event


#: Role -> what answers it.
ROLES: Final[Mapping[str, type[AnsweringRole]]] = {
    "log": Logging,
    "render": Listing,
    "decide": Deciding,
    "relay": Receiving,
}
