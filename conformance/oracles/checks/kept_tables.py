"""Whether a reader reads rows by a table that had their table id before, which is another table's by now.

A Table_map event may give an id to another table. Rows that are read by the columns of the earlier one are wrong in
many ways, so what such a reader would report is made and compared.
"""

from collections.abc import Iterator, Set
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.reader import READS_ALL, read_events
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.rows.table import Table, table_of
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import Cause
from conformance.oracles.oracle import same_field
from conformance.protocol.reported_event import report

KEPT_TABLE: Final = Cause("kept", "earlier table of a table id")
_ROWS: Final = "rows"


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def of_kept_tables(alignment: Alignment) -> Set[int]:
    """Return the offsets of the rows events that a reader reads by an earlier table of their table id."""
    if alignment.case.role != "decode" or _ROWS not in alignment.declared:
        return frozenset()
    kept, is_shown = set(), False
    for offset, rows in _misread(alignment.case.stream):
        index = alignment.index_at(offset)
        if index is None or alignment.fate(index) is Fate.UNREACHED:
            continue
        if rows is not None and same_field(_ROWS, alignment.case.expected.events[index].get(_ROWS), rows):
            continue
        if not _is_read_as(alignment, index, rows):
            return frozenset()
        kept.add(offset)
        is_shown = is_shown or rows is not None
    # Rows may be refused for many reasons.
    return kept if is_shown else frozenset()


def _is_read_as(alignment: Alignment, index: int, rows: object) -> bool:
    """Return whether an event is reported with other rows than its own, or refused where these cannot be read."""
    seen = alignment.observed(index)
    if seen is None or rows is None:
        return seen is None and rows is None
    return _ROWS in alignment.differing(index) and same_field(_ROWS, rows, seen.get(_ROWS))


def _misread(stream: bytes) -> Iterator[tuple[int, Any]]:
    """Yield each rows event of a table id that had another table before, and its rows by that; None for an error."""
    first: dict[int, Table] = {}
    last: dict[int, Table] = {}
    with suppress(BinlogError, MalformedBody):
        for event in read_events(stream, READS_ALL):
            if event.header.type == EventType.TABLE_MAP:
                table = table_of(event.fields())
                last[table.table_id] = table
                first.setdefault(table.table_id, table)
            elif event.header.type in ROWS_TYPES:
                table_id = event.fields().get("table_id")
                if table_id in last and first[table_id].columns != last[table_id].columns:
                    yield event.offset, _rows(event, OpenTables(first))


def _rows(event: Event, tables: OpenTables) -> Any:
    try:
        reported = report(event, tables)
    except (MalformedBody, ValueError):
        return None
    return None if reported is None else reported.get(_ROWS)
