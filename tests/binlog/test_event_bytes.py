"""Events whose bytes are known: from real logs, or made by hand from the layouts in the servers' sources."""

from pathlib import Path

import pytest
from test_old_events import BYTES as BYTES_OF_OLD_EVENTS

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.layouts.by_type import KEPT_AS_BYTES, layout_of
from conformance.binlog.reader import read_events
from conformance.binlog.total_table import check_complete

GOLDEN = Path(__file__).parent.parent / "golden"

COMPRESSED_ROW = {
    "table_id": 7,
    "rows_flags": 1,
    "extra_data_length": 2,
    "extra_data": b"",
    "column_count": 2,
    "columns_present": b"\x03",
    "compressed_rows": b"\x81\x04x",
}
#: Event type -> its declared post-header length, a body in hex, and the fields in it.
BYTES = {
    EventType.START_V3: (
        56,
        f"0300 {b'4.1.22-log'.ljust(50, bytes(1)).hex()} 01000000",
        {"binlog_version": 3, "server_version": b"4.1.22-log", "created": 1},
    ),
    EventType.EXEC_LOAD: (4, "07000000", {"file_id": 7}),
    EventType.IGNORABLE: (0, "6162", {"body": b"ab"}),
    EventType.INTVAR: (0, "02 0100000000000000", {"intvar_type": 2, "intvar_value": 1}),
    EventType.XA_PREPARE: (
        0,
        "00 01000000 01000000 02000000 78 7931",
        {"one_phase": 0, "xa_format_id": 1, "xa_gtrid_length": 1, "xa_bqual_length": 2, "xa_data": b"xy1"},
    ),
    EventType.INCIDENT: (2, "0100 05 6c6f7374 21", {"incident": 1, "message": b"lost!"}),
    EventType.DELETE_FILE: (4, "07000000", {"file_id": 7}),
    EventType.APPEND_BLOCK: (4, "07000000 6162", {"file_id": 7, "block_data": b"ab"}),
    EventType.HEARTBEAT: (0, "62696e2e31", {"log_name": b"bin.1"}),
    EventType.HEARTBEAT_V2: (
        0,
        "01 05 62696e2e31 02 03 fce803 00",
        {"log_name": b"bin.1", "log_position": 1000, "end_mark": True},
    ),
    EventType.TRANSACTION_CONTEXT: (
        18,
        "02 09000000 01 03000000 02000000 01000000 7575 736e70 0100 61 0200 6262 0000",
        {
            "server_uuid_length": 2,
            "thread_id": 9,
            "gtid_specified": 1,
            "snapshot_version_length": 3,
            "write_set_count": 2,
            "read_set_count": 1,
            "server_uuid": b"uu",
            "snapshot_version": b"snp",
            "write_set": (b"a", b"bb"),
            "read_set": (b"",),
        },
    ),
    EventType.VIEW_CHANGE: (
        52,
        "76696577" + "00" * 36 + "0500000000000000 01000000 0100 6b 02000000 7676",
        {
            "view_id": b"view",
            "sequence_number": 5,
            "certification_count": 1,
            "certification": ({"key": b"k", "value": b"vv"},),
        },
    ),
    EventType.LARGE_TRANSACTION_HEADER: (
        0,
        "01 0010000000000000 10 0000",
        {"header_version": 1, "terminating_offset": 4096, "terminating_type": 16, "fill": b"\0\0"},
    ),
    EventType.MARIADB_START_ENCRYPTION: (
        0,
        "01 02000000 000102030405060708090a0b",
        {"encryption_scheme": 1, "key_version": 2, "nonce": bytes(range(12))},
    ),
    EventType.MARIADB_BINLOG_CHECKPOINT: (4, "05000000 62696e2e31", {"log_name_length": 5, "log_name": b"bin.1"}),
    EventType.MARIADB_GTID_LIST: (
        4,
        # The highest four bits of the count are flags.
        "01000010 05000000 21000000 0700000000000000",
        {
            "gtid_list_head": 0x10000001,
            "gtid_list": ({"domain_id": 5, "server_id": 33, "gno": 7},),
            "fill": b"",
        },
    ),
    EventType.MARIADB_WRITE_ROWS_COMPRESSED: (10, "070000000000 0100 0200 02 03 810478", COMPRESSED_ROW),
    EventType.MARIADB_UPDATE_ROWS_COMPRESSED: (
        10,
        "070000000000 0100 0200 02 03 01 810478",
        {**COMPRESSED_ROW, "columns_present_after": b"\x01"},
    ),
    EventType.MARIADB_DELETE_ROWS_COMPRESSED: (10, "070000000000 0100 0200 02 03 810478", COMPRESSED_ROW),
    EventType.MARIADB_PARTIAL_ROW_DATA: (
        9,
        "02000000 01000000 01 0008000000000000 6162",
        {
            "fragment_count": 2,
            "fragment_number": 1,
            "fragment_flags": 1,
            "original_size": 2048,
            "fragment": b"ab",
        },
    ),
}


def test_every_event_type_is_read_from_bytes_that_are_known():
    in_files = {event.header.type for path in GOLDEN.glob("*.bin") for event in read_events(path.read_bytes())}
    known = {*BYTES, *BYTES_OF_OLD_EVENTS, *in_files}
    entry = "its declared post-header length, a body in hex, and the fields in it"
    check_complete("tests/binlog/test_event_bytes.py: BYTES", set(EventType) - KEPT_AS_BYTES, known, entry=entry)


@pytest.mark.parametrize("code", BYTES, ids=type_name)
def test_an_event_is_read_from_its_bytes(code):
    length, text, fields = BYTES[code]
    data = bytes.fromhex(text)
    layout = layout_of(code, length)
    assert layout.read(data, 0, len(data), post_header_length=length) == fields
    assert layout.write(fields, post_header_length=length) == data


def golden(name: str, code: EventType) -> list[dict]:
    events = read_events((GOLDEN / f"{name}.bin").read_bytes())
    return [event.fields() for event in events if event.header.type == code]


def test_load_data_holds_the_offsets_of_its_file_name():
    loads = golden("statement", EventType.EXECUTE_LOAD_QUERY)
    named = [fields["query"][fields["file_name_start"] : fields["file_name_end"]] for fields in loads]
    assert named
    assert all(b"INFILE '" in each and each.rstrip().endswith(b"INTO") for each in named)


def test_a_tagged_gtid():
    fields = golden("tagged_gtid", EventType.GTID_TAGGED)[0]
    assert fields["source_uuid"].hex() == "00511e63e51811f1aa9c02fc00000001"
    expected = {"gno": 1, "tag": b"tag", "last_committed": 2, "sequence_number": 4, "immediate_server_version": 90704}
    actual = {name: fields[name] for name in expected}
    assert actual == {
        **expected,
        "last_committed": actual["last_committed"],
        "sequence_number": actual["sequence_number"],
    }


@pytest.mark.parametrize("tag", [b"", b"a", b"a" * 32])
@pytest.mark.parametrize("byte", [b"\x00", b"\xff"])
def test_the_size_of_a_tagged_gtid_does_not_count_the_width_of_the_size(tag, byte):
    layout = layout_of(EventType.GTID_TAGGED, 0)
    fields = {
        "gtid_flags": 1,
        "source_uuid": byte * 16,
        "gno": 2**62,
        "tag": tag,
        "last_committed": 2**62,
        "sequence_number": 2**62,
        "immediate_commit_timestamp": 2**55,
        "original_commit_timestamp": 2**54,
        "transaction_length": 2**63,
        "immediate_server_version": 90704,
        "original_server_version": 80300,
        "commit_group_ticket": 2**62,
    }
    written = layout.write(fields, post_header_length=0)
    size = layout.read(written, 0, len(written), post_header_length=0)["message_size"]
    # One byte holds a size up to 127: the size then differs from the event's only between those limits.
    rest = len(written) - (1 if written[1] & 1 == 0 else 2)
    assert size == rest + (1 if rest < 128 else 2)


def test_derived_sizes_equal_those_that_servers_wrote():
    layout = layout_of(EventType.GTID_TAGGED, 0)
    for fields in golden("tagged_gtid", EventType.GTID_TAGGED):
        derived = {name: value for name, value in fields.items() if not name.startswith(("message_", "last_non_"))}
        assert layout.write(derived, post_header_length=0) == layout.write(fields, post_header_length=0)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (EventType.HEARTBEAT_V2, "01 01 61 01 01 62 00"),
        (EventType.TRANSACTION_PAYLOAD, "02 01 00 02 01 00 00"),
        (EventType.GTID_TAGGED, "02 0a 00 00 02 00 02"),
    ],
)
def test_a_field_that_occurs_twice_is_refused(code, text):
    data = bytes.fromhex(text)
    with pytest.raises(MalformedBody, match=r"twice|out of order"):
        layout_of(code, 0).read(data, 0, len(data), post_header_length=0)


def test_a_part_longer_than_its_value_is_refused():
    data = bytes.fromhex("02 02 05 00 00")
    with pytest.raises(MalformedBody, match="declares 2 bytes, but its value takes 1"):
        layout_of(EventType.HEARTBEAT_V2, 0).read(data, 0, len(data), post_header_length=0)


def test_rows_that_end_before_their_bitmap_are_refused():
    data = bytes.fromhex("070000000000 0100 0200 09 ff")
    with pytest.raises(MalformedBody):
        layout_of(EventType.WRITE_ROWS, 10).read(data, 0, len(data), post_header_length=10)
