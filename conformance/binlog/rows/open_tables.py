"""The tables that are open at a point of a stream: those that rows events may refer to."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.limits import check_values
from conformance.binlog.rows.images import Row, read_rows, rows_kind
from conformance.binlog.rows.table import Table, table_of
from conformance.binlog.transaction_payload import inner_events

#: The flag of the last rows event of a statement, after which its tables are closed.
STATEMENT_END: Final = 0x0001


class OpenTables:
    """Tracks the tables that a stream's Table_map and rows events open and close.

    Args:
        tables: Tables that are open already, by their ids.
    """

    def __init__(self, tables: Mapping[int, Table] | None = None) -> None:
        self._tables: dict[int, Table] = dict(tables or {})
        self._columns = 0

    def observe(self, event: Event, fields: Mapping[str, Any] | None = None) -> None:
        """Update the open tables after an event.

        Args:
            event: The event.
            fields: Its fields, if they have been read.

        Raises:
            MalformedBody: It is a Table_map that cannot be read.
            LimitExceeded: The tables of its statement have more columns than may be held.
        """
        if not event.recognised:
            return
        code = event.format.type_code(event.header.type)
        if code == EventType.TABLE_MAP:
            fields = event.fields() if fields is None else fields
            # Alphas of 5.1 and 5.2 wrote no column metadata, and rows events that are kept as bytes.
            if "null_bits" in fields:
                self._open(table_of(fields))
        elif rows_kind(code) is not None:
            fields = event.fields() if fields is None else fields
            if fields["rows_flags"] & STATEMENT_END:
                self._tables.clear()
                self._columns = 0

    def _open(self, table: Table) -> None:
        before = self._tables.get(table.table_id)
        self._columns += len(table.columns) - (len(before.columns) if before is not None else 0)
        check_values(self._columns, "columns in the tables of its statement")
        self._tables[table.table_id] = table

    def has(self, table_id: int) -> bool:
        """Return whether a Table_map of the statement describes a table."""
        return table_id in self._tables

    def table(self, table_id: int) -> Table:
        """Return an open table.

        Raises:
            MalformedBody: No Table_map of the statement describes it.
        """
        if table_id not in self._tables:
            raise MalformedBody(f"rows of table {table_id}, which no Table_map of the statement describes")
        return self._tables[table_id]


@dataclass(frozen=True, slots=True)
class RowsChange:
    """The rows of one event.

    Attributes:
        event: The rows event; inside a Transaction_payload its offset counts from the payload's start.
        table: The table that it changes.
        rows: Its rows.
    """

    event: Event
    table: Table
    rows: tuple[Row, ...]


def row_changes(events: Iterable[Event], tables: OpenTables | None = None) -> Iterator[RowsChange]:
    """Yield the rows of all rows events, those inside Transaction_payload events included.

    Raises:
        MalformedBody: A Table_map or a rows event cannot be read.
    """
    tables = tables or OpenTables()
    for event in events:
        if not event.recognised:
            continue
        code, fields = event.format.type_code(event.header.type), None
        if code == EventType.TRANSACTION_PAYLOAD:
            yield from row_changes(inner_events(event), tables)
        elif rows_kind(code) is not None:
            fields = event.fields()
            # An event without columns only closes its statement's tables.
            if fields.get("column_count"):
                table = tables.table(fields["table_id"])
                yield RowsChange(event, table, tuple(read_rows(code, fields, table)))
        tables.observe(event, fields)
