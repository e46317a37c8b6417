"""A connection of a client's own, written from docs/serve.md and the client-server protocol that it names."""

import hashlib
import socket
import struct
from typing import Any

_PACKET = (1 << 24) - 1


class Lost(Exception):
    """The connection is lost."""


class Refused(Exception):
    """The source ends the connection with an error."""


class Connection:
    """A connection to a source, logged on with the settings of a question."""

    def __init__(self, settings: dict[str, Any]) -> None:
        try:
            self.socket = socket.create_connection((settings["host"], settings["port"]), 10)
        except OSError as error:
            raise Lost(str(error)) from error
        self.number = 0
        self._log_on(settings["user"], settings["password"].encode())

    def _log_on(self, user: str, password: bytes) -> None:
        greeting = self.receive()
        rest = greeting[greeting.index(b"\0", 1) + 1 :]
        challenge, plugin = rest[4:12] + rest[31:43], rest[44:].split(b"\0")[0].decode()
        # Long passwords, protocol 4.1, transactions, secure connection, authentication plugins.
        flags = 0x1 | 0x4 | 0x200 | 0x2000 | 0x8000 | 0x80000
        answer = _answer(plugin, challenge, password)
        head = struct.pack("<IIB23x", flags, _PACKET, 33) + user.encode() + b"\0"
        self.send(head + bytes([len(answer)]) + answer + plugin.encode() + b"\0", self.number)
        packet = self.receive()
        if packet[0] == 0xFE:
            name, _, challenge = packet[1:].partition(b"\0")
            self.send(_answer(name.decode(), challenge[:20], password), self.number)
            packet = self.receive()
        if packet[0] == 1:
            self.receive()

    def query(self, statement: str) -> None:
        """Send a statement, and read its result to the end."""
        self.send(b"\x03" + statement.encode())
        ends = 0 if self.receive()[0] == 0 else 2
        while ends:
            packet = self.receive()
            ends -= packet[0] == 0xFE and len(packet) < 9

    def send(self, payload: bytes, number: int = 0) -> None:
        """Send a payload in one packet."""
        try:
            self.socket.sendall(struct.pack("<I", len(payload))[:3] + bytes([number]) + payload)
        except OSError as error:
            raise Lost(str(error)) from error

    def receive(self) -> bytes:
        """Return the next payload, of all its packets."""
        payload, size = b"", _PACKET
        while size == _PACKET:
            head = self._read(4)
            size = int.from_bytes(head[:3], "little")
            self.number = head[3] + 1 & 0xFF
            payload += self._read(size)
        if payload[0] == 0xFF:
            raise Refused(payload[9:].decode(errors="replace"))
        return payload

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                more = self.socket.recv(size - len(data))
            except OSError as error:
                raise Lost(str(error)) from error
            if not more:
                raise Lost("the source has gone")
            data += more
        return bytes(data)


def _answer(plugin: str, challenge: bytes, password: bytes) -> bytes:
    if plugin == "mysql_native_password":
        once = hashlib.sha1(password).digest()
        mask = hashlib.sha1(challenge + hashlib.sha1(once).digest()).digest()
    else:
        once = hashlib.sha256(password).digest()
        mask = hashlib.sha256(hashlib.sha256(once).digest() + challenge).digest()
    return bytes(one ^ other for one, other in zip(once, mask, strict=True))
