"""A server that is not trusted: what it sends beyond all measure, or not by the protocol, is one error in words."""

import socket
import threading
import time
from contextlib import closing, contextmanager
from itertools import count

import pytest

pymysql = pytest.importorskip("pymysql", reason="needs the extra servers")

from pymysql.constants import CR  # noqa: E402

from conformance.binlog.event_types import EventType  # noqa: E402
from conformance.binlog.header import HEADER  # noqa: E402
from conformance.servers import guarded_session  # noqa: E402
from conformance.servers.dump import dump, live_events  # noqa: E402
from conformance.servers.guarded_session import GuardedSession  # noqa: E402
from conformance.servers.running_server import RunningServer  # noqa: E402
from conformance.servers.server_url import PASSWORD, ServerUrl  # noqa: E402
from conformance.wire.messages import EOF, OK, greeting, rows  # noqa: E402
from conformance.wire.packets import packed, packet_head  # noqa: E402

GREETING = greeting("8.0.15", bytes(range(33, 53)), "mysql_native_password", tls=False)
EVENT = HEADER.pack(0, EventType.STOP, 1, 19, 99, 0)
WITHOUT_END = [*rows(("v",), (("8.0.15",),))][:-1]


class Peer:
    """The server's side of one connection."""

    def __init__(self, connection):
        self.connection = connection
        self.number = 0

    def send(self, *payloads):
        for each in payloads:
            for packet in packed(each, self.number):
                self.connection.sendall(packet)
                self.number += 1

    def receive(self):
        size, number = packet_head(self._read(4))
        self.number = number + 1
        return self._read(size)

    def _read(self, size):
        data = self.connection.recv(size, socket.MSG_WAITALL)
        if len(data) < size:
            raise EOFError
        return data


@contextmanager
def serving(answer, *, log_on=(OK,)):
    """Answer each command of every connection; yield the URL, and what was received before."""
    received = []

    def attend(connection):
        peer = Peer(connection)
        with connection:
            try:
                peer.send(GREETING)
                peer.receive()
                peer.send(*log_on)
                while True:
                    command = peer.receive()
                    received.append(command)
                    answer(peer, command)
            except (OSError, EOFError):
                pass

    def accept():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=attend, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield ServerUrl("kit", "127.0.0.1", listening.getsockname()[1]), received
        finally:
            listening.shutdown(socket.SHUT_RDWR)


def rows_for_ever(peer):
    peer.send(*WITHOUT_END[:-1])
    row = WITHOUT_END[-1]
    while True:
        # The packets of a thousand rows at a time.
        peer.connection.sendall(b"".join(b"".join(packed(row * 200, peer.number + each)) for each in range(1000)))
        peer.number += 1000


def packet_without_end(peer):
    for number in count(peer.number):
        peer.connection.sendall(b"\xff\xff\xff" + bytes([number & 0xFF]) + bytes(0xFFFFFF))


@pytest.mark.parametrize(
    ("select", "words"),
    [
        (rows_for_ever, "more at once than the kit reads"),
        (packet_without_end, "more at once than the kit reads"),
        (lambda peer: peer.send(b"\x01", b"\xfe\xff", EOF), "not of the protocol"),
        (lambda peer: peer.send(b""), "not of the protocol"),
        (lambda peer: setattr(peer, "number", 9) or peer.send(OK), "Packet sequence number wrong"),
    ],
)
def test_an_answer_that_is_none_is_an_error_in_words(select, words):
    def answer(peer, command):
        if command.startswith(b"\x03SELECT"):
            select(peer)
        else:
            peer.send(OK)

    with serving(answer) as (url, _), pytest.raises(ValueError, match=f"{url} cannot be reached: .*{words}"):
        RunningServer(url)


@pytest.mark.parametrize("plugin", [b"mysql_clear_password", b"dialog"])
def test_a_password_is_sent_to_no_server_in_clear_text(plugin, monkeypatch):
    monkeypatch.setenv(PASSWORD, "secret")
    asks = b"\xfe" + plugin + b"\0\x02Password: "
    with (
        serving(lambda peer, command: peer.send(OK), log_on=(asks, OK)) as (url, received),
        pytest.raises(pymysql.err.OperationalError, match="in clear text"),
    ):
        url.connect()
    assert received == []


class Source:
    """A server whose dumps send something, for the functions that read them."""

    is_mariadb = False

    def __init__(self, url):
        self._url = url

    def connect(self, **arguments):
        return self._url.connect(**arguments)


@contextmanager
def source(sends):
    def answer(peer, command):
        if command[0] == 0x12:
            sends(peer)
        else:
            peer.send(OK)

    with serving(answer) as (url, _):
        yield Source(url)


def test_the_events_of_a_dump_come_up_to_its_end():
    with source(lambda peer: peer.send(b"\0" + EVENT, EOF)) as server:
        assert dump(server).events == (EVENT,)


@pytest.mark.parametrize("packet", [b"", b"\0", b"\0abcd"])
def test_an_event_without_a_header_is_an_error(packet):
    with source(lambda peer: peer.send(b"\0" + EVENT, packet)) as server:
        done = dump(server)
    assert done.events == (EVENT,)
    assert done.error


def test_an_event_beyond_the_limit_is_not_read():
    def sends(peer):
        peer.send(b"\0" + EVENT)
        packet_without_end(peer)

    with source(sends) as server:
        events = live_events(server, "b.000001")
        assert next(events) == EVENT
        with pytest.raises(pymysql.err.OperationalError, match="more at once than the kit reads"):
            next(events)


def test_a_server_that_sends_a_byte_now_and_then_is_left(monkeypatch):
    monkeypatch.setattr(guarded_session, "_SECONDS", 0.5)

    def sends(peer):
        for each in b"".join(packed(b"\0" + EVENT * 40, peer.number)):
            peer.connection.sendall(bytes([each]))
            time.sleep(0.02)

    with source(sends) as server:
        began = time.monotonic()
        done = dump(server)
    assert (done.events, done.error) == ((), CR.CR_SERVER_LOST)
    assert "slower than the kit reads" in done.message
    assert time.monotonic() - began < 10


def test_answers_are_counted_one_by_one():
    with (
        serving(lambda peer, command: peer.send(OK)) as (url, _),
        closing(GuardedSession(most=200, host=url.host, port=url.port, user="kit", autocommit=None)) as session,
        session.cursor() as cursor,
    ):
        for _ in range(100):
            cursor.execute("SET @a = 1")
