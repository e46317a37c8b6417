"""Classifies events as parts of a log: the role of each in its group, and the tables it concerns."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import QUERY_TYPES, ROWS_TYPES, EventType, Purpose, types_of
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.binlog.mariadb_compression import statement_of
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.total_table import total
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.sql_statement import read_statement
from conformance.models.filtering.table_name import TableName, as_text, named_by

#: Statements that are part of the structure of a log, with the name of the XA transaction if they have one.
_CONTROL: Final = (
    (re.compile(r"(?:BEGIN|START TRANSACTION)\s*", re.IGNORECASE), Part.BEGIN),
    (re.compile(r"(?:COMMIT|ROLLBACK)\s*", re.IGNORECASE), Part.END),
    (re.compile(r"XA (?:START|BEGIN) (?P<xa>.*)", re.IGNORECASE | re.DOTALL), Part.BEGIN),
    (re.compile(r"XA END .*", re.IGNORECASE | re.DOTALL), Part.MEMBER),
    (re.compile(r"XA (?:COMMIT|ROLLBACK) (?P<xa>.*?)(?: ONE PHASE)?", re.IGNORECASE | re.DOTALL), Part.XA_FINISH),
)


class EventParts:
    """Returns the part of its log that each event is.

    Args:
        statements: Whether to parse the statements of events whose tables info already names the tables.
        tables: Whether to find the tables of statements. The groups of a log do not depend on them.
    """

    def __init__(self, *, statements: bool, tables: bool = True) -> None:
        self._statements = statements
        self._tables = tables

    def part(self, event: Event, inner: Iterable[Event] = ()) -> LogPart:
        """Return the part of the log that an event is.

        Args:
            event: The event.
            inner: The events in it if it is a Transaction_payload; one of them is held at a time.

        Raises:
            MalformedBody: Its body contradicts its layout.
            ImportError: The tables are to be found of a statement that has no tables info, and the package sqlglot is
                not installed.
        """
        if not event.recognised:
            return LogPart(Part.MEMBER)
        code = event.format.type_code(event.header.type)
        if code in _READ:
            return _READ[code](self, event.fields())
        return LogPart(_PARTS.get(code, Part.LOG), inner=tuple(map(self.part, inner)))

    def _query(self, fields: Mapping[str, Any]) -> LogPart:
        sql = as_text(statement_of(fields))
        for pattern, part in _CONTROL:
            if match := pattern.fullmatch(sql):
                return LogPart(part, xa=match.groupdict().get("xa") or "")
        if not self._tables:
            return LogPart(Part.STATEMENT)
        database = as_text(fields["database"])
        if "tables_info" not in fields:
            parsed = read_statement(sql, database)
            return LogPart(Part.STATEMENT, parsed.tables, parsed)
        tables = named_by(fields["tables_info"], database)
        statement = read_statement(sql, database) if self._statements else None
        # Tables info decides, even for statements that the parser does not know.
        return LogPart(Part.STATEMENT, tables, statement if statement and statement.certain else None)

    def _table_map(self, fields: Mapping[str, Any]) -> LogPart:
        table = TableName(as_text(fields["database"]), as_text(fields["table"]))
        return LogPart(Part.TABLE_MAP, (table,), table_id=fields["table_id"])

    def _rows(self, fields: Mapping[str, Any]) -> LogPart:
        end = bool(fields.get("rows_flags", 0) & STATEMENT_END)
        return LogPart(Part.ROWS, table_id=fields.get("table_id", 0), statement_end=end)

    def _mariadb_gtid(self, fields: Mapping[str, Any]) -> LogPart:
        alone = fields["mariadb_gtid_flags"] & STANDALONE
        return LogPart(Part.MARKER if alone else Part.MARKER_AND_BEGIN)


#: What an event is to its group, by its type.
_PARTS: Final[Mapping[int, Part]] = total(
    f"{__name__}._PARTS",
    EventType,
    {
        EventType.TABLE_MAP: Part.TABLE_MAP,
        EventType.DELETE_FILE: Part.FILE_END,
        EventType.INCIDENT: Part.INCIDENT,
    },
    entry="what an event is to its group",
    rest={
        types_of(Purpose.LOG, Purpose.HEARTBEAT, Purpose.UNMODELLED): Part.LOG,
        types_of(Purpose.GTID, Purpose.ANNOUNCEMENT): Part.MARKER,
        types_of(Purpose.CONTEXT): Part.CONTEXT,
        types_of(Purpose.STATEMENT): Part.STATEMENT,
        types_of(Purpose.ROWS): Part.ROWS,
        types_of(Purpose.COMMIT): Part.END,
        types_of(Purpose.PAYLOAD): Part.PAYLOAD,
        types_of(Purpose.NOTE): Part.MEMBER,
    },
)
#: The types whose fields decide -> what reads them.
_READ: Final[Mapping[int, Callable[[EventParts, Mapping[str, Any]], LogPart]]] = {
    **dict.fromkeys(QUERY_TYPES, EventParts._query),
    **dict.fromkeys(ROWS_TYPES, EventParts._rows),
    EventType.TABLE_MAP: EventParts._table_map,
    EventType.MARIADB_GTID: EventParts._mariadb_gtid,
}
