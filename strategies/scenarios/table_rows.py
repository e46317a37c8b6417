"""The rows events of a table, in each of the types in which servers write them."""

from dataclasses import dataclass
from typing import cast

from conformance.binlog.rows.table import Table
from conformance.models.filtering.table_name import TableName
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import JSON, column_kinds
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The types of rows events: those of the server's own version, those of version 1, Partial_update_rows, and MariaDB's
#: compressed ones.
USUAL, OLDER, PARTIAL, COMPRESSED = ROWS_EVENTS = (
    "usual ones", "of version 1", "changes of JSON documents", "compressed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table of a statement in row format.

    Attributes:
        stream: The stream.
        table: Its name.
        table_id: The number by which rows events refer to it.
        columns: The number of its columns, all integers, with the usual rows events.
        older: Whether its rows events are of version 1, which newer servers write where they are set to.
        special: The table with the columns of other rows events; None with those of version 1 and the usual ones.
    """

    stream: StreamBuilder
    table: TableName
    table_id: int
    columns: int
    older: bool = False
    special: row_events.RowTable | None = None

    @classmethod
    def of(cls, stream: StreamBuilder, table: TableName, table_id: int, columns: int, kind: str) -> "TableRows":
        """Return a table for rows events of a type, one of `ROWS_EVENTS`."""
        if kind in (USUAL, OLDER):
            return cls(stream, table, table_id, columns, older=kind == OLDER)
        of_column = JSON if kind == PARTIAL else column_kinds(stream)[0]
        written = Table(table_id, table.database.encode(), table.name.encode(), (of_column.column(stream),))
        return cls(stream, table, table_id, 1, special=row_events.RowTable(written, (of_column,)))

    def map(self) -> PlannedEvent:
        """Return its Table_map."""
        if self.special:
            return row_events.table_map(self.stream, self.special)
        database, name = self.table.database, self.table.name
        return mysql_events.table_map(
            self.stream, table_id=self.table_id, database=database, table=name, columns=self.columns
        )

    def event(self, change: str, *, last: bool, flags: int = 0) -> PlannedEvent:
        """Return a rows event of it; a change of JSON documents is always an update.

        Args:
            change: The change, as in `ROW_CHANGES`.
            last: Whether it ends its statement.
            flags: Its other flags.
        """
        if self.special is None:
            return mysql_events.write_rows(
                self.stream,
                table_id=self.table_id,
                columns=self.columns,
                rows=1,
                last=last,
                change=change,
                flags=flags,
                older=self.older,
            )
        if self.special.kinds == (JSON,):
            return row_events.partial_update(self.stream, self.special, last=last, flags=flags)
        operation = cast(row_events.Operation, change)
        return row_events.compressed_rows_event(self.stream, self.special, operation, last=last, flags=flags)
