"""The connection of a real replica to a real source, recorded: the replica's statements, and what the source sends.

The replica connects to a port of the loopback interface. The kit greets it with the source's version, takes any
password, and passes every packet on to a session of its own with the source. So servers that share no way to
authenticate are pairs too, and none of them listens on a port.
"""

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from conformance.servers.real_server import RealServer
from conformance.servers.wire_source import Conversation, take

_COM_QUERY: Final = 0x03
_COM_DUMPS: Final = (0x12, 0x1E)
_EVENT: Final = 0x00
_ERROR: Final = 0xFF


@dataclass(slots=True)
class Recorded:
    """What went over one connection.

    Attributes:
        statements: The replica's statements, in order.
        dump: The command with which it asks for events, empty if it did not.
        events: The events that the source sent, with all their bytes.
        error: The number and the text of the error with which the source ended the connection.
    """

    statements: list[str] = field(default_factory=list)
    dump: bytes = b""
    events: list[bytes] = field(default_factory=list)
    error: tuple[int, str] = (0, "")

    def add_request(self, payload: bytes) -> None:
        """Record a packet of the replica."""
        if payload[0] == _COM_QUERY:
            self.statements.append(payload[1:].decode("utf-8", "replace"))
        elif payload[0] in _COM_DUMPS:
            self.dump = payload

    def add_answer(self, payload: bytes) -> None:
        """Record a packet of the source."""
        if self.dump and payload[0] == _EVENT:
            self.events.append(payload[1:])
        elif self.dump and payload[0] == _ERROR:
            self.error = _error(payload)


class PairLink:
    """Connects replicas to a source, and records their connections.

    Args:
        source: The source.
        plugin: How replicas are asked to authenticate; see `wire_source`.

    Attributes:
        port: The port on the loopback interface on which it listens.
        connections: What went over each connection, oldest first.
    """

    def __init__(self, source: RealServer, *, plugin: str) -> None:
        self._source = source
        self._plugin = plugin
        self.connections: list[Recorded] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                replica, _ = self._listener.accept()
                threading.Thread(target=self._connect, args=(replica,), daemon=True).start()

    def _connect(self, replica: socket.socket) -> None:
        session = self._source.connect(read_timeout=None, write_timeout=None)
        source: socket.socket = session._sock
        source.settimeout(None)
        self._open += [replica, source]
        recorded = Recorded()
        self.connections.append(recorded)
        with suppress(OSError, EOFError):
            Conversation(replica, (), self._plugin, version=session.server_version).greet()
            threading.Thread(target=_pass_on, args=(source, replica, recorded.add_answer), daemon=True).start()
            _pass_on(replica, source, recorded.add_request)
        for each in (replica, source):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def _pass_on(origin: socket.socket, target: socket.socket, record: Callable[[bytes], None]) -> None:
    """Pass packets on until the connection ends, each after its payload is recorded; none needs several packets."""
    with suppress(OSError, EOFError):
        while True:
            head = take(origin, 4)
            payload = take(origin, int.from_bytes(head[:3], "little"))
            record(payload)
            target.sendall(head + payload)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def _error(payload: bytes) -> tuple[int, str]:
    (number,) = struct.unpack_from("<H", payload, 1)
    # A sign and five characters of SQLSTATE stand before the text.
    return number, payload[9:].decode("utf-8", "replace")
