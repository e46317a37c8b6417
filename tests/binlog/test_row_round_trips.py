"""The rows written are those read, for every column type."""

import pytest
from column_values import documents, images, typed_columns
from hypothesis import given, reject
from hypothesis import strategies as st

from conformance.binlog.errors import LimitExceeded, MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.column_types import column_codec
from conformance.binlog.rows.images import Row, read_rows, rows_kind, write_rows
from conformance.binlog.rows.json_diff import DiffOperation, JsonDiff, JsonDiffs
from conformance.binlog.rows.row_text import row_lines
from conformance.binlog.rows.table import Column, Table, column_metadata, table_of

KINDS = (EventType.WRITE_ROWS, EventType.UPDATE_ROWS, EventType.DELETE_ROWS, EventType.UPDATE_ROWS_V1)


@given(typed_columns(), st.data())
def test_a_value_of_any_type(typed, data):
    column, values = typed
    value = data.draw(values)
    codec = column_codec(column)
    written = codec.write(value, {})
    assert codec.read(b"before" + written + b"after", 6, 6 + len(written), {}) == (value, 6 + len(written))


@given(st.sampled_from(KINDS), st.lists(typed_columns(), min_size=1, max_size=20), st.booleans(), st.data())
def test_rows_of_any_table(code, typed, ones, data):
    table = Table(7, b"d", b"t", tuple(column for column, _ in typed))
    flags = st.lists(st.booleans(), min_size=len(typed), max_size=len(typed)).filter(any)
    before, after = images(typed, data.draw(flags)), images(typed, data.draw(flags))
    shapes = {"write": st.builds(Row, st.none(), after), "update": st.builds(Row, before, after)}
    rows = data.draw(st.lists(shapes.get(rows_kind(code), st.builds(Row, before, st.none())), min_size=1, max_size=3))

    fields = write_rows(code, rows, table, ones=ones)
    assert list(read_rows(code, fields, table)) == rows
    try:
        assert all(line.startswith("### ") for row in rows for line in row_lines(row, table))
    except LimitExceeded:
        reject()  # Packed values of arbitrary bytes may claim more than is unpacked.


WIDTHS = {ColumnType.TINY: 1, ColumnType.SHORT: 2, ColumnType.INT24: 3, ColumnType.LONG: 4, ColumnType.LONGLONG: 8}


@given(
    st.lists(st.tuples(st.sampled_from(list(WIDTHS)), st.booleans()), min_size=1, max_size=9), st.booleans(), st.data()
)
def test_rows_of_integers(kinds, ones, data):
    """Images of integers without NULL are unpacked in one call, with the same result as one by one."""
    columns = [Column(code, unsigned=unsigned) for code, unsigned in kinds]
    table = Table(7, b"d", b"t", tuple(columns))
    ranges = [(0 if each.unsigned else -(256 ** WIDTHS[each.type] // 2), WIDTHS[each.type]) for each in columns]
    values = [st.integers(low, low + 256**width - 1) for low, width in ranges]
    whole, with_nulls = st.tuples(*values), st.tuples(*(st.none() | each for each in values))
    rows = data.draw(st.lists(st.builds(Row, st.none(), whole | with_nulls), min_size=1, max_size=5))

    fields = write_rows(EventType.WRITE_ROWS, rows, table, ones=ones)
    assert list(read_rows(EventType.WRITE_ROWS, fields, table)) == rows
    if None not in rows[-1].after:
        fields["row_data"] = fields["row_data"][:-1]
        with pytest.raises(MalformedBody, match="bytes at byte"):
            list(read_rows(EventType.WRITE_ROWS, fields, table))


@given(st.lists(typed_columns(), max_size=20).map(lambda typed: [column for column, _ in typed]))
def test_a_table_map_describes_its_columns(columns):
    types, metadata, null_bits = column_metadata(columns)
    table = table_of(
        {
            "table_id": 7,
            "database": b"d",
            "table": b"t",
            "column_types": types,
            "column_metadata": metadata,
            "null_bits": null_bits,
            "optional_metadata": b"",
        }
    )
    # Only the optional metadata holds whether integers have a sign.
    described = [(each.type, each.meta, each.nullable) for each in table.columns]
    assert described == [(each.type, each.meta, each.nullable) for each in columns]


diffs = st.builds(
    lambda operation, path, value: JsonDiff(operation, path, None if operation == DiffOperation.REMOVE else value),
    st.sampled_from(DiffOperation),
    st.binary(max_size=9),
    documents,
)
json_or_diffs = st.one_of(st.none(), documents, st.lists(diffs, max_size=4).map(lambda each: JsonDiffs(tuple(each))))


@given(st.lists(st.tuples(json_or_diffs, json_or_diffs), min_size=1, max_size=4))
def test_partial_updates_of_json(afters):
    columns = (Column(ColumnType.LONG), Column(ColumnType.JSON, 4), Column(ColumnType.JSON, 4))
    table = Table(7, b"d", b"t", columns)
    rows = [Row((1, None, None), (1, *after)) for after in afters]
    fields = write_rows(EventType.PARTIAL_UPDATE_ROWS, rows, table)
    assert list(read_rows(EventType.PARTIAL_UPDATE_ROWS, fields, table)) == rows


@given(st.lists(typed_columns(), min_size=1, max_size=6), st.binary(max_size=120), st.binary(min_size=1, max_size=1))
def test_bytes_that_no_server_wrote_are_refused_or_read(typed, data, bitmap):
    table = Table(7, b"d", b"t", tuple(column for column, _ in typed))
    fields = {"column_count": len(typed), "columns_present": bitmap, "row_data": data}
    try:
        rows = list(read_rows(EventType.WRITE_ROWS, fields, table))
    except MalformedBody:
        return
    assert all(row.after is not None for row in rows)
