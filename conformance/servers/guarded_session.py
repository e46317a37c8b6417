"""A session with a server that is not trusted: what it may ask for, how much it may send, and how slowly."""

import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import pymysql
from pymysql.connections import Connection
from pymysql.constants import CR

from conformance.binlog.header import HEADER_BYTES

#: The most bytes of an answer to a statement, far more than any of the kit's statements has.
_ANSWER_BYTES: Final = 64 << 20
#: The most bytes of any packet of a server.
MOST_PACKET_BYTES: Final = 1 << 30
#: The packet that ends a dump, and the most bytes that it has.
_END: Final = b"\xfe"
_END_BYTES: Final = 9
_HEADS_BYTES: Final = 512
#: Seconds that an answer or an event may take from its first byte on, and the least bytes in each further second.
_SECONDS: Final = 30
_BYTES_A_SECOND: Final = 16 << 10
#: What PyMySQL raises for an answer that it cannot read.
_MALFORMED: Final = (struct.error, ValueError, LookupError, TypeError, AttributeError, AssertionError)


class _Refused:
    """Refuses to send a password as it is, as MySQL's own programs do unless an option allows it."""

    def __init__(self, session: "Connection[Any]") -> None:
        """Take the session, as PyMySQL gives it."""

    def authenticate(self, packet: object) -> NoReturn:
        """Refuse.

        Raises:
            OperationalError: Always.
        """
        raise pymysql.err.OperationalError(
            CR.CR_AUTH_PLUGIN_CANNOT_LOAD, "it asks for the password in clear text, which the kit sends to no server"
        )


#: Way to authenticate, as PyMySQL names it -> what is done in its place.
REFUSED: Final[Mapping[bytes, type[_Refused]]] = {b"mysql_clear_password": _Refused, b"dialog": _Refused}


class GuardedSession(Connection):  # type: ignore[misc,type-arg,unused-ignore]
    """A session that ends where the server sends more than it may, or hardly anything for long.

    PyMySQL's own limit is on the time between two pieces, so that a byte now and then would hold a session for ever.

    Args:
        most: The most bytes of an answer to a statement.
        **settings: What PyMySQL takes.
    """

    def __init__(self, *, most: int = _ANSWER_BYTES, **settings: Any) -> None:
        self._most = most
        self._await(most)
        super().__init__(**settings)

    def read_event(self, most: int) -> bytes:
        """Return the next event of a dump; empty at its end.

        Args:
            most: The most bytes that it may have.

        Raises:
            pymysql.err.MySQLError: It has more, an error was sent in its place, or the connection is lost.
        """
        # Heads of packets, of which an event of 1 GiB has 65, and the byte before the event.
        self._await(most + _HEADS_BYTES)
        with reading_answers():
            packet: bytes = self._read_packet().get_all_data()
        if packet[:1] == _END and len(packet) < _END_BYTES:
            return b""
        if len(packet) <= HEADER_BYTES:
            raise pymysql.err.OperationalError(CR.CR_MALFORMED_PACKET, "it sends an event without a header")
        return packet[1:]

    def _execute_command(self, command: int, sql: str | bytes) -> None:
        self._await(self._most)
        super()._execute_command(command, sql)

    def _read_bytes(self, num_bytes: int) -> bytes:
        self._left -= num_bytes
        if self._left < 0:
            self._force_close()
            raise pymysql.err.OperationalError(CR.CR_NET_PACKET_TOO_LARGE, "it sends more at once than the kit reads")
        data = bytearray()
        while len(data) < num_bytes:
            piece: bytes = super()._read_bytes(min(self._arrived(), num_bytes - len(data)))
            self._taken += len(piece)
            data += piece
        return bytes(data)

    def _await(self, most: int) -> None:
        """Begin to wait for an answer or an event of so many bytes at the most."""
        self._left = most
        self._taken = 0
        self._began: float | None = None

    def _arrived(self) -> int:
        """Return how many bytes can be read now, after waiting for one; 1 at the end, which is read then."""
        try:
            arrived = len(self._rfile.peek(1))
        except OSError as error:
            self._force_close()
            raise pymysql.err.OperationalError(CR.CR_SERVER_LOST, f"it sends nothing ({error})") from error
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        if now - self._began > _SECONDS + self._taken / _BYTES_A_SECOND:
            self._force_close()
            sent = f"it sends {self._taken} bytes in {now - self._began:.0f} s, slower than the kit reads"
            raise pymysql.err.OperationalError(CR.CR_SERVER_LOST, sent)
        return arrived or 1


@contextmanager
def reading_answers() -> Iterator[None]:
    """Read what a server sends; what is not of the protocol is an error of MySQL's, as a lost connection is.

    Raises:
        OperationalError: The server sent what is not of the protocol.
    """
    try:
        yield
    except _MALFORMED as error:
        raise pymysql.err.OperationalError(
            CR.CR_MALFORMED_PACKET, f"it sends what is not of the protocol ({error})"
        ) from error
