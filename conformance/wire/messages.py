"""The messages of a connection besides events: greeting, log-on, OK, end, error, rows."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.wire.packets import counted

#: Flags of a connection. A source announces no more than it needs, so that every exchange has its simplest form: no
#: query attributes, and rows that end with an EOF packet.
LONG_PASSWORD: Final = 0x00000001
LONG_FLAG: Final = 0x00000004
CONNECT_WITH_DB: Final = 0x00000008
PROTOCOL_41: Final = 0x00000200
SSL: Final = 0x00000800
TRANSACTIONS: Final = 0x00002000
SECURE_CONNECTION: Final = 0x00008000
PLUGIN_AUTH: Final = 0x00080000
LENENC_AUTH: Final = 0x00200000

ANNOUNCED: Final = (
    LONG_PASSWORD | LONG_FLAG | CONNECT_WITH_DB | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | PLUGIN_AUTH
)

#: utf8mb3_general_ci, which clients of every age know, and SERVER_STATUS_AUTOCOMMIT.
_COLLATION: Final = 33
_AUTOCOMMIT: Final = 2
#: Before its flags, a log-on has so many bytes more: most bytes of a packet, collation, filler.
_LOG_ON_BYTES: Final = 32
_VAR_STRING: Final = 0xFD
_COLUMN_BYTES: Final = 255
#: A column without a value.
_NULL: Final = b"\xfb"

OK: Final = b"\x00\x00\x00" + struct.pack("<HH", _AUTOCOMMIT, 0)
EOF: Final = b"\xfe" + struct.pack("<HH", 0, _AUTOCOMMIT)
#: Authentication went through without the password itself.
FAST_AUTHENTICATION_DONE: Final = b"\x01\x03"
#: The password itself is wanted: through TLS as it is, else encrypted with the source's key.
PASSWORD_WANTED: Final = b"\x01\x04"
#: A client asks for that key; what is before it in the answer.
KEY_WANTED: Final = b"\x02"
KEY_HEAD: Final = b"\x01"


class WireError(Exception):
    """An error that a source sends.

    Attributes:
        number: The servers' number of the error.
        state: The SQL state.
    """

    def __init__(self, number: int, message: str, state: str = "HY000") -> None:
        super().__init__(message)
        self.number = number
        self.state = state

    def packet(self) -> bytes:
        """Return the packet that reports it."""
        return b"\xff" + struct.pack("<H", self.number) + f"#{self.state}{self}".encode()


class MalformedPacket(Exception):
    """A packet that is not what the protocol has at its place."""


def greeting(version: str, challenge: bytes, plugin: str, *, tls: bool) -> bytes:
    """Return the first packet of a connection.

    Args:
        version: What the source calls itself.
        challenge: 20 bytes, none of them NUL.
        plugin: How to authenticate.
        tls: Whether the source can encrypt the connection.
    """
    flags = ANNOUNCED | (SSL if tls else 0)
    low, high = flags & 0xFFFF, flags >> 16
    first = b"\x0a" + version.encode() + b"\0" + struct.pack("<I", 1) + challenge[:8] + b"\0"
    middle = struct.pack("<HBHHB", low, _COLLATION, _AUTOCOMMIT, high, len(challenge) + 1) + bytes(10)
    return first + middle + challenge[8:] + b"\0" + plugin.encode() + b"\0"


@dataclass(frozen=True, slots=True)
class LogOn:
    """A client's answer to the greeting.

    Attributes:
        flags: The connection's flags.
        user: The user.
        answer: The answer to the challenge.
        plugin: How it was made; empty if the client does not name it.
    """

    flags: int
    user: str
    answer: bytes
    plugin: str


def is_tls_request(payload: bytes) -> bool:
    """Return whether a client answers the greeting with a request to encrypt."""
    return len(payload) == _LOG_ON_BYTES and bool(struct.unpack_from("<I", payload)[0] & SSL)


def read_log_on(payload: bytes) -> LogOn:
    """Return a client's answer to the greeting.

    Raises:
        MalformedPacket: It is not one of protocol 4.1.
    """
    if len(payload) <= _LOG_ON_BYTES or not struct.unpack_from("<I", payload)[0] & PROTOCOL_41:
        raise MalformedPacket("not a log-on of protocol 4.1")
    (flags,) = struct.unpack_from("<I", payload)
    user, nul, rest = payload[_LOG_ON_BYTES:].partition(b"\0")
    if not nul:
        raise MalformedPacket("a user without an end")
    if flags & (SECURE_CONNECTION | LENENC_AUTH):
        size = rest[0] if rest else 0
        answer, rest = rest[1 : 1 + size], rest[1 + size :]
    else:
        answer, _, rest = rest.partition(b"\0")
    if flags & CONNECT_WITH_DB:
        _, _, rest = rest.partition(b"\0")
    plugin = rest.partition(b"\0")[0] if flags & PLUGIN_AUTH else b""
    return LogOn(flags, user.decode("utf-8", "replace"), answer, plugin.decode("utf-8", "replace"))


def plugin_change(plugin: str, challenge: bytes) -> bytes:
    """Return the packet that asks a client to authenticate in another way than it began."""
    return b"\xfe" + plugin.encode() + b"\0" + challenge + b"\0"


def rows(columns: Sequence[str], values: Sequence[Sequence[str | None]]) -> list[bytes]:
    """Return the packets of a result, every value as text."""
    packets = [bytes([len(columns)])]
    for name in columns:
        described = b"".join(counted(part) for part in (b"def", b"", b"", b"", name.encode(), b""))
        packets.append(described + b"\x0c" + struct.pack("<HIBHBH", _COLLATION, _COLUMN_BYTES, _VAR_STRING, 0, 0, 0))
    packets.append(EOF)
    packets += [b"".join(_NULL if value is None else counted(value.encode()) for value in row) for row in values]
    return [*packets, EOF]
