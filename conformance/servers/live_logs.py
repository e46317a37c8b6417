"""The logs of a running server, read as they are written: each is a stream that ends where the next log begins."""

from collections.abc import Callable, Iterator

import pymysql
from pymysql.constants import CR

from conformance.binlog.event_types import HEARTBEAT_TYPES
from conformance.binlog.header import MAGIC, TYPE_AT
from conformance.servers.dump import Server, live_events
from conformance.servers.translated_logs import is_naming, named_log


class LiveLogs:
    """The logs of a server, from one of them on, until they are stopped.

    Attributes:
        error: Why reading ended before it was stopped; empty if it did not.

    Args:
        server: The server.
        log_name: The first log to read.
        is_stopped: Returns whether reading is to end; asked at each event, and about once a second.
    """

    def __init__(self, server: Server, log_name: str, is_stopped: Callable[[], bool]) -> None:
        self.error = ""
        self._events = live_events(server, log_name)
        self._is_stopped = is_stopped
        self._name = ""
        self._next: str | None = None

    def logs(self) -> Iterator[tuple[str, "LiveLog"]]:
        """Yield each log with its name, when it begins; the one before must have been read to its end."""
        # What comes first names the log.
        self.next_event()
        while self._next is not None:
            self._name, self._next = self._next, None
            yield self._name, LiveLog(self)
        self._events.close()

    def next_event(self) -> bytes:
        """Return the next event of the current log, waiting for it; empty at the log's end and when stopped."""
        try:
            for event in self._events:
                if self._is_stopped():
                    return b""
                if is_naming(event):
                    name = named_log(event)
                    if name != self._name:
                        self._next = name
                        return b""
                elif event[TYPE_AT] not in HEARTBEAT_TYPES:
                    return event
        except pymysql.err.MySQLError as error:
            self.error = "" if self._is_stopped() else str(error.args[-1])
            if error.args[0] == CR.CR_NET_PACKET_TOO_LARGE:
                self.error = "an event is beyond the limit; raise it with --limit event-bytes=NUMBER"
        else:
            self.error = "the server ended the connection"
        return b""


class LiveLog:
    """One log as a stream: the magic number, then the events as they come.

    Args:
        logs: The logs of its server.
    """

    def __init__(self, logs: LiveLogs) -> None:
        self._logs = logs
        self._held = MAGIC

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, of one event at most; nothing at the log's end."""
        if not self._held:
            self._held = self._logs.next_event()
        taken = self._held if size < 0 else self._held[:size]
        self._held = self._held[len(taken) :]
        return taken
