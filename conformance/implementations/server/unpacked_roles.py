"""The roles of an unpacked server: each has servers of its own, with the options that its questions need."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import pymysql

from conformance.binlog.servers import server_of
from conformance.implementations.server.decided_runs import run_of
from conformance.implementations.server.receiving_role import Receiving
from conformance.implementations.server.role_servers import RoleServers
from conformance.implementations.server.server_implementation import CannotAnswer
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Crash, Disconnect, Restart
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.servers.decision_server import UNSAFE, DecisionServer, Outcome, options_of
from conformance.servers.products import Product
from conformance.servers.scenario_runner import Runner
from conformance.servers.scenario_sessions import is_lost
from conformance.specs.run_record import DECLINED
from conformance.specs.versions import EVERY_PROFILE, Profiles


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


class Logging:
    """The role `log`: the scenarios are run, and the logs are read from the data folder."""

    fields: ClassVar[Sequence[str]] = ()
    abilities: ClassVar[Sequence[str]] = ("framing",)
    profiles: ClassVar[Profiles] = EVERY_PROFILE

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self._servers = RoleServers(product, folder, template)

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
        self._servers = RoleServers(product, folder, template)

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
        self._servers = RoleServers(product, folder, template)
        self._product = product
        self._decider: DecisionServer | None = None

    def answer(self, request: Request) -> Observation:
        """Return the formats and messages of the statements."""
        if self._decider is None:
            self._decider = DecisionServer(self._servers.server("decide", options_of(self._product)))
        entries = tuple(self._entry(self._decider, each) for each in request.settings["statements"])
        self._servers.check()
        return Observation(entries)

    def _entry(self, decider: DecisionServer, statement: Mapping[str, Any]) -> Mapping[str, str]:
        try:
            run = run_of(statement, decider.kinds, self._product)
        except CannotAnswer as reason:
            return {DECLINED: str(reason)}
        decider.make_tables(run)
        return _decided(decider.run(run))

    def end(self) -> None:
        """End its server."""
        self._decider = None
        self._servers.end()


def _decided(outcome: Outcome) -> Mapping[str, str]:
    formats = {None: "none", "row": "row", "statement": "statement"}
    message = "none" if outcome.code is None else "warning" if outcome.code == UNSAFE else "error"
    return {"format": formats.get(outcome.format, "mixture"), "message": message}


#: Role -> what answers it.
ROLES: Final[Mapping[str, type[AnsweringRole]]] = {
    "log": Logging,
    "render": Listing,
    "decide": Deciding,
    "relay": Receiving,
}
