"""The client's side: log on, ask, and receive events as they come."""

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from ssl import SSLContext
from types import TracebackType
from typing import Final, Self

from conformance.wire.credentials import NATIVE, password_answer
from conformance.wire.dump_commands import DumpCommand
from conformance.wire.messages import (
    LONG_FLAG,
    LONG_PASSWORD,
    PASSWORD_WANTED,
    PLUGIN_AUTH,
    PROTOCOL_41,
    SECURE_CONNECTION,
    SSL,
    TRANSACTIONS,
    WireError,
)
from conformance.wire.packets import HEAD_BYTES, PACKET_LIMIT, packed, packet_head

_FLAGS: Final = LONG_PASSWORD | LONG_FLAG | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | PLUGIN_AUTH
_UTF8: Final = 33
_COM_QUERY: Final = 0x03
_OK: Final = 0x00
_MORE: Final = 0x01
_NULL: Final = 0xFB
_END: Final = 0xFE
_ERROR: Final = 0xFF
#: The packet that ends rows or a dump is shorter than this; a longer one that begins alike is something else.
_END_BYTES: Final = 9
#: The fewest bytes of an error: the one that names it, and its number.
_ERROR_BYTES: Final = 3


class ConnectionLost(Exception):
    """The source has gone, without a word."""


class Connection:
    """A connection to a source, logged on.

    Args:
        host: Its address.
        port: Its port.
        user: The user.
        password: The password.
        tls: Encrypt with this; None: in the clear.
        seconds: The most seconds without a byte.

    Attributes:
        version: What the source calls itself.

    Raises:
        ConnectionLost: It cannot be reached, or goes.
        WireError: It does not let the user in.
    """

    def __init__(
        self, host: str, port: int, *, user: str, password: str, tls: SSLContext | None = None, seconds: float = 10.0
    ) -> None:
        self._number = 0
        try:
            self._socket: socket.socket = socket.create_connection((host, port), seconds)
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.version = self._log_on(user, password, tls)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave."""
        with suppress(OSError):
            self._socket.close()

    def query(self, statement: str) -> list[list[str | None]]:
        """Return the rows that a statement gives; none where it gives no result.

        Raises:
            WireError: The source refuses it.
            ConnectionLost: The source has gone.
        """
        first = self._command(bytes([_COM_QUERY]) + statement.encode())
        if first[0] == _OK:
            return []
        while not _is_end(self.receive()):
            pass  # A column.
        rows = []
        while not _is_end(packet := self.receive()):
            rows.append(list(_values(packet)))
        return rows

    def dump(self, command: DumpCommand) -> Iterator[bytes]:
        """Yield the events that are sent, each with all its bytes, up to the source's end.

        Raises:
            WireError: The source ends with an error.
            ConnectionLost: The source has gone.
        """
        packet = self._command(command.payload())
        while not _is_end(packet):
            yield packet[1:]
            packet = self.receive()

    def send(self, payload: bytes, *, number: int = 0) -> None:
        """Send a payload, its first packet with a number.

        Raises:
            ConnectionLost: The source has gone.
        """
        try:
            for packet in packed(payload, number):
                self._socket.sendall(packet)
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    def receive(self) -> bytes:
        """Return the next payload, joined of its packets.

        Raises:
            WireError: It is an error.
            ConnectionLost: The source has gone, or is silent for too long.
        """
        payload = b""
        while True:
            size, number = packet_head(self._read(HEAD_BYTES))
            payload += self._read(size)
            self._number = (number + 1) & 0xFF
            if size < PACKET_LIMIT:
                return self._checked(payload)

    def _checked(self, payload: bytes) -> bytes:
        """Return a payload, unless it is an error.

        Raises:
            WireError: It is one.
            ConnectionLost: It is empty, or an error without its number.
        """
        if not payload:
            raise ConnectionLost("an empty packet")
        if payload[0] == _ERROR and len(payload) < _ERROR_BYTES:
            raise ConnectionLost("an error packet that is cut short")
        if payload[0] == _ERROR:
            (number,) = struct.unpack_from("<H", payload, 1)
            has_state = payload[3:4] == b"#"
            state = payload[4:9].decode("ascii", "replace") if has_state else "HY000"
            raise WireError(number, payload[9 if has_state else 3 :].decode("utf-8", "replace"), state)
        return payload

    def _command(self, payload: bytes) -> bytes:
        self.send(payload)
        return self.receive()

    def _log_on(self, user: str, password: str, tls: SSLContext | None) -> str:
        greeting = self.receive()
        version, _, rest = greeting[1:].partition(b"\0")
        # After the thread's number: eight bytes of the challenge, NUL, flags, collation, status, flags, a length.
        challenge = rest[4:12] + rest[31:43]
        plugin = rest[44:].partition(b"\0")[0].decode("ascii", "replace") or NATIVE
        head = struct.pack("<IIB", _FLAGS | (SSL if tls else 0), PACKET_LIMIT, _UTF8) + bytes(23)
        if tls is not None:
            self.send(head, number=self._number)
            self._number += 1
            try:
                self._socket = tls.wrap_socket(self._socket)
            except OSError as error:
                raise ConnectionLost(str(error)) from error
        answer = password_answer(plugin, password, challenge)
        log_on = head + user.encode() + b"\0" + bytes([len(answer)]) + answer + plugin.encode() + b"\0"
        self.send(log_on, number=self._number)
        packet = self.receive()
        if packet[0] == _END:
            name, _, salt = packet[1:].partition(b"\0")
            self.send(password_answer(name.decode("ascii"), password, salt[:20]), number=self._number)
            packet = self.receive()
        if packet == PASSWORD_WANTED:
            # The answer was wrong as the password is, so it leaves it at that, and is refused.
            self.send(b"", number=self._number)
        if packet[0] == _MORE:
            self.receive()
        return version.decode("utf-8", "replace")

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        try:
            while len(parts) < size:
                more = self._socket.recv(size - len(parts))
                if not more:
                    raise ConnectionLost("the source has gone")
                parts += more
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        return bytes(parts)


def _is_end(packet: bytes) -> bool:
    return packet[0] == _END and len(packet) < _END_BYTES


def _values(row: bytes) -> Iterator[str | None]:
    at = 0
    while at < len(row):
        size, head = row[at], 1
        if size == _NULL:
            at += 1
            yield None
            continue
        if size == 0xFC:
            size, head = int.from_bytes(row[at + 1 : at + 3], "little"), 3
        elif size == 0xFD:
            size, head = int.from_bytes(row[at + 1 : at + 4], "little"), 4
        at += head + size
        yield row[at - size : at].decode("utf-8", "replace")
