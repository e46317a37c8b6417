"""Column values whose bytes are known from real rows, and values that are refused."""

from decimal import Decimal

import pytest

from conformance.binlog.codecs import Codec
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.column_types import column_codec
from conformance.binlog.rows.decimal_column import DecimalColumn
from conformance.binlog.rows.images import Row, read_rows, write_rows
from conformance.binlog.rows.rows_extra_data import read_rows_extra_data, write_rows_extra_data
from conformance.binlog.rows.table import Column, Table
from conformance.binlog.rows.temporal import (
    Date,
    DateColumn,
    DateTime,
    DateTimeColumn,
    Time,
    TimeColumn,
    Timestamp,
    TimestampColumn,
)
from conformance.binlog.user_variable import variable_value


@pytest.mark.parametrize(
    ("codec", "value", "written"),
    [
        (DecimalColumn(14, 4), Decimal("1234567890.1234"), "810dfb38d204d2"),
        (DecimalColumn(14, 4), Decimal("-1234567890.1234"), "7ef204c72dfb2d"),
        (DecimalColumn(5, 0), Decimal(-99999), "7e7960"),
        (DateColumn(), Date(9999, 12, 31), "9f1f4e"),
        (TimeColumn(0), Time(838, 59, 59), "b46efb"),
        (TimeColumn(3), Time(0, 0, 0, 1000, True), "7ffffffff6"),
        (TimeColumn(6), Time(12, 34, 56, 123456), "80c8b801e240"),
        (DateTimeColumn(0), DateTime(2024, 1, 2, 3, 4, 5), "99b2443105"),
        (TimestampColumn(2), Timestamp(2**31 - 1, 990000), "7fffffff63"),
    ],
)
def test_a_value_is_written_as_these_bytes_and_read_from_them(codec: Codec, value, written):
    assert codec.write(value, {}).hex() == written
    assert codec.read(bytes.fromhex(written), 0, len(written) // 2, {}) == (value, len(written) // 2)


@pytest.mark.parametrize("value", ["100", "0.001", "-100"])
def test_a_decimal_that_does_not_fit_is_refused(value):
    with pytest.raises(ValueError, match=r"does not fit in DECIMAL\(4,2\)"):
        DecimalColumn(4, 2).write(Decimal(value), {})


@pytest.mark.parametrize(
    "column",
    [
        Column(ColumnType.BLOB, 0),
        Column(ColumnType.BLOB, 5),
        Column(ColumnType.SET, 0xF809),
        Column(ColumnType.ENUM, 0xF703),
        Column(ColumnType.BIT, 0x0801),
        Column(ColumnType.TYPED_ARRAY),
        Column(99),
    ],
)
def test_invalid_metadata_is_refused(column):
    with pytest.raises(MalformedBody):
        column_codec(column)


@pytest.mark.parametrize("column", [Column(ColumnType.TIME2, 7), Column(ColumnType.NEWDECIMAL, 0x4200)])
def test_invalid_sizes_are_refused_when_a_value_is_read(column):
    with pytest.raises(MalformedBody):
        column_codec(column).read(bytes(99), 0, 99, {})


TABLE = Table(7, b"d", b"t", (Column(ColumnType.LONG), Column(ColumnType.VARCHAR, 20)))


def test_old_servers_pad_the_bitmap_of_nulls_with_ones():
    rows = [Row(None, (1, None))]
    assert write_rows(EventType.WRITE_ROWS, rows, TABLE)["row_data"].hex() == "0201000000"
    assert write_rows(EventType.WRITE_ROWS, rows, TABLE, ones=True)["row_data"].hex() == "fe01000000"


def test_rows_for_another_number_of_columns_are_refused():
    fields = write_rows(EventType.WRITE_ROWS, [Row(None, (1, None))], TABLE)
    with pytest.raises(MalformedBody, match="rows of 2 columns, but the table has 1"):
        list(read_rows(EventType.WRITE_ROWS, fields, Table(7, b"d", b"t", TABLE.columns[:1])))


def test_rows_without_any_column_do_not_loop_for_ever():
    fields = {"column_count": 2, "columns_present": b"\0", "row_data": b"x"}
    with pytest.raises(MalformedBody, match="but no columns"):
        list(read_rows(EventType.WRITE_ROWS, fields, TABLE))


def test_the_partition_of_a_row():
    assert read_rows_extra_data(bytes.fromhex("01 0300"), update=False) == {"partition": {"partition_id": 3}}
    moved = {"partition": {"partition_id": 3, "source_partition_id": 2}}
    assert write_rows_extra_data(moved, update=True).hex() == "0103000200"
    unknown = {"ndb": {"format": 0, "data": b"\1"}, "tail": b"\x09rest"}
    assert read_rows_extra_data(bytes.fromhex("00 03 00 01") + b"\x09rest", update=False) == unknown


@pytest.mark.parametrize(
    ("kind", "flags", "data", "value"),
    [
        (0, None, "737472", b"str"),
        (1, None, "355800662deb417e", 1.5e300),
        (2, 0, "d6ffffffffffffff", -42),
        (2, 1, "ffffffffffffffff", 2**64 - 1),
        (4, None, "0f067fffcfc6f5a40b", Decimal("-12345.678900")),
    ],
)
def test_the_value_of_a_user_variable(kind, flags, data, value):
    fields = {"is_null": 0, "variable_type": kind, "variable_value": bytes.fromhex(data)}
    if flags is not None:
        fields["variable_flags"] = flags
    assert variable_value(fields) == value


def test_a_user_variable_of_a_wrong_size_is_refused():
    with pytest.raises(MalformedBody):
        variable_value({"is_null": 0, "variable_type": 2, "variable_value": b"abc"})
