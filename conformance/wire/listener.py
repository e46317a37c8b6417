"""The listener: the places of sources on the network, and the connections of their clients."""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from conformance.wire.messages import WireError
from conformance.wire.packets import packed
from conformance.wire.session import Access, Lost, Seat, Session
from conformance.wire.source import Source

LOOPBACK: Final = "127.0.0.1"
#: Connections that are served at once; a further one is refused, as servers do.
CONNECTIONS: Final = 400
_TOO_MANY: Final = WireError(1040, "Too many connections", "08004")
_BACKLOG: Final = 1024
#: Seconds to wait where the system has nothing left for another connection.
_PAUSE: Final = 0.05
#: Seconds that connections have to end where the listener does.
_END_SECONDS: Final = 5.0


class Listener:
    """Serves sources, each at a port of its own, from one thread, until the context ends.

    Args:
        host: The address to listen on.
        access: How clients get in.

    Attributes:
        host: The address.
    """

    def __init__(self, *, host: str = LOOPBACK, access: Access | None = None) -> None:
        self.host = host
        self._access = access or Access()
        self._seats: dict[int, tuple[Seat, socket.socket]] = {}
        self._sessions: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="listener", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(_END_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_SECONDS)
        self._loop.close()

    def serve(self, source: Source, *, port: int = 0) -> int:
        """Serve a source from now on, and return its port.

        Args:
            source: The source.
            port: The port; 0 for a free one.

        Raises:
            OSError: The address cannot be listened on.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listening = socket.create_server((self.host, port), backlog=_BACKLOG, family=family)
        listening.setblocking(False)
        number: int = listening.getsockname()[1]
        seat = Seat(source)
        self._call(lambda: self._begin(number, seat, listening))
        return number

    def dumps(self, port: int) -> int:
        """Return how often clients have asked the source at a port for events."""
        return self._seats[port][0].dumps

    def end(self, port: int) -> int:
        """Take no more connections at a port; those that are open go on.

        Returns:
            How many dumps have had an event of a log to send.
        """
        seat = self._seats[port][0]
        self._call(lambda: self._end_seat(port))
        return seat.deliveries

    def _call(self, act: Callable[[], None]) -> None:
        """Act in the listener's thread, and wait until it is done."""

        async def done() -> None:
            act()

        asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    def _begin(self, port: int, seat: Seat, listening: socket.socket) -> None:
        self._seats[port] = seat, listening
        self._listen(port, listening)

    def _listen(self, port: int, listening: socket.socket) -> None:
        # Not the loop's own sock_accept: where a port ends in the turn in which a client comes, it prints a traceback.
        if self._seats.get(port, (None, None))[1] is listening:
            self._loop.add_reader(listening, self._accept, port, listening)

    def _end_seat(self, port: int) -> None:
        _, listening = self._seats.pop(port)
        self._loop.remove_reader(listening)
        listening.close()

    async def _end(self) -> None:
        for port in list(self._seats):
            self._end_seat(port)
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)
        # Transports close in the next turns.
        await asyncio.sleep(0)
        await self._loop.shutdown_asyncgens()

    def _accept(self, port: int, listening: socket.socket) -> None:
        try:
            connection, _ = listening.accept()
        except (BlockingIOError, ConnectionError):
            return  # The client has gone already.
        except OSError:
            # No descriptor is left for now.
            self._loop.remove_reader(listening)
            self._loop.call_later(_PAUSE, self._listen, port, listening)
            return
        if len(self._sessions) >= CONNECTIONS:
            _refuse(connection)
            return
        session = self._loop.create_task(self._attend(self._seats[port][0], connection))
        self._sessions.add(session)
        session.add_done_callback(self._sessions.discard)

    async def _attend(self, seat: Seat, connection: socket.socket) -> None:
        with connection:
            connection.setblocking(False)
            # What a client does ends its own connection and no other.
            with suppress(Lost, OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                await Session(connection, seat, self._access).serve()


def _refuse(connection: socket.socket) -> None:
    """Report to a client that there are too many, as far as that takes no waiting."""
    with connection, suppress(OSError):
        connection.setblocking(False)
        connection.send(b"".join(packed(_TOO_MANY.packet(), 0)))
