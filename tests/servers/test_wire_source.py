"""A source of the kit's knows what its replicas have read, however long they wait, and can lose a connection."""

import socket
import sys
import time

import pytest

from conformance.servers.wire_source import NATIVE, WireSource, take

EVENT = bytes(range(200))
COM_BINLOG_DUMP = b"\x01\x00\x00\x00\x12"


def read_packet(connection):
    return take(connection, int.from_bytes(take(connection, 4)[:3], "little"))


def begin_dump(replica):
    read_packet(replica)
    replica.sendall(b"\x01\x00\x00\x01x")
    read_packet(replica)
    replica.sendall(COM_BINLOG_DUMP)


def wait_until(condition):
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_connection_is_lost_within_an_event_once_and_nothing_is_sent_again():
    with WireSource([EVENT], part=EVENT[:30], server_id=1, gtid_mode="ON", checksum="NONE", plugin=NATIVE) as source:
        with socket.create_connection(("127.0.0.1", source.port)) as replica:
            begin_dump(replica)
            assert read_packet(replica) == b"\x00" + EVENT
            with pytest.raises(EOFError):
                read_packet(replica)
        assert source.sent.is_set()
        with socket.create_connection(("127.0.0.1", source.port)) as replica:
            begin_dump(replica)
            replica.settimeout(0.2)
            with pytest.raises(TimeoutError):
                read_packet(replica)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for connections in /proc")
def test_a_stream_is_read_once_the_replica_has_taken_its_last_byte():
    with (
        WireSource([EVENT, EVENT], server_id=1, gtid_mode="ON", checksum="NONE", plugin=NATIVE) as source,
        WireSource([EVENT], server_id=1, gtid_mode="ON", checksum="NONE", plugin=NATIVE) as another,
        socket.create_connection(("127.0.0.1", source.port)) as replica,
    ):
        begin_dump(replica)
        assert source.sent.wait(10)
        for _ in range(2):
            assert (source.is_read, another.is_read) == (False, True)
            read_packet(replica)
        # What is on its way is counted until the system has confirmed it.
        wait_until(lambda: source.is_read)


def test_a_source_that_is_closed_listens_no_more():
    with WireSource([EVENT], server_id=1, gtid_mode="ON", checksum="NONE", plugin=NATIVE) as source:
        time.sleep(0.2)  # Its thread waits for a connection by then.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", source.port)).close()
