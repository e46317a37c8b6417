"""A source over the network: what its clients get, and what they cannot do to it."""

import errno
import socket
import ssl
import struct
import time
from contextlib import ExitStack, suppress
from dataclasses import replace

import pytest
from sources import CASE, announced, asking, connected, dumped, listening, logged, query_event, source_of

from conformance.binlog.event_types import EventType
from conformance.models.sender.sender import Log, LoggedEvent
from conformance.wire.client import Connection, ConnectionLost
from conformance.wire.credentials import NATIVE, PLUGINS, SHA2, password_answer
from conformance.wire.listener import CONNECTIONS, Listener
from conformance.wire.messages import WireError
from conformance.wire.question_source import source_of_question
from conformance.wire.session import Access
from conformance.wire.source import Ending, Failure

GTIDS = "send:sent_gtids/mysql-8.0/0/4"
MARIADB = "send:sent_logs/mariadb-10.x/0/1"


def types(events):
    return [event[4] for event in events]


def test_a_client_gets_a_rotate_and_then_the_log_byte_for_byte():
    source = source_of()
    with listening(source) as port:
        events = dumped(port)
    assert types(events)[:2] == [EventType.ROTATE, EventType.FORMAT_DESCRIPTION]
    assert events[1:] == logged(source)


def test_the_same_case_gives_the_same_packets():
    runs = []
    for _ in range(2):
        with listening(source_of()) as port:
            runs.append(dumped(port))
    assert runs[0] == runs[1]


def test_a_client_that_asks_for_a_position_gets_what_comes_after_it():
    source = source_of()
    log = source.logs[0]
    with listening(source) as port:
        for place in (log.events[3].start, log.events[-1].end):
            events = dumped(port, asking(log.name, place))
            assert events[0][19:27] == struct.pack("<Q", place)
            assert events[2:] == [event.data for event in log.events if event.start >= place]


@pytest.mark.parametrize(
    ("name", "place", "words"),
    [
        ("nothing.000001", 4, "Could not find first log file name"),
        ("", 3, "position < 4"),
        ("", 1 << 31, "position > file size"),
        ("", 200, "bogus data in log event"),
    ],
)
def test_a_place_that_the_logs_do_not_have_is_an_error_of_servers(name, place, words):
    with listening(source_of()) as port, pytest.raises(WireError, match=words) as refused:
        dumped(port, asking(name, place))
    assert refused.value.number == 1236


def test_a_client_that_has_gtids_gets_the_others():
    source = source_of(GTIDS)
    with listening(source) as port:
        every = dumped(port, asking(gtids=str(source.purged())))
        none = dumped(port, asking(gtids=str(source.executed())))
    numbered = {EventType.GTID, EventType.GTID_TAGGED}
    assert sum(each in numbered for each in types(every)) == sum(each in numbered for each in types(logged(source)))
    assert not numbered & set(types(none))


def test_a_client_that_lacks_purged_gtids_is_refused():
    case = next(
        name
        for name in (f"send:sent_gtids/mysql-8.0/0/{index}" for index in range(20))
        if source_of(name).purged().sources
    )
    with listening(source_of(case)) as port, pytest.raises(WireError, match="purged required binary logs"):
        dumped(port, asking(gtids=""))


def test_a_client_that_does_not_know_checksums_is_refused_with_the_servers_words():
    with (
        listening(source_of()) as port,
        connected(port) as connection,
        pytest.raises(WireError, match="can not handle replication events with the checksum"),
    ):
        list(connection.dump(asking()))


def test_a_client_of_mysql_gets_no_gtids_of_mariadb():
    source = source_of(MARIADB)
    with listening(source) as port:
        plain = dumped(port)
        capable = dumped(port, None, "SET @mariadb_slave_capability = 4")
    assert not {EventType.MARIADB_GTID, EventType.MARIADB_GTID_LIST} & set(types(plain))
    assert EventType.MARIADB_GTID in types(capable)
    assert len(plain) == len(capable)


def test_a_client_of_mariadb_begins_after_its_gtids():
    source = source_of(MARIADB)
    gtids = [event for event in logged(source) if event[4] == EventType.MARIADB_GTID]
    number, domain = struct.unpack_from("<QI", gtids[0], 19)
    with listening(source) as port:
        statements = ("SET @mariadb_slave_capability = 4", f"SET @slave_connect_state = '{domain}-1-{number}'")
        events = dumped(port, None, *statements)
    assert [event for event in events if event[4] == EventType.MARIADB_GTID] == gtids[1:]


def test_a_client_that_begins_after_its_gtids_may_name_any_log():
    source = source_of(MARIADB)
    with listening(source) as port:
        state = "SET @slave_connect_state = '9-9-9'"
        assert dumped(port, asking("nothing.000001"), state) == dumped(port, None, state)


def test_the_gtids_of_mariadb_are_nothing_to_mysql():
    with listening(source_of()) as port, pytest.raises(WireError, match="Could not find first log file name"):
        dumped(port, asking("nothing.000001"), "SET @slave_connect_state = '0-1-1'")


@pytest.mark.parametrize("bytes_of_event", [0xFFFFFE, 0xFFFFFF, 0x1000000])
def test_an_event_of_16_mib_is_split_and_joined(bytes_of_event):
    source = source_of("transactions/mysql-5.5/0/1")
    log = source.logs[0]
    # One byte of the packet is before the event.
    large = query_event(bytes_of_event - 1 - 19, log.events[-1].end + bytes_of_event - 1)
    event = LoggedEvent(log.events[-1].offset + 1, log.events[-1].end, large)
    with listening(replace(source, logs=(Log(log.name, (*log.events, event)),))) as port:
        assert dumped(port)[-1] == large


def test_a_client_that_waits_gets_heartbeats_in_its_period():
    source = source_of()
    with listening(source) as port, announced(port, "SET @source_heartbeat_period = 50000000") as connection:
        events = connection.dump(asking(flags=0))
        for _ in logged(source):
            next(events)
        next(events)
        beats = [next(events) for _ in range(3)]
    assert types(beats) == [EventType.HEARTBEAT] * 3
    assert beats[0][13:17] == struct.pack("<I", source.sizes[-1])


def test_heartbeats_of_a_question_come_between_events_without_waiting():
    names = (f"send:sent_logs/mysql-8.0/0/{index}" for index in range(60))
    source = next(source for source in map(source_of, names) if source.waits)
    wait = source.waits[0]
    with listening(source) as port:
        events = dumped(port, asking(wait.log_name), "SET @source_heartbeat_period = 1000000000")
    beats = [event for event in events if event[4] == EventType.HEARTBEAT]
    assert len(beats) >= wait.heartbeats
    assert struct.unpack_from("<I", beats[0], 13) == (wait.log_pos,)


def _collected(events, into):
    """Put events into a list as they come, so that those before an error are kept."""
    for event in events:
        into.append(event)
    return ()


@pytest.mark.parametrize(("error", "raised"), [(0, ConnectionLost), (1236, WireError)])
def test_a_dump_ends_on_purpose_and_the_next_one_goes_on(error, raised):
    source = source_of(endings=(Ending(3, error),))
    with listening(source) as port:
        events = []
        with announced(port) as connection, pytest.raises(raised):
            events.extend(_collected(connection.dump(asking()), events))
        assert events[1:] == logged(source)[:2]
        assert dumped(port)[1:] == logged(source)


@pytest.mark.parametrize("at_once", [False, True])
def test_a_source_that_fails_does_so_in_each_dump_until_somebody_asks_for_ever(at_once):
    source = source_of(failure=Failure("the log is gone", at_once=at_once, dumps=3))
    with listening(source) as port:
        for place in (asking(), asking("another.000001"), asking()):
            events = []
            with announced(port) as connection, pytest.raises(WireError) as failed:
                _collected(connection.dump(place), events)
            assert failed.value.number == 1236
        assert events[1:] == ([] if at_once else logged(source))
        assert dumped(port)[1:] == ([] if at_once else logged(source))


def test_a_semi_synchronous_client_acknowledges_each_group():
    source = source_of(semi_sync=True)
    with listening(source) as port, announced(port, "SET @rpl_semi_sync_replica = 1") as connection:
        assert connection.query("SELECT @@global.rpl_semi_sync_source_enabled") == [["1"]]
        connection.send(asking().payload())
        received, acknowledged = [], 0
        while (packet := connection.receive())[0] != 0xFE:
            assert packet[:2] == b"\x00\xef"
            received.append(packet[3:])
            if packet[2]:
                acknowledged += 1
                connection.send(b"\xef" + struct.pack("<Q", 4) + b"binlog.000001")
    assert received[1:] == logged(source)
    assert acknowledged


def test_a_client_that_does_not_ask_for_semi_synchronous_events_gets_plain_ones():
    source = source_of(semi_sync=True)
    with listening(source) as port:
        assert dumped(port)[1:] == logged(source)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_only_the_right_password_gets_in(plugin):
    with listening(source_of(), Access(password="secret", plugin=plugin)) as port:
        with connected(port) as connection:
            assert connection.query("SELECT 1") == [["1"]]
        for wrong in ("Secret", ""):
            with pytest.raises(WireError, match="Access denied") as refused:
                connected(port, password=wrong)
            assert refused.value.number == 1045


def logs_on_by_password(port, password, *, tls=None):
    """Log on with a wrong answer to the challenge and then the password itself; return the first byte of the reply."""
    with socket.create_connection(("127.0.0.1", port), 10) as plain:
        greeting = received(plain)
        challenge = greeting.partition(b"\0")[2][4:12] + greeting.partition(b"\0")[2][31:43]
        head = struct.pack("<IIB", 0x88200 | (0x800 if tls else 0), 1 << 24, 33) + bytes(23)
        number = 1
        if tls is not None:
            plain.sendall(b"\x20\0\0\x01" + head)
            number = 2
        connection = plain if tls is None else tls.wrap_socket(plain)
        sent(connection, number, head + b"a\0" + b"\x20" + bytes(32) + SHA2.encode() + b"\0")
        assert received(connection) == b"\x01\x04"
        given = password.encode() + b"\0"
        if tls is None:
            sent(connection, number + 2, b"\x02")
            given, number = encrypted(given, received(connection)[1:], challenge), number + 2
        sent(connection, number + 2, given)
        return received(connection)[0]


def encrypted(password, pem, challenge):
    """Return a password as clients of MySQL send it: mixed with the challenge, then encrypted with the source's key."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding

    mixed = bytes(each ^ challenge[place % len(challenge)] for place, each in enumerate(password))
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    return serialization.load_pem_public_key(pem).encrypt(mixed, oaep)


def received(connection):
    head = connection.recv(4)
    return connection.recv(int.from_bytes(head[:3], "little"))


def sent(connection, number, payload):
    connection.sendall(struct.pack("<I", len(payload))[:3] + bytes([number]) + payload)


@pytest.mark.parametrize("encrypts", [False, True])
def test_a_client_of_which_the_answer_is_wrong_may_send_its_password(tmp_path, encrypts):
    """Seen on 8.0.15: after a wrong answer to the challenge the server asks for the password itself."""
    context, trusting = tls_contexts(tmp_path)
    access = Access(password="secret of more than twenty bytes", plugin=SHA2, tls=context)
    with listening(source_of(), access) as port:
        tls = trusting if encrypts else None
        assert logs_on_by_password(port, "secret of more than twenty bytes", tls=tls) == 0x00
        assert logs_on_by_password(port, "secret of other twenty bytes", tls=tls) == 0xFF


def test_the_answers_to_a_challenge_are_those_of_servers():
    """Known from the servers' documentation: SHA1(password) xor SHA1(challenge + SHA1(SHA1(password)))."""
    challenge = bytes(range(1, 21))
    assert password_answer(NATIVE, "", challenge) == b""
    assert len(password_answer(NATIVE, "a", challenge)) == 20
    assert len(password_answer(SHA2, "a", challenge)) == 32


@pytest.mark.parametrize("plugin", PLUGINS)
def test_pymysql_logs_on_in_each_way(plugin):
    pymysql = pytest.importorskip("pymysql", reason="needs the extra servers")
    with listening(source_of(), Access(password="secret", plugin=plugin)) as port:
        session = pymysql.connect(host="127.0.0.1", port=port, user="a", password="secret")
        with session, session.cursor() as cursor:
            cursor.execute("SELECT @@GLOBAL.SERVER_ID, VERSION()")
            assert cursor.fetchall() == ((str(source_of().server_id), "8.0.43"),)
        with pytest.raises(pymysql.err.OperationalError, match="Access denied"):
            pymysql.connect(host="127.0.0.1", port=port, user="a", password="wrong")


def certificate(folder):
    """Return a file with a certificate for this test, and its key."""
    import datetime

    x509 = pytest.importorskip("cryptography.x509", reason="needs the extra servers")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    signed = made.sign(key, hashes.SHA256())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "certificate.pem"
    file.write_bytes(key.private_bytes(*form) + signed.public_bytes(serialization.Encoding.PEM))
    return file


def tls_contexts(folder):
    """Return what encrypts at the source, and at a client that trusts anybody."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(folder))
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return context, trusting


@pytest.mark.parametrize("plugin", PLUGINS)
def test_events_come_through_tls(tmp_path, plugin):
    context, trusting = tls_contexts(tmp_path)
    with (
        listening(source_of(), Access(password="secret", plugin=plugin, tls=context)) as port,
        connected(port, tls=trusting) as connection,
    ):
        connection.query("SET @source_binlog_checksum = 'CRC32'")
        assert list(connection.dump(asking()))[1:] == logged(source_of())


#: What is not a client: each is sent after the connection is made.
HOSTILE = {
    "nothing": b"",
    "HTTP": b"GET / HTTP/1.1\r\n\r\n",
    "half a head": b"\x20\x00",
    "half a log-on": b"\x40\x00\x00\x01" + bytes(20),
    "16 MiB announced": b"\xff\xff\xff\x01" + bytes(100),
    "an empty log-on": b"\x00\x00\x00\x01",
    "an old log-on": b"\x20\x00\x00\x01" + bytes(32),
    "a user without an end": b"\x24\x00\x00\x01" + struct.pack("<I", 0x200) + b"a" * 32,
    "TLS that is not offered": b"\x20\x00\x00\x01" + struct.pack("<I", 0xA00) + bytes(28) + b"\x16\x03\x01",
    "random": bytes((each * 7919) & 0xFF for each in range(4000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_a_client_ends_its_own_connection_alone(name):
    with listening(source_of()) as port, announced(port) as connection:
        with socket.create_connection(("127.0.0.1", port)) as hostile:
            hostile.sendall(HOSTILE[name])
            assert list(connection.dump(asking()))[1:] == logged(source_of())
        assert dumped(port)[1:] == logged(source_of())


#: Commands that are cut short, that claim more than they have, or that there are not.
BROKEN = (
    b"\x12",
    b"\x12\x04",
    b"\x1e" + bytes(9),
    b"\x1e" + bytes(10) + struct.pack("<QI", 4, 1 << 31),
    b"\x1e" + bytes(10) + struct.pack("<QI", 4, 8) + b"\xff" * 8,
    b"\x16",
    b"\x00",
    b"\xff" * 3000,
    b"\x03\xff\xfe",
)


@pytest.mark.parametrize("command", BROKEN)
def test_a_command_that_cannot_be_read_is_refused(command):
    with listening(source_of()) as port:
        with connected(port) as connection:
            connection.send(command)
            with pytest.raises(WireError):
                connection.receive()
        assert dumped(port)[1:] == logged(source_of())


def test_clients_that_go_in_the_middle_of_a_dump_leave_the_source_as_it_was():
    with listening(source_of("transactions/mysql-8.0/0/5")) as port:
        for count in range(8):
            with announced(port) as connection:
                events = connection.dump(asking(flags=0))
                for _ in range(count):
                    next(events)
        assert dumped(port)


def test_more_connections_than_there_may_be_are_refused_and_later_ones_are_served():
    with Listener() as listener:
        port = listener.serve(source_of())
        with ExitStack() as open_ones:
            for _ in range(CONNECTIONS):
                open_ones.enter_context(socket.create_connection(("127.0.0.1", port)))
            time.sleep(0.5)
            with pytest.raises((WireError, ConnectionLost)) as refused:
                connected(port)
            assert "Too many connections" in str(refused.value)
        assert served_again(port)[1:] == logged(source_of())


def served_again(port):
    """Return what a client gets once the crowd before it has gone."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with suppress(WireError, ConnectionLost):
            return dumped(port)
        time.sleep(0.02)
    pytest.fail("the source serves nobody after the crowd has gone")


def test_thousands_of_connections_one_after_the_other_keep_nothing_open():
    with Listener() as listener:
        port = listener.serve(source_of())
        for _ in range(2000):
            socket.create_connection(("127.0.0.1", port)).close()
        assert served_again(port)[1:] == logged(source_of())


def test_a_source_that_is_ended_takes_no_more_connections():
    with Listener() as listener:
        port, other = listener.serve(source_of()), listener.serve(source_of(CASE))
        listener.end(port)
        with pytest.raises(ConnectionLost):
            connected(port)
        assert dumped(other)


def test_a_port_that_ends_as_a_client_comes_leaves_no_trace(caplog):
    clients = []
    with Listener() as listener:
        port = listener.serve(source_of())

        def come_and_end():
            clients.append(socket.create_connection((listener.host, port)))
            listener._loop.call_soon(listener._end_seat, port)  # In the turn in which the client is seen.

        listener._call(come_and_end)
        listener._call(lambda: None)
    clients[0].close()
    assert not caplog.records


class Crowded:
    """A listening socket of a process that has no descriptor left at first."""

    def __init__(self, listening):
        self._listening = listening
        self.refusals = 2

    def __getattr__(self, name):
        return getattr(self._listening, name)

    def accept(self):
        if self.refusals:
            self.refusals -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return self._listening.accept()


def test_a_source_without_a_descriptor_serves_its_clients_later():
    source = source_of()
    with Listener() as listener:
        port = listener.serve(source)

        def crowd():
            seat, listening = listener._seats[port]
            listener._loop.remove_reader(listening)
            listener._seats[port] = seat, Crowded(listening)
            listener._listen(port, listener._seats[port][1])

        listener._call(crowd)
        assert dumped(port)[1:] == logged(source)


def test_a_torn_log_is_sent_up_to_the_tear_and_then_is_an_error():
    data = b"\xfebin" + b"".join(logged(source_of()))
    torn = source_of_question("mysql-8.0", data[:-7], {})
    events = []
    with listening(torn) as port, announced(port) as connection, pytest.raises(WireError) as refused:
        events.extend(_collected(connection.dump(asking()), events))
    assert refused.value.number == 1236
    assert torn.damage in str(refused.value)
    assert events[1:] == logged(source_of())[:-1]


def test_a_client_that_cannot_reach_a_source_gets_an_error():
    with pytest.raises(ConnectionLost):
        Connection("127.0.0.1", 1, user="a", password="")
