"""A real server as a replica whose relay log the kit writes: it applies a stream and shows where its applier stops."""

import re
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import pymysql

from conformance.servers.real_server import RealServer
from conformance.specs.versions import ByVersion

#: Options of such a server, by version.
_OPTIONS: Final = (
    "--relay-log=relay",
    "--relay-log-purge=OFF",
    "--relay-log-recovery=OFF",
    "--server-id=100",
)
_OF_SLAVES: Final = (*_OPTIONS, "--skip-slave-start")
OPTIONS: Final = ByVersion(
    "the options of replicas",
    {
        "worklog": (),
        # With binlog_format=STATEMENT, the default of these, an applier that logs stops at rows.
        "mysql": (*_OF_SLAVES, "--binlog-format=ROW", "--log-slave-updates"),
        "mysql >= 5.7": (*_OF_SLAVES, "--log-slave-updates"),
        "mysql >= 9.0": (
            *_OPTIONS,
            "--skip-replica-start",
            "--replica-parallel-workers=1",
            # Positions are those of the last checkpoint; this is the time between two, in milliseconds.
            "--replica-checkpoint-period=1",
        ),
        "mariadb": (*_OF_SLAVES, "--binlog-format=ROW", "--log-slave-updates"),
    },
)
#: The relay log that the stream is written to.
_FED: Final = "relay.000001"
#: Seconds that an applier may take, that a statement may take, and between two polls of the applier. The first two are
#: only spent on an applier that does something else than it should.
_LIMIT: Final = 30.0
_ANSWER: Final = 15
_POLL: Final = 0.02
#: Polls in a row with the same status, at its end, before the applier counts as idle.
_SAME: Final = 3
#: How SHOW BINLOG EVENTS lists a GTID: of MariaDB with or without BEGIN.
_LISTED_GTID: Final = re.compile(r"(?:SET @@SESSION.GTID_NEXT= '|(?:BEGIN )?GTID )([^' ]+)")
#: A part of an applier's state when it has nothing to do, in every version; in 9.x the word before is not Slave.
_WAITING: Final = "has read all relay log"


@dataclass(frozen=True, slots=True)
class Fed:
    """The state of the applier when it has nothing more to do.

    Attributes:
        error: The number of the error with which it stopped; 0 if there is none.
        message: Its text.
        relay_log_pos: Its position in the relay log, after the last complete group, in bytes.
        source_log_pos: The same position in the source's log.
        running: Whether it still runs and waits for more.
        skip_counter: The number of events still to be skipped.
        executed: The GTIDs that the server has executed.
        rows: The rows of `test`.`t1` that other sessions see, sorted.
        logged_gtids: The GTIDs of the groups in its own binary log, ``ANONYMOUS`` for those without one; MariaDB makes
            one for a group that came without.
        hangs: Whether it cannot be stopped because a group has begun and does not end; the server must be killed.
    """

    error: int
    message: str
    relay_log_pos: int
    source_log_pos: int
    running: bool
    skip_counter: int
    executed: str
    rows: list[list[Any]]
    logged_gtids: list[str]
    hangs: bool


def feed(
    server: RealServer,
    stream: bytes,
    *,
    prepare: Iterable[str] = (),
    obstructed: Iterable[str] = (),
    skip_counter: int = 0,
    until: Mapping[str, Any] | None = None,
    reaches: int | None = None,
) -> Fed:
    """Make a server apply a stream as its relay log, and wait until its applier stops or has come to its end.

    No server shows that its applier has nothing more to do: with workers, one that has read the whole relay log may
    still apply it. So the position to wait for has to be known.

    Args:
        server: A server running with `OPTIONS`.
        stream: The relay log, its magic number included.
        prepare: Statements that are run first, without logging.
        obstructed: Databases that these make, and that DROP DATABASE then fails for halfway.
        skip_counter: The number of events to skip.
        until: Where to stop, as in the settings of the role `apply`; None applies everything.
        reaches: The position in the relay log, after the last complete group, that the applier is to come to; None if
            it is to stop.
    """
    with closing(server.connect(read_timeout=_ANSWER)) as session, session.cursor() as cursor:
        dialect = server.product.dialect
        for each in (f"STOP {dialect.replica}", dialect.reset_replica):
            cursor.execute(each)
    server.reset()
    session = server.connect(read_timeout=_ANSWER)
    try:
        cursor = session.cursor()
        cursor.execute("SET SESSION sql_log_bin = 0")
        for each in prepare:
            cursor.execute(each)
        for each in obstructed:
            server.obstruct(each)
        _start(server, cursor, stream, skip_counter, until)
        return _wait(server, cursor, length=len(stream), reaches=reaches)
    finally:
        if session.open:  # A statement that takes too long closes it.
            session.close()


def _start(
    server: RealServer,
    cursor: Any,
    stream: bytes,
    skip_counter: int,
    until: Mapping[str, Any] | None,
) -> None:
    dialect = server.product.dialect
    source, change = dialect.source, dialect.change_source
    cursor.execute(f"{change} {source}_HOST='127.0.0.9', {source}_USER='x', {source}_PORT=1")
    cursor.execute("FLUSH RELAY LOGS")
    (server.data / _FED).write_bytes(stream)
    cursor.execute(f"{change} RELAY_LOG_FILE='{_FED}', RELAY_LOG_POS=4")
    counter = f"sql_{dialect.replica.lower()}_skip_counter"
    cursor.execute(f"SELECT @@GLOBAL.{counter}")
    # 5.5 and 5.6 show the number that was set last even where none is left of it. And with gtid_mode=ON some versions
    # refuse to set it even to 0.
    if skip_counter or cursor.fetchone() != (0,):
        cursor.execute(f"SET GLOBAL {counter} = {skip_counter}")
    clause = ""
    if until is not None:
        clause = f" UNTIL {source}_LOG_FILE='{until['log_name']}', {source}_LOG_POS={until['log_pos']}"
    cursor.execute(f"START {dialect.replica} SQL_THREAD" + clause)


def _applier_state(cursor: Any, status: Mapping[str, Any], column: str) -> str:
    """Return the applier's state, which 5.5 shows in the list of threads only."""
    if column in status:
        return str(status[column])
    cursor.execute("SHOW PROCESSLIST")
    return " ".join(str(row[6]) for row in cursor.fetchall())


def _relay_log_pos(status: Mapping[str, Any], length: int) -> int:
    # 8.0.15 is at the beginning of the next relay log when it has applied everything.
    return int(status["Relay_Log_Pos"]) if status["Relay_Log_File"] == _FED else length


def _status_at_the_end(server: RealServer, cursor: Any, length: int, reaches: int | None) -> dict[str, Any]:
    """Return the status of the applier when it has stopped, or has read everything and is at the position to reach."""
    until = time.monotonic() + _LIMIT
    same, before, status = 0, None, {}
    dialect = server.product.dialect
    replica = dialect.replica_column
    while same < _SAME and time.monotonic() < until:
        cursor.execute(f"SHOW {dialect.replica} STATUS")
        names = [column[0] for column in cursor.description]
        status = dict(zip(names, cursor.fetchone(), strict=True))
        if status[f"{replica}_SQL_Running"] != "Yes":
            break
        waiting = _WAITING in _applier_state(cursor, status, f"{replica}_SQL_Running_State")
        at_end = waiting and _relay_log_pos(status, length) == reaches
        same = same + 1 if at_end and status == before else 0
        before = status
        time.sleep(_POLL)
    return status


def _wait(server: RealServer, cursor: Any, *, length: int, reaches: int | None) -> Fed:
    dialect = server.product.dialect
    status = _status_at_the_end(server, cursor, length, reaches)
    # The global variable is what the next start begins with.
    counter = int(status["Skip_Counter"])
    executed = ""
    if dialect.gtid_modes != "none":
        cursor.execute("SELECT @@GLOBAL.gtid_executed")
        (executed,) = cursor.fetchone()
    cursor.execute("SELECT `a`, `b` FROM `test`.`t1` ORDER BY `a`, `b`")
    rows = [list(row) for row in cursor.fetchall()]
    cursor.execute("SHOW BINLOG EVENTS")
    rows_of_log = cursor.fetchall()
    gtids = [match[1] for *_, info in rows_of_log if (match := _LISTED_GTID.match(info))]
    hangs = False
    try:
        cursor.execute(f"STOP {dialect.replica}")
    except pymysql.err.OperationalError:
        hangs = True
    return Fed(
        error=status["Last_SQL_Errno"],
        message=status["Last_SQL_Error"],
        relay_log_pos=_relay_log_pos(status, length),
        source_log_pos=status[f"Exec_{dialect.source_column}_Log_Pos"],
        running=status[f"{dialect.replica_column}_SQL_Running"] == "Yes",
        skip_counter=counter,
        executed=executed.replace("\n", ""),
        rows=rows,
        logged_gtids=gtids,
        hangs=hangs,
    )
