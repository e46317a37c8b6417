"""The table that a rows event refers to."""

import pytest

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import read_events
from conformance.binlog.rows.images import Row, write_rows
from conformance.binlog.rows.open_tables import STATEMENT_END, row_changes
from conformance.binlog.rows.table import Column, Table, column_metadata
from conformance.binlog.servers import server_of
from conformance.binlog.transaction_payload import Compression, pack_payload
from conformance.binlog.writer import frame, write_body

SERVER = server_of("mysql-8.0")
FORMAT = FormatDescription(4, SERVER.version, 0, 19, SERVER.post_header_lengths, 0)
TABLE = Table(7, b"d", b"t", (Column(3),))


def log(*bodies: tuple[EventType, dict]) -> bytes:
    events = [frame(EventType.FORMAT_DESCRIPTION, FORMAT.body(), offset=4, checksummed=True)]
    events += [frame(code, write_body(code, fields, FORMAT), offset=0, checksummed=False) for code, fields in bodies]
    return MAGIC + b"".join(events)


def table_map(table: Table) -> tuple[EventType, dict]:
    types, metadata, null_bits = column_metadata(table.columns)
    fields = {
        "table_id": table.table_id,
        "table_flags": 1,
        "database": table.database,
        "table": table.name,
        "column_types": types,
        "column_metadata": metadata,
        "null_bits": null_bits,
        "optional_metadata": b"",
    }
    return EventType.TABLE_MAP, fields


def rows(*values: int, flags: int = STATEMENT_END) -> tuple[EventType, dict]:
    images = write_rows(EventType.WRITE_ROWS, [Row(None, (value,)) for value in values], TABLE)
    return EventType.WRITE_ROWS, {"table_id": TABLE.table_id, "rows_flags": flags, **images}


def values_of(data: bytes) -> list[list[int]]:
    return [[row.after[0] for row in change.rows if row.after] for change in row_changes(read_events(data))]


def test_rows_belong_to_the_table_that_was_mapped_last():
    other = Table(7, b"d", b"u", TABLE.columns)
    changes = list(row_changes(read_events(log(table_map(TABLE), rows(1), table_map(other), rows(2)))))
    assert [(change.table.name, change.rows[0].after) for change in changes] == [(b"t", (1,)), (b"u", (2,))]


def test_a_statement_may_have_several_rows_events():
    assert values_of(log(table_map(TABLE), rows(1, 2, flags=0), rows(3))) == [[1, 2], [3]]


def test_the_end_of_a_statement_closes_its_tables():
    with pytest.raises(MalformedBody, match="rows of table 7, which no Table_map"):
        values_of(log(table_map(TABLE), rows(1), rows(2)))


def test_rows_inside_a_payload_are_read():
    inside = log(table_map(TABLE), rows(5))[len(log()) :]
    payload = pack_payload(inside, compression=Compression.NONE)
    assert values_of(log((EventType.TRANSACTION_PAYLOAD, payload))) == [[5]]


def test_row_data_may_hold_its_own_bitmap():
    code, fields = rows(9)
    joined = bytes([fields.pop("column_count")]) + fields.pop("columns_present") + fields["row_data"]
    assert values_of(log(table_map(TABLE), (code, {**fields, "row_data": joined}))) == [[9]]
