"""The sessions of a scenario on a real server."""

import time
from collections.abc import Callable
from typing import Any, Final

import pymysql
import pymysql.cursors

from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Statement

#: Seconds that a server may take to end a session, and between two looks.
_SESSION_END: Final = 10.0
_POLL: Final = 0.01
#: The numbers of errors that a client gives itself, as the server is gone or silent.
_OF_CLIENTS: Final = range(2000, 3000)
#: 9.7.4 cannot show its threads while one of them has a statement with characters of four bytes.
_CANNOT_CONVERT: Final = 3854


def is_lost(error: pymysql.err.Error) -> bool:
    """Return whether an error means that the server is gone or silent, and not that it refuses a statement."""
    code = error.args[0] if error.args else 0
    return not code or code in _OF_CLIENTS


class ScenarioSessions:
    """The open sessions of a scenario, by number.

    Args:
        connect: Returns a new session.
        alone: Whether the server has no other sessions. Then their number shows too that a session has ended: up to
            5.7 its temporary tables are dropped after it has left the list of processes, in MariaDB before.
    """

    def __init__(self, connect: "Callable[[], pymysql.connections.Connection[Any]]", *, alone: bool = False) -> None:
        self._connect = connect
        self._alone = alone
        self._open: dict[int, pymysql.connections.Connection[Any]] = {}

    def execute(self, statement: Statement) -> int | None:
        """Run a statement in its session, and return the number of its error, None if it worked.

        Raises:
            pymysql.err.Error: The server is gone, or does not answer in time.
        """
        text = sql_of(statement)
        assert text is not None, f"there is no SQL for {statement.kind}"
        if statement.session not in self._open:
            self._open[statement.session] = self._connect()
        try:
            self._open[statement.session].cursor().execute(text)
        except pymysql.err.Error as error:
            if is_lost(error):
                raise
            return int(error.args[0])
        return None

    def end(self, number: int) -> None:
        """End a session, if it is open, and wait until the server has ended it too."""
        session = self._open.pop(number, None)
        if session is None:
            return
        thread = session.thread_id()
        session.close()
        until = time.monotonic() + _SESSION_END
        with self._connect() as other, other.cursor() as cursor:
            while not self._has_ended(cursor, thread):
                if time.monotonic() >= until:
                    raise TimeoutError(f"session {number} did not end within {_SESSION_END:.0f} seconds")
                time.sleep(_POLL)

    def _has_ended(self, cursor: "pymysql.cursors.Cursor", thread: int) -> bool:
        try:
            cursor.execute(f"select count(*) from information_schema.processlist where id = {thread}")
        except pymysql.err.Error as error:
            if error.args[0] != _CANNOT_CONVERT:
                raise
            # Of a session that waits nothing is shown, so it is the one that ends.
            return False
        if cursor.fetchone() != (0,):
            return False
        cursor.execute("SHOW GLOBAL STATUS LIKE 'Threads_connected'")
        count: Any = cursor.fetchone()
        # The session that asks is one of them.
        return not self._alone or int(count[1]) <= len(self._open) + 1

    def end_all(self) -> None:
        """End every open session."""
        for number in list(self._open):
            self.end(number)

    def drop_all(self) -> None:
        """Close every open session and wait for nothing, as the server is about to end."""
        for session in self._open.values():
            session.close()
        self._open.clear()
