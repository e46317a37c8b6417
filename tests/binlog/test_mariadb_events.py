"""Events that only MariaDB has: compressed ones, and Gtids of all kinds."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.errors import LimitExceeded, MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.limits import Limits, limits_in_force
from conformance.binlog.mariadb_compression import PackedValue, pack_mariadb, unpack_mariadb
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.images import Row, read_rows, write_rows
from conformance.binlog.rows.table import Column, Table


@given(st.binary(max_size=70000))
def test_what_is_packed_is_unpacked(data):
    assert unpack_mariadb(pack_mariadb(data)) == data


def test_a_bomb_is_refused():
    with limits_in_force(Limits(event_bytes=1000)), pytest.raises(LimitExceeded, match="1001 bytes; the limit is 1000"):
        unpack_mariadb(pack_mariadb(bytes(1001)))
    # One that declares too small a size is unpacked only up to that size.
    with pytest.raises(MalformedBody, match="declares 16 bytes"):
        unpack_mariadb(b"\x81\x10" + zlib.compress(bytes(10_000_000)))


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x91\x01" + zlib.compress(b"x"), b"\x81\x01no zlib", b"\x82\x01"])
def test_data_that_is_not_compressed_this_way_is_refused(data):
    with pytest.raises(MalformedBody):
        unpack_mariadb(data)


@pytest.mark.parametrize(
    ("packed", "value"),
    [
        # From a log of MariaDB 11.8: empty, short, and with and without zlib's header.
        ("", b""),
        ("0073686f7274", b"short"),
        ("8a012c4b4c4a1c85444200", b"ab" * 150),
        ("82012c789c4b4c4a1c85444200309b7243", b"ab" * 150),
    ],
)
def test_a_value_of_a_compressed_column(packed, value):
    assert PackedValue(bytes.fromhex(packed)).unpacked() == value


@pytest.mark.parametrize(
    "packed",
    [
        b"\x10abc",
        b"\x90\x01abc",
        b"\x82\x01",
        b"\x81\x05" + zlib.compress(b"four"),
        b"\x81\x03" + zlib.compress(b"four"),
        b"\x89\x04" + zlib.compress(b"four"),
        b"\x84\xff\xff\xff\xff" + zlib.compress(b"four"),
    ],
)
def test_a_compressed_column_that_cannot_be_read_is_refused(packed):
    with pytest.raises(MalformedBody):
        PackedValue(packed).unpacked()


def test_a_column_unpacks_to_no_more_than_its_limit():
    value = PackedValue.deflated(zlib.compress(bytes(1000)), 1000, bare=False)
    with limits_in_force(Limits(event_bytes=100)), pytest.raises(LimitExceeded, match="the limit is 100"):
        value.unpacked()


def test_the_columns_of_an_event_together_unpack_to_no_more_than_its_limit():
    table = Table(26, b"d", b"t", (Column(ColumnType.MARIADB_BLOB_COMPRESSED, 2),))
    value = PackedValue.deflated(zlib.compress(bytes(1000)), 1000, bare=False)
    fields = write_rows(EventType.WRITE_ROWS_V1, [Row(None, (value,))] * 3, table)
    rows = read_rows(EventType.WRITE_ROWS_V1, fields, table)
    with limits_in_force(Limits(event_bytes=2999)):
        assert [next(rows), next(rows)] == [Row(None, (value,))] * 2
        with pytest.raises(LimitExceeded, match="the rows unpack to 3000 bytes; the limit is 2999"):
            next(rows)


def test_rows_of_a_compressed_event_are_read():
    table = Table(26, b"d", b"t", (Column(3), Column(252, 2)))
    rows = [Row(None, (1, b"c" * 2000)), Row(None, (2, None))]
    fields = write_rows(EventType.WRITE_ROWS_V1, rows, table, ones=True)
    fields["compressed_rows"] = pack_mariadb(fields.pop("row_data"))
    assert list(read_rows(EventType.MARIADB_WRITE_ROWS_COMPRESSED_V1, fields, table)) == rows


def gtid(body: str) -> dict:
    data = bytes.fromhex(body)
    layout = layout_of(EventType.MARIADB_GTID, 19)
    fields = layout.read(data, 0, len(data), post_header_length=19)
    assert layout.write(fields, post_header_length=19) == data
    return fields


def test_a_short_gtid_is_padded_with_zeros():
    # GTID 0-33-4 of a transaction, from a real log.
    fields = gtid("0400000000000000 00000000 0c 000000000000")
    assert (fields["gno"], fields["domain_id"], fields["mariadb_gtid_flags"]) == (4, 0, 0x0C)
    written = layout_of(EventType.MARIADB_GTID, 19).write(
        {"gno": 4, "domain_id": 0, "mariadb_gtid_flags": 0x0C}, post_header_length=19
    )
    assert written.hex() == "0400000000000000000000000c000000000000"


def test_the_end_of_an_alter_holds_the_number_of_its_start():
    fields = gtid("f203000000000000 00000000 20 04 f103000000000000")
    assert fields["start_alter_gno"] == 1009


def test_an_xa_transaction_carries_its_id():
    fields = gtid("f303000000000000 00000000 4c 01000000 02 00 7831 00 00")
    assert (fields["xa_format_id"], fields["xa_data"]) == (1, b"x1")


def test_an_empty_gtid_list_is_padded():
    layout = layout_of(EventType.MARIADB_GTID_LIST, 4)
    assert layout.write({"gtid_list": ()}, post_header_length=4).hex() == "000000000000"
    one = ({"domain_id": 5, "server_id": 33, "gno": 1},)
    assert layout.write({"gtid_list": one}, post_header_length=4).hex() == "01000000050000002100000001" + "00" * 7
