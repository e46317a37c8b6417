"""The source of `serve` before real clients: replicas of every version, and the programs that read over the network."""

import io
import subprocess
import time
from contextlib import suppress
from dataclasses import replace

import pymysql
import pytest

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.reader import read_file
from conformance.models.sender.sender_settings import Hole
from conformance.servers.real_server import RealServer
from conformance.specs.versions import Profiles
from conformance.strategies.questions.sparse_logs import moved
from conformance.wire.listener import Listener
from conformance.wire.session import Access
from conformance.wire.source import Ending, Source, source_of_logs

WORK = (
    "CREATE DATABASE p",
    "CREATE TABLE p.t (a INT PRIMARY KEY AUTO_INCREMENT, b VARCHAR(20)) ENGINE=InnoDB",
    "INSERT INTO p.t (b) VALUES ('one'), ('two')",
    "UPDATE p.t SET b = 'three' WHERE a = 2",
    "FLUSH LOGS",
    "INSERT INTO p.t (b) VALUES ('four')",
    "DELETE FROM p.t WHERE a = 1",
)
ROWS = ((2, "three"), (3, "four"))
#: Seconds that a replica may take, and between two looks at it.
LIMIT, POLL = 30.0, 0.1
PASSWORD = "kit"
#: The servers that connect with TLS unless an option forbids it, and the programs.
WITH_TLS = Profiles("mysql >= 5.6")
WITH_TLS_IN_PROGRAMS = Profiles("mariadb >= 11.4")
#: What a group begins with.
FIRST_OF_GROUPS = (*GTID_TYPES, EventType.MARIADB_GTID, EventType.QUERY)
CHARACTERS = ("--character-set-server=latin1", "--collation-server=latin1_swedish_ci")


def options_of(product, server_id):
    with_modes = product.dialect.gtid_modes != "none"
    modes = ("--gtid-mode=ON", "--enforce-gtid-consistency=ON") if with_modes else ()
    return ["--binlog-format=ROW", f"--server-id={server_id}", *CHARACTERS, *modes]


def started(product, folder, template_of, server_id):
    server = RealServer(product, folder, options=options_of(product, server_id), template=template_of(product))
    server.start()
    return server


@pytest.fixture(scope="module")
def logs(product, server_folder, template_of):
    """The logs that a server of the version wrote."""
    server = started(product, server_folder / f"w-{product.name}", template_of, 1)
    try:
        server.run(*WORK)
    finally:
        server.stop()
    return {path.name: path.read_bytes() for path in server.logs()}


@pytest.fixture
def replica(product, server_folder, template_of):
    server = started(product, server_folder / f"r-{product.name}-{time.monotonic_ns()}", template_of, 2)
    yield server
    server.kill()


def connect(server, port, *, by_gtids, log_name, log_pos=4, start="START {replica}"):
    dialect, product = server.product.dialect, server.product
    to = dialect.source
    options = {f"{to}_HOST": "'127.0.0.1'", f"{to}_PORT": port, f"{to}_USER": "'x'", f"{to}_PASSWORD": f"'{PASSWORD}'"}
    options |= {f"{to}_CONNECT_RETRY": 1}
    if product.is_mariadb:
        options |= {"MASTER_SSL_VERIFY_SERVER_CERT": 0, "MASTER_SSL": 0}
        options |= {"MASTER_USE_GTID": "slave_pos"} if by_gtids else {}
    else:
        options |= {f"{to}_SSL": 0} if product.profile.name in WITH_TLS else {}
        options |= {f"{to}_AUTO_POSITION": 1} if by_gtids else {}
    if not by_gtids:
        options |= {f"{to}_LOG_FILE": f"'{log_name}'", f"{to}_LOG_POS": log_pos}
    change = ", ".join(f"{name} = {value}" for name, value in options.items())
    server.run(f"{dialect.change_source} {change}", start.format(replica=dialect.replica))


def status(server):
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(f"SHOW {server.product.dialect.replica} STATUS")
        return dict(zip((each[0] for each in cursor.description), cursor.fetchone(), strict=True))


def wait_for_rows(server):
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        with suppress(pymysql.err.MySQLError):  # The table is not there yet.
            if server.run("SELECT a, b FROM p.t ORDER BY a") == list(ROWS):
                return
        time.sleep(POLL)
    now = status(server)
    pytest.fail(f"receiver: {now['Last_IO_Error']}; applier: {now['Last_SQL_Error']}")


def replicate(source: Source, replica, *, by_gtids: bool) -> int:
    """Let a replica receive and apply all of a source; return how often it asked for events."""
    with Listener(access=Access(password=PASSWORD)) as listener:
        port = listener.serve(source)
        connect(replica, port, by_gtids=by_gtids, log_name=source.logs[0].name)
        wait_for_rows(replica)
        dumps = listener.dumps(port)
        replica.run(f"STOP {replica.product.dialect.replica}")
        return dumps


def test_a_replica_applies_what_is_served(logs, replica):
    assert replicate(source_of_logs(logs), replica, by_gtids=False) == 1


def test_a_replica_applies_what_is_served_by_gtids(product, logs, replica):
    if product.dialect.gtid_modes == "none" and not product.is_mariadb:
        pytest.skip("has no GTIDs")
    assert replicate(source_of_logs(logs), replica, by_gtids=True) == 1


def test_a_replica_goes_on_where_it_was_disconnected(logs, replica):
    source = replace(source_of_logs(logs), endings=(Ending(6), Ending(7)))
    assert replicate(source, replica, by_gtids=False) == 3


def far(logs, name, at, length):
    """Return the source of the logs, of which one has a hole of so many bytes before an event."""
    data = bytearray(logs[name])
    for event in read_file(io.BytesIO(logs[name])):
        if event.offset >= at:
            data[event.offset : event.end] = moved(event.data, length, has_checksum=event.has_checksum)
    return source_of_logs({**logs, name: bytes(data)}, holes={name: Hole(at, length)})


@pytest.mark.parametrize("position", [(1 << 31) - 1, 1 << 31, (1 << 32) - 4096])
def test_a_replica_begins_at_a_large_position(logs, replica, position):
    name = list(logs)[-1]
    events = list(read_file(io.BytesIO(logs[name])))
    at = next(event.offset for event in events if event.header.type in FIRST_OF_GROUPS)
    source = far(logs, name, at, position - at)
    with Listener(access=Access(password=PASSWORD)) as listener:
        connect(
            replica,
            listener.serve(source),
            by_gtids=False,
            log_name=name,
            log_pos=position,
            start="START {replica} IO_THREAD",
        )
        # A replica does not count the event with which the server has stopped.
        end = max(each.end for each in source.logs[-1].events if each.type != EventType.STOP)
        assert wait_for_place(replica, (name, end)) == (name, end)


def wait_for_place(server, place):
    """Return the log and the position up to which a replica has received, once they are a place or time is up."""
    until, read = time.monotonic() + LIMIT, ("", 0)
    while time.monotonic() < until and read != place:
        now = status(server)
        read = tuple(
            next(now[name] for name in names if name in now)
            for names in (("Source_Log_File", "Master_Log_File"), ("Read_Source_Log_Pos", "Read_Master_Log_Pos"))
        )
        time.sleep(POLL)
    return read


def test_the_program_of_the_server_copies_the_logs_byte_for_byte(product, logs, tmp_path):
    program = product.reader_program
    if not program.exists():
        pytest.skip(f"{product.name} has no {program.name} here")
    with Listener(access=Access(password=PASSWORD, plugin="mysql_native_password" if product.is_mariadb else "")) as to:
        port = to.serve(source_of_logs(logs))
        command = [program, "--no-defaults", "--read-from-remote-server", "--host=127.0.0.1", f"--port={port}"]
        command += ["--skip-ssl"] if product.profile.name in WITH_TLS_IN_PROGRAMS else []
        command += ["--protocol=tcp", "--user=x", f"--password={PASSWORD}", "--raw", f"--result-file={tmp_path}/"]
        done = subprocess.run(
            [*command, "--to-last-log", next(iter(logs))], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 0, done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == logs
