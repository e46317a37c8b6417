"""The events that the model plans: one function for each type."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.layouts.by_type import LOGICAL_TIMESTAMP_TYPECODE
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.images import ROWS_KINDS, RowsKind
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.servers import Server
from conformance.binlog.status_variables import write_status_variables
from conformance.models.server.gtid import Gtid
from conformance.models.server.logged_event import LoggedEvent
from conformance.models.server.tables import Row, Table, TableName

BEGIN: Final = b"BEGIN"
COMMIT: Final = b"COMMIT"
ROLLBACK: Final = b"ROLLBACK"

#: The settings of the model's sessions: servers write at least these with every statement.
SESSION_STATUS: Final = {
    "flags2": 0,
    "sql_mode": 0,
    "catalog": b"std",
    "charset": {"character_set_client": 45, "collation_connection": 45, "collation_server": 45},
}
_STATUS_VARIABLES: Final = write_status_variables(SESSION_STATUS)

_INTEGER_RESULT: Final = 2
_BINARY: Final = 63
_INSERT_ID: Final = 2


def query(
    statement: bytes,
    *,
    database: str,
    thread_id: int,
    flags: int = 0,
    tables: Sequence[TableName] = (),
    generated: bool = False,
) -> LoggedEvent:
    """Return a Query event.

    Args:
        statement: Its text.
        database: The session's default database; empty for none.
        thread_id: Number of the session's thread.
        flags: The flags word.
        tables: The tables in its tables info.
        generated: Whether the server wrote the text itself.
    """
    tuples = tuple(
        {"database": b"" if each.database == database else each.database.encode(), "table": each.table.encode()}
        for each in tables
    )
    fields = {
        "thread_id": thread_id,
        "exec_time": 0,
        "error_code": 0,
        "status_variables": _STATUS_VARIABLES,
        "database": database.encode(),
        "query": statement,
        "tables_info": tuples,
    }
    return LoggedEvent(EventType.QUERY, fields, flags, generated=generated)


def xid(number: int) -> LoggedEvent:
    """Return an Xid event."""
    return LoggedEvent(EventType.XID, {"xid": number})


def rows_query(statement: str, *, leading: str) -> LoggedEvent:
    """Return a Rows_query event; `leading` is put before the statement's text."""
    return LoggedEvent(EventType.ROWS_QUERY, {"rows_query": f"{leading}{statement}".encode()}, int(Flag.IGNORABLE))


def annotate_rows(statement: str) -> LoggedEvent:
    """Return MariaDB's event for the statement's text."""
    return LoggedEvent(EventType.MARIADB_ANNOTATE_ROWS, {"rows_query": statement.encode()})


def table_map(table: Table) -> LoggedEvent:
    """Return the Table_map event of a table."""
    columns = table.columns
    # Only the auto-increment column is NOT NULL.
    null_bits = 0b01
    fields = {
        "table_id": table.table_id,
        "table_flags": 1,
        "database": table.name.database.encode(),
        "table": table.name.table.encode(),
        "column_types": bytes([ColumnType.LONG]) * columns,
        "column_metadata": b"",
        "null_bits": bytes([null_bits]),
        "optional_metadata": b"",
    }
    return LoggedEvent(EventType.TABLE_MAP, fields)


def image(row: Row | None) -> bytes:
    """Return the image of a row: a bit for each NULL, then the values."""
    if row is None:
        return b""
    nulls = sum(1 << index for index, value in enumerate(row) if value is None)
    return bytes([nulls]) + b"".join(value.to_bytes(4, "little", signed=True) for value in row if value is not None)


def rows_events(
    server: Server, table: Table, kind: RowsKind, rows: Iterable[tuple[Row | None, Row | None]], *, limit: int
) -> list[LoggedEvent]:
    """Return the rows events of one table's changes, none of them the statement's last yet.

    Args:
        server: The server, whose version of rows events they are.
        table: The table.
        kind: What happened to the rows.
        rows: The row before and after the change, None for a missing one.
        limit: The length after the header, in bytes, at which a new event is begun.
    """
    code = EventType(server.rows_events[ROWS_KINDS.index(kind)])
    # One byte of bits gives the columns that the images hold: all of them.
    head = bytes([table.columns]) + b"\xff" * (2 if kind == "update" else 1)
    fixed = server.post_header_lengths[code - 1] + len(head)
    events: list[LoggedEvent] = []
    data = b""
    held: list[Any] = []
    for before, after in rows:
        images = image(before) + image(after)
        if held and fixed + len(data) + len(images) > limit:
            events.append(_rows_event(code, table, head + data, held))
            data, held = b"", []
        data += images
        held.append((before, after))
    events.append(_rows_event(code, table, head + data, held))
    return events


def _rows_event(code: EventType, table: Table, data: bytes, rows: list[Any]) -> LoggedEvent:
    fields = {"table_id": table.table_id, "rows_flags": 0, "row_data": data}
    return LoggedEvent(code, fields, rows=tuple(rows))


def ending_statement(event: LoggedEvent) -> LoggedEvent:
    """Return a rows event with the flag of the last one of its statement."""
    fields = {**event.fields, "rows_flags": event.fields["rows_flags"] | STATEMENT_END}
    return replace(event, fields=fields)


def insert_id(value: int) -> LoggedEvent:
    """Return the Intvar event of an auto-increment value."""
    return LoggedEvent(EventType.INTVAR, {"intvar_type": _INSERT_ID, "intvar_value": value})


def rand(seed: int) -> LoggedEvent:
    """Return a Rand event."""
    return LoggedEvent(EventType.RAND, {"seed1": seed, "seed2": seed + 1})


def user_variable(name: str, value: int | None) -> LoggedEvent:
    """Return the User_var event of an integer; None for a variable that was not set."""
    fields: dict[str, Any] = {"variable_name": name.encode()}
    if value is not None:
        fields |= {
            "variable_type": _INTEGER_RESULT,
            "variable_charset": _BINARY,
            "variable_value": value.to_bytes(8, "little", signed=True),
            "variable_flags": 0,
        }
    return LoggedEvent(EventType.USER_VAR, fields)


def gtid(identifier: Gtid | None, *, form: str, flags: int, with_statements: bool) -> LoggedEvent:
    """Return a Gtid or Anonymous_gtid event; fields that depend on its place are filled in when it is written.

    Args:
        identifier: The GTID; None for an Anonymous_gtid event.
        form: The longest form that the server writes, see `Server.gtid_form`.
        flags: The flags word.
        with_statements: Whether the transaction may hold changes logged as statements.
    """
    fields: dict[str, Any] = {
        "gtid_flags": int(with_statements),
        "source_uuid": identifier.uuid if identifier else bytes(16),
        "gno": identifier.gno if identifier else 0,
    }
    if identifier is not None and identifier.tag:
        return LoggedEvent(EventType.GTID_TAGGED, {**fields, "tag": identifier.tag.encode()}, flags)
    if form != "5.6":
        fields["logical_timestamp_typecode"] = LOGICAL_TIMESTAMP_TYPECODE
    return LoggedEvent(EventType.ANONYMOUS_GTID if identifier is None else EventType.GTID, fields, flags)


def mariadb_gtid(gno: int, *, flags: int) -> LoggedEvent:
    """Return MariaDB's Gtid event of the domain 0."""
    return LoggedEvent(EventType.MARIADB_GTID, {"gno": gno, "domain_id": 0, "mariadb_gtid_flags": flags})


def gtid_list(server_id: int, gno: int) -> LoggedEvent:
    """Return MariaDB's list of the last GTID of each domain: one GTID or none."""
    entries = ({"domain_id": 0, "server_id": server_id, "gno": gno},) if gno else ()
    return LoggedEvent(EventType.MARIADB_GTID_LIST, {"gtid_list": entries})


def binlog_checkpoint(name: str) -> LoggedEvent:
    """Return MariaDB's event that names the oldest log that recovery needs."""
    return LoggedEvent(EventType.MARIADB_BINLOG_CHECKPOINT, {"log_name": name.encode()})


def previous_gtids(gtids: GtidSet, *, flags: int) -> LoggedEvent:
    """Return a Previous_gtids event."""
    return LoggedEvent(EventType.PREVIOUS_GTIDS, {"previous_gtids": gtids}, flags)


def rotate(next_file: str) -> LoggedEvent:
    """Return the Rotate event that ends a log."""
    return LoggedEvent(EventType.ROTATE, {"next_position": 4, "next_file": next_file.encode()})


def stop() -> LoggedEvent:
    """Return a Stop event."""
    return LoggedEvent(EventType.STOP, {})
