"""JSON documents: their binary form, their limits, and their text."""

import struct
from decimal import Decimal

import pytest
from column_values import json_values
from hypothesis import given

from conformance.binlog.errors import MalformedBody
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_text import json_text, value_text
from conformance.binlog.rows.json_types import DEPTH_LIMIT, JsonOpaque
from conformance.binlog.rows.json_writing import write_json
from conformance.binlog.rows.temporal import Date, DateTime, Time


def test_a_small_object():
    # {"x": 1}: one entry, 12 bytes; the key at 11, one byte long; an int16 in the entry itself.
    document = JsonDocument(bytes.fromhex("00 0100 0c00 0b00 0100 05 0100 78".replace(" ", "")))
    assert document.value() == {"x": 1}
    assert write_json({"x": 1}) == document


def test_keys_are_sorted_by_length_and_then_by_bytes():
    assert list(write_json({"bb": 1, "c": 2, "a": 3, "": 4}).value()) == ["", "a", "c", "bb"]


@given(json_values)
def test_what_is_written_is_read(value):
    assert write_json(value).value() == (list(value) if isinstance(value, tuple) else value)


@given(json_values)
def test_every_value_has_a_text(value):
    assert json_text(write_json(value))


def test_a_large_document_has_offsets_of_four_bytes():
    value = {"a": "x" * 70000, "b": [70000, -70000, 2**40]}
    document = write_json(value)
    assert document.data[0] == 1
    assert document.value() == value


def test_keys_may_be_longer_than_255_bytes():
    assert write_json({"k" * 300: 1}).value() == {"k" * 300: 1}


def test_an_empty_column_reads_as_null():
    assert JsonDocument(b"").value() is None


def test_a_document_that_was_updated_in_place():
    # As MySQL 8.0.15 and 9.7.4 log it: bytes of earlier values lie between keys and values, which are in another order.
    document = JsonDocument(
        bytes.fromhex(
            "0004007f002700010028000100290001002c0003000c2f000b4400074c000c5000000c50000c6a0061646562626363630e"
            "7979797979797979797979797979616161616161000000000000f03f70110100266c6f6e676572207468616e206265666f"
            "72652c206c6f6e676572207468616e206265666f72656363636363636363"
        )
    )
    longer = "longer than before, longer than before"
    assert document.value() == {"a": "yyyyyyyyyyyyyy", "d": 1.0, "e": 70000, "ccc": longer}


@given(json_values)
def test_what_earlier_values_have_left_is_passed_over(value):
    assert write_json(value, left=b"left").value() == write_json(value).value()


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_a_document_may_be_as_deep_as_servers_accept():
    assert write_json(nested(DEPTH_LIMIT)).value() == nested(DEPTH_LIMIT)


def test_an_array_that_contains_itself_is_refused():
    looping = struct.pack("<BHHBH", 2, 1, 7, 2, 0)
    with pytest.raises(MalformedBody, match=r"deeper|overlap"):
        JsonDocument(looping).value()


def test_entries_that_share_their_bytes_are_refused():
    # Each of a thousand entries refers to the same long string: a bomb.
    count, text = 1000, b"x" * 500
    size = 4 + 3 * count + 2 + len(text)
    entry = struct.pack("<BH", 0x0C, 4 + 3 * count)
    document = struct.pack("<BHH", 2, count, size) + entry * count + b"\xf4\x03" + text
    with pytest.raises(MalformedBody, match="overlap"):
        JsonDocument(document).value()


@pytest.mark.parametrize(
    "data",
    ["02", "02ffff0400", "020100ffff04", "0403", "0d00", "0cff", "0cffffffffff7f", "0f", "0bffff", "0000"],
)
def test_bytes_that_are_not_a_document_are_refused(data):
    with pytest.raises(MalformedBody):
        JsonDocument(bytes.fromhex(data)).value()


@pytest.mark.parametrize(
    ("value", "text"),
    # What mysqlbinlog 9.7 prints for the same documents.
    [
        ([1.5, 100.0, -0.0, 0.1], "[1.5, 100.0, -0.0, 0.1]"),
        ([1e14, 1e15, 1e16, 1e100], "[100000000000000.0, 1e15, 1e16, 1e100]"),
        ([123456789012345.0, 1234567890123456.0], "[123456789012345.0, 1.234567890123456e15]"),
        ([1048409506385357.5], "[1048409506385357.5]"),
        ([1e-5, 1e-15, 1e-16, 1.234e-10], "[0.00001, 0.000000000000001, 1e-16, 0.0000000001234]"),
        ([True, None, Decimal("1.2500"), 2**64 - 1], "[true, null, 1.2500, 18446744073709551615]"),
        ({"a": ['"', "\\", "\n\t\x01\x7f/é"]}, '{"a": ["\\"", "\\\\", "\\n\\t\\u0001\x7f/é"]}'),
        ([DateTime(2024, 1, 2, 3, 4, 5, 678)], '["2024-01-02 03:04:05.000678"]'),
        ([Date(2024, 1, 2), Time(838, 59, 59, 1, True)], '["2024-01-02", "-838:59:59.000001"]'),
        ([JsonOpaque(15, b"\0\xff")], '["base64:type15:AP8="]'),
        ([JsonOpaque(7, (1 << 40).to_bytes(8, "little"))], '["0000-00-00 16:00:00.000000"]'),
    ],
)
def test_the_text_is_what_mysqlbinlog_prints(value, text):
    assert value_text(value) == text


def test_a_value_that_json_cannot_represent_is_refused():
    with pytest.raises(ValueError, match="cannot represent"):
        write_json({1, 2})
    with pytest.raises(ValueError, match="64 bits"):
        write_json(2**64)
