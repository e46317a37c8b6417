"""What a MariaDB source sends in the place of its own events, byte for byte as MySQL replicas got it."""

import pytest

from conformance.binlog.checksum import checksum
from conformance.binlog.header import HEADER, HEADER_BYTES, TYPE_AT
from conformance.models.handshake.announcement import CAPABILITY_GTID
from conformance.models.handshake.replacement import for_replica

#: What a source logged -> what it sent to a replica of MySQL, both without their checksums. Gtid_list, empty, and
#: Binlog_checkpoint become user variables; a Gtid of a statement a comment, cut off; any other Gtid a BEGIN.
SENT = {
    "a6d4036b a3 01000000 1d000000 16010000 0000 000000000000": (
        "a6d4036b 0e 01000000 1d000000 16010000 0800 010000002101"
    ),
    "a6d4036b a1 01000000 25000000 3b010000 0000 0a00000062696e2e303030303031": (
        "a6d4036b 0e 01000000 25000000 3b010000 0800 090000002164756d6d7976617201"
    ),
    "a7d4036b a2 01000000 2a000000 65010000 0800 0100000000000000 00000000 29 000000000000": (
        "a7d4036b 02 01000000 2a000000 65010000 0800 00000000000000000000000000 00 232044756d"
    ),
    "a7d4036b a2 01000000 2a000000 65010000 0000 0400000000000000 00000000 0c 000000000000": (
        "a7d4036b 02 01000000 2a000000 65010000 0800 00000000000000000000000000 00 424547494e"
    ),
    # Of a group commit: 10.11.18 and 11.8.6.
    "9209046b a2 01000000 2c000000 8c020000 0800 0300000000000000 00000000 0e 1200000000000000": (
        "9209046b 02 01000000 2c000000 8c020000 0800 00000000000000000000000200 0500 00 424547494e"
    ),
    "9609046b a2 01000000 31000000 91020000 0800 0300000000000000 00000000 0e 1200000000000000 1008000000": (
        "9609046b 02 01000000 31000000 91020000 0800 00000000000000000000000700 ffffffffffffff 00 424547494e"
    ),
}


@pytest.mark.parametrize(("logged", "sent"), SENT.items())
def test_an_event_is_replaced_by_one_of_the_same_length(logged, sent):
    event, wanted = (bytes.fromhex(each) for each in (logged, sent))
    assert for_replica(event, capability=0, checksummed=False) == wanted


@pytest.mark.parametrize(("logged", "sent"), SENT.items())
def test_a_checksum_is_that_of_the_new_event(logged, sent):
    event, wanted = (bytes.fromhex(each) for each in (logged, sent))
    made = for_replica(event + bytes(4), capability=0, checksummed=True)
    assert made == wanted + checksum(wanted).to_bytes(4, "little")


@pytest.mark.parametrize("logged", SENT)
def test_a_replica_of_mariadb_gets_the_event_itself(logged):
    event = bytes.fromhex(logged)
    assert for_replica(event, capability=CAPABILITY_GTID, checksummed=False) == event


def test_a_long_list_becomes_the_whole_comment():
    body = bytes(120)
    event = HEADER.pack(1, 163, 1, HEADER_BYTES + len(body), 300, 0) + body
    made = for_replica(event, capability=0, checksummed=False)
    text = b"# Dummy event replacing event type 163 that slave cannot handle."
    assert len(made) == len(event)
    assert made[TYPE_AT] == 2
    assert made[HEADER_BYTES + 14 :].rstrip(b" ") == text


def test_other_events_are_not_changed():
    query = HEADER.pack(1, 2, 1, HEADER_BYTES + 20, 300, 0) + bytes(20)
    assert for_replica(query, capability=0, checksummed=False) == query
