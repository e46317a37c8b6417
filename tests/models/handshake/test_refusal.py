"""Which receivers stop before they take an event, as real pairs were seen to do it."""

import pytest

from conformance.models.handshake.announcement import ANNOUNCEMENTS, CAPABILITY_GTID
from conformance.models.handshake.refusal import Peer, refusal
from conformance.models.server.settings import GTID_MODES


def refused(
    source, replica, *, modes=("OFF", "OFF"), position="file", checksum="CRC32", of_replica="CRC32", replica_id=2
):
    """Return the number and the words with which a receiver stops, None if it does not."""
    made = refusal(
        Peer(profile=source, server_id=1, gtid_mode=modes[0], checksum=checksum),
        Peer(profile=replica, server_id=replica_id, gtid_mode=modes[1], checksum=of_replica),
        position=position,
    )
    return None if made is None else (made.number, made.words)


#: Source, replica, modes of both, how the replica asks, and the number and words of the error that was seen.
SEEN = (
    ("mysql-5.6.24", "mysql-5.5.9", ("OFF", "OFF"), "file", 1236, "with the checksum that"),
    ("mariadb-10.2.11", "mysql-5.5.9", ("OFF", "OFF"), "file", 1236, "with the checksum that"),
    (
        "mysql-5.7.22",
        "mysql-5.6.24",
        ("ON", "OFF"),
        "file",
        1593,
        "master has @@GLOBAL.GTID_MODE ON and this server has",
    ),
    ("mysql-5.5.9", "mysql-5.6.24", ("OFF", "ON"), "file", 1593, "and this server has @@GLOBAL.GTID_MODE ON"),
    ("mysql-5.7.22", "mysql-5.6.24", ("ON_PERMISSIVE", "ON"), "file", 1593, "unknown @@GLOBAL.GTID_MODE"),
    ("mysql-5.6.24", "mysql-5.7.22", ("ON", "OFF"), "file", 1593, "the master has GTID_MODE = ON and this server has"),
    ("mysql-5.6.24", "mysql-5.7.22", ("OFF", "ON_PERMISSIVE"), "gtid", 1593, "GTID_MODE = OFF instead of ON"),
    ("mysql-5.7.22", "mysql-8.0.15", ("ON_PERMISSIVE", "OFF"), "file", 13117, "GTID_MODE = ON_PERMISSIVE and this"),
    ("mysql-5.7.22", "mysql-8.0.15", ("OFF_PERMISSIVE", "ON"), "gtid", 13117, "GTID_MODE = OFF_PERMISSIVE and this"),
    (
        "mysql-5.7.22",
        "mysql-8.0.15",
        ("OFF_PERMISSIVE", "ON_PERMISSIVE"),
        "gtid",
        13117,
        "OFF_PERMISSIVE instead of ON",
    ),
    ("mysql-8.0.15", "mysql-9.7.4", ("ON", "OFF"), "file", 13117, "the source has GTID_MODE = ON and this server has"),
    ("mysql-5.5.9", "mariadb-10.1.23", ("OFF", "OFF"), "file", 1595, "could not queue event"),
    ("mysql-5.5.9", "mariadb-11.8.6", ("OFF", "OFF"), "file", 1595, "could not queue event"),
    ("mariadb-10.2.11", "mysql-8.0.15", ("OFF", "ON"), "file", 13117, "the master has GTID_MODE = OFF and this server"),
)


@pytest.mark.parametrize(("source", "replica", "modes", "position", "number", "words"), SEEN)
def test_a_receiver_stops_with_the_error_that_was_seen(source, replica, modes, position, number, words):
    seen = refused(source, replica, modes=modes, position=position)
    assert seen is not None
    assert seen[0] == number
    assert words in seen[1]


def test_from_5_7_on_a_permissive_mode_goes_with_every_mode_but_the_far_one():
    accepted = {
        (one, other)
        for one in GTID_MODES
        for other in GTID_MODES
        if refused("mysql-8.0.15", "mysql-5.7.22", modes=(one, other)) is None
    }
    off, off_permissive, on_permissive, on = GTID_MODES
    assert accepted == {
        (off, off), (off, off_permissive), (off, on_permissive),
        (off_permissive, off), (off_permissive, off_permissive), (off_permissive, on_permissive),
        (on_permissive, off_permissive), (on_permissive, on_permissive), (on_permissive, on),
        (on, off_permissive), (on, on_permissive), (on, on),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("replica", "words"),
    [
        ("mysql-5.5.9", "because master and slave have equal"),
        ("mysql-9.7.4", "because source and replica have equal"),
        ("mariadb-11.4.5", "because master and slave have equal"),
    ],
)
def test_equal_server_ids_are_refused_before_everything_else(replica, words):
    assert refused("mysql-5.6.24", replica, modes=("ON", "OFF"), replica_id=1)[1] == words


def test_a_source_without_checksums_refuses_nobody_for_them():
    assert refused("mysql-5.6.24", "mysql-5.5.9", checksum="NONE") is None
    assert refused("mysql-5.5.9", "mysql-5.5.9") is None
    assert refused("mysql-5.6.24", "mariadb-10.1.23") is None


def test_mariadb_takes_events_of_a_source_that_knows_no_checksums_where_it_writes_none_itself():
    assert refused("mysql-5.5.9", "mariadb-10.1.23", of_replica="NONE") is None
    assert refused("mysql-5.6.24", "mariadb-10.1.23", checksum="NONE") is None
    assert refused("mysql-5.5.9", "mysql-5.6.24") is None


def test_mariadb_asks_for_no_gtid_mode():
    for mode in GTID_MODES:
        assert refused("mysql-8.0.15", "mariadb-11.8.6", modes=(mode, "OFF")) is None


@pytest.mark.parametrize(
    ("replica", "checksums", "capability", "annotate_rows"),
    [
        ("mysql-5.5.9", False, 0, False),
        ("mysql-5.6.24", True, 0, False),
        ("mariadb-10.1.23", True, CAPABILITY_GTID, False),
        ("mariadb-10.2.11", True, CAPABILITY_GTID, True),
    ],
)
def test_what_a_replica_announces(replica, checksums, capability, annotate_rows):
    announced = ANNOUNCEMENTS[replica]
    assert (announced.checksums, announced.capability, announced.annotate_rows) == (
        checksums,
        capability,
        annotate_rows,
    )
