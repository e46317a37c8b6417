"""A source over the network that does what a replica needs: it sends a stream event by event, and then waits.

The replica's queries and their answers are those of real connections.
"""

import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

#: The way in which a replica that knows it is asked to authenticate, and the one for older replicas.
SHA2: Final = "caching_sha2_password"
NATIVE: Final = "mysql_native_password"
#: PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH, LONG_PASSWORD, LONG_FLAG, CONNECT_WITH_DB: no more,
#: so that the exchange has its simplest form.
_CAPABILITIES: Final = 0x00000200 | 0x00002000 | 0x00008000 | 0x00080000 | 0x0000000D
_FAST_AUTHENTICATION_DONE: Final = b"\x01\x03"
_OK: Final = b"\x00\x00\x00\x02\x00\x00\x00"
_EOF: Final = b"\xfe\x00\x00\x02\x00"
_COM_QUIT: Final = 0x01
_COM_QUERY: Final = 0x03
_COM_DUMPS: Final = (0x12, 0x1E)
_PACKET_LIMIT: Final = 0xFFFFFF
_STRING: Final = 0xFD
#: A query that has an answer.
_ASKS: Final = re.compile(r"\s*(SELECT|SHOW\s+VARIABLES)\b", re.IGNORECASE)

#: The connections of Linux: after a line of names, each with its local and remote address, its state, and how many
#: bytes wait to be sent and to be read.
_CONNECTIONS: Final = Path("/proc/net/tcp")

UUID: Final = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


class WireSource:
    """A source that sends one stream to each replica that asks for a dump.

    Args:
        events: The events, each with all its bytes.
        part: The beginning of one more event, after which the connection is lost; a replica that connects again is
            sent nothing. If it is empty, no connection is lost.
        server_id: The source's id.
        gtid_mode: The gtid_mode that it reports.
        checksum: The binlog_checksum that it reports.
        plugin: How replicas authenticate: `SHA2` or `NATIVE`; every password is right.

    Attributes:
        port: The port on the loopback interface on which it listens.
        sent: Set when every event was sent, and the part of one.
    """

    def __init__(
        self,
        events: Sequence[bytes],
        *,
        part: bytes = b"",
        server_id: int,
        gtid_mode: str,
        checksum: str,
        plugin: str = SHA2,
    ) -> None:
        self._events = events
        self._part = part
        self._plugin = plugin
        self._answers = (
            (r"UNIX_TIMESTAMP", "1"),
            (r"SERVER_ID", str(server_id)),
            (r"binlog_checksum", checksum),
            (r"GTID_MODE", gtid_mode),
            (r"SERVER_UUID", UUID),
            (r"VERSION", "9.7.4"),
        )
        self.sent = threading.Event()
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    @property
    def is_read(self) -> bool:
        """Whether the replicas have read all bytes that were sent: one that only waits for the processor has not."""
        # What is on its way is looked for first: it may arrive while the connections are read.
        return not any(unsent for unsent, _ in self._queues()) and not any(unread for _, unread in self._queues())

    def _queues(self) -> Iterator[tuple[int, int]]:
        """Yield how many bytes wait on each side of each connection: to be confirmed, and to be read by the replica."""
        here = f"0100007F:{self.port:04X}"
        rows = (line.split() for line in _CONNECTIONS.read_text(encoding="ascii").splitlines()[1:])
        for _, local, remote, _, queues, *_ in rows:
            unsent, unread = (int(each, 16) for each in queues.split(":"))
            yield (unsent if local == here else 0, unread if remote == here else 0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        # Closed alone, it would go on listening for the thread that waits in it, on Linux for ever.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, EOFError):
            Conversation(connection, self._answers, self._plugin).serve(self._dump)

    def _dump(self, conversation: "Conversation") -> None:
        connected_again = self._part and self.sent.is_set()
        for event in () if connected_again else self._events:
            conversation.send(b"\x00" + event)
        if self._part and not connected_again:
            conversation.send_part(b"\x00" + self._part)
            self.sent.set()
            return
        self.sent.set()
        self._closing.wait(60)


class Conversation:
    """One connection, with its packets numbered in sequence.

    Args:
        connection: The connection.
        answers: The beginnings of queries, as patterns, with their answers.
        plugin: How the replica authenticates.
        version: The source's version in the greeting.
    """

    def __init__(
        self, connection: socket.socket, answers: Sequence[tuple[str, str]], plugin: str, *, version: str = "9.7.4"
    ) -> None:
        self._connection = connection
        self._version = version
        self._plugin = plugin
        self._answers = answers
        self._number = 0

    def serve(self, dump: "Callable[[Conversation], None]") -> None:
        """Greet the replica, answer its queries, and call `dump` when it asks for events."""
        self.greet()
        while True:
            self._number = 0
            packet = self._receive()
            command = packet[0]
            if command == _COM_QUIT:
                return
            if command in _COM_DUMPS:
                dump(self)
                return
            if command == _COM_QUERY:
                self._answer(packet[1:].decode("utf-8", "replace"))
            else:
                self.send(_OK)

    def greet(self) -> None:
        """Let the replica authenticate; every password is right."""
        low, high = _CAPABILITIES & 0xFFFF, _CAPABILITIES >> 16
        salt = bytes(range(1, 21))
        greeting = (
            b"\x0a"
            + self._version.encode()
            + b"\x00"
            + struct.pack("<I", 1)
            + salt[:8]
            + b"\x00"
            + struct.pack("<H", low)
        )
        greeting += b"\xff\x02\x00" + struct.pack("<H", high) + bytes([21]) + bytes(10) + salt[8:] + b"\x00"
        self.send(greeting + self._plugin.encode() + b"\x00")
        self._receive()
        if self._plugin == SHA2:
            self.send(_FAST_AUTHENTICATION_DONE)
        self.send(_OK)

    def _answer(self, query: str) -> None:
        asks = _ASKS.match(query)
        if asks is None:
            self.send(_OK)
            return
        value = next((value for pattern, value in self._answers if re.search(pattern, query, re.IGNORECASE)), "0")
        # SHOW VARIABLES, with which replicas before 5.7 ask, has the name too.
        row = [value] if asks[1].upper() == "SELECT" else ["v", value]
        self.send(bytes([len(row)]))
        for _ in row:
            column = b"".join(_counted(part) for part in (b"def", b"", b"", b"", b"v", b""))
            self.send(column + b"\x0c" + struct.pack("<HIBHBH", 255, 255, _STRING, 0, 0, 0))
        self.send(_EOF)
        self.send(b"".join(_counted(each.encode()) for each in row))
        self.send(_EOF)

    def send_part(self, payload: bytes) -> None:
        """Send a packet that lacks its last byte, after which the connection is to be lost."""
        self._connection.sendall(struct.pack("<I", len(payload) + 1)[:3] + bytes([self._number]) + payload)

    def send(self, payload: bytes) -> None:
        """Send a packet, in pieces if it is large."""
        while True:
            piece, payload = payload[:_PACKET_LIMIT], payload[_PACKET_LIMIT:]
            self._connection.sendall(struct.pack("<I", len(piece))[:3] + bytes([self._number]) + piece)
            self._number = (self._number + 1) & 0xFF
            if len(piece) < _PACKET_LIMIT:
                return

    def _receive(self) -> bytes:
        head = take(self._connection, 4)
        self._number = (head[3] + 1) & 0xFF
        return take(self._connection, int.from_bytes(head[:3], "little"))


def take(connection: socket.socket, size: int) -> bytes:
    """Return the next `size` bytes.

    Raises:
        EOFError: The connection ends before.
    """
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _counted(text: bytes) -> bytes:
    return bytes([len(text)]) + text
