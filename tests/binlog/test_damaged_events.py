"""Damaged events: each is read or refused as malformed, and causes no other error."""

from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_info import event_info
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.reader import read_events
from conformance.binlog.rows.open_tables import OpenTables, row_changes
from conformance.binlog.rows.row_text import row_lines
from conformance.binlog.rows.table_metadata import read_table_metadata
from conformance.binlog.status_variables import read_status_variables
from conformance.binlog.user_variable import variable_value
from conformance.binlog.writer import rewrite

GOLDEN = Path(__file__).parent.parent / "golden"


def windows() -> list[list[Event]]:
    """Each event with the three before it, which include the tables of its rows."""
    event_lists = []
    for name in ("statement", "column_types", "compression", "tagged_gtid", "mariadb", "rows_query"):
        events = list(read_events((GOLDEN / f"{name}.bin").read_bytes()))
        event_lists += [events[max(0, at - 3) : at + 1] for at in range(1, len(events))]
    return event_lists


WINDOWS = windows()
edits = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(("set", "cut", "insert", "end")), st.integers(0, 255)),
    min_size=1,
    max_size=4,
)


def damaged(data: bytes, changes: list[tuple[float, str, int]]) -> bytes:
    body = bytearray(data[HEADER_BYTES:])
    for place, kind, byte in changes:
        at = int(place * len(body))
        if kind == "set":
            body[at : at + 1] = bytes([byte])
        elif kind == "cut":
            del body[at : at + byte % 9]
        elif kind == "insert":
            body[at:at] = bytes([byte]) * (byte % 9)
        else:
            del body[at:]
    return data[:HEADER_BYTES] + bytes(body).ljust(4, b"\0")


@settings(max_examples=500)
@given(st.sampled_from(WINDOWS), edits)
def test_a_damaged_event_is_read_or_refused(window, changes):
    *before, event = window
    event = event._replace(data=damaged(event.data, changes))
    tables = OpenTables()
    for each in before:
        tables.observe(each)

    assert sum(span.size for span in event.spans()) == len(event.data)
    with suppress(MalformedBody):
        event_info(event)
    with suppress(MalformedBody):
        for change in row_changes([event], tables):
            assert all(line for row in change.rows for line in row_lines(row, change.table))
    try:
        fields = event.fields()
    except MalformedBody:
        return
    assert isinstance(rewrite(event), bytes)
    read_status_variables(fields.get("status_variables", b""))
    with suppress(MalformedBody):
        read_table_metadata(fields.get("optional_metadata", b""))
    with suppress(MalformedBody):
        if "variable_name" in fields:
            variable_value(fields)
