"""The logs of a running server for a command that reads them until it is stopped."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.cli.main import UserError
from conformance.servers.server_url import ServerUrl
from conformance.specs.extras import install_command

if TYPE_CHECKING:
    from conformance.servers.live_logs import LiveLogs


@contextmanager
def live_logs(text: str, seconds: float | None) -> "Iterator[LiveLogs]":
    """Yield the logs of a running server, which end after a time, or at the first Ctrl-C; a second one interrupts.

    Args:
        text: The server's URL.
        seconds: How long they are read; None: until Ctrl-C.

    Raises:
        UserError: The URL is not valid, or the server's logs cannot be read; the message has every reason.
    """
    try:
        url = ServerUrl.of(text)
        from conformance.servers.live_logs import LiveLogs
        from conformance.servers.running_server import RunningServer, reading_problems

        server = RunningServer(url)
    except ModuleNotFoundError as error:
        raise UserError(f"--server needs PyMySQL: {install_command('servers')}") from error
    except ValueError as error:
        raise UserError(str(error)) from error
    problems = reading_problems(server)
    if problems:
        raise UserError(f"{url} cannot be read: {'; '.join(problems)}")
    stopping = threading.Event()
    until = None if seconds is None else time.monotonic() + seconds
    before = signal.getsignal(signal.SIGINT)

    def stop(*unused: object) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, before)

    def is_stopped() -> bool:
        return stopping.is_set() or (until is not None and time.monotonic() >= until)

    signal.signal(signal.SIGINT, stop)
    try:
        yield LiveLogs(server, server.current_log(), is_stopped)
    finally:
        signal.signal(signal.SIGINT, before)
