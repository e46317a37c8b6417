"""A session with a server that is not trusted: what it may ask for, and how much it may send."""

import struct
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
    """A session that ends where the server sends more than it may.

    Args:
        most: The most bytes of an answer to a statement.
        **settings: What PyMySQL takes.
    """

    def __init__(self, *, most: int = _ANSWER_BYTES, **settings: Any) -> None:
        self._most = self._left = most
        super().__init__(**settings)

    def read_event(self, most: int) -> bytes:
        """Return the next event of a dump; empty at its end.

        Args:
            most: The most bytes that it may have.

        Raises:
            pymysql.err.MySQLError: It has more, an error was sent in its place, or the connection is lost.
        """
        # Heads of packets, of which an event of 1 GiB has 65, and the byte before the event.
        self._left = most + _HEADS_BYTES
        with reading_answers():
            packet: bytes = self._read_packet().get_all_data()
        if packet[:1] == _END and len(packet) < _END_BYTES:
            return b""
        if len(packet) <= HEADER_BYTES:
            raise pymysql.err.OperationalError(CR.CR_MALFORMED_PACKET, "it sends an event without a header")
        return packet[1:]

    def _execute_command(self, command: int, sql: str | bytes) -> None:
        self._left = self._most
        super()._execute_command(command, sql)

    def _read_bytes(self, num_bytes: int) -> bytes:
        self._left -= num_bytes
        if self._left < 0:
            self._force_close()
            raise pymysql.err.OperationalError(CR.CR_NET_PACKET_TOO_LARGE, "it sends more at once than the kit reads")
        data: bytes = super()._read_bytes(num_bytes)
        return data


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
