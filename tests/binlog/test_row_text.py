"""Row images as text; the expected lines are what mysqlbinlog 9.7 prints for the same rows."""

from decimal import Decimal

import pytest

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.images import ABSENT, Row
from conformance.binlog.rows.json_diff import DiffOperation, JsonDiff, JsonDiffs
from conformance.binlog.rows.json_writing import write_json
from conformance.binlog.rows.row_text import row_lines
from conformance.binlog.rows.table import Column, Table
from conformance.binlog.rows.temporal import Date, DateTime, Time, Timestamp


def shown(column: Column, value: object) -> str:
    table = Table(7, b"d", b"t", (column,))
    return "\n".join(row_lines(Row(None, (value,)), table)).split("###   @1=", 1)[1]


@pytest.mark.parametrize(
    ("column", "value", "text", "type_name"),
    [
        (Column(ColumnType.TINY), -128, "-128 (128)", "TINYINT"),
        (Column(ColumnType.SHORT, unsigned=True), 65535, "-1 (65535)", "SHORTINT"),
        (Column(ColumnType.INT24), 8388607, "8388607", "MEDIUMINT"),
        (Column(ColumnType.FLOAT, 4), 1e10, "1e+10               ", "FLOAT"),
        (Column(ColumnType.DOUBLE, 8), 0.1, "0.10000000000000000555", "DOUBLE"),
        (Column(ColumnType.NEWDECIMAL, 0x0502), Decimal("-0.50"), "-0.50", "DECIMAL(5,2)"),
        (Column(ColumnType.BIT, 0x0103), 1027, "b'10000000011'", "BIT(11)"),
        (Column(ColumnType.YEAR), 0, "1900", "YEAR"),
        (Column(ColumnType.DATE), Date(9999, 12, 31), "'9999:12:31'", "DATE"),
        (Column(ColumnType.TIME2, 3), Time(0, 0, 0, 1000, True), "'-00:00:00.001'", "TIME(3)"),
        (Column(ColumnType.DATETIME2, 1), DateTime(2024, 2, 29, 23), "'2024-02-29 23:00:00.0'", "DATETIME(1)"),
        (Column(ColumnType.DATETIME), DateTime(0, 0, 0), "0000-00-00 00:00:00", "DATETIME"),
        (Column(ColumnType.TIMESTAMP2, 2), Timestamp(7, 990000), "7.99", "TIMESTAMP(2)"),
        (Column(ColumnType.STRING, 0xFE0A), b"ab \0c", "'ab \\x00c'", "STRING(10)"),
        (Column(ColumnType.VARCHAR, 300), b"'\\\n\x1f\x7f", "'\\'\\\\\\n\\x1f\x7f'", "VARSTRING(300)"),
        (Column(ColumnType.BLOB, 2), b"\xff\xc3\xa9", "'\udcffé'", "BLOB/TEXT"),
        (Column(ColumnType.ENUM, 0xF702), 300, "300", "ENUM(2 bytes)"),
        (Column(ColumnType.SET, 0xF802), 5, "b'0000010100000000'", "SET(2 bytes)"),
        (Column(ColumnType.VECTOR, 4), (1.5, -1.0), "[1.50000e+00,-1.00000e+00]", "VECTOR(2)"),
        (Column(ColumnType.JSON, 4), write_json({"a": ["'"]}), '\'{"a": ["\\\'"]}\'', "JSON"),
        # A document that is a string has no JSON quotes.
        (Column(ColumnType.JSON, 4), write_json('a"b'), "'a\"b'", "JSON"),
    ],
)
def test_a_value(column, value, text, type_name):
    assert shown(column, value) == f"{text} /* {type_name} meta={column.meta} nullable=1 is_null=0 */"


def test_null():
    column = Column(ColumnType.LONGLONG, nullable=False)
    assert shown(column, None) == "NULL /* LONGINT meta=0 nullable=0 is_null=1 */"


def test_an_update_shows_both_images_without_absent_columns():
    table = Table(7, b"d`b", b"t", (Column(ColumnType.LONG, nullable=False), Column(ColumnType.LONG)))
    assert list(row_lines(Row((1, ABSENT), (ABSENT, 2)), table)) == [
        "### UPDATE `d``b`.`t`",
        "### WHERE",
        "###   @1=1 /* INT meta=0 nullable=0 is_null=0 */",
        "### SET",
        "###   @2=2 /* INT meta=0 nullable=1 is_null=0 */",
    ]


def test_changes_of_a_document_are_nested_calls():
    changes = JsonDiffs(
        (
            JsonDiff(DiffOperation.REPLACE, b"$.k", write_json("1")),
            JsonDiff(DiffOperation.INSERT, b"$.arr[2]", write_json(5)),
            JsonDiff(DiffOperation.INSERT, b"$.new", write_json({"z": 1})),
        )
    )
    lines = [
        "JSON_INSERT(",
        "###      JSON_ARRAY_INSERT(",
        "###      JSON_REPLACE(@1, '$.k', '1'),",
        "###      '$.arr[2]', 5),",
        "###      '$.new', CAST('{\"z\": 1}' AS JSON)) /* JSON meta=4 nullable=1 is_null=0 */",
    ]
    assert shown(Column(ColumnType.JSON, 4), changes) == "\n".join(lines)


def test_changes_of_one_kind_in_a_row_share_a_call():
    changes = JsonDiffs(
        (
            JsonDiff(DiffOperation.REMOVE, b"$.a"),
            JsonDiff(DiffOperation.REMOVE, b"$.b"),
            JsonDiff(DiffOperation.INSERT, b"$.c", write_json(1)),
        )
    )
    lines = [
        "JSON_INSERT(",
        "###      JSON_REMOVE(@1, '$.a',",
        "###      '$.b'),",
        "###      '$.c', 1) /* JSON meta=4 nullable=1 is_null=0 */",
    ]
    assert shown(Column(ColumnType.JSON, 4), changes) == "\n".join(lines)


def test_a_document_without_changes_is_itself():
    assert shown(Column(ColumnType.JSON, 4), JsonDiffs(())).startswith("@1 /* JSON")
