"""A server that somebody else runs as an implementation, in the role `log`.

Scenarios are run in databases that exist only for them. Those that would leave something there are not run: nothing is
restarted, purged or given GTIDs, and global settings are changed only where the URL allows it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast
from uuid import UUID

import pymysql

from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import server_of
from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.server.server_implementation import CannotAnswer, ServerImplementation, declared
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import (
    Disconnect,
    DropDatabase,
    Insert,
    InsertGtids,
    PurgeLogs,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    Statement,
)
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Declaration, Observation, Request
from conformance.servers.dump import ANNOTATE_ROWS, NOT_BLOCKING, dump
from conformance.servers.products import Dialect
from conformance.servers.running_server import RunningServer, scenario_problems
from conformance.servers.scenario_sessions import ScenarioSessions
from conformance.servers.scenario_settings import current_settings, session_statements, set_globals
from conformance.servers.server_url import ALLOWANCES, ServerUrl
from conformance.servers.translated_logs import State, Translation, split_dump

#: The databases that scenarios make.
DATABASES: Final = ("d1", "d2")
#: The values of gtid_next that use no GTID of another server up.
_OWN_GTIDS: Final = frozenset({"AUTOMATIC", "ANONYMOUS"})
_NUMBER: Final = re.compile(r"\.(\d+)$")
#: The settings of a scenario that neither a session can have for itself nor a running server can get.
_AT_THE_START: Final = ("binlog_row_event_max_size",)
_GTIDS: Final = ("gtid_mode", "enforce_gtid_consistency")

#: Kind of statement -> returns why it is not run on a server in use; None if it can be.
_REFUSED: Final[Mapping[type[Statement], Callable[[Any], str | None]]] = {
    PurgeLogs: lambda each: "it removes logs of the server",
    SetGtidPurged: lambda each: "it gives the server GTIDs of another one, for ever",
    InsertGtids: lambda each: "its value depends on the GTIDs that the server has executed",
    SetSession: lambda each: (
        "it gives the server GTIDs of another one, for ever"
        if each.variable == "gtid_next" and each.value not in _OWN_GTIDS
        else None
    ),
    DropDatabase: lambda each: "it needs a file in the server's folder" if each.obstructed else None,
}


class RunningServerImplementation(ServerImplementation):
    """A running server. Its logs are read over the replication protocol.

    Args:
        url: Where it is, and what may be done there.
    """

    def __init__(self, url: ServerUrl) -> None:
        super().__init__()
        self._url = url
        self._server: RunningServer | None = None
        self._lock: pymysql.connections.Connection[Any] | None = None
        self._settings = Settings()
        self._is_proved = False

    def start(self) -> Declaration:
        """Check that the server can be judged, without changing anything there, and return what it declares."""
        if self._server is not None:
            return self.declaration
        server = self._checked()
        try:
            self._lock = server.locked()
            self._settings = current_settings(server, server.profile)
        except (ValueError, pymysql.err.MySQLError) as error:
            raise CannotStart(str(error)) from error
        self._server = server
        self.declaration = Declaration(
            name=str(self._url),
            version=server.version,
            language="C++",
            roles={"log": declared("log", (), server.profile, "framing")},
        )
        return self.declaration

    def _checked(self) -> RunningServer:
        """Return the server, if it has all that is needed.

        Raises:
            CannotStart: It cannot be reached or judged; the message has every reason.
        """
        try:
            server = RunningServer(self._url)
            problems = scenario_problems(server, DATABASES)
        except (ValueError, pymysql.err.MySQLError) as error:
            raise CannotStart(str(error)) from error
        if problems:
            raise CannotStart(f"{self._url} cannot be certified: {'; '.join(problems)}")
        return server

    def announcement(self) -> Sequence[str]:
        """Return what will be done, line by line."""
        server = self._checked()
        allowed = self._url.allowed
        changes = (
            "changes gtid_mode, binlog_checksum and other global settings for a scenario, and sets them back at the end"
            if "settings" in allowed
            else "changes no global setting: scenarios with others are reported as unsupported"
        )
        return (
            f"{self._url}: version {server.version}, judged as {server.profile}",
            "it has what is needed: log_bin, REPLICATION CLIENT, REPLICATION SLAVE, RELOAD, the session's variables",
            *(f"allowed: {ALLOWANCES[each]}" for each in sorted(allowed)),
            f"for each scenario it makes the databases {' and '.join(DATABASES)}, and drops them, unlogged, after it",
            "runs FLUSH BINARY LOGS, so that there is a new binary log for each scenario, and reads it as a replica",
            changes,
            "holds the lock 'binlog_conformance', so that no other run judges the server at the same time",
        )

    def stop(self) -> None:
        """Drop the databases, set changed settings back, and give the lock free."""
        server, self._server = self._server, None
        try:
            if server is not None and self._is_proved:
                _drop_databases(server)
                if "settings" in self._url.allowed:
                    set_globals(server, self._settings)
        finally:
            self._is_proved = False
            if self._lock is not None and self._lock.open:
                self._lock.close()
            self._lock = None

    def recover(self) -> None:
        """Drop what a scenario left."""
        if self._server is not None:
            try:
                _drop_databases(self._server)
            except pymysql.err.MySQLError as error:
                raise CannotStart(f"{self._url} is lost: {error}") from error

    def answer(self, request: Request) -> Observation:
        """Return the logs of a scenario, as a new server would have written them."""
        assert self._server is not None, "ask after start"
        scenario = Scenario.from_json(request.settings["scenario"])
        self._check(scenario)
        self._prove(self._server)
        if "settings" in self._url.allowed:
            set_globals(self._server, scenario.settings)
        streams = self._logs(self._server, scenario)
        observation = observed_streams(streams, server_of(request.profile).rules)
        _check_alone(observation)
        return observation

    def _check(self, scenario: Scenario) -> None:
        """Raise `CannotAnswer` if a scenario needs what is not done to a server in use."""
        assert self._server is not None, "ask after start"
        for each in scenario.statements:
            reason = _refused(each, settings_allowed="settings" in self._url.allowed)
            if reason is not None:
                raise CannotAnswer(f"{each.kind} is not run on a server in use: {reason}")
        for name in _fixed(self._server.dialect, settings_allowed="settings" in self._url.allowed):
            wanted, has = getattr(scenario.settings, name), getattr(self._settings, name)
            if wanted != has:
                raise CannotAnswer(f"the server has {name}={has}, not {wanted}")

    def _prove(self, server: RunningServer) -> None:
        """Make and drop a database once, so that a missing privilege is not taken for a fault of the server."""
        if self._is_proved:
            return
        name = DATABASES[0]
        self._is_proved = True
        try:
            server.run(
                "SET SESSION sql_log_bin = 0",
                f"CREATE DATABASE `{name}`",
                f"CREATE TABLE `{name}`.t1 (a INT)",
                f"INSERT INTO `{name}`.t1 VALUES (1)",
                f"UPDATE `{name}`.t1 SET a = 2",
                f"DELETE FROM `{name}`.t1",
                f"ALTER TABLE `{name}`.t1 COMMENT = 'altered'",
                f"CREATE TEMPORARY TABLE `{name}`.t2 (a INT)",
                f"DROP DATABASE `{name}`",
            )
        except pymysql.err.MySQLError as error:
            databases = " and ".join(f"`{each}`.*" for each in DATABASES)
            message = f"{self._url} cannot be certified: {error.args[-1]}: GRANT ALL ON {databases}"
            raise CannotStart(message) from error

    def _logs(self, server: RunningServer, scenario: Scenario) -> list[bytes]:
        begin = session_statements(server, scenario.settings)

        def connect() -> "pymysql.connections.Connection[Any]":
            session = server.connect()
            with session.cursor() as cursor:
                for each in begin:
                    cursor.execute(each)
            return session

        server.run("FLUSH BINARY LOGS")
        name = server.current_log()
        translation = Translation(_state(server, name), UUID(scenario.settings.server_uuid).bytes)
        sessions = ScenarioSessions(connect)
        try:
            for each in scenario.statements:
                if isinstance(each, Disconnect):
                    sessions.end(each.session)
                else:
                    sessions.execute(each)
            flags = NOT_BLOCKING | (ANNOTATE_ROWS if server.is_mariadb else 0)
            done = dump(server, log_name=name, flags=flags)
        finally:
            sessions.end_all()
            _drop_databases(server)
        if done.error:
            raise pymysql.err.OperationalError(done.error, done.message)
        logs = enumerate(split_dump(done.events))
        return [translation.translate(log, is_first=number == 0) for number, log in logs]


def _fixed(dialect: Dialect, *, settings_allowed: bool) -> tuple[str, ...]:
    """Return the settings that a server keeps, so that a scenario must have the same ones."""
    if not settings_allowed:
        return (*_GTIDS, "binlog_checksum", *_AT_THE_START)
    return _AT_THE_START if dialect.gtid_modes == "running" else (*_GTIDS, *_AT_THE_START)


def _refused(statement: Statement, *, settings_allowed: bool) -> str | None:
    if isinstance(statement, Disconnect):
        return None
    if sql_of(statement) is None:
        return "there is no SQL for it, and the server is not restarted"
    if not settings_allowed and (
        isinstance(statement, SetGlobal) or (isinstance(statement, Insert) and statement.computed == "global_option")
    ):
        return "it needs another global setting"
    check = _REFUSED.get(type(statement))
    return None if check is None else check(statement)


def _state(server: RunningServer, log_name: str) -> State:
    """Return what a server has before a scenario, whose first log has just begun."""
    number = _NUMBER.search(log_name)
    first_log = int(number[1]) if number else 1
    if server.is_mariadb:
        positions: dict[int, int] = {}
        for each in str(server.value("SELECT @@GLOBAL.gtid_binlog_pos")).split(","):
            domain, _, last = each.rpartition("-")[0].partition("-")[0], "", each.rpartition("-")[2]
            if domain:
                positions[int(domain)] = max(positions.get(int(domain), 0), int(last))
        return State(first_log=first_log, positions=positions)
    if not server.dialect.uuid:
        return State(first_log=first_log)
    uuid = UUID(server.value("SELECT @@GLOBAL.server_uuid")).bytes
    executed = GtidSet.from_text(str(server.value("SELECT @@GLOBAL.gtid_executed")))
    return State(first_log=first_log, uuid=uuid, executed=executed)


def _drop_databases(server: RunningServer) -> None:
    server.run("SET SESSION sql_log_bin = 0", *(f"DROP DATABASE IF EXISTS `{each}`" for each in DATABASES))


def _check_alone(observation: Observation) -> None:
    """Raise `CannotAnswer` if the logs have events of another client."""
    for each in observation.events:
        database = each.get("database")
        if database and database not in DATABASES:
            raise CannotAnswer(f"another client wrote to {cast(str, database)} meanwhile")
