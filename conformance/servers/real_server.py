"""A real server, run from a tree that `provision.sh` unpacked: start, stop, kill, SQL, binary logs.

No root and nothing installed is needed; the server listens on a Unix socket in its own folder only.
"""

import ctypes
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pymysql
from pymysql.constants import CLIENT

from conformance.models.server.tables import quoted
from conformance.servers.guarded_session import MOST_PACKET_BYTES, GuardedSession
from conformance.servers.products import Dialect, Product

#: Seconds that a server may take to start, to stop, or to answer one statement.
_START: Final = 60.0
_STOP: Final = 60.0
_ANSWER: Final = 30
#: Seconds between two polls of a server that starts.
_POLL: Final = 0.05
#: A Unix socket's path has room for 107 bytes.
_SOCKET_PATH_LIMIT: Final = 107

#: Bytes of memory of its own that a server may take; none of those at hand needs a gigabyte. MySQL 5.5 and 5.6 take all
#: that there is to list a log. The address space is not limited: MariaDB 10.11 and later reserve terabytes of it.
_MEMORY: Final = 4 << 30

_SYSTEM_DATABASES: Final = frozenset({"mysql", "information_schema", "performance_schema", "sys"})

#: A file that belongs to no table, because of which a server cannot remove a database's directory.
_FOREIGN_FILE: Final = "foreign.txt"


#: From linux/prctl.h.
_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


class ServerFailed(Exception):
    """A server did not start, did not stop, or ended on its own; the message has the end of its error log."""


class RealServer:
    """One server with a data folder of its own.

    Attributes:
        product: The server's programs.
        folder: The folder with its data, binary logs, socket and error log.

    Args:
        product: The server's programs.
        folder: A folder for this server only, created if it does not exist. Its path must be short, as it holds the
            socket.
        options: More options for the server, as on a command line.
        uuid: The server's UUID; with None it makes its own. Not every version has one.
        template: An initialised data folder to copy, as `initialise` makes it; with None one is initialised.
    """

    def __init__(
        self,
        product: Product,
        folder: Path,
        *,
        options: Sequence[str] = (),
        uuid: str | None = None,
        template: Path | None = None,
    ) -> None:
        self.product = product
        self.folder = folder
        self._options = list(options)
        self._uuid = uuid
        self._template = template
        self._process: subprocess.Popen[bytes] | None = None
        if len(str(self.socket)) > _SOCKET_PATH_LIMIT:
            raise ValueError(f"the path of the socket, {self.socket}, is longer than {_SOCKET_PATH_LIMIT} characters")

    @property
    def data(self) -> Path:
        """The data folder, with the binary logs."""
        return self.folder / "data"

    @property
    def socket(self) -> Path:
        """The Unix socket on which it listens."""
        return self.folder / "s"

    @property
    def error_log(self) -> Path:
        """The output of the server on standard error."""
        return self.folder / "error.log"

    @property
    def dialect(self) -> Dialect:
        """How it is spoken to."""
        return self.product.dialect

    @property
    def is_mariadb(self) -> bool:
        """Whether it is MariaDB."""
        return self.product.is_mariadb

    @property
    def running(self) -> bool:
        """Whether the server's process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self, *options: str) -> None:
        """Start the server and wait until it answers; the data folder is created if there is none.

        Args:
            *options: Options for this run, after those of the server.

        Raises:
            ServerFailed: It does not answer in time.
        """
        if not self.data.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            if self._template is None:
                initialise(self.product, self.data)
            else:
                shutil.copytree(self._template, self.data)
            if self._uuid is not None and self.product.dialect.uuid:
                (self.data / "auto.cnf").write_text(f"[auto]\nserver-uuid={self._uuid}\n", encoding="utf-8")
        dialect = self.product.dialect
        command = [str(self.product.server_program), *self.product.base_options(), *dialect.options]
        command += [f"--datadir={self.data}", f"--socket={self.socket}", f"--pid-file={self.folder / 'pid'}"]
        # A server that was killed leaves files in it, which one with the number of its process would find.
        command += [f"--tmpdir={self.folder}"]
        command += ["--server-id=1", "--log-bin=bin", *self._options, *options]
        with self.error_log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_restrain,  # noqa: PLW1509 - system calls, which take no lock
            )
        until = time.monotonic() + _START
        while time.monotonic() < until:
            if not self.running:
                raise ServerFailed(f"{self.product.name} ended while it started: {self._end_of_error_log()}")
            with suppress(pymysql.err.OperationalError):
                self.connect().close()
                return
            time.sleep(_POLL)
        self.kill()
        raise ServerFailed(
            f"{self.product.name} did not answer within {_START:.0f} seconds: {self._end_of_error_log()}"
        )

    def stop(self) -> None:
        """Shut the server down if it is running.

        Raises:
            ServerFailed: It did not stop in time and was killed.
        """
        if self._process is None or not self.running:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise ServerFailed(f"{self.product.name} did not stop within {_STOP:.0f} seconds") from error

    def kill(self) -> None:
        """Kill the server's process, as a crash does."""
        if self._process is not None and self.running:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(_STOP)

    def restart(self, *options: str) -> None:
        """Stop the server and start it again."""
        self.stop()
        self.start(*options)

    def connect(self, **arguments: Any) -> GuardedSession:
        """Return a new session, in autocommit, with a time limit on every answer.

        Args:
            **arguments: Further arguments for `pymysql.connect`.
        """
        settings: dict[str, Any] = {
            "unix_socket": str(self.socket),
            "user": "root",
            "charset": "utf8mb4",
            "autocommit": None,
            "connect_timeout": 5,
            "read_timeout": _ANSWER,
            "write_timeout": _ANSWER,
            "client_flag": CLIENT.FOUND_ROWS,
            # Nothing leaves the machine, and to prepare for TLS takes longer than a scenario.
            "ssl_disabled": True,
        }
        return GuardedSession(**{"most": MOST_PACKET_BYTES, **settings, **arguments})

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements in a session of their own.

        Returns:
            The rows of the last statement.

        Raises:
            pymysql.err.Error: A statement fails; those after it are not run.
        """
        with self.connect() as session, session.cursor() as cursor:
            for each in statements:
                cursor.execute(each)
            return list(cursor.fetchall())

    def value(self, query: str) -> Any:
        """Return the first column of the first row that a query gives."""
        return self.run(query)[0][0]

    def reset(self) -> None:
        """Drop every database except the system's, and start with one empty binary log and no GTIDs."""
        with self.connect() as session, session.cursor() as cursor:
            cursor.execute("SET SESSION sql_log_bin = 0")
            cursor.execute("SHOW DATABASES")
            for (name,) in cursor.fetchall():
                if name not in _SYSTEM_DATABASES:
                    (self.data / name / _FOREIGN_FILE).unlink(missing_ok=True)
                    cursor.execute(f"DROP DATABASE {quoted(name)}")
            # MariaDB's RESET MASTER needs it.
            cursor.execute("SET SESSION sql_log_bin = 1")
            cursor.execute(self.product.dialect.reset_logs)

    def obstruct(self, database: str, *, obstructed: bool = True) -> None:
        """Put a foreign file into a database's directory, at which DROP DATABASE fails, or remove it."""
        file = self.data / database / _FOREIGN_FILE
        if obstructed:
            file.touch()
        else:
            file.unlink(missing_ok=True)

    def logs(self) -> list[Path]:
        """Return the binary logs, in the order of the server's index, the current one last."""
        index = (self.data / "bin.index").read_text(encoding="utf-8")
        return [self.data / line for line in index.splitlines() if line]

    def _end_of_error_log(self) -> str:
        with suppress(OSError):
            return " | ".join(self.error_log.read_text(errors="replace").splitlines()[-5:])
        return "no error log"


def _restrain() -> None:
    """Limit the memory of this process, and have the system kill it when its parent is killed: no server stays."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        memory = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def initialise(product: Product, data: Path) -> None:
    """Create the data folder of a new server whose user root has no password.

    Raises:
        ServerFailed: The server's own initialisation fails.
    """
    dialect = product.dialect
    if dialect.data_folder == "shipped":
        shutil.copytree(product.template, data)
        return
    command = [str(product.server_program), *product.base_options(), *dialect.options, f"--datadir={data}"]
    # A MariaDB that starts removes the temporary tables of all others in the folder.
    with tempfile.TemporaryDirectory() as temporary:
        command.append(f"--tmpdir={temporary}")
        if dialect.data_folder == "scripts":
            data.mkdir(parents=True)
            script = ["create database mysql;", "use mysql;", "set @auth_root_socket=NULL;"]
            script += [product.script(each).read_text(encoding="utf-8") for each in dialect.scripts]
            _run([*command, "--bootstrap"], standard_input="\n".join(script))
        else:
            _run([*command, "--initialize-insecure"])
    # A copy must not be the same server: without the UUID it makes its own, or gets one from the caller.
    (data / "auto.cnf").unlink(missing_ok=True)


def _run(command: list[str], *, standard_input: str = "") -> None:
    done = subprocess.run(command, input=standard_input, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise ServerFailed(f"{command[0]} failed with {done.returncode}: {done.stderr[-2000:]}")


@contextmanager
def running(
    product: Product,
    folder: Path,
    *,
    options: Sequence[str] = (),
    uuid: str | None = None,
    template: Path | None = None,
) -> Iterator[RealServer]:
    """Run a server within a context; at the end it is stopped, and killed if that fails. See `RealServer`."""
    server = RealServer(product, folder, options=options, uuid=uuid, template=template)
    server.start()
    try:
        yield server
    finally:
        try:
            server.stop()
        finally:
            server.kill()
