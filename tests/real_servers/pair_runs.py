"""Runs a real pair: the source logs some work, the replica connects and applies it, and everything between is kept."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pymysql
from pair_link import PairLink, Recorded
from pair_plans import REPLICA_ID, SOURCE_ID, PairPlan

from conformance.servers.products import Product, products
from conformance.servers.real_server import RealServer
from conformance.servers.relay_feed import OPTIONS
from conformance.servers.wire_source import NATIVE, SHA2
from conformance.specs.versions import Profiles

#: The replicas that know caching_sha2_password; later ones know nothing else.
_WITH_SHA2: Final = Profiles("mysql >= 8.0")
#: The servers that connect with TLS unless an option forbids it, and those that check certificates.
_WITH_TLS: Final = Profiles("mysql >= 5.6", "mariadb")
#: Every server knows this character set and its collation.
_CHARACTERS: Final = ("--character-set-server=latin1", "--collation-server=latin1_swedish_ci")
#: Seconds that a replica may take, and between two looks at it.
_LIMIT: Final = 20.0
_POLL: Final = 0.05
#: Looks in a row at an applier that has read everything, and goes no further, after which it is idle.
_SAME: Final = 20
#: Seconds until MariaDB has written all that it writes after the work.
_SETTLING: Final = 1.5
_TABLES: Final = ("t", "plain")
#: What the source does: rows and statements, in transactions and outside, in two logs.
_WORK: Final = (
    "CREATE DATABASE p",
    "CREATE TABLE p.t (a INT PRIMARY KEY AUTO_INCREMENT, b VARCHAR(20)) ENGINE=InnoDB",
    "CREATE TABLE p.plain (a INT, b VARCHAR(20)) ENGINE=MyISAM",
    "INSERT INTO p.t (b) VALUES ('one'), ('two')",
    "BEGIN",
    "INSERT INTO p.t VALUES (3, NULL)",
    "UPDATE p.t SET b = 'three' WHERE a = 3",
    "COMMIT",
    "INSERT INTO p.plain VALUES (1, 'plain')",
    "SET SESSION binlog_format = 'STATEMENT'",
    "SET @v = 'four'",
    "INSERT INTO p.t (b) VALUES (@v)",
    "DELETE FROM p.t WHERE a = 2",
    "SET SESSION binlog_format = 'ROW'",
    "FLUSH LOGS",
    "UPDATE p.t SET b = CONCAT(b, '.')",
    "INSERT INTO p.plain VALUES (2, NULL)",
    "DELETE FROM p.t WHERE a = 1",
)

#: The rows of each table, in order.
Rows = tuple[tuple[Any, ...], ...]
#: A log and a position in it.
Place = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRun:
    """What a pair did.

    Attributes:
        receiver: The number and the text of the receiver's error; 0 if there is none.
        applier: The same of the applier.
        place: How far the applier came in the source's logs.
        rows: The replica's rows.
        executed: The GTIDs that the replica has executed, empty where there are none.
        connection: What went over its first connection.
        relay_logs: The replica's relay logs, oldest first.
        source_logs: The source's logs with their names.
        states: Place -> the source's rows after a statement that ended there.
        version: The replica's version, as it writes it.
    """

    receiver: tuple[int, str]
    applier: tuple[int, str]
    place: Place
    rows: Rows
    executed: str
    connection: Recorded
    relay_logs: tuple[bytes, ...]
    source_logs: tuple[tuple[str, bytes], ...]
    states: dict[Place, Rows]
    version: str

    def rows_at(self, place: Place) -> Rows:
        """Return the source's rows at a place in its logs; before its work there are none."""
        before = [each for each in self.states if each <= place]
        return self.states[max(before)] if before else tuple((table, "is missing") for table in _TABLES)


def run_pair(plan: PairPlan, folder: Path, template_of: Callable[[Product], Path]) -> PairRun:
    """Run a pair.

    Args:
        plan: The servers and their options.
        folder: A folder for both servers, with a short path.
        template_of: Returns the initialised data folder of a product.
    """
    source, replica = products()[plan.source], products()[plan.replica]
    with (
        _server(source, folder / "s", _source_options(plan, source), template_of) as of_source,
        _server(replica, folder / "r", _replica_options(plan, replica), template_of) as of_replica,
        PairLink(of_source, plugin=SHA2 if replica.profile.name in _WITH_SHA2 else NATIVE) as link,
    ):
        states = _work(of_source)
        version = of_replica.value("SELECT @@GLOBAL.version")
        of_replica.run(*_connect(plan, replica, link.port))
        status = _wait(of_replica, next(reversed(states)))
        column, dialect = replica.dialect.source_column, replica.dialect
        executed = of_replica.value("SELECT @@GLOBAL.gtid_executed") if dialect.gtid_modes != "none" else ""
        of_replica.run(f"STOP {dialect.replica}")
        names = (of_replica.data / "relay.index").read_text(encoding="utf-8").split()
        return PairRun(
            receiver=(status["Last_IO_Errno"], status["Last_IO_Error"]),
            applier=(status["Last_SQL_Errno"], status["Last_SQL_Error"]),
            place=(status[f"Relay_{column}_Log_File"], status[f"Exec_{column}_Log_Pos"]),
            rows=_rows(of_replica),
            executed=executed.replace("\n", ""),
            connection=link.connections[0],
            relay_logs=tuple((of_replica.data / name).read_bytes() for name in names),
            source_logs=tuple((path.name, path.read_bytes()) for path in of_source.logs()),
            states=states,
            version=version,
        )


@contextmanager
def _server(
    product: Product, folder: Path, options: list[str], template_of: Callable[[Product], Path]
) -> Iterator[RealServer]:
    server = RealServer(product, folder, options=options, template=template_of(product))
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _source_options(plan: PairPlan, product: Product) -> list[str]:
    dialect = product.dialect
    options = [*_CHARACTERS, *_gtid_options(plan.source_mode, product), f"--server-id={SOURCE_ID}"]
    options += ["--binlog-format=ROW", *([f"--binlog-checksum={plan.checksum}"] if dialect.checksums else [])]
    if plan.rows == 1 and dialect.rows_queries:
        options.append("--log-bin-use-v1-row-events=1")
    texts = "ON" if plan.texts else "OFF"
    if dialect.rows_queries:
        options.append(f"--binlog-rows-query-log-events={texts}")
    if product.is_mariadb:
        options.append(f"--binlog-annotate-row-events={texts}")
    return options


def _replica_options(plan: PairPlan, product: Product) -> list[str]:
    server_id = SOURCE_ID if plan.same_id else REPLICA_ID
    return [
        *OPTIONS[product.profile.name],
        *_CHARACTERS,
        *_gtid_options(plan.replica_mode, product),
        f"--server-id={server_id}",
        *([f"--binlog-checksum={plan.replica_checksum}"] if product.dialect.checksums else []),
    ]


def _gtid_options(mode: str, product: Product) -> list[str]:
    if product.dialect.gtid_modes == "none":
        return []
    return [f"--gtid-mode={mode}", f"--enforce-gtid-consistency={'OFF' if mode == 'OFF' else 'ON'}"]


def _work(source: RealServer) -> dict[Place, Rows]:
    """Do the source's work, and return its rows after each statement."""
    states: dict[Place, Rows] = {}
    with source.connect(charset="latin1") as session, session.cursor() as cursor:
        for statement in _WORK:
            cursor.execute(statement)
            cursor.execute(source.product.dialect.log_status)
            name, position, *_ = cursor.fetchone()
            # Inside a transaction nothing is logged yet, so that the place is that of the state before.
            states.setdefault((name, position), _rows(source))
        if source.product.is_mariadb:
            # It writes a checkpoint to a new log in a thread of its own.
            time.sleep(_SETTLING)
            cursor.execute(source.product.dialect.log_status)
            name, position, *_ = cursor.fetchone()
            states.setdefault((name, position), _rows(source))
    return states


def _rows(server: RealServer) -> Rows:
    """Return the rows of both tables, as other sessions see them; none of a table that does not exist."""
    made: list[tuple[Any, ...]] = []
    for table in _TABLES:
        try:
            made += [(table, *row) for row in server.run(f"SELECT a, b FROM p.{table} ORDER BY a")]
        except pymysql.err.Error:
            made.append((table, "is missing"))
    return tuple(made)


def _connect(plan: PairPlan, replica: Product, port: int) -> tuple[str, ...]:
    """Return the statements with which the replica connects."""
    dialect = replica.dialect
    to = dialect.source
    options = {f"{to}_HOST": "'127.0.0.1'", f"{to}_PORT": port, f"{to}_USER": "'x'", f"{to}_PASSWORD": "'x'"}
    options |= {f"{to}_CONNECT_RETRY": 1}
    if replica.profile.name in _WITH_TLS:
        options |= {f"{to}_SSL": 0, **({f"{to}_SSL_VERIFY_SERVER_CERT": 0} if replica.is_mariadb else {})}
    if plan.position == "file":
        options |= {f"{to}_LOG_FILE": "'bin.000001'", f"{to}_LOG_POS": 4}
    else:
        options |= {"MASTER_USE_GTID": "slave_pos"} if replica.is_mariadb else {f"{to}_AUTO_POSITION": 1}
    change = ", ".join(f"{name} = {value}" for name, value in options.items())
    # Up to 5.5 the first of them switches it on.
    keeps = "SET GLOBAL relay_log_purge = 0"
    return f"{dialect.change_source} {change}", keeps, f"START {dialect.replica}"


def _wait(replica: RealServer, end: Place) -> dict[str, Any]:
    """Wait until a replica has applied everything, or its receiver stops, or its applier when all is received.

    Returns:
        Its status.

    Raises:
        AssertionError: It does none of these in time.
    """
    dialect = replica.product.dialect
    until = time.monotonic() + _LIMIT
    before, same = None, 0
    with replica.connect() as session, session.cursor(pymysql.cursors.DictCursor) as cursor:
        while True:
            cursor.execute(f"SHOW {dialect.replica} STATUS")
            status = cursor.fetchone()
            column = dialect.source_column
            place = (status[f"Relay_{column}_Log_File"], status[f"Exec_{column}_Log_Pos"])
            if status["Last_IO_Errno"] or place == end:
                return status
            read = (status[f"{column}_Log_File"], status[f"Read_{column}_Log_Pos"])
            # The receiver goes on when the applier has stopped: its relay logs are whole at the end only.
            if status["Last_SQL_Errno"] and read == end:
                return status
            # MariaDB's last event may be one that waits for the next group in a replica of MySQL.
            same = same + 1 if (read, place) == (end, before) else 0
            if same == _SAME:
                return status
            before = place
            assert time.monotonic() < until, f"the replica is neither at the end, {end}, nor stopped: {status}"
            time.sleep(_POLL)
