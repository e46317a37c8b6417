"""Runs a scenario on a real server, and converts its logs and the model's into a common form."""

import re
import time
from collections.abc import Iterable
from typing import Any, Final

import pymysql
from server import RealServer

from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.rows.images import read_rows, rows_kind
from conformance.binlog.rows.open_tables import OpenTables
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import GTID_MODES, Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Crash, Disconnect, DropDatabase, Restart, Statement
from conformance.protocol.reported_event import report

#: Length of rows events in scenarios whose logs are compared: small, so that a few dozen rows need several events.
ROWS_EVENT_BYTES: Final = 512
#: Seconds that a server may take to end a session.
_SESSION_END = 10.0
_READS_ALL = ReaderRules(known=frozenset(range(256)), beyond_format_description=True)

#: One event in the common form: its kind, and the values on which both must agree.
Line = tuple[Any, ...]


class Runner:
    """Runs scenarios on one real server."""

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


def lines_of(streams: Iterable[bytes]) -> list[Line]:
    """Return logs in the common form."""
    return [line for number, stream in enumerate(streams, 1) for line in _lines(number, stream)]


def _lines(number: int, stream: bytes) -> Iterable[Line]:
    tables = OpenTables()
    for event in read_events(stream, _READS_ALL):
        seen = report(event, tables)
        code = event.header.type
        if rows_kind(code) is not None:
            table = tables.table(event.fields()["table_id"])
            images = sorted(map(repr, read_rows(code, event.fields(), table)))
            yield (number, type_name(code), table.name.decode(), event.fields()["rows_flags"] & 1, *images)
        elif code not in _IGNORED:
            yield (number, type_name(code), *(_value(name, seen) for name in _COMPARED.get(code, ())))
        tables.observe(event)


#: MariaDB writes it at any time, in a thread of its own.
_IGNORED = frozenset({EventType.MARIADB_BINLOG_CHECKPOINT})
#: Type -> the fields on which both must agree.
_COMPARED: dict[int, tuple[str, ...]] = {
    EventType.GTID: ("gtid",),
    EventType.GTID_TAGGED: ("gtid",),
    EventType.MARIADB_GTID: ("gtid",),
    EventType.MARIADB_GTID_LIST: ("gtid_list",),
    EventType.PREVIOUS_GTIDS: ("previous_gtids",),
    EventType.QUERY: ("database", "query"),
    EventType.ROWS_QUERY: ("rows_query",),
    EventType.MARIADB_ANNOTATE_ROWS: ("rows_query",),
    EventType.TABLE_MAP: ("database", "table"),
    EventType.INTVAR: ("intvar_type", "intvar_value"),
    EventType.USER_VAR: ("variable_name", "variable_value"),
    EventType.ROTATE: ("next_file", "next_position"),
}
_CREATE = re.compile(r"CREATE TABLE (?P<name>\S+) ")
_DROP = re.compile(
    r"(?P<word>DROP|drop) (?P<temporary>TEMPORARY |/\*!40005 TEMPORARY \*/ )?(TABLE|table) "
    r"(?P<condition>IF EXISTS )?(?P<names>.*?)(?P<suffix> /\* generated by server \*/)?$"
)


def _value(name: str, seen: dict[str, Any]) -> Any:
    value = seen.get(name)
    return _normalised_query(value, seen["database"]) if name == "query" and isinstance(value, str) else value


def _normalised_query(text: str, database: str) -> Any:
    """Return a statement; one written by the server itself in parts, as servers spell it differently."""
    drop = _DROP.match(text)
    if drop:
        names = {name if "`.`" in name else f"`{database}`.{name}" for name in drop["names"].split(",")}
        return (drop["word"], bool(drop["temporary"]), bool(drop["condition"]), bool(drop["suffix"]), *sorted(names))
    create = _CREATE.match(text)
    if create:
        name = create["name"].rpartition(".")[2]
        return ("CREATE", name, "START TRANSACTION" in text)
    return text
