"""Classifies events as parts of a log: the role of each in its group, and the tables it concerns."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.binlog.mariadb_compression import unpack_mariadb
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.rows.open_tables import STATEMENT_END
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
    """

    def __init__(self, *, statements: bool) -> None:
        self._statements = statements

    def part(self, event: Event, inner: tuple[Event, ...] = ()) -> LogPart:
        """Return the part of the log that an event is.

        Args:
            event: The event.
            inner: The events in it if it is a Transaction_payload.

        Raises:
            MalformedBody: Its body contradicts its layout.
            ImportError: A statement has no tables info, and the package sqlglot is not installed.
        """
        if not event.recognised:
            return LogPart(Part.MEMBER)
        code = event.format.type_code(event.header.type)
        if rows_kind(code) is not None or code in _PRE_GA_ROWS:
            fields = event.fields()
            end = bool(fields.get("rows_flags", 0) & STATEMENT_END)
            return LogPart(Part.ROWS, table_id=fields.get("table_id", 0), statement_end=end)
        if code == EventType.TRANSACTION_PAYLOAD:
            return LogPart(Part.PAYLOAD, inner=tuple(map(self.part, inner)))
        if code in _READ:
            return _READ[code](self, event.fields())
        return LogPart(_PARTS.get(code, Part.LOG))

    def _query(self, fields: Mapping[str, Any]) -> LogPart:
        sql = as_text(fields["query"] if "query" in fields else unpack_mariadb(fields["compressed_query"]))
        for pattern, part in _CONTROL:
            if match := pattern.fullmatch(sql):
                return LogPart(part, xa=match.groupdict().get("xa") or "")
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

    def _mariadb_gtid(self, fields: Mapping[str, Any]) -> LogPart:
        alone = fields["mariadb_gtid_flags"] & STANDALONE
        return LogPart(Part.MARKER if alone else Part.MARKER_AND_BEGIN)


_READ: Final[Mapping[int, Callable[[EventParts, Mapping[str, Any]], LogPart]]] = {
    EventType.QUERY: EventParts._query,
    EventType.EXECUTE_LOAD_QUERY: EventParts._query,
    EventType.MARIADB_QUERY_COMPRESSED: EventParts._query,
    EventType.TABLE_MAP: EventParts._table_map,
    EventType.MARIADB_GTID: EventParts._mariadb_gtid,
}
_PRE_GA_ROWS: Final = frozenset(
    {EventType.PRE_GA_WRITE_ROWS, EventType.PRE_GA_UPDATE_ROWS, EventType.PRE_GA_DELETE_ROWS}
)
#: Event type -> its part, if the type alone decides; every other type is part of the log.
_PARTS: Final[Mapping[int, Part]] = {
    **dict.fromkeys(
        (
            EventType.GTID,
            EventType.ANONYMOUS_GTID,
            EventType.GTID_TAGGED,
            EventType.TRANSACTION_CONTEXT,
            EventType.LARGE_TRANSACTION_HEADER,
        ),
        Part.MARKER,
    ),
    **dict.fromkeys((EventType.XID, EventType.XA_PREPARE), Part.END),
    **dict.fromkeys(
        (
            EventType.INTVAR,
            EventType.RAND,
            EventType.USER_VAR,
            EventType.ROWS_QUERY,
            EventType.MARIADB_ANNOTATE_ROWS,
            EventType.BEGIN_LOAD_QUERY,
            EventType.APPEND_BLOCK,
        ),
        Part.CONTEXT,
    ),
    EventType.DELETE_FILE: Part.FILE_END,
    EventType.VIEW_CHANGE: Part.STATEMENT,
    EventType.IGNORABLE: Part.MEMBER,
}
