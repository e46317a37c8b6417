"""Which notations of a value are equal to the expected one."""

import pytest

from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.checks.same_value import same_cell, same_variable

SAME = [
    (ColumnType.LONGLONG, 2**64 - 1, "18446744073709551615"),
    (ColumnType.TINY, 1, 1.0),
    (ColumnType.NEWDECIMAL, "-12.50", "-12.5"),
    (ColumnType.NEWDECIMAL, "100", 100),
    (ColumnType.FLOAT, 0.10000000149011612, 0.1),
    (ColumnType.DOUBLE, 1.0, 1),
    (ColumnType.DATE, "0000-00-00", "0000-00-00"),
    (ColumnType.TIME2, "-838:59:59.000", "-838:59:59"),
    (ColumnType.DATETIME2, "2024-02-29 23:59:59.120", "2024-02-29 23:59:59.12"),
    (ColumnType.TIMESTAMP2, "1276143737.500000", "1276143737.5"),
    (ColumnType.VARCHAR, "ä", {"base64": "w6Q="}),
    (ColumnType.BLOB, {"base64": "/w=="}, {"base64": "/w=="}),
    (ColumnType.MARIADB_VARCHAR_COMPRESSED, "ä", {"base64": "w6Q="}),
    # A text in latin1, and one in UCS-2 whose bytes are UTF-8 too.
    (ColumnType.VARCHAR, {"base64": "5A==", "text": "ä"}, "ä"),
    (ColumnType.VARCHAR, {"base64": "5A==", "text": "ä"}, {"base64": "5A=="}),
    (ColumnType.VARCHAR, {"base64": "5A==", "text": "ä"}, {"base64": "w6Q="}),
    (ColumnType.STRING, {"base64": "AGE=", "text": "a"}, "\0a"),
    (ColumnType.JSON, {"json": {"a": [1, 2.0], "b": None}}, {"json": {"b": None, "a": [1.0, 2]}}),
    # The shortest digits of a double, without its exponent: as an integer it is between two doubles.
    (ColumnType.JSON, {"json": -1.801448406699213e16}, {"json": -18014484066992130}),
    (ColumnType.VECTOR, [1.0, 0.10000000149011612], [1, 0.1]),
    (ColumnType.ENUM, None, None),
]
OTHER = [
    (ColumnType.TINY, 1, True),
    (ColumnType.TINY, 1, "01"),
    (ColumnType.LONG, 0, None),
    (ColumnType.LONG, None, 0),
    (ColumnType.NEWDECIMAL, "0.10", 0.1),
    (ColumnType.NEWDECIMAL, "1", "1_0"),
    (ColumnType.NEWDECIMAL, "1", "one"),
    (ColumnType.DOUBLE, 0.1, 0.10000000149011612),
    (ColumnType.FLOAT, 1.0, 1e300),
    (ColumnType.FLOAT, 1.0, "1.0"),
    (ColumnType.DATE, "2024-00-00", None),
    (ColumnType.DATETIME2, "2024-02-29 00:00:00", "2024-02-29"),
    (ColumnType.TIMESTAMP2, "1276143737", "2010-06-10 04:22:17"),
    (ColumnType.VARCHAR, {"base64": "/w=="}, "\ufffd"),
    (ColumnType.VARCHAR, {"base64": "5A==", "text": "ä"}, "\ufffd"),
    (ColumnType.STRING, {"base64": "AGE=", "text": "a"}, "\0a\0"),
    (ColumnType.VARCHAR, "a", {"base64": "not base64"}),
    (ColumnType.VARCHAR, "1", 1),
    (ColumnType.JSON, {"json": None}, None),
    (ColumnType.JSON, {"json": 1}, {"json": True}),
    (ColumnType.JSON, {"json": [1]}, {"json": [1, 2]}),
    (ColumnType.JSON, {"json": "1"}, {"json": 1}),
    (ColumnType.JSON, {"json": 2**54 + 1}, {"json": float(2**54)}),
    (ColumnType.JSON, {"json": 0.5}, {"json": 10**400}),
    (ColumnType.VECTOR, [1.0], [1.0, 2.0]),
]


@pytest.mark.parametrize(("code", "expected", "seen"), SAME)
def test_ways_to_write_a_value(code, expected, seen):
    assert same_cell(code, expected, seen)


@pytest.mark.parametrize(("code", "expected", "seen"), OTHER)
def test_another_value(code, expected, seen):
    assert not same_cell(code, expected, seen)


@pytest.mark.parametrize(("expected", "seen"), [(None, None), (7, "7"), (0.5, 0.5), ("a", {"base64": "YQ=="})])
def test_ways_to_write_a_user_variable(expected, seen):
    assert same_variable(expected, seen)


@pytest.mark.parametrize(("expected", "seen"), [(None, ""), ("", None), (7, 8), (0.1, 0.2), ("1.50", 1.5)])
def test_another_user_variable(expected, seen):
    assert not same_variable(expected, seen)
