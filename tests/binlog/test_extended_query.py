"""The extended Query event of WL#40: its golden dump, how the format description selects it, and damaged ones."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.query_dump import query_dump_lines
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of, with_tables_info
from conformance.binlog.writer import frame, rewrite, write_body
from conformance.log_check.event_text import dump_lines, event_lines

DUMP = (Path(__file__).parent.parent / "golden" / "wl40_extended_query.dump.txt").read_text(encoding="utf-8")
BYTES = bytes.fromhex("".join(re.findall(r"^[0-9A-F]{8} \| ([0-9A-F ]{11}) \|", DUMP, re.MULTILINE)))
#: Offset of the event in the dump.
START = 0x294
QUERY = b"RENAME TABLE t1 TO tmp, t2 TO t1, tmp TO t2"
TABLES = tuple({"database": b"", "table": name} for name in (b"t1", b"t2"))
SERVER = server_of("worklog")
LENGTHS = with_tables_info(SERVER.post_header_lengths)


def format_description(lengths=LENGTHS, *, algorithm=0):
    return FormatDescription(4, SERVER.version, 0, HEADER_BYTES, lengths, algorithm)


def log(*bodies, lengths=LENGTHS, checksummed=False, pad_to=0):
    """Return a log of Query events, padded to the offset `pad_to` by a Rows_query."""
    described = format_description(lengths, algorithm=int(checksummed))
    stream = MAGIC + frame(EventType.FORMAT_DESCRIPTION, described.body(), offset=4, checksummed=True)
    if pad_to:
        filler = bytes(pad_to - len(stream) - HEADER_BYTES)
        stream += frame(EventType.ROWS_QUERY, filler, offset=len(stream), checksummed=False)
    for body in bodies:
        stream += frame(EventType.QUERY, body, offset=len(stream), checksummed=checksummed)
    return stream


def body(**fields):
    whole = {"thread_id": 1, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b"test"}
    whole |= {"query": b"COMMIT", "tables_info": (), **fields}
    return write_body(EventType.QUERY, whole, format_description())


def last(stream):
    return list(read_events(stream))[-1]


@pytest.fixture
def golden():
    return last(log(pad_to=START) + BYTES)


def test_the_golden_bytes_are_the_117_of_the_dump():
    assert len(BYTES) == 117


def test_the_golden_event_has_the_fields_of_the_worklog(golden):
    header = golden.header
    assert (header.timestamp, header.type, header.server_id) == (1258332463, 2, 100)
    assert (header.length, header.log_pos, header.flags) == (117, START + 117, 0x10)
    fields = golden.fields()
    assert (fields["thread_id"], fields["exec_time"], fields["error_code"]) == (1, 201, 0)
    assert (fields["database"], fields["query"], fields["tables_info"]) == (b"test", QUERY, TABLES)
    assert (fields["query_length"], fields["tables_info_length"], len(fields["status_variables"])) == (43, 8, 26)


def test_the_golden_event_is_written_byte_for_byte(golden):
    assert rewrite(golden) == BYTES


def test_the_golden_dump_is_printed_byte_for_byte(golden):
    assert "\n".join(query_dump_lines(golden)) + "\n" == DUMP
    assert "\n".join(dump_lines(golden)) + "\n" == DUMP


def test_the_golden_dump_is_the_worklogs(ground_truth):
    worklog = (ground_truth / "worklogs" / "WL40-tables-info-and-filtering.txt").read_text(encoding="utf-8")
    assert DUMP in worklog


def test_the_golden_event_is_listed(golden):
    assert QUERY.decode() in next(iter(event_lines(golden)))


def test_the_format_description_alone_decides():
    usual = dict(thread_id=1, exec_time=0, error_code=0, status_variables=b"", database=b"d", query=b"BEGIN")
    plain = write_body(EventType.QUERY, usual, format_description(SERVER.post_header_lengths))
    extended = body(query=b"BEGIN")
    assert last(log(plain, lengths=SERVER.post_header_lengths)).fields()["query"] == b"BEGIN"
    assert last(log(extended)).fields()["query"] == b"BEGIN"
    # Under the other format description the same bytes have another meaning, or none.
    assert last(log(extended, lengths=SERVER.post_header_lengths)).fields()["query"] != b"BEGIN"
    with pytest.raises(MalformedBody):
        last(log(plain)).fields()


def test_the_next_format_description_decides_again():
    usual = dict(thread_id=1, exec_time=0, error_code=0, status_variables=b"", database=b"d", query=b"BEGIN")
    stream = log(body(tables_info=TABLES))
    described = format_description(SERVER.post_header_lengths)
    stream += frame(EventType.FORMAT_DESCRIPTION, described.body(), offset=len(stream), checksummed=True)
    stream += frame(EventType.QUERY, write_body(EventType.QUERY, usual, described), offset=0, checksummed=False)
    extended, plain = (each.fields() for each in read_events(stream) if each.header.type == EventType.QUERY)
    assert extended["tables_info"] == TABLES
    assert "tables_info" not in plain


@pytest.mark.parametrize("length", [13, 14, 16, 18, 25])
def test_no_other_length_means_tables_info(length):
    assert layout_of(EventType.QUERY, length) is layout_of(EventType.QUERY, 13)


def test_the_bytes_after_the_length_are_the_query_and_nothing_else():
    event = last(log(body(database=b"", query=b"a\0b", tables_info=TABLES), checksummed=True))
    assert (event.fields()["database"], event.fields()["query"]) == (b"", b"a\0b")


names = st.binary(max_size=255)
pairs = st.builds(lambda database, table: {"database": database, "table": table}, names, names)


@given(database=names, query=st.binary(max_size=70), tables=st.lists(pairs, max_size=4), checksummed=st.booleans())
def test_what_is_written_is_read_and_dumped(database, query, tables, checksummed):
    stream = log(body(database=database, query=query, tables_info=tuple(tables)), checksummed=checksummed)
    event = last(stream)
    fields = event.fields()
    assert (fields["database"], fields["query"], list(fields["tables_info"])) == (database, query, tables)
    assert rewrite(event) == event.data
    lines = list(query_dump_lines(event))
    shown = bytes.fromhex("".join(match[1] for line in lines if (match := re.match(r"\w{8} \| (.{11}) \|", line))))
    assert shown == event.data
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("size", [0, 255, 256, 65535])
def test_lengths_up_to_two_bytes_are_read(size):
    assert last(log(body(query=b"x" * size))).fields()["query"] == b"x" * size


def test_a_longer_query_cannot_be_written():
    with pytest.raises(OverflowError):
        body(query=b"x" * 65536)


def test_a_longer_name_cannot_be_written():
    with pytest.raises(ValueError, match="256 bytes does not fit in"):
        body(tables_info=({"database": b"", "table": b"t" * 256},))


def damaged(offset, value):
    """Return a body with another number in the two bytes at an offset of the post-header."""
    whole = bytearray(body(query=b"DROP TABLE t1", tables_info=TABLES))
    whole[offset : offset + 2] = value.to_bytes(2, "little")
    return bytes(whole)


QUERY_LENGTH_AT, TABLES_INFO_LENGTH_AT = 13, 15


@pytest.mark.parametrize(
    ("whole", "message"),
    [
        (damaged(QUERY_LENGTH_AT, 14), "expected 1 bytes|tables info of 8 bytes"),
        (damaged(QUERY_LENGTH_AT, 60000), "expected 60000 bytes"),
        (damaged(QUERY_LENGTH_AT, 12), "expected|follow the last field"),
        (damaged(TABLES_INFO_LENGTH_AT, 9), "tables info of 9 bytes, found 8"),
        (damaged(TABLES_INFO_LENGTH_AT, 65535), "tables info of 65535 bytes, found 8"),
        (damaged(TABLES_INFO_LENGTH_AT, 7), "expected 2 bytes"),
        (damaged(TABLES_INFO_LENGTH_AT, 4), "4 bytes follow the last field"),
        (damaged(TABLES_INFO_LENGTH_AT, 0), "8 bytes follow the last field"),
        (body(tables_info=TABLES)[:-1] + b"", "tables info of 8 bytes, found 7"),
        (body(tables_info=TABLES)[:-3] + b"\3t2", "expected 3 bytes"),
        (body(tables_info=TABLES) + b"\0", "1 bytes follow the last field"),
        (b"\0" * 16, "post-header of 17 bytes"),
    ],
)  # fmt: skip
def test_lengths_that_contradict_the_event_are_refused(whole, message):
    event = last(log(whole))
    with pytest.raises(MalformedBody, match=message):
        event.fields()
    # What can be read is dumped, and the rest as bytes.
    assert list(query_dump_lines(event))
