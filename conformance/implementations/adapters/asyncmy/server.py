"""A server that has one log to send: the connections that the library is given to read a stream from."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from asyncmy.protocol import MysqlPacket
from server_tables import columns_of

MAGIC = b"\xfebin"
ENCRYPTED_MAGIC = b"\xfdbin"
HEADER_BYTES = 19
FORMAT_DESCRIPTION = 15
CRC32 = 1
CHECKSUM_BYTES = 4
FLAGS_AT = 17
IN_USE = 1
#: The first servers that have the variable `binlog_checksum`, and that call utf8 by its longer name in every place.
WITH_CHECKSUMS = (5, 6, 1)
WITH_UTF8MB3 = (8, 0, 30)


class Refused(Exception):
    """The stream cannot be cut into events."""

    def __init__(self, at: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.error = {"at": at, "kind": kind, "message": message}


class EndOfStream(Exception):
    """The server has sent everything; the library would connect again and go on."""


class Feed:
    """The events of a stream, one after another, as a server sends them.

    Attributes:
        at: Offset of the event that was taken last.
        event: The bytes of that event.
    """

    def __init__(self, stream: bytes) -> None:
        self._events = _events_of(stream)
        self.at = 0
        self.event = b""

    def next(self) -> bytes:
        """Return the next event.

        Raises:
            EndOfStream: There is none.
        """
        try:
            self.at, self.event = next(self._events)
        except StopIteration:
            raise EndOfStream from None
        return self.event


def _events_of(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each event with its offset; the adapter does this, as the library receives events one by one."""
    if stream[:4] != MAGIC:
        kind = "encrypted" if stream[:4] == ENCRYPTED_MAGIC else "not-a-binlog"
        raise Refused(0, kind, f"the stream begins with {stream[:4].hex(' ') or 'nothing'}")
    at = len(MAGIC)
    while at < len(stream):
        left = len(stream) - at
        if left < HEADER_BYTES:
            raise Refused(at, "truncated", f"{left} bytes are left, but a header has {HEADER_BYTES}")
        length = int.from_bytes(stream[at + 9 : at + 13], "little")
        if length < HEADER_BYTES:
            raise Refused(at, "invalid-length", f"an event length of {length}")
        if length > left:
            raise Refused(at, "truncated", f"an event has {length} bytes, but {left} are left")
        yield at, _as_sent(stream[at : at + length])
        at += length


def _as_sent(data: bytes) -> bytes:
    """Return an event as a server sends it: the format description of a log in use without the flag that it is."""
    if data[4] != FORMAT_DESCRIPTION:
        return data
    return data[:FLAGS_AT] + bytes([data[FLAGS_AT] & ~IN_USE]) + data[FLAGS_AT + 1 :]


class Server(NamedTuple):
    """What a server with this log answers.

    Attributes:
        feed: Its log.
        version: Its version.
        checksum: Its variable `binlog_checksum`; None if it has no such variable.
    """

    feed: Feed
    version: tuple[int, ...]
    checksum: str | None

    def answer(self, statement: str) -> list[Any]:
        """Return the rows that a statement has."""
        if "BINLOG_CHECKSUM" in statement and self.checksum is not None:
            return [("binlog_checksum", self.checksum)]
        if "information_schema.columns" in statement:
            # The library looks up the table of the event that it reads.
            checksum_bytes = CHECKSUM_BYTES if self.checksum == "CRC32" else 0
            return columns_of(self.feed.event, checksum_bytes, "utf8mb3" if self.version >= WITH_UTF8MB3 else "utf8")
        return []


def server_of(stream: bytes) -> Server:
    """Return the server that wrote the stream, by the stream's first format description."""
    feed = Feed(stream)
    length = int.from_bytes(stream[13:17], "little")
    if stream[8:9] != bytes([FORMAT_DESCRIPTION]) or length > len(stream) - 4 or length < HEADER_BYTES + 57 + 5:
        return Server(feed, (), None)
    text = stream[25:75].split(b"\0", 1)[0].decode("ascii", "replace")
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", text)
    version = tuple(map(int, match.groups())) if match else ()
    if version < WITH_CHECKSUMS:
        return Server(feed, version, None)
    return Server(feed, version, "CRC32" if stream[4 + length - 5] == CRC32 else "NONE")


class Cursor:
    """Answers the library's statements."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._rows: list[Any] = []

    async def __aenter__(self) -> "Cursor":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def execute(self, statement: str, arguments: object = None) -> int:
        """Keep the answer to a statement."""
        self._rows = self._server.answer(statement)
        return len(self._rows)

    async def fetchone(self) -> Any:
        """Return the first row, or None."""
        return self._rows[0] if self._rows else None

    async def fetchall(self) -> list[Any]:
        """Return all rows."""
        return self._rows


class Connection:
    """A connection to a server that sends its log, event by event."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._next_seq_id = 0

    async def connect(self) -> None:
        """Do nothing."""

    async def ensure_closed(self) -> None:
        """Do nothing."""

    def cursor(self, kind: object = None) -> Cursor:
        """Return a cursor."""
        return Cursor(self._server)

    def _write_bytes(self, data: bytes) -> None:
        """Ignore the request for the binary log; there is only one to send."""

    async def read_packet(self) -> MysqlPacket:
        """Return the packet of the next event."""
        return MysqlPacket(b"\0" + self._server.feed.next(), "utf8mb4")
