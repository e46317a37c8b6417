"""Runs scenarios on a server that was unpacked, and returns the logs that it wrote."""

from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.statements import Crash, Disconnect, DropDatabase, Restart, Statement
from conformance.servers.real_server import RealServer
from conformance.servers.scenario_sessions import ScenarioSessions
from conformance.servers.scenario_settings import set_globals


class Runner:
    """Runs scenarios on one unpacked server.

    Args:
        server: The server, which is running.
    """

    def __init__(self, server: RealServer) -> None:
        self.server = server
        self._sessions = ScenarioSessions(server.connect, alone=True)

    def prepare(self, settings: Settings) -> None:
        """Give an empty server the settings of a scenario."""
        self._sessions.end_all()
        if self.server.dialect.gtid_modes == "at the start":
            self._start_with_gtid_mode(settings)
        set_globals(self.server, settings)
        self.server.reset()

    def _start_with_gtid_mode(self, settings: Settings) -> None:
        wanted = (settings.gtid_mode, int(settings.enforce_gtid_consistency))
        if self.server.run("select @@global.gtid_mode, @@global.enforce_gtid_consistency") != [wanted]:
            mode, consistency = wanted
            self.server.restart(f"--gtid-mode={mode}", f"--enforce-gtid-consistency={consistency}")

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
            self._sessions.end_all()

    def _statement(self, statement: Statement) -> int | None:
        if isinstance(statement, Disconnect):
            self._sessions.end(statement.session)
            return None
        if isinstance(statement, Restart | Crash):
            options = dict(statement.options) if isinstance(statement, Restart) else {}
            self._start_again(options, stopped=isinstance(statement, Restart))
            return None
        if isinstance(statement, DropDatabase):
            self.server.obstruct(statement.database, obstructed=statement.obstructed)
        return self._sessions.execute(statement)

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
        self._sessions.drop_all()
        if stopped:
            self.server.stop()
        else:
            self.server.kill()
        self.server.start(*options)
