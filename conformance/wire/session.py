"""One connection to a source: log-on, statements, and the events of a dump."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from socket import socket
from ssl import SSLContext
from typing import Final

from conformance.models.sender.sender import FATAL_ERROR
from conformance.models.sender.sender_settings import FIRST
from conformance.specs.versions import ByVersion, Profiles
from conformance.wire.credentials import NATIVE, SHA2, password_answer, password_key
from conformance.wire.dump_commands import COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID, DumpCommand, read_dump_command
from conformance.wire.messages import (
    EOF,
    FAST_AUTHENTICATION_DONE,
    KEY_HEAD,
    KEY_WANTED,
    OK,
    PASSWORD_WANTED,
    LogOn,
    MalformedPacket,
    WireError,
    greeting,
    is_tls_request,
    plugin_change,
    read_log_on,
    rows,
)
from conformance.wire.packets import HEAD_BYTES, packed, packet_head
from conformance.wire.queries import Queries
from conformance.wire.source import Ending, Sent, Source

#: The servers that authenticate in the newer way unless an option asks for another.
_WITH_SHA2: Final = Profiles("mysql >= 8.0")
#: What MariaDB puts before its version in the greeting, as replicas of MySQL do not take 10 for a version.
_PREFIX: Final = ByVersion(
    "what is before the version in a greeting",
    {"worklog": "", "mysql": "", "mariadb": "5.5.5-", "mariadb >= 11.0": ""},
)
#: The same in each connection, so that a client sends the same packets.
CHALLENGE: Final = bytes(range(0x21, 0x35))
#: Seconds that a client may take to log on, for its next command, and to acknowledge events.
LOG_ON_SECONDS: Final = 10.0
_IDLE_SECONDS: Final = 3600.0
_ACKNOWLEDGE_SECONDS: Final = 10.0
#: Seconds that what is left to send may take at the end.
_CLOSE_SECONDS: Final = 10.0
#: Bytes of a log-on, of a command, which may hold a GTID set, and of a statement; more is not read.
_LOG_ON_BYTES: Final = 4096
_COMMAND_BYTES: Final = 1 << 20
_STATEMENT_BYTES: Final = 8192

_COM_QUIT: Final = 0x01
_COM_INIT_DB: Final = 0x02
_COM_QUERY: Final = 0x03
_COM_PING: Final = 0x0E
_COM_REGISTER_SLAVE: Final = 0x15
_COM_SET_OPTION: Final = 0x1B
_COM_RESET_CONNECTION: Final = 0x1F
_DUMPS: Final = (COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID)
#: Commands that change nothing here.
_AGREED: Final = (_COM_INIT_DB, _COM_PING, _COM_REGISTER_SLAVE, _COM_SET_OPTION, _COM_RESET_CONNECTION)

_ACCESS_DENIED: Final = 1045
_UNKNOWN_COMMAND: Final = 1047
_TOO_LARGE: Final = 1153
_MALFORMED: Final = 1835

#: What is before each event, of which the last byte of a semi-synchronous one asks for an acknowledgement.
_EVENT: Final = b"\x00"
_SEMI_SYNC: Final = b"\x00\xef"


class Lost(Exception):
    """The connection is at its end, whoever ended it."""


class Seat:
    """A source at its place on the network, with the number of the dumps that clients have asked for.

    Attributes:
        source: The source.
        dumps: How many dumps were asked for.
        deliveries: How many of them have had an event of a log to send.
        cuts: The places after which connections are still to be lost.
        again: How many dumps are still to be lost at once, each after the Rotate with which it begins.
        failures: How many dumps are still to end with the source's error.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.dumps = 0
        self.deliveries = 0
        self.cuts = {(each.log_name, each.log_pos): each for each in source.cuts}
        self.again = 0
        self.failures = 0 if source.failure is None else source.failure.dumps

    def ending(self) -> Ending | None:
        """Return how the next dump ends, None at the end of the logs, and count the dump."""
        endings, number = self.source.endings, self.dumps
        self.dumps += 1
        return endings[number] if number < len(endings) else None

    def loses_at_once(self) -> bool:
        """Return whether the next dump is lost at once, and count it then."""
        is_lost = self.again > 0
        self.again -= is_lost
        return is_lost

    def loses_after(self, log_name: str, log_pos: int) -> bool:
        """Return whether the connection is lost after a place in the logs, which is taken off the list."""
        cut = self.cuts.pop((log_name, log_pos), None)
        self.again += 0 if cut is None else cut.again
        return cut is not None

    def fail(self, *, at_once: bool) -> None:
        """End a dump with the source's error, where it has one at this place.

        Args:
            at_once: Whether the dump has not begun.

        Raises:
            WireError: It has.
        """
        failure = self.source.failure
        if failure is not None and failure.at_once is at_once:
            raise WireError(FATAL_ERROR, failure.message)

    def is_insisted(self) -> bool:
        """Return whether a dump is to end as if all were well, not with an error, and count the error.

        A client that always asks again has an end where a source fails, also if it then asks for what is not there.
        """
        if self.source.failure is None:
            return False
        self.failures -= 1
        return self.failures < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How clients get in.

    Attributes:
        password: The password of every user; None: every password is right.
        plugin: How to authenticate, one of `credentials.PLUGINS`; empty: as servers of the version do.
        tls: The certificate with its key; None: connections are not encrypted.
    """

    password: str | None = None
    plugin: str = ""
    tls: SSLContext | None = None


class Session:
    """One connection, with its packets numbered in sequence.

    Args:
        connection: The connection, which does not block.
        seat: The source.
        access: How clients get in.
    """

    def __init__(self, connection: socket, seat: Seat, access: Access) -> None:
        self._connection = connection
        self._seat = seat
        self._source = seat.source
        self._access = access
        self._number = 0
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def serve(self) -> None:
        """Serve the connection to its end.

        Raises:
            Lost: The client ended it, or sent what is not of the protocol.
            OSError: The connection broke.
        """
        try:
            try:
                async with asyncio.timeout(LOG_ON_SECONDS):
                    user = await self._log_on()
                await self._obey(Queries(self._source, user))
            except MalformedPacket as error:
                await self._send(WireError(_MALFORMED, f"MalformedPacket communication packet: {error}").packet())
        except (asyncio.IncompleteReadError, TimeoutError) as error:
            raise Lost from error
        finally:
            if self._writer is not None:
                await self._close(self._writer)

    async def _close(self, writer: asyncio.StreamWriter) -> None:
        """Close the connection once all is sent; the number of its descriptor is given to another one after that."""
        writer.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await writer.wait_closed()
        except (OSError, TimeoutError):
            writer.transport.abort()
            await asyncio.sleep(0)

    async def _log_on(self) -> str:
        """Let a client authenticate, and return its user.

        Raises:
            Lost: It may not get in.
        """
        plugin = self._access.plugin or (SHA2 if self._source.profile in _WITH_SHA2 else NATIVE)
        version = _PREFIX[self._source.profile] + self._source.version
        await self._send(greeting(version, CHALLENGE, plugin, tls=self._access.tls is not None))
        payload = await self._receive(_LOG_ON_BYTES)
        tls = self._access.tls if is_tls_request(payload) else None
        await self._stream(tls)
        if tls is not None:
            payload = await self._receive(_LOG_ON_BYTES)
        log_on = read_log_on(payload)
        answer = await self._answer(log_on, plugin)
        password = self._access.password
        if password is None or answer == password_answer(plugin, password, CHALLENGE):
            if plugin == SHA2 and answer:
                await self._send(FAST_AUTHENTICATION_DONE)
        elif plugin != SHA2 or not answer or not await self._has_password(password, encrypted=tls is not None):
            words = f"Access denied for user '{log_on.user}' (using password: {'YES' if answer else 'NO'})"
            await self._send(WireError(_ACCESS_DENIED, words, "28000").packet())
            raise Lost
        await self._send(OK)
        return log_on.user

    async def _has_password(self, password: str, *, encrypted: bool) -> bool:
        """Ask for the password itself, as servers do where the answer to the challenge is wrong.

        Args:
            password: The password that is right.
            encrypted: Whether the connection is.
        """
        await self._send(PASSWORD_WANTED)
        given: bytes | None = await self._receive(_LOG_ON_BYTES)
        if not encrypted:
            if given != KEY_WANTED:
                return False
            key = await asyncio.to_thread(password_key)
            await self._send(KEY_HEAD + key.pem)
            given = key.password(await self._receive(_LOG_ON_BYTES), CHALLENGE)
        return given == password.encode() + b"\0"

    async def _answer(self, log_on: LogOn, plugin: str) -> bytes:
        """Return a client's answer to the challenge, made in the way that is wanted."""
        answer = log_on.answer
        if (log_on.plugin or NATIVE) != plugin:
            await self._send(plugin_change(plugin, CHALLENGE))
            answer = await self._receive(_LOG_ON_BYTES)
        # An empty password of the newer way is a NUL in some clients.
        return b"" if answer == b"\0" else answer

    async def _stream(self, tls: SSLContext | None) -> None:
        """Go on through a stream, encrypted if `tls` is given; until here nothing beyond one packet was read."""
        loop = asyncio.get_running_loop()
        self._reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(self._reader)
        transport, _ = await loop.connect_accepted_socket(lambda: protocol, self._connection, ssl=tls)
        self._writer = asyncio.StreamWriter(transport, protocol, self._reader, loop)

    async def _obey(self, queries: Queries) -> None:
        while True:
            self._number = 0
            async with asyncio.timeout(_IDLE_SECONDS):
                payload = await self._receive(_COMMAND_BYTES)
            command = payload[0] if payload else _COM_QUIT
            if command == _COM_QUIT:
                return
            if command in _DUMPS:
                await self._dump(queries, read_dump_command(payload))
                return
            if command in _AGREED:
                await self._send(OK)
            elif command == _COM_QUERY:
                await self._query(queries, payload[1:])
            else:
                await self._send(WireError(_UNKNOWN_COMMAND, f"Unknown command {command}", "08S01").packet())

    async def _query(self, queries: Queries, statement: bytes) -> None:
        try:
            if len(statement) > _STATEMENT_BYTES:
                raise WireError(_TOO_LARGE, f"a statement has at most {_STATEMENT_BYTES} bytes here", "08S01")
            result = queries.answer(statement.decode("utf-8", "replace"))
        except WireError as error:
            await self._send(error.packet())
            return
        for packet in [OK] if result is None else rows(result.columns, result.rows):
            await self._send(packet)

    async def _dump(self, queries: Queries, command: DumpCommand) -> None:
        """Send events, until the client has all, it goes, or the dump is to end."""
        source, ending, is_lost = self._source, self._seat.ending(), self._seat.loses_at_once()
        client = queries.client()
        count, last = 0, Sent(b"", source.logs[-1].name, source.sizes[-1])
        delivers = False
        try:
            self._seat.fail(at_once=True)
            sender = source.sender(command, client)
            for event in source.events(sender, client):
                if ending is not None and count == ending.events:
                    break
                # A client may have its answer before it is known here that an event was sent.
                self._seat.deliveries += event.is_logged and not delivers
                delivers |= event.is_logged
                await self._send_event(event, acknowledged=queries.semi_sync)
                count, last = count + 1, event
                # Before the first event of a log there is the Rotate that names it.
                is_place = event.is_logged or event.log_pos == FIRST
                if is_lost or (is_place and self._seat.loses_after(event.log_name, event.log_pos)):
                    return
            self._seat.fail(at_once=False)
        except WireError as error:
            await self._send(EOF if self._seat.is_insisted() else error.packet())
            return
        if ending is not None:
            if ending.error:
                await self._send(WireError(ending.error, "the source ends the connection on purpose").packet())
        elif source.ends or not command.blocks:
            await self._send(EOF)
        else:
            await self._wait(queries, lambda: sender.heartbeat(last.log_name, last.log_pos))

    async def _send_event(self, event: Sent, *, acknowledged: bool) -> None:
        if not acknowledged:
            await self._send(_EVENT + event.data)
            return
        await self._send(_SEMI_SYNC + bytes([event.ends_group]) + event.data)
        if event.ends_group:
            async with asyncio.timeout(_ACKNOWLEDGE_SECONDS):
                await self._receive(_LOG_ON_BYTES)

    async def _wait(self, queries: Queries, heartbeat: Callable[[], bytes]) -> None:
        """Wait for more, which never comes: send a heartbeat for each period, until the client goes."""
        assert self._reader is not None
        while True:
            try:
                async with asyncio.timeout(queries.heartbeat_seconds):
                    while await self._reader.read(_LOG_ON_BYTES):
                        pass
                return
            except TimeoutError:
                await self._send(_EVENT + heartbeat())

    async def _send(self, payload: bytes) -> None:
        for packet in packed(payload, self._number):
            self._number = (self._number + 1) & 0xFF
            if self._writer is None:
                await asyncio.get_running_loop().sock_sendall(self._connection, packet)
            else:
                self._writer.write(packet)
                await self._writer.drain()

    async def _receive(self, limit: int) -> bytes:
        """Return the next packet.

        Raises:
            MalformedPacket: It has more bytes than `limit`.
            IncompleteReadError: The client ended the connection.
        """
        size, number = packet_head(await self._read(HEAD_BYTES))
        self._number = (number + 1) & 0xFF
        if size > limit:
            raise MalformedPacket(f"a packet of {size} bytes")
        return await self._read(size)

    async def _read(self, size: int) -> bytes:
        if self._reader is not None:
            return await self._reader.readexactly(size)
        loop = asyncio.get_running_loop()
        data = b""
        while len(data) < size:
            more = await loop.sock_recv(self._connection, size - len(data))
            if not more:
                raise asyncio.IncompleteReadError(data, size)
            data += more
        return data
