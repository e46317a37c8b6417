"""Runs scenarios on a server that was unpacked, and returns the logs that it wrote."""

import time
from typing import Any, Final

import pymysql

from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import GTID_MODES, Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Crash, Disconnect, DropDatabase, Restart, Statement
from conformance.servers.real_server import RealServer

#: Seconds that a server may take to end a session.
_SESSION_END: Final = 10.0


class Runner:
    """Runs scenarios on one unpacked server.

    Args:
        server: The server, which is running.
    """

    def __init__(self, server: RealServer) -> None:
        self.server = server
        self._sessions: dict[int, Any] = {}

    def prepare(self, settings: Settings) -> None:
        """Give an empty server the settings of a scenario."""
        self._end_all()
        dialect = self.server.product.dialect
        if dialect.gtid_modes == "at the start":
            self._start_with_gtid_mode(settings)
        elif dialect.gtid_modes == "running":
            self._set_gtid_mode(settings)
        variables = {"binlog_format": settings.binlog_format}
        if dialect.checksums:
            variables["binlog_checksum"] = settings.binlog_checksum
        if dialect.rows_queries:
            variables["binlog_rows_query_log_events"] = "ON" if settings.binlog_rows_query_log_events else "OFF"
        self.server.run(*(f"set global {name} = '{value}'" for name, value in variables.items()))
        self.server.reset()

    def _start_with_gtid_mode(self, settings: Settings) -> None:
        wanted = (settings.gtid_mode, int(settings.enforce_gtid_consistency))
        if self.server.run("select @@global.gtid_mode, @@global.enforce_gtid_consistency") != [wanted]:
            mode, consistency = wanted
            self.server.restart(f"--gtid-mode={mode}", f"--enforce-gtid-consistency={consistency}")

    def _set_gtid_mode(self, settings: Settings) -> None:
        run = self.server.run
        at = GTID_MODES.index(self.server.value("select @@global.gtid_mode"))
        wanted = GTID_MODES.index(settings.gtid_mode)
        if wanted > at:
            run("set global enforce_gtid_consistency = on")
        while at != wanted:
            at += 1 if wanted > at else -1
            run(f"set global gtid_mode = {GTID_MODES[at]}")
        run(f"set global enforce_gtid_consistency = {'on' if settings.enforce_gtid_consistency else 'off'}")

    def run(self, scenario: Scenario) -> tuple[list[int | None], list[bytes]]:
        """Run a scenario.

        Returns:
            The number of the error of each statement, None for those that worked; and the logs.
        """
        self.prepare(scenario.settings)
        try:
            errors = [self._statement(each) for each in scenario.statements]
            return errors, [path.read_bytes() for path in self.server.logs()]
        finally:
            self._end_all()

    def _statement(self, statement: Statement) -> int | None:
        if isinstance(statement, Disconnect):
            self._end(statement.session)
        elif isinstance(statement, Restart | Crash):
            options = dict(statement.options) if isinstance(statement, Restart) else {}
            self._start_again(options, stopped=isinstance(statement, Restart))
        else:
            if isinstance(statement, DropDatabase) and statement.obstructed:
                self.server.obstruct(statement.database)
            text = sql_of(statement)
            assert text is not None, f"there is no SQL for {statement.kind}"
            try:
                self._session(statement.session).cursor().execute(text)
            except pymysql.err.Error as error:
                return int(error.args[0])
        return None

    def _session(self, number: int) -> Any:
        if number not in self._sessions:
            self._sessions[number] = self.server.connect()
        return self._sessions[number]

    def _end(self, number: int) -> None:
        session = self._sessions.pop(number, None)
        if session is None:
            return
        thread = session.thread_id()
        session.close()
        until = time.monotonic() + _SESSION_END
        while self.server.value(f"select count(*) from information_schema.processlist where id = {thread}"):
            assert time.monotonic() < until, f"session {number} did not end"
            time.sleep(0.01)

    def _end_all(self) -> None:
        for number in list(self._sessions):
            self._end(number)

    def _start_again(self, changed: dict[str, str], *, stopped: bool) -> None:
        dialect = self.server.product.dialect
        names = ["binlog_format"]
        names += ["binlog_checksum"] if dialect.checksums else []
        names += ["binlog_rows_query_log_events"] if dialect.rows_queries else []
        names += ["gtid_mode", "enforce_gtid_consistency"] if dialect.gtid_modes != "none" else []
        options = [f"--{name.replace('_', '-')}={self.server.value(f'select @@global.{name}')}" for name in names]
        for name, value in changed.items():
            option = name if name.startswith("--") else f"--{name.replace('_', '-')}"
            options.append(f"{option}={value}" if value else option)
        for each in self._sessions.values():
            each.close()
        self._sessions.clear()
        if stopped:
            self.server.stop()
        else:
            self.server.kill()
        self.server.start(*options)
