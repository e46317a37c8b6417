"""The row lines that ``mysqlbinlog --base64-output=decode-rows -vv`` prints, and those of our rows."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.binlog.event import Event
from conformance.binlog.rows.open_tables import STATEMENT_END, RowsChange, row_changes
from conformance.binlog.rows.row_text import row_lines

#: MariaDB's START ALTER also puts three hash signs before a statement.
_ROW_LINE = re.compile(r"###   |### (?:INSERT INTO|UPDATE|DELETE FROM) `|### (?:SET|WHERE)$")
_GEOMETRY = re.compile(r"###   @(\d+)=(?!NULL).* /\* GEOMETRY meta=(\d+)|###   @(\d+)=NULL /\* GEOMETRY meta=(\d+)")


def read_row_lines(path: Path) -> list[str]:
    return list(filter(is_row_line, path.read_bytes().decode("utf-8", "surrogateescape").split("\n")))


def is_row_line(line: str) -> bool:
    """Return whether a line that mysqlbinlog prints shows a part of a row."""
    return bool(_ROW_LINE.match(line))


def row_lines_of(events: Iterable[Event], *, mariadb: bool = False) -> Iterator[str]:
    """Yield what the programs print of the rows: nothing of a statement whose last event is missing."""
    waiting: list[str] = []
    for change in row_changes(events):
        waiting += _lines(change, mariadb=mariadb)
        if change.event.fields()["rows_flags"] & STATEMENT_END:
            yield from waiting
            waiting = []


def _lines(change: RowsChange, *, mariadb: bool) -> Iterator[str]:
    """Yield an event's lines up to a GEOMETRY column, at which mysqlbinlog stops, as it does not know the type."""
    for row in change.rows:
        for line in row_lines(row, change.table, mariadb=mariadb):
            match = _GEOMETRY.match(line)
            if match:
                number, meta = (part for part in match.groups() if part)
                known = f"type=255 meta={meta} ({int(meta):04x})"
                yield f"###   @{number}=!! Don't know how to handle column {known}"
                return
            yield line
