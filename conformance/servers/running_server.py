"""A server that somebody else runs: what it must have to be judged, and what may be done there."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final

import pymysql

from conformance.log_check.server_profile import profile_of
from conformance.servers.dump import dump
from conformance.servers.guarded_session import GuardedSession, reading_answers
from conformance.servers.products import DIALECTS, Dialect
from conformance.servers.server_url import PASSWORD, ServerUrl
from conformance.specs.extras import install_command

#: The databases of the system.
SYSTEM_DATABASES: Final = frozenset({"mysql", "information_schema", "performance_schema", "sys"})
#: The database that servers before MySQL 5.7 and MariaDB 11 have from the beginning.
_SHIPPED: Final = "test"
#: The lock that a run holds on the server, so that no two judge it at a time.
_LOCK: Final = "binlog_conformance"
#: The errors with which a server refuses a user.
_DENIED: Final = frozenset({1044, 1045, 1698})


class RunningServer:
    """A server that is reached by its URL.

    Attributes:
        url: Its URL.
        version: The version that it reports.
        profile: The profile of its release.
        dialect: How it is spoken to.

    Raises:
        ValueError: It cannot be reached, refuses the user, or has a version that the kit does not know.
    """

    def __init__(self, url: ServerUrl) -> None:
        self.url = url
        try:
            self.version = str(self.value("SELECT VERSION()"))
        except pymysql.err.MySQLError as error:
            # Where PyMySQL itself cannot go on there is no number before the words.
            words = [each for each in error.args if not isinstance(each, int)]
            advice = f"; is {PASSWORD} the password of {url.user}?" if _DENIED & set(error.args) else ""
            raise ValueError(f"{url} cannot be reached: {' '.join(map(str, words))}{advice}") from error
        except RuntimeError as error:
            # What PyMySQL raises for a password that it cannot encrypt.
            raise ValueError(f"{url} cannot be reached: {error}: {install_command('servers')}") from error
        profile = profile_of(self.version)
        dialect = None if profile is None else DIALECTS[profile]
        if profile is None or dialect is None:
            raise ValueError(f"{url} has the version {self.version!r}, which is not one of MySQL or MariaDB")
        self.profile: str = profile
        self.dialect: Dialect = dialect

    @property
    def is_mariadb(self) -> bool:
        """Whether it is MariaDB."""
        return self.profile.startswith("mariadb")

    def connect(self, **arguments: Any) -> GuardedSession:
        """Return a new session, in autocommit; `arguments` are further ones for `pymysql.connect`."""
        return self.url.connect(**arguments)

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements in a session of their own, and return the rows of the last one."""
        with reading_answers(), closing(self.connect()) as session, session.cursor() as cursor:
            for each in statements:
                cursor.execute(each)
            return list(cursor.fetchall())

    def value(self, query: str) -> Any:
        """Return the first column of the first row that a query gives, None if there is no row."""
        rows = self.run(query)
        return rows[0][0] if rows else None

    def current_log(self) -> str:
        """Return the name of the log that it is writing.

        Raises:
            pymysql.err.MySQLError: The user may not see it.
        """
        return str(self.value(self.dialect.log_status))

    def databases(self) -> list[str]:
        """Return the databases of its clients; an empty `test`, which servers were shipped with, is nobody's."""
        names = [name for (name,) in self.run("SHOW DATABASES") if name not in SYSTEM_DATABASES]
        if _SHIPPED in names and not self.run(f"SHOW TABLES FROM `{_SHIPPED}`"):
            names.remove(_SHIPPED)
        return names

    def locked(self) -> GuardedSession:
        """Return a session that holds the kit's lock.

        Raises:
            ValueError: Another run holds it.
        """
        session = self.connect(read_timeout=None)
        with session.cursor() as cursor:
            cursor.execute(f"SELECT GET_LOCK('{_LOCK}', 0)")
            if cursor.fetchone() == (1,):
                # It is idle for as long as the run takes.
                cursor.execute("SET SESSION wait_timeout = 2147483")
                return session
        session.close()
        raise ValueError(f"{self.url} is judged by another run: wait until that has ended")


def reading_problems(server: RunningServer) -> list[str]:
    """Return what keeps a server's logs from being read, each with what to do about it."""
    return [*_log_problems(server)]


def scenario_problems(server: RunningServer, databases: Sequence[str]) -> list[str]:
    """Return what keeps scenarios from being run on a server, each with what to do about it.

    Args:
        server: The server.
        databases: The databases that scenarios make and remove.
    """
    return [*_log_problems(server), *_session_problems(server), *_client_problems(server, databases)]


def _log_problems(server: RunningServer) -> Iterator[str]:
    if str(server.value("SELECT @@GLOBAL.log_bin")) not in ("1", "ON"):
        yield "log_bin is OFF: start the server with --log-bin"
        return
    try:
        rows = server.run(server.dialect.log_status)
    except pymysql.err.MySQLError as error:
        needed = "BINLOG MONITOR" if server.is_mariadb else "REPLICATION CLIENT"
        yield f"{server.url.user} may not see where the log ends ({error.args[0]}): GRANT {needed} ON *.*"
        return
    if not rows:
        yield f"{server.dialect.log_status} names no log: start the server with --log-bin"
        return
    # From its end nothing is sent, but the privilege is needed.
    done = dump(server, log_name=str(rows[0][0]), log_pos=int(rows[0][1]))
    if done.error:
        yield f"{server.url.user} may not read the log ({done.error}): GRANT REPLICATION SLAVE ON *.*"


def _session_problems(server: RunningServer) -> Iterator[str]:
    for statement, needed in (
        ("SET SESSION binlog_format = @@GLOBAL.binlog_format", "SESSION_VARIABLES_ADMIN, or SUPER before 8.0,"),
        ("SET SESSION sql_log_bin = 0", "SESSION_VARIABLES_ADMIN, or SUPER before 8.0,"),
    ):
        try:
            server.run(statement)
        except pymysql.err.MySQLError as error:
            name = statement.split()[2]
            yield f"{server.url.user} may not set {name} ({error.args[0]}): GRANT {needed} ON *.*"
    grants = " ".join(str(row[0]) for row in server.run("SHOW GRANTS"))
    if "RELOAD" not in grants and "ALL PRIVILEGES ON *.*" not in grants:
        yield f"{server.url.user} may not run FLUSH BINARY LOGS: GRANT RELOAD ON *.*"


def _client_problems(server: RunningServer, databases: Sequence[str]) -> Iterator[str]:
    allowed = server.url.allowed
    existing = server.databases()
    ours = [each for each in existing if each in databases]
    others = [each for each in existing if each not in databases]
    if ours:
        yield f"it has the database {ours[0]}, and scenarios make and drop {' and '.join(databases)}: drop it"
    if others and "databases" not in allowed:
        yield f"it has databases of other clients, such as {others[0]}: add ?allow=databases to its URL, or use another"
    if "replica" in allowed:
        return
    try:
        rows = server.run(f"SHOW {server.dialect.replica} STATUS")
    except pymysql.err.MySQLError as error:
        yield f"{server.url.user} may not see if it is a replica ({error.args[0]}): GRANT REPLICATION CLIENT ON *.*"
    else:
        if rows:
            yield "it is a replica: add ?allow=replica to its URL, or use another"
