"""The golden vectors: parts of our own servers' logs, with what the server and its tools print for them."""

from pathlib import Path

import pytest
from decoded_rows import read_row_lines, row_lines_of
from listed_events import Listed, listed, read_listing

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.rows.open_tables import row_changes
from conformance.binlog.writer import rewrite
from conformance.strategies.events.character_sets import BY_COLLATION

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
    "character_sets",
    "mariadb_compressed_columns",
    "mariadb_collations",
)
#: Whole logs in which an event's end position does not give the event's place.
WHOLE = {"relay", "mariadb_compressed_columns", "mariadb_collations"}


@pytest.fixture(params=NAMES)
def name(request):
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
    theirs = read_listing(GOLDEN / f"{name}.events.tsv")
    events = list(read_events((GOLDEN / f"{name}.bin").read_bytes()))
    # Some files hold parts of a log, in which the offset in the file is not that in the log.
    positions = {event.offset: offset_in_log(event) for event in events}
    positions |= {event.end: event.header.log_pos for event in events if event.end not in positions}
    ours = list(listed(events))[: len(theirs)]
    for server, mine in zip(theirs, ours, strict=True):
        info = mine.info if mine.info is not None else server.info
        position = mine.position if name in WHOLE else positions[mine.position]
        assert Listed(position, mine.name, mine.server_id, mine.end, info) == server


def offset_in_log(event):
    return event.header.log_pos - event.header.length


@pytest.mark.parametrize("name", [each for each in NAMES if each != "compression"], indirect=True)
def test_rows_agree_with_what_mysqlbinlog_prints(name):
    theirs = read_row_lines(GOLDEN / f"{name}.rows.txt")
    events = read_events((GOLDEN / f"{name}.bin").read_bytes())
    assert list(row_lines_of(events, mariadb=name.startswith("mariadb"))) == theirs


def rows_of(name):
    events = read_events((GOLDEN / f"{name}.bin").read_bytes())
    return [(change.table, row) for change in row_changes(events) for row in change.rows]


def test_text_is_the_bytes_of_its_character_set():
    # What was inserted; the spaces at the end of a CHAR are not logged.
    inserted = (
        "1|é à|ÿ é|1|é日|日本語|2|日\U0001d4b3|\U0001d4b3a|中文|中文|1|表ソ|日本語ソ|1|Привет|мир|3|功許",
        "2|a||2|ab||1|a||a||2|a||2|a||2|a",
    )
    for (table, row), expected in zip(rows_of("character_sets"), inserted, strict=True):
        codecs = [BY_COLLATION[each.collation].codec if each.collation else None for each in table.columns]
        shown = [
            value.decode(codec) if isinstance(value, bytes) else str(value)
            for value, codec in zip(row.after, codecs, strict=True)
        ]
        assert shown == expected.split("|")


def test_labels_and_variables_have_their_own_character_set():
    table, _ = rows_of("character_sets")[0]
    labels = {
        each.name: [label.decode(BY_COLLATION[each.collation].codec) for label in each.labels]
        for each in table.columns
        if each.labels
    }
    assert labels == {
        b"le": ["é", "à la carte"],
        b"ue": ["é", "日本"],
        b"gs": ["中文", "b"],
        b"se": ["ソ", "表"],
        b"ce": ["да", "нет"],
    }
    events = read_events((GOLDEN / "character_sets.bin").read_bytes())
    variables = [event.fields() for event in events if event.header.type == EventType.USER_VAR]
    texts = [each["variable_value"].decode(BY_COLLATION[each["variable_charset"]].codec) for each in variables]
    assert texts == ["é", "日本", "\U0001d4b3", "中文", "表ソ", "мир"]


def test_compressed_columns_unpack_to_what_was_inserted():
    first = (b"ab" * 150, b"short", b"x" * 4000, b"t " * 1000, b"q" * 200, "é".encode(), b"long " * 20)
    other = (b"short", b"y" * 50, b"b", "日本語 ".encode() * 40, b"\xff\0" * 60, "é".encode() * 200, b"lb")
    short, long = (b"\xe9", b"\xe9"), (b"m" * 254, b"n" * 255)
    rows = [
        (row.after[0], tuple(each and each.unpacked() for each in row.after[1:]))
        for _, row in rows_of("mariadb_compressed_columns")
        if row.before is None
    ]
    expected = [(*first, *short), (b"",) * 9, (None,) * 9, (*other, *long)]
    expected += [expected[0], expected[3]]
    assert rows == list(enumerate(expected, 1))
