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


#: mariadb-binlog escapes no quotes and no backslashes, and prints control characters as hex only.
_MARIADB = {"\\": "\\", "'": "'", "b": r"\x08", "t": r"\x09", "n": r"\x0a", "f": r"\x0c", "r": r"\x0d"}
_ESCAPE = re.compile(r"\\(.)")
_OLD_DATETIME = re.compile(r"=(\S+ \S+) /\* DATETIME meta=0 ")


def as_mariadb_prints(lines: Iterable[str]) -> list[str]:
    """Return row lines in the notation of mariadb-binlog."""
    unescaped = (_ESCAPE.sub(lambda match: _MARIADB.get(match[1], match[0]), line) for line in lines)
    return [_OLD_DATETIME.sub(r"='\1' /* DATETIME meta=0 ", line) for line in unescaped]


def row_lines_of(events: Iterable[Event]) -> Iterator[str]:
    """Yield what mysqlbinlog prints of the rows: nothing of a statement whose last event is missing."""
    waiting: list[str] = []
    for change in row_changes(events):
        waiting += _lines(change)
        if change.event.fields()["rows_flags"] & STATEMENT_END:
            yield from waiting
            waiting = []


def _lines(change: RowsChange) -> Iterator[str]:
    """Yield an event's lines up to a GEOMETRY column, at which mysqlbinlog stops, as it does not know the type."""
    for row in change.rows:
        for line in row_lines(row, change.table):
            match = _GEOMETRY.match(line)
            if match:
                number, meta = (part for part in match.groups() if part)
                known = f"type=255 meta={meta} ({int(meta):04x})"
                yield f"###   @{number}=!! Don't know how to handle column {known}"
                return
            yield line
