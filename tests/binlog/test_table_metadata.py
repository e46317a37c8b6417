"""The optional metadata of Table_map events, and the columns that it describes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.errors import MalformedBody
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.table import Column, column_metadata, table_of
from conformance.binlog.rows.table_metadata import read_table_metadata, write_table_metadata

COLUMNS = (
    Column(ColumnType.LONG, unsigned=True, name=b"id", nullable=False, visible=True),
    Column(ColumnType.YEAR, unsigned=True, name=b"y", visible=True),
    Column(ColumnType.TINY, unsigned=False, name=b"t", visible=False),
    Column(ColumnType.VARCHAR, 12, name=b"v", collation=46, visible=True),
    Column(ColumnType.ENUM, 0xF701, name=b"e", collation=8, labels=(b"x", b"y"), visible=True),
    Column(ColumnType.SET, 0xF801, name=b"s", collation=13, labels=(b"p",), visible=True),
    Column(ColumnType.BLOB, 2, name=b"b", collation=63, visible=True),
    Column(ColumnType.GEOMETRY, 4, name=b"g", geometry_type=1, visible=True),
    Column(ColumnType.VECTOR, 4, name=b"w", dimension=3, visible=True),
)
METADATA = {
    "unsigned": (True, True, False, False, False, False, False, False),
    "default_charset": {"default": 46, "others": ({"index": 1, "collation": 63},)},
    "geometry_types": (1,),
    "vector_dimensions": (3,),
    "column_names": (b"id", b"y", b"t", b"v", b"e", b"s", b"b", b"g", b"w"),
    "enum_set_column_charsets": (8, 13),
    "set_labels": ((b"p",),),
    "enum_labels": ((b"x", b"y"),),
    "primary_key_prefixes": ({"column": 0, "prefix": 0}, {"column": 3, "prefix": 2}),
    "visible": tuple(index != 2 for index in range(9)) + (False,) * 7,
}


def table_fields(optional_metadata: bytes) -> dict:
    types, metadata, null_bits = column_metadata(COLUMNS)
    return {
        "table_id": 7,
        "database": b"d",
        "table": b"t",
        "column_types": types,
        "column_metadata": metadata,
        "null_bits": null_bits,
        "optional_metadata": optional_metadata,
    }


def test_complete_metadata_describes_each_column_fully():
    assert table_of(table_fields(write_table_metadata(METADATA))).columns == COLUMNS


def test_without_optional_metadata_types_and_nullability_are_known():
    columns = table_of(table_fields(b"")).columns
    assert [(each.type, each.meta, each.nullable) for each in columns] == [
        (each.type, each.meta, each.nullable) for each in COLUMNS
    ]
    assert {(each.unsigned, each.name, each.collation, each.labels, each.visible) for each in columns} == {
        (None, None, None, None, None)
    }


def test_the_bytes_are_those_of_a_real_server():
    # SIGNEDNESS of eleven numeric columns, and two names: code, length, value.
    data = bytes.fromhex("01 02 2aa0  04 06 026964 027469")
    assert read_table_metadata(data) == {
        "unsigned": tuple(bit == "1" for bit in "0010101010100000"),
        "column_names": (b"id", b"ti"),
    }
    assert write_table_metadata(read_table_metadata(data)) == data


def test_an_unknown_entry_is_kept():
    data = bytes.fromhex("63 02 abcd  08 01 00")
    assert read_table_metadata(data) == {"field_99": b"\xab\xcd", "primary_key": (0,)}
    assert write_table_metadata(read_table_metadata(data)) == data


def test_an_entry_that_runs_past_the_end_is_refused():
    with pytest.raises(MalformedBody, match="declares 5 bytes, found 1"):
        read_table_metadata(bytes.fromhex("04 05 01"))


def test_too_little_column_metadata_is_refused():
    with pytest.raises(MalformedBody, match="too few"):
        table_of({**table_fields(b""), "column_metadata": b"\0"})


numbers = st.lists(st.integers(0, 70000), max_size=4).map(tuple)
labels = st.lists(st.lists(st.binary(max_size=9), max_size=3).map(tuple), max_size=3).map(tuple)
bits = st.integers(0, 3).flatmap(lambda size: st.lists(st.booleans(), min_size=8 * size, max_size=8 * size)).map(tuple)
charset = st.fixed_dictionaries(
    {
        "default": st.integers(0, 400),
        "others": st.lists(
            st.fixed_dictionaries({"index": st.integers(0, 300), "collation": st.integers(0, 400)}), max_size=3
        ).map(tuple),
    }
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "unsigned": bits,
            "visible": bits,
            "default_charset": charset,
            "enum_set_default_charset": charset,
            "column_charsets": numbers,
            "primary_key": numbers,
            "set_labels": labels,
            "enum_labels": labels,
            "column_names": st.lists(st.binary(max_size=300), max_size=3).map(tuple),
        },
    )
)
def test_what_is_written_is_read(metadata):
    assert read_table_metadata(write_table_metadata(metadata)) == metadata
