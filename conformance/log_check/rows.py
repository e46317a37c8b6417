"""Rules on row-based logging: Rows_query, Table_map and rows events."""

from typing import Final

from conformance.binlog.errors import located
from conformance.binlog.event_types import ROWS_TYPES, EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.limits import check_values
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.log_check.log_event import IGNORABLE_CLASS, TABLE_MAPS, Log, LogEvent, Place
from conformance.log_check.verdicts import Verdicts

FLAG_SET: Final = "WL4033-LOG-FLAG-SET"
FLAG_ALONE: Final = "WL4033-LOG-FLAG-ALONE"
BEFORE_TABLE_MAP: Final = "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP"
PER_STATEMENT: Final = "WL4033-LOG-ROWS-QUERY-PER-STATEMENT"
TABLE_MAP: Final = "FORMAT-LOG-TABLE-MAP"

_IGNORABLE: Final = int(Flag.IGNORABLE)
_ROWS_QUERY: Final = int(EventType.ROWS_QUERY)
_INSIDE: Final = Place.INSIDE
#: Bits 10 to 12 hold the boundary markers of WL#4162, which may be combined with any other flag.
_MARKER_BITS: Final = 0x1C00


class IgnorableFlag:
    """Judges the flags of the ignorable class and of Rows_query events."""

    requirements = (FLAG_SET, FLAG_ALONE)
    codes = frozenset(IGNORABLE_CLASS)
    places = None
    inside_payloads = True

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event."""
        actual = f"{type_name(seen.code)} with the flags {seen.flags:#06x}{seen.where}"
        if not seen.flags & _IGNORABLE:
            verdicts.bad(FLAG_SET, seen.offset, actual, "the ignorable flag 0x0080")
            return
        verdicts.good(FLAG_SET)
        if seen.code != EventType.ROWS_QUERY:
            return
        if seen.flags & ~_MARKER_BITS == _IGNORABLE:
            verdicts.good(FLAG_ALONE)
        else:
            verdicts.bad(FLAG_ALONE, seen.offset, actual, "0x0080 and no other flag")


class Statements:
    """Judges the order of the events of row-logged statements."""

    requirements = (BEFORE_TABLE_MAP, PER_STATEMENT, TABLE_MAP)
    codes = None
    places = None
    inside_payloads = True

    def __init__(self) -> None:
        #: Table id -> the table's database, name and columns, for the tables of the open statement.
        self._tables: dict[int, tuple[bytes, bytes, int]] = {}
        self._has_unread = False
        self._query: LogEvent | None = None
        self._query_before = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event."""
        if self._query is not None and (seen.known and seen.code != _ROWS_QUERY):
            # A transaction that is cut off after it breaks another rule.
            if seen.broken is None:
                self._after_query(self._query, seen, verdicts)
            self._query = None
        if seen.code == _ROWS_QUERY:
            self._rows_query(seen, verdicts)
        elif seen.code in TABLE_MAPS:
            if "table_id" in seen.fields:
                self._map(seen, verdicts)
            else:
                # Which table it is for is not known: its layout is what is wrong, and not the rows after it.
                self._has_unread = True
        elif seen.code in ROWS_TYPES:
            self._rows(seen, log, verdicts)
        elif seen.place is not _INSIDE:
            self._close()

    def _map(self, seen: LogEvent, verdicts: Verdicts) -> None:
        """Keep a table of the statement; a statement may name a table twice, but not two tables by one id."""
        fields = seen.fields
        table = fields.get("database", b""), fields.get("table", b""), fields.get("column_count", 0)
        before = self._tables.setdefault(fields["table_id"], table)
        if before[:2] != table[:2]:
            actual = f"the id {fields['table_id']}, which another table of the statement has{seen.where}"
            verdicts.bad(TABLE_MAP, seen.offset, actual, "an id of its own for each table of a statement")
        with located(seen.offset):
            check_values(len(self._tables), "tables in its statement")

    def _close(self) -> None:
        self._tables.clear()
        self._query_before = self._has_unread = False

    def _rows_query(self, seen: LogEvent, verdicts: Verdicts) -> None:
        if self._query_before:
            actual = f"a second Rows_query event before the rows of the statement ended{seen.where}"
            verdicts.bad(PER_STATEMENT, seen.offset, actual, "one for each statement, before its first Table_map")
        else:
            verdicts.good(PER_STATEMENT)
        late = bool(self._tables) and not self._query_before
        if late:
            actual = f"a Rows_query event after the Table_map of its statement{seen.where}"
            verdicts.bad(BEFORE_TABLE_MAP, seen.offset, actual, "the event before the statement's first Table_map")
        elif seen.place is not Place.INSIDE:
            verdicts.bad(BEFORE_TABLE_MAP, seen.offset, "a Rows_query event outside a transaction", "BEGIN before it")
        self._query, self._query_before = None if late else seen, True

    def _after_query(self, query: LogEvent, seen: LogEvent, verdicts: Verdicts) -> None:
        if seen.code in TABLE_MAPS:
            if query.place is Place.INSIDE:
                verdicts.good(BEFORE_TABLE_MAP)
            return
        actual = f"{type_name(seen.code)} after the Rows_query event at offset {query.offset}{seen.where}"
        verdicts.bad(BEFORE_TABLE_MAP, seen.offset, actual, "the statement's first Table_map")

    def _rows(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        table_id, columns = seen.fields.get("table_id"), seen.fields.get("column_count")
        # An event without columns only ends the statement. A relay log may begin after the Table_map.
        if columns and (self._tables or not log.relay):
            mapped = self._tables[table_id][-1] if table_id in self._tables else None
            if mapped == columns:
                verdicts.good(TABLE_MAP)
            elif mapped is None and not self._has_unread:
                actual = f"rows of table {table_id}{seen.where}"
                verdicts.bad(TABLE_MAP, seen.offset, actual, "a Table_map for it earlier in the statement")
            elif mapped is not None:
                actual = f"rows of {columns} columns{seen.where}"
                verdicts.bad(TABLE_MAP, seen.offset, actual, f"{mapped}, as in the Table_map of table {table_id}")
        if seen.fields.get("rows_flags", 0) & STATEMENT_END:
            self._close()
