"""Which notations of a value are equal to the expected one."""

import pytest

from conformance.binlog.rows.column_codes import ColumnType as T
from conformance.oracles.checks.same_value import same_cell, same_variable

SAME = [
    (T.LONGLONG, 2**64 - 1, "18446744073709551615"),
    (T.TINY, 1, 1.0),
    (T.NEWDECIMAL, "-12.50", "-12.5"),
    (T.NEWDECIMAL, "100", 100),
    (T.FLOAT, 0.10000000149011612, 0.1),
    (T.DOUBLE, 1.0, 1),
    (T.DATE, "0000-00-00", "0000-00-00"),
    (T.TIME2, "-838:59:59.000", "-838:59:59"),
    (T.DATETIME2, "2024-02-29 23:59:59.120", "2024-02-29 23:59:59.12"),
    (T.TIMESTAMP2, "1276143737.500000", "1276143737.5"),
    (T.VARCHAR, "ä", {"base64": "w6Q="}),
    (T.BLOB, {"base64": "/w=="}, {"base64": "/w=="}),
    (T.MARIADB_VARCHAR_COMPRESSED, "ä", {"base64": "w6Q="}),
    # A text in latin1, and one in UCS-2 whose bytes are UTF-8 too.
    (T.VARCHAR, {"base64": "5A==", "text": "ä"}, "ä"),
    (T.VARCHAR, {"base64": "5A==", "text": "ä"}, {"base64": "5A=="}),
    (T.VARCHAR, {"base64": "5A==", "text": "ä"}, {"base64": "w6Q="}),
    (T.STRING, {"base64": "AGE=", "text": "a"}, "\0a"),
    (T.JSON, {"json": {"a": [1, 2.0], "b": None}}, {"json": {"b": None, "a": [1.0, 2]}}),
    (T.VECTOR, [1.0, 0.10000000149011612], [1, 0.1]),
    (T.ENUM, None, None),
]
OTHER = [
    (T.TINY, 1, True),
    (T.TINY, 1, "01"),
    (T.LONG, 0, None),
    (T.LONG, None, 0),
    (T.NEWDECIMAL, "0.10", 0.1),
    (T.NEWDECIMAL, "1", "1_0"),
    (T.NEWDECIMAL, "1", "one"),
    (T.DOUBLE, 0.1, 0.10000000149011612),
    (T.FLOAT, 1.0, 1e300),
    (T.FLOAT, 1.0, "1.0"),
    (T.DATE, "2024-00-00", None),
    (T.DATETIME2, "2024-02-29 00:00:00", "2024-02-29"),
    (T.TIMESTAMP2, "1276143737", "2010-06-10 04:22:17"),
    (T.VARCHAR, {"base64": "/w=="}, "\ufffd"),
    (T.VARCHAR, {"base64": "5A==", "text": "ä"}, "\ufffd"),
    (T.STRING, {"base64": "AGE=", "text": "a"}, "\0a\0"),
    (T.VARCHAR, "a", {"base64": "not base64"}),
    (T.VARCHAR, "1", 1),
    (T.JSON, {"json": None}, None),
    (T.JSON, {"json": 1}, {"json": True}),
    (T.JSON, {"json": [1]}, {"json": [1, 2]}),
    (T.JSON, {"json": "1"}, {"json": 1}),
    (T.VECTOR, [1.0], [1.0, 2.0]),
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
