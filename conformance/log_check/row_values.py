"""The rule on the values in rows, which is judged on request: reading them takes longer than all other rules."""

from collections import deque
from typing import Final

from conformance.binlog.errors import LimitExceeded, MalformedBody
from conformance.binlog.event_types import ROWS_TYPES, type_name
from conformance.binlog.rows.images import read_rows, rows_kind
from conformance.binlog.rows.open_tables import OpenTables
from conformance.log_check.framing import BODY
from conformance.log_check.log_event import TABLE_MAPS, Log, LogEvent, Place
from conformance.log_check.verdicts import Verdicts

_OF_ROWS: Final = TABLE_MAPS | ROWS_TYPES
#: What an event of a known server has; one whose format description declares too short a post-header has not.
_NEEDED: Final = frozenset({"table_id", "column_count"})


class RowValues:
    """Judges that each row can be read by the Table_map of its table, to the last byte of the event.

    Rows without such a Table_map, or of another number of columns, break other rules.
    """

    requirements = (BODY,)
    codes = None
    places = None
    inside_payloads = True

    def __init__(self) -> None:
        self._tables = OpenTables()

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event.

        Raises:
            BeyondLimit: It has more values, or its rows unpack to more bytes, than an event may have.
        """
        if seen.code not in _OF_ROWS:
            if seen.place is not Place.INSIDE:
                self._tables = OpenTables()
        elif seen.fields.keys() >= _NEEDED:
            if seen.code in TABLE_MAPS:
                self._read(seen, verdicts, f"column types that {type_name(seen.code)} can have")
            elif rows_kind(seen.code) is not None:
                expected = f"rows as the Table_map of table {seen.fields['table_id']} describes them"
                self._read(seen, verdicts, expected)

    def _read(self, seen: LogEvent, verdicts: Verdicts, expected: str) -> None:
        table_id, columns = seen.fields["table_id"], seen.fields["column_count"]
        try:
            if seen.code in ROWS_TYPES and columns and self._tables.has(table_id):
                table = self._tables.table(table_id)
                if len(table.columns) == columns:
                    deque(read_rows(seen.code, seen.fields, table), maxlen=0)
            self._tables.observe(seen.event, seen.fields)
        except LimitExceeded as error:
            raise error.located(seen.offset) from error
        except MalformedBody as error:
            verdicts.bad(BODY, seen.offset, f"{type_name(seen.code)}: {error}{seen.where}", expected)
