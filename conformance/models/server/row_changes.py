"""Statements that change rows, logged as rows or as statements, in the transaction to which they belong."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.rows.images import RowsKind
from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.models.server import events
from conformance.models.server.logged_event import LoggedEvent
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import OpenTransaction, Session
from conformance.models.server.sql import COMPUTED_VALUES, sql_of
from conformance.models.server.statements import (
    Delete,
    Insert,
    InsertGtids,
    InsertSelect,
    InternalRows,
    Statement,
    Update,
    UpdateTables,
)
from conformance.models.server.tables import Row, Table
from conformance.models.server.transactions import share_new_rows

#: A change of one table's rows: the table, the kind of change, and the rows before and after it.
Change = tuple[Table, RowsKind, list[tuple[Row | None, Row | None]]]

MIXED_ENGINES_REFUSED: Final = 1785


def insert(server: SourceServer, session: Session, statement: Insert) -> None:
    """Run an INSERT."""
    table = server.table(session, statement.table)
    values: list[int | None] = list(statement.values)
    if statement.computed:
        values.append(_computed(server, session, statement.computed))
    first_id = table.next_id
    context: list[LoggedEvent] = []
    if table.auto_increment:
        context.append(events.insert_id(first_id))
    if statement.computed == "rand":
        context.append(events.rand(server.clock))
    if statement.computed == "variable":
        context.append(events.user_variable("v", session.user_variable))
    unsafe = statement.computed in _UNSAFE or (statement.computed == "rand" and server.rules.rand_is_unsafe)
    change: Change = (table, "write", [(None, row) for row in _new_rows(table, values)])
    _log_change(server, session, statement, [change], context=context, unsafe=unsafe)


#: What makes an INSERT unsafe as a statement on all servers.
_UNSAFE: Final = frozenset({"uuid", "session_option", "global_option"})


def _computed(server: SourceServer, session: Session, kind: str) -> int | None:
    """Return the value that a session computes."""
    if kind == "session_option":
        return int(session.binlog_rows_query_log_events)
    if kind == "global_option":
        return int(server.settings.binlog_rows_query_log_events)
    return COMPUTED_VALUES.get(kind, session.user_variable)


def insert_gtids(server: SourceServer, session: Session, statement: InsertGtids) -> None:
    """Insert how a set of the server's GTIDs compares with a given one."""
    table = server.table(session, statement.table)
    own = server.executed if statement.variable == "gtid_executed" else server.purged
    given = GtidSet.from_text(statement.gtids)
    context = [events.insert_id(table.next_id)] if table.auto_increment else []
    holds_given = not ExecutedGtids(given).missing_in(own.gtids()).sources
    is_in_given = not own.missing_in(given).sources
    change: Change = (table, "write", [(None, row) for row in _new_rows(table, [holds_given + 2 * is_in_given])])
    _log_change(server, session, statement, [change], context=context, unsafe=True)


def _new_rows(table: Table, values: Sequence[int | None]) -> list[Row]:
    """Return new rows with these values of `a`, numbered if the table has an auto-increment column.

    The numbers are used once the rows are there: a statement that is refused uses none.
    """
    first = table.next_id
    return [(value, first + at) if table.auto_increment else (value,) for at, value in enumerate(values)]


def insert_select(server: SourceServer, session: Session, statement: InsertSelect) -> None:
    """Run an INSERT ... SELECT."""
    table, source = server.table(session, statement.table), server.table(session, statement.source)
    first_id = table.next_id
    context = [events.insert_id(first_id)] if table.auto_increment and source.rows else []
    new = _new_rows(table, [row[0] for row in source.rows])
    # The numbers that rows get depend on the order in which the source is read.
    unsafe = table.auto_increment and server.rules.numbered_select_is_unsafe
    change: Change = (table, "write", [(None, row) for row in new])
    _log_change(server, session, statement, [change], context=context, unsafe=unsafe, reads=(source,))
    if table.engine == "innodb":
        table.next_id = first_id + _reserved(len(new))


def _reserved(rows: int) -> int:
    """Return how many numbers InnoDB reserves for rows whose count it does not know before: 1, then 2, 4, ... more.

    Seen on MySQL 9.7.4, MariaDB 10.11 and 11.8, in all logging formats; MyISAM and MEMORY reserve none.
    """
    return (1 << rows.bit_length()) - 1


def _incremented(table: Table) -> list[tuple[Row | None, Row | None]]:
    return [(row, (row[0] + 1, *row[1:])) for row in table.rows if row[0] is not None]


def update(server: SourceServer, session: Session, statement: Update) -> None:
    """Run an UPDATE of one table."""
    table = server.table(session, statement.table)
    if not table.transactional and not table.rows and not server.rules.idle_update_of_plain:
        return
    _log_change(server, session, statement, [(table, "update", _incremented(table))])


def update_tables(server: SourceServer, session: Session, statement: UpdateTables) -> None:
    """Run an UPDATE of two tables."""
    tables = [server.table(session, name) for name in (statement.first, statement.second)]
    whole = all(table.rows for table in tables)
    changes: list[Change] = [(table, "update", _incremented(table) if whole else []) for table in tables]
    apart = server.rules.idle_join_apart and not whole and all(table.transactional for table in tables)
    _log_change(server, session, statement, changes, apart=apart)


def delete(server: SourceServer, session: Session, statement: Delete) -> None:
    """Run a DELETE."""
    table = server.table(session, statement.table)
    change: Change = (table, "delete", [(row, None) for row in table.rows])
    _log_change(server, session, statement, [change], always_changes=True)


def internal_rows(server: SourceServer, session: Session, statement: InternalRows) -> None:
    """Insert rows that come from no statement's text; they are logged as rows whatever the format."""
    table = server.table(session, statement.table)
    if session.transaction is not None:
        session.transaction.joined |= table.transactional
    change: Change = (table, "write", [(None, row) for row in _new_rows(table, statement.values)])
    _apply(server, session, change)
    _log(server, session, _as_rows(server, session, [change], text=None), [change], changed=True, as_rows=True)


def _log_change(
    server: SourceServer,
    session: Session,
    statement: Statement,
    changes: list[Change],
    *,
    context: Sequence[LoggedEvent] = (),
    unsafe: bool = False,
    reads: Sequence[Table] = (),
    always_changes: bool = False,
    apart: bool = False,
) -> None:
    """Apply a statement's changes and log them.

    Args:
        server: The server.
        session: The session.
        statement: The statement.
        changes: The changes of its tables.
        context: The events that must come before the statement if it is logged as a statement.
        unsafe: Whether it is unsafe as a statement.
        reads: The tables that it reads.
        always_changes: Whether the engine takes part even if no row changes.
        apart: Whether it is logged as if it changed nothing that can be rolled back.
    """
    tables = [table for table, _, _ in changes]
    _check_engines(server, session, tables)
    temporary = any(table.temporary for table in (*tables, *reads))
    unsafe |= temporary and server.rules.temporary_follow_mixed
    mixed = len({table.transactional for table in tables}) > 1
    unsafe |= session.transaction is not None and _is_unsafe_in(session.transaction, tables, reads)
    if unsafe:
        session.log_unsafe()
    as_rows = session.in_rows
    if session.transaction is not None:
        session.transaction.joined |= any(table.transactional for table in (*tables, *reads))
    for change in changes:
        _apply(server, session, change)
    if as_rows and mixed:
        _log_separately(server, session, changes, text=sql_of(statement))
        return
    if as_rows:
        logged = _as_rows(server, session, changes, text=sql_of(statement))
    else:
        flags = int(Flag.THREAD_SPECIFIC) if temporary else 0
        named = [table.name for table in (*tables, *reads)]
        # An INSERT without rows has no context events.
        query = server.text(session, statement, flags=flags, tables=named)
        logged = [*context, query]
    takes_part = any(
        (rows or always_changes) and table.transactional and not table.temporary for table, _, rows in changes
    )
    _log(server, session, logged, changes, changed=takes_part, as_rows=as_rows, apart=apart)


def _is_unsafe_in(transaction: OpenTransaction, tables: Sequence[Table], reads: Sequence[Table]) -> bool:
    """Return whether a statement is unsafe in a transaction: it mixes changes that can and cannot be rolled back.

    Temporary tables do no harm.
    """
    plain = any(not table.transactional and not table.temporary for table in (*tables, *reads))
    return plain and (any(table.transactional for table in tables) or bool(transaction.events))


def _log_separately(server: SourceServer, session: Session, changes: Sequence[Change], *, text: str | None) -> None:
    """Log the rows of transactional and non-transactional tables separately, the latter first."""
    plain, kept = ([change for change in changes if change[0].transactional is each] for each in (False, True))
    first = changes[0] in plain or server.rules.text_with_plain
    lone_plain, lone_kept = _lone_maps(server, session, changes)
    parts = [
        (plain, _as_rows(server, session, plain, text=text if first else None, lone=lone_plain)),
        (kept, _as_rows(server, session, kept, text=None if first else text, lone=lone_kept)),
    ]
    together = session.transaction is None and not server.rules.engines_apart
    if together and any(rows for _, _, rows in kept):
        parts = [(list(changes), [event for _, logged in parts for event in logged])]
    for part, logged in parts:
        changed = part is not plain and any(table.transactional and rows for table, _, rows in part)
        _log(server, session, logged, part, changed=changed, as_rows=True)


def _lone_maps(server: SourceServer, session: Session, changes: Sequence[Change]) -> tuple[bool, bool]:
    """Return whether non-transactional and transactional tables are mapped if rows change in the others alone."""
    written = any(rows and not table.temporary for table, _, rows in changes)
    always = written and server.rules.lone_maps == "always"
    inside = session.transaction is not None and bool(session.transaction.events)
    return always, always or (written and inside and server.rules.lone_maps == "within")


def _check_engines(server: SourceServer, session: Session, tables: Sequence[Table]) -> None:
    # A temporary table is exempt where the statement is logged as rows, which have none of it.
    exempt = session.in_rows or (session.binlog_format == "MIXED" and server.rules.temporary_follow_mixed)
    plain = any(not table.transactional and not (table.temporary and exempt) for table in tables)
    mixed = plain and any(table.transactional for table in tables)
    later = session.transaction is not None and session.transaction.events
    if plain and (mixed or later):
        what = "updates to non-transactional tables can only be done in either autocommitted statements"
        server.forbid(session, MIXED_ENGINES_REFUSED, f"{what} or single-statement transactions")


def _apply(server: SourceServer, session: Session, change: Change) -> None:
    table, kind, rows = change
    if session.transaction is not None and table.transactional:
        session.transaction.remember(table)
    if kind == "write":
        new = [after for _, after in rows if after is not None]
        table.rows = [*table.rows, *new]
        table.next_id += len(new)
        share_new_rows(server, session, table, new)
    elif kind == "delete":
        table.rows = []
    else:
        changed = dict(zip(map(id, (before for before, _ in rows)), (after for _, after in rows), strict=True))
        table.rows = [changed.get(id(row)) or row for row in table.rows]


def _as_rows(
    server: SourceServer, session: Session, changes: Sequence[Change], *, text: str | None, lone: bool = False
) -> list[LoggedEvent]:
    """Return the events of changed rows, after the statement's text if wanted; temporary tables have none.

    With `lone`, tables are mapped even if none of their rows changes.
    """
    mapped = [table for table, _, _ in changes if not table.temporary]
    logged = [change for change in changes if change[2] and not change[0].temporary]
    if not logged and not (lone and mapped):
        return []
    made: list[LoggedEvent] = []
    if text is not None and server.rules.gtid_events == "mariadb":
        made.append(events.annotate_rows(text))
    elif text is not None and session.binlog_rows_query_log_events and server.settings.profile in WITH_ROWS_QUERIES:
        made.append(events.rows_query(text, leading=server.rules.rows_query_prefix))
    # Every table that the statement may change is mapped, also one in which it changes nothing.
    made += map(events.table_map, mapped)
    limit = server.settings.binlog_row_event_max_size
    for table, kind, rows in logged:
        made += events.rows_events(server.server, table, kind, rows, limit=limit)
    if logged:
        made[-1] = events.ending_statement(made[-1])
    return made


def rows_of_new_table(server: SourceServer, session: Session, table: Table, *, text: str) -> list[LoggedEvent]:
    """Return the events of the rows with which a table is created."""
    return _as_rows(server, session, [(table, "write", [(None, row) for row in table.rows])], text=text)


def _log(
    server: SourceServer,
    session: Session,
    logged: list[LoggedEvent],
    changes: Sequence[Change],
    *,
    changed: bool,
    as_rows: bool,
    apart: bool = False,
) -> None:
    """Write the events of a statement, or keep them for the end of its transaction."""
    if not logged:
        if changed and session.transaction is not None:
            session.transaction.changed = True
        return
    logged = [replace(event, statement=server.at) for event in logged]
    # A statement on tables of both kinds is logged with the changes that can be rolled back.
    kept = not apart and any(table.transactional for table, _, _ in changes)
    plain = any(rows and not table.transactional for table, _, rows in changes)
    transaction = session.transaction
    if transaction is not None:
        transaction.registered = True
        transaction.plain_changed |= plain
        by_statement = session.binlog_format == "STATEMENT" and server.rules.plain_keeps_transaction
        transaction.irrevocable |= by_statement and plain
    if transaction is not None and (kept or (not as_rows and transaction.events)):
        transaction.keep(logged, database=session.database)
        transaction.changed |= changed
        transaction.irrevocable |= plain
        return
    # Changes that no engine can roll back are logged at once, before the transaction in which they were made.
    end = server.xid() if kept and changed else server.commit_query(session)
    server.log_transaction(session, logged, end=end)
