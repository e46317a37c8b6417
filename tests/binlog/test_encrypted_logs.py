"""Logs that MariaDB encrypts after a Start_encryption event."""

import pytest

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, rewrite
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

FORMAT = FormatDescription(4, "11.8.6-MariaDB-log", 0, 19, server_of("mariadb-11.x").post_header_lengths, 1)
DESCRIBED = MAGIC + frame(EventType.FORMAT_DESCRIPTION, FORMAT.body(), offset=4, checksummed=True)
#: The second event of a log of MariaDB 11.8.6 with encrypt_binlog, and the encrypted Gtid_list after it.
START = bytes.fromhex("3fde006ba4210000002800000028010000000001010000000d3404e5feecbcaeb3221535529297c3")
ENCRYPTED = bytes.fromhex("befdb76a54867253fa1d0000005c100f6666479bf1cff3f2a0f022eb22")


def test_the_events_after_a_start_encryption_are_not_read():
    events = read_events(DESCRIBED + START + ENCRYPTED)
    assert [next(events).header.type, next(events).header.type] == [15, 164]
    with pytest.raises(BinlogError, match="encrypted; decrypt the log first") as caught:
        next(events)
    assert (caught.value.kind, caught.value.at) == ("encrypted", len(DESCRIBED) + len(START))


def test_a_start_encryption_is_read_and_written_byte_for_byte():
    start = list(read_events(DESCRIBED + START))[1]
    nonce = bytes.fromhex("0d3404e5feecbcaeb3221535")
    assert start.fields() == {"encryption_scheme": 1, "key_version": 1, "nonce": nonce}
    assert rewrite(start) == START


def test_a_log_that_ends_after_a_start_encryption_is_complete():
    assert [each.header.type for each in read_events(DESCRIBED + START)] == [15, 164]


@pytest.mark.parametrize("index", range(20))
def test_encryption_of_generated_events_keeps_only_their_lengths(index):
    case = case_of(CaseId("encrypted_events", "mariadb-11.x", seed=4, index=index))
    at = case.expected.refused_at
    lengths = []
    while at < len(case.stream):
        lengths.append(int.from_bytes(case.stream[at + 9 : at + 13], "little"))
        at += lengths[-1]
    assert at == len(case.stream)
    assert len(lengths) > 1
