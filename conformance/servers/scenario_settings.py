"""The settings of a scenario as the variables of a real server."""

from typing import Any, Protocol

from conformance.models.server.settings import GTID_MODES, Settings
from conformance.servers.products import Dialect

#: The rows event size of versions that do not show it, in bytes: nobody has changed it then.
_ROWS_EVENT_BYTES = 8192


class Server(Protocol):
    """A server whose variables can be set."""

    @property
    def dialect(self) -> Dialect:
        """How it is spoken to."""

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements in a session of their own, and return the rows of the last one."""

    def value(self, query: str) -> Any:
        """Return the first column of the first row that a query gives."""


def set_globals(server: Server, settings: Settings) -> None:
    """Set the global variables of a server that runs; one with a gtid_mode that is fixed at the start keeps it."""
    if server.dialect.gtid_modes == "running":
        _set_gtid_mode(server, settings)
    server.run(*(f"set global {each}" for each in _assignments(server, settings)))
    if server.dialect.checksums:
        server.run(f"set global binlog_checksum = '{settings.binlog_checksum}'")


def session_statements(server: Server, settings: Settings) -> list[str]:
    """Return the statements that give a session what the global variables of a scenario would give it."""
    return [f"set session {each}" for each in _assignments(server, settings)]


def _assignments(server: Server, settings: Settings) -> list[str]:
    made = [f"binlog_format = '{settings.binlog_format}'"]
    if server.dialect.rows_queries:
        made.append(f"binlog_rows_query_log_events = {'ON' if settings.binlog_rows_query_log_events else 'OFF'}")
    return made


def _set_gtid_mode(server: Server, settings: Settings) -> None:
    at = GTID_MODES.index(server.value("select @@global.gtid_mode"))
    wanted = GTID_MODES.index(settings.gtid_mode)
    if wanted > at:
        server.run("set global enforce_gtid_consistency = on")
    while at != wanted:
        at += 1 if wanted > at else -1
        server.run(f"set global gtid_mode = {GTID_MODES[at]}")
    server.run(f"set global enforce_gtid_consistency = {'on' if settings.enforce_gtid_consistency else 'off'}")


def current_settings(server: Server, profile: str) -> Settings:
    """Return the settings that a server has now.

    Args:
        server: The server.
        profile: The profile of its release.
    """
    values: dict[str, Any] = {"profile": profile, "binlog_format": server.value("select @@global.binlog_format")}
    dialect = server.dialect
    if dialect.gtid_modes != "none":
        values["gtid_mode"] = server.value("select @@global.gtid_mode")
        # ON, WARN or OFF, or a number before 5.7.
        values["enforce_gtid_consistency"] = server.value("select @@global.enforce_gtid_consistency") in ("ON", 1)
    values["binlog_checksum"] = server.value("select @@global.binlog_checksum") if dialect.checksums else "NONE"
    if dialect.rows_queries:
        values["binlog_rows_query_log_events"] = bool(server.value("select @@global.binlog_rows_query_log_events"))
    rows = server.run("show global variables like 'binlog_row_event_max_size'")
    values["binlog_row_event_max_size"] = int(rows[0][1]) if rows else _ROWS_EVENT_BYTES
    return Settings(**values)
