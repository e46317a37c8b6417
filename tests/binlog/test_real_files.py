"""Real binary logs: of foreign servers, and of our own with what the server and its tools print for them."""

import struct
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

import pytest
from decoded_rows import read_row_lines, row_lines_of
from listed_events import Listed, listed, read_listing
from real_files import ALL, CRASHED, DAMAGED, FOREIGN, HEALTHY, LISTED, TORN, logs_in

from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events, read_file
from conformance.binlog.rows.images import write_rows
from conformance.binlog.rows.open_tables import row_changes
from conformance.binlog.rows.table_metadata import read_table_metadata, write_table_metadata
from conformance.binlog.status_variables import read_status_variables, write_status_variables
from conformance.binlog.transaction_payload import inner_events
from conformance.binlog.writer import rewrite

pytestmark = pytest.mark.ground_truth


def readable(path: Path) -> list[Event]:
    """Return all events of a log before the first that cannot be read."""
    events: list[Event] = []
    stream = read_events(path.read_bytes())
    with suppress(BinlogError):
        events.extend(stream)
    return events


def with_inner(events: list[Event]) -> list[Event]:
    payloads = [event for event in events if event.header.type == EventType.TRANSACTION_PAYLOAD]
    return events + [inner for event in payloads for inner in inner_events(event)]


def test_every_real_file_is_listed(ground_truth):
    assert logs_in(ground_truth) == set(ALL)
    assert (len(FOREIGN), len(LISTED), len(CRASHED), len(DAMAGED)) == (53, 31, 6, 10)


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused_at_its_event(ground_truth, name):
    with pytest.raises(BinlogError) as caught:
        list(read_events((ground_truth / name).read_bytes()))
    assert (caught.value.at, caught.value.kind) == DAMAGED[name]


@pytest.mark.parametrize("name", ALL)
def test_reading_a_file_gives_the_same_events_and_errors_as_memory(ground_truth, name):
    def outcome(events):
        offsets_and_data = []
        try:
            offsets_and_data.extend((event.offset, event.data) for event in events)
        except BinlogError as error:
            return offsets_and_data, (error.at, error.kind, error.message)
        return offsets_and_data, None

    path = ground_truth / name
    with path.open("rb") as stream:
        assert outcome(read_file(stream)) == outcome(read_events(path.read_bytes()))


@pytest.mark.parametrize("name", HEALTHY)
def test_a_log_is_read_to_its_end_and_rewritten_byte_for_byte(ground_truth, name):
    data = (ground_truth / name).read_bytes()
    events = list(read_events(data))
    assert data[:4] + b"".join(map(rewrite, events)) == data


@pytest.mark.parametrize("name", ALL)
def test_spans_cover_every_byte_of_every_event(ground_truth, name):
    for event in with_inner(readable(ground_truth / name)):
        end = 0
        for span in event.spans():
            assert (span.offset, span.name != "unread") == (end, True)
            end += span.size
        assert end == len(event.data)


@pytest.mark.parametrize("name", ALL)
def test_status_variables_and_table_metadata_are_rewritten_byte_for_byte(ground_truth, name):
    for event in with_inner(readable(ground_truth / name)):
        fields = event.fields()
        if "status_variables" in fields:
            variables = read_status_variables(fields["status_variables"])
            assert "tail" not in variables
            assert write_status_variables(variables) == fields["status_variables"]
        if "optional_metadata" in fields:
            metadata = read_table_metadata(fields["optional_metadata"])
            assert not [key for key in metadata if key.startswith(("field_", "tail"))]
            assert write_table_metadata(metadata) == fields["optional_metadata"]


@pytest.mark.parametrize("name", ALL)
def test_row_values_are_rewritten_byte_for_byte(ground_truth, name):
    for change in row_changes(readable(ground_truth / name)):
        fields = change.event.fields()
        if "compressed_rows" in fields:
            continue
        code = change.event.header.type
        # Old servers pad bitmaps with ones; a partial update may have a bitmap that is empty.
        written = [
            write_rows(code, change.rows, change.table, ones=ones, partial=partial)
            for ones in (False, True)
            for partial in (None, True)
        ]
        assert fields["row_data"] in [each["row_data"] for each in written]


@pytest.mark.parametrize("name", LISTED)
def test_events_agree_with_what_the_server_lists(ground_truth, name):
    path = ground_truth / name
    theirs = read_listing(path.with_name(f"{path.name}.events.tsv"))
    ours = list(listed(read_events(path.read_bytes())))
    # The events were listed before the server stopped.
    stops = [each.name for each in ours[len(theirs) :]]
    assert stops in ([], ["Stop"])
    for server, mine in zip_longest(theirs, ours[: len(theirs)]):
        info = mine.info if mine.info is not None else server.info
        assert Listed(mine.position, mine.name, mine.server_id, mine.end, info) == server


def test_the_info_of_every_event_is_known(ground_truth):
    unknown = [
        row.name
        for name in LISTED
        for row in listed(read_events((ground_truth / name).read_bytes()))
        if row.info is None
    ]
    assert unknown == []


@pytest.mark.parametrize("name", [*LISTED, TORN])
def test_rows_agree_with_what_mysqlbinlog_prints(ground_truth, name):
    path = ground_truth / name
    theirs = read_row_lines(path.with_name(f"{path.name}.decode.txt"))
    assert list(row_lines_of(readable(path))) == theirs


def test_columns_that_mysqlbinlog_does_not_print_hold_the_inserted_values(ground_truth):
    # The statement is in the scenario's SQL: LINESTRING(0 0,1 1), POINT(1,2) with SRID 4326, i = -2147483648.
    path = ground_truth / "real-servers/h_types_json_full/bin.000001"
    inserted = [
        dict(zip((column.name for column in change.table.columns), row.after, strict=True))
        for change in row_changes(read_events(path.read_bytes()))
        for row in change.rows
        if row.before is None and row.after is not None and change.table.name == b"types"
    ]
    row = inserted[1]
    line = struct.pack("<IBII4d", 0, 1, 2, 2, 0, 0, 1, 1)
    point = struct.pack("<IBI2d", 4326, 1, 1, 1, 2)
    assert (row[b"g"], row[b"pt"]) == (line, point)
    assert (row[b"inv"], row[b"gen"], row[b"gst"]) == (7, -2147483647, -2147483646)
    assert row[b"vec"] == (1, 2, 3.5)
    # Complete metadata holds the signs, which mysqlbinlog ignores.
    assert (row[b"tu"], row[b"bu"], row[b"ti"], row[b"y"]) == (255, 2**64 - 1, -128, 2155)
