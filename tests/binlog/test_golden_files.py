"""The golden vectors: parts of our own servers' logs, with what the server and its tools say of them."""

from pathlib import Path

import pytest
from decoded_rows import read_row_lines, row_lines_of
from listed_events import Listed, listed, read_listing

from conformance.binlog.reader import read_events
from conformance.binlog.writer import rewrite

GOLDEN = Path(__file__).parent.parent / "golden"
NAMES = (
    "gtid_off",
    "statement",
    "rows_query",
    "no_checksum",
    "compression",
    "tagged_gtid",
    "previous_gtids_tagged",
    "column_types",
    "relay",
    "mariadb",
    "mariadb_gtid_list",
)
COMPRESSED = {"compression", "tagged_gtid", "relay"}


@pytest.fixture(params=NAMES)
def name(request):
    if request.param in COMPRESSED:
        pytest.importorskip("zstandard", reason="compressed transactions need the package zstandard")
    return request.param


def test_all_golden_files_are_used():
    assert sorted(path.stem for path in GOLDEN.glob("*.bin")) == sorted(NAMES)


def test_events_are_rewritten_byte_for_byte(name):
    data = (GOLDEN / f"{name}.bin").read_bytes()
    assert data[:4] + b"".join(map(rewrite, read_events(data))) == data


def test_spans_cover_every_byte(name):
    for event in read_events((GOLDEN / f"{name}.bin").read_bytes()):
        spans = event.spans()
        assert "unread" not in [span.name for span in spans]
        assert [span.offset for span in spans[1:]] == [span.offset + span.size for span in spans[:-1]]
        assert spans[-1].offset + spans[-1].size == len(event.data)


def test_events_agree_with_what_the_server_lists(name):
    told = read_listing(GOLDEN / f"{name}.events.tsv")
    events = list(read_events((GOLDEN / f"{name}.bin").read_bytes()))
    # Some files hold parts of a log, so where an event stands in the file is not where it stood.
    moved = {event.offset: told_offset(event) for event in events}
    moved |= {event.end: event.header.log_pos for event in events if event.end not in moved}
    ours = list(listed(events))[: len(told)]
    for server, mine in zip(told, ours, strict=True):
        info = mine.info if mine.info is not None else server.info
        position = mine.position if name == "relay" else moved[mine.position]
        assert Listed(position, mine.name, mine.server_id, mine.end, info) == server


def told_offset(event):
    return event.header.log_pos - event.header.length


@pytest.mark.parametrize("name", [each for each in NAMES if each != "compression"], indirect=True)
def test_rows_agree_with_what_mysqlbinlog_prints(name):
    told = read_row_lines(GOLDEN / f"{name}.rows.txt")
    assert list(row_lines_of(read_events((GOLDEN / f"{name}.bin").read_bytes()))) == told
