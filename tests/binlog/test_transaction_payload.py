"""Transactions inside Transaction_payload events."""

import os
import shutil
import subprocess

import pytest

from conformance.binlog.errors import BinlogError, LimitExceeded, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.limits import Limits, limits_in_force
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.binlog.transaction_payload import Compression, inner_events, pack_payload, payload_bytes
from conformance.binlog.writer import frame, rewrite, write_body
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

TOOL = os.environ.get("BINLOG_MYSQLBINLOG") or shutil.which("mysqlbinlog")

SERVER = server_of("mysql-8.0")
FORMAT = FormatDescription(4, SERVER.version, 0, 19, SERVER.post_header_lengths, 1)


def event_of(fields: dict) -> Event:
    """A payload event with these fields, read from a log."""
    begin = len(MAGIC)
    described = frame(EventType.FORMAT_DESCRIPTION, FORMAT.body(), offset=begin, checksummed=True)
    body = write_body(EventType.TRANSACTION_PAYLOAD, fields, FORMAT)
    offset = begin + len(described)
    payload = frame(EventType.TRANSACTION_PAYLOAD, body, offset=offset, checksummed=True)
    return list(read_events(MAGIC + described + payload))[1]


def xids(*numbers: int) -> bytes:
    bodies = (write_body(EventType.XID, {"xid": number}, FORMAT) for number in numbers)
    return b"".join(frame(EventType.XID, body, offset=0, checksummed=False) for body in bodies)


@pytest.mark.parametrize("compression", Compression)
def test_the_events_inside_are_read_with_their_positions(compression):
    event = event_of(pack_payload(xids(7, 8), compression=compression))
    inner = list(inner_events(event))
    assert [(each.offset, each.end, each.fields()) for each in inner] == [(0, 27, {"xid": 7}), (27, 54, {"xid": 8})]
    assert b"".join(map(rewrite, inner)) == xids(7, 8)


def test_the_parts_of_the_head_may_be_in_any_order():
    fields = pack_payload(xids(7))
    reordered = event_of({name: fields[name] for name in ("payload_size", "compression_type", "payload")})
    assert payload_bytes(reordered) == xids(7)
    assert rewrite(reordered) == reordered.data


def test_an_unknown_part_is_kept():
    fields = {"field_9": b"new", **pack_payload(xids(7))}
    event = event_of(fields)
    assert event.fields()["field_9"] == b"new"
    assert payload_bytes(event) == xids(7)


def test_a_bomb_is_refused_before_it_unpacks():
    bomb = pack_payload(bytes(10_000_000))
    assert len(bomb["payload"]) < 2000
    refused = pytest.raises(
        LimitExceeded, match="unpacks to 10000000 bytes; the limit is 1000000, raise it with --limit"
    )
    with limits_in_force(Limits(payload_bytes=1_000_000)), refused:
        payload_bytes(event_of(bomb))


def test_a_bomb_that_hides_its_size_is_refused():
    bomb = pack_payload(bytes(10_000_000))
    with pytest.raises(MalformedBody, match="declares 54 bytes uncompressed, but unpacks to more"):
        payload_bytes(event_of({**bomb, "uncompressed_size": 54}))
    del bomb["uncompressed_size"]
    with limits_in_force(Limits(payload_bytes=1_000_000)), pytest.raises(LimitExceeded, match="the limit is 1000000"):
        payload_bytes(event_of(bomb))


def test_a_payload_holds_no_more_events_than_its_limit():
    event = event_of(pack_payload(xids(*range(11))))
    with limits_in_force(Limits(events=10)), pytest.raises(LimitExceeded, match="11 events or more; the limit is 10"):
        list(inner_events(event))
    with limits_in_force(Limits(events=11)):
        assert len(list(inner_events(event))) == 11


def test_an_event_in_a_payload_is_no_longer_than_its_limit():
    event = event_of(pack_payload(xids(7)))
    with limits_in_force(Limits(event_bytes=26)), pytest.raises(LimitExceeded, match="has 27 bytes; the limit is 26"):
        list(inner_events(event))
    cut_short = event_of(pack_payload(xids(7)[:-1]))
    with limits_in_force(Limits(event_bytes=26)), pytest.raises(MalformedBody, match="found 26") as caught:
        list(inner_events(cut_short))
    assert not isinstance(caught.value, LimitExceeded)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"compression_type": 1}, "1 is not a valid compression type"),
        ({"payload_size": 3}, "declares 3"),
        ({"uncompressed_size": 55}, "declares 55"),
        ({"payload": b"no zstd at all", "payload_size": 14}, "not a valid zstd stream"),
    ],
)
def test_a_payload_that_contradicts_itself_is_refused(wrong, message):
    with pytest.raises(MalformedBody, match=message):
        payload_bytes(event_of({**pack_payload(xids(7)), **wrong}))


def test_a_truncated_event_inside_is_refused():
    with pytest.raises(MalformedBody, match="of 27 bytes at byte 27 of the payload, found 26"):
        list(inner_events(event_of(pack_payload(xids(7, 8)[:-1]))))


def test_a_payload_inside_a_payload_is_refused():
    inside = frame(EventType.TRANSACTION_PAYLOAD, b"", offset=0, checksummed=False)
    with pytest.raises(MalformedBody, match="inside a payload"):
        list(inner_events(event_of(pack_payload(inside))))


def of_type(code: int, flags: int) -> bytes:
    return frame(code, b"xyz", offset=0, checksummed=False, flags=flags)


def test_an_unknown_event_inside_is_refused_at_the_payload():
    event = event_of(pack_payload(xids(7) + of_type(EventType.IGNORABLE, 0)))
    assert [each.header.type for each in inner_events(event)] == [EventType.XID, EventType.IGNORABLE]
    with pytest.raises(BinlogError, match="Unknown event code: 28") as caught:
        list(inner_events(event, rules=ReaderRules()))
    assert (caught.value.at, caught.value.kind) == (event.offset, "unknown-event")


def test_an_ignorable_event_inside_is_skipped():
    event = event_of(pack_payload(of_type(EventType.IGNORABLE, 0x80) + xids(7)))
    assert [each.recognised for each in inner_events(event, rules=ReaderRules())] == [False, True]


@pytest.mark.skipif(TOOL is None, reason="needs mysqlbinlog of MySQL 9.x: on the PATH, or named by BINLOG_MYSQLBINLOG")
@pytest.mark.parametrize("family", ["ignorable_events_in_payloads", "unknown_inside_payload"])
def test_mysqlbinlog_judges_inner_events_in_the_same_way(family, tmp_path):
    path = tmp_path / "binlog.000001"
    for index in range(10):
        case = case_of(CaseId(family, "mysql-9.x", seed=4, index=index))
        path.write_bytes(case.stream)
        done = subprocess.run([TOOL, "--no-defaults", "-vv", str(path)], capture_output=True, check=False, timeout=60)
        refused = b"Error decoding Payload_log_event: Found invalid event in binary log" in done.stderr
        assert (done.returncode, refused) == ((0, False) if case.expected.refused_at is None else (1, True))
