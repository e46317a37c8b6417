"""Row changes as mysqlbinlog prints them: the names of the events, and the rows as comments."""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_info import ROWS_FLAGS
from conformance.binlog.event_types import COMPRESSED_ROWS, COMPRESSED_ROWS_V1, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.images import ABSENT, READABLE_ROWS_TYPES, ROWS_KINDS, Image, Row, read_rows, rows_kind
from conformance.binlog.rows.open_tables import STATEMENT_END, OpenTables
from conformance.binlog.rows.row_text import row_lines
from conformance.binlog.rows.rows_extra_data import read_rows_extra_data
from conformance.binlog.rows.table import Column, Table
from conformance.binlog.total_table import total
from conformance.models.rendering.held_lines import HeldLines
from conformance.models.rendering.printer_version import PrinterVersion

_NAMES: Final[Mapping[int, str]] = total(
    f"{__name__}._NAMES",
    READABLE_ROWS_TYPES,
    {
        EventType.PARTIAL_UPDATE_ROWS: "Update_rows_partial",
        **{
            code: f"{kind.capitalize()}_{rows}"
            for codes, rows in (
                (ROWS_V1, "rows"),
                (ROWS_V2, "rows"),
                (COMPRESSED_ROWS_V1, "compressed_rows"),
                (COMPRESSED_ROWS, "compressed_rows"),
            )
            for code, kind in zip(codes, ROWS_KINDS, strict=True)
        },
    },
    entry="the name that is printed",
)
_WITH_TYPES: Final = 2


class RowChangesText:
    """Tracks the row changes of a log, and keeps the lines of the open statement.

    Args:
        version: The program's version.
        verbose: How often ``--verbose`` is given.

    Attributes:
        row_count: The number of rows of the open statement that were read.
    """

    def __init__(self, version: PrinterVersion, *, verbose: int) -> None:
        self._version = version
        self._verbose = verbose
        self._tables = OpenTables()
        self._waiting = HeldLines()
        self.row_count = 0

    @property
    def waiting(self) -> bool:
        """Whether a statement with row changes has not ended."""
        return bool(self._waiting)

    def name(self, code: int) -> str:
        """Return the name of a rows event."""
        suffix = "_v1" if self._version.versioned_rows and code in ROWS_V1 else ""
        return f"{_NAMES[code]}{suffix}"

    def flags(self, flags: int) -> str:
        """Return the names of the flags of a rows event, after a space and a heading; empty if there are none."""
        known = ROWS_FLAGS if self._version.all_rows_flags else ROWS_FLAGS[:1]
        names = [name for bit, name in known if flags & bit]
        return f" flags: {' '.join(names)}" if names else ""

    def table_map(self, event: Event) -> None:
        """Open the table of a Table_map event.

        Raises:
            MalformedBody: It cannot be read.
        """
        self._tables.observe(event)

    def rows(self, event: Event, fields: Mapping[str, Any]) -> bool:
        """Take the rows of an event, and return whether it ends its statement.

        Raises:
            MalformedBody: The rows do not fit the table.
        """
        # MariaDB's program prints the number of rows even if it does not show them.
        if (self._verbose or self._version.is_mariadb) and fields.get("column_count"):
            lines = self._row_lines(event, fields)
            if self._verbose:
                self._waiting.add(lines)
            else:
                deque(lines, maxlen=0)
        ends = bool(fields["rows_flags"] & STATEMENT_END)
        self._tables.observe(event)
        return ends

    def lines(self) -> Iterator[str]:
        """Yield the lines of the statement that ends, and discard them."""
        self.row_count = 0
        yield from self._waiting.take()

    def close(self) -> None:
        """Discard the lines of a statement that does not end."""
        self._waiting.close()

    def _row_lines(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        if not self._tables.has(fields["table_id"]):
            yield f"### Row event for unknown table #{fields['table_id']}"
            return
        yield from _extra_lines(event, fields)
        table = self._tables.table(fields["table_id"])
        types = self._verbose >= _WITH_TYPES
        for row in read_rows(event.format.type_code(event.header.type), fields, table):
            self.row_count += 1
            unknown = None if self._version.is_mariadb else _unknown_column(row, table)
            quotes, mariadb = self._version.quotes, self._version.is_mariadb
            shown = row_lines(row, table, types=types, quotes=quotes, mariadb=mariadb)
            if unknown is None:
                yield from shown
                continue
            # The program does not know the type: it stops there, and prints no more of the event.
            number, column = unknown
            yield from _before_column(shown, number)
            known = f"type={column.type} meta={column.meta} ({column.meta:04x})"
            yield f"###   @{number}=!! Don't know how to handle column {known}"
            return


def _extra_lines(event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the line for an event's extra data."""
    update = rows_kind(event.format.type_code(event.header.type)) == "update"
    parts = read_rows_extra_data(fields.get("extra_data", b""), update=update)
    if "partition" in parts:
        partition = parts["partition"]
        where = f"partition: {partition['partition_id']}"
        if update:
            where = (
                f"source_partition: {partition['source_partition_id']} target_partition: {partition['partition_id']}"
            )
        yield f"### Extra row info for partitioning: {where}"


def _before_column(lines: Iterator[str], number: int) -> Iterator[str]:
    return takewhile(lambda line: not line.startswith(f"###   @{number}="), lines)


def _unknown_column(row: Row, table: Table) -> tuple[int, Column] | None:
    """Return the first column of a row that MySQL's program cannot print, with its number."""
    image: Image = row.before if row.before is not None else row.after or ()
    for number, (value, column) in enumerate(zip(image, table.columns, strict=False), 1):
        if column.type == ColumnType.GEOMETRY and value is not ABSENT:
            return number, column
    return None
