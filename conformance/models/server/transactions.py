"""BEGIN, COMMIT, ROLLBACK and savepoints."""

from collections.abc import Sequence
from typing import Final

from conformance.models.server import events
from conformance.models.server.logged_event import LoggedEvent
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import OpenTransaction, SavepointPlace, Session, StatementRefused
from conformance.models.server.statements import Begin, Commit, Rollback, RollbackTo, Savepoint
from conformance.models.server.tables import Row, Table, quoted

_NO_SAVEPOINT: Final = 1305


def begin(server: SourceServer, session: Session, statement: Begin) -> None:
    """Open a transaction, after committing an open one."""
    commit_open(server, session)
    session.transaction = OpenTransaction()


def commit(server: SourceServer, session: Session, statement: Commit) -> None:
    """Commit the open transaction; with a given GTID an empty one is logged if there are no changes, or is none."""
    commit_open(server, session)
    if session.has_given_gtid and not server.skips(session):
        log_empty(server, session)
    session.release()


def log_empty(server: SourceServer, session: Session) -> None:
    """Write an empty transaction, which uses up a given GTID."""
    server.log_transaction(session, (), end=server.commit_query(session))


def commit_open(server: SourceServer, session: Session) -> None:
    """Commit the open transaction, if there is one."""
    transaction = session.transaction
    session.transaction = None
    if transaction is not None and transaction.events:
        end = server.xid() if transaction.changed else server.commit_query(session)
        _write(server, session, transaction, end)


def _write(server: SourceServer, session: Session, transaction: OpenTransaction, end: LoggedEvent) -> None:
    database = session.database if server.rules.begins_in_last_default else transaction.database
    server.log_transaction(session, transaction.events, end=end, database=database)


def rollback(server: SourceServer, session: Session, statement: Rollback) -> None:
    """Roll the open transaction back; it is logged only if it holds changes that cannot be undone."""
    roll_back_open(server, session)


def roll_back_open(server: SourceServer, session: Session) -> None:
    """Roll the open transaction back, if there is one."""
    transaction = session.transaction
    session.transaction = None
    if transaction is not None:
        undo_changes(server, session, transaction)
        _log_rolled_back(server, session, transaction)
    session.release()


def _log_rolled_back(server: SourceServer, session: Session, transaction: OpenTransaction) -> None:
    if transaction.irrevocable and transaction.events:
        end = server.query(session, events.ROLLBACK)
        _write(server, session, transaction, end)


def undo_changes(server: SourceServer, session: Session, transaction: OpenTransaction) -> None:
    """Undo a session's changes, but none of those that other sessions have made since."""
    for table, rows in transaction.before.items():
        _withdraw(server, session, table, rows)
        table.rows = rows


def share_new_rows(server: SourceServer, session: Session, table: Table, rows: Sequence[Row]) -> None:
    """Save the rows that a session inserts from being undone by the open transactions of other sessions."""
    for other in server.sessions.values():
        if other is not session and other.transaction is not None:
            other.transaction.add_foreign(table, rows)


def _withdraw(server: SourceServer, session: Session, table: Table, left: Sequence[Row]) -> None:
    """Remove the rows whose insertion a session undoes from those saved by other sessions' open transactions."""
    kept = set(map(id, left))
    gone = {id(row) for row in table.rows} - kept
    for other in server.sessions.values():
        if other is not session and other.transaction is not None:
            other.transaction.drop_foreign(table, gone)


def savepoint(server: SourceServer, session: Session, statement: Savepoint) -> None:
    """Set a savepoint; it is logged if something was logged before it."""
    transaction = session.transaction
    if transaction is None:
        return
    transaction.savepoints = [each for each in transaction.savepoints if each.name != statement.name]
    before = len(transaction.events)
    if transaction.registered:
        logged = server.query(session, f"SAVEPOINT {quoted(statement.name)}")
        transaction.keep((logged,), database=session.database)
    rows = {table: list(table.rows) for table in transaction.before}
    length = before if server.rules.savepoint_withdrawn else len(transaction.events)
    place = SavepointPlace(statement.name, length, rows, transaction.joined, transaction.registered)
    transaction.savepoints.append(place)


def rollback_to(server: SourceServer, session: Session, statement: RollbackTo) -> None:
    """Roll back to a savepoint: later events are dropped or, if they cannot be undone, ROLLBACK TO is logged.

    Raises:
        Refused: There is no such savepoint.
    """
    transaction = session.transaction
    savepoints = [] if transaction is None else transaction.savepoints
    place = next((each for each in savepoints if each.name == statement.name), None)
    if transaction is None or place is None:
        raise StatementRefused(_NO_SAVEPOINT, f"SAVEPOINT {statement.name} does not exist")
    del savepoints[savepoints.index(place) + 1 :]
    for table, before in transaction.before.items():
        rows = list(place.rows.get(table, before))
        _withdraw(server, session, table, rows)
        table.rows = rows
    # An engine that took part only after the savepoint does so no longer.
    transaction.joined = place.joined
    transaction.changed &= place.joined
    if not place.registered:
        # For the log the transaction began after the savepoint, so it is rolled back as a whole.
        stays = transaction.irrevocable and server.rules.plain_keeps_transaction
        transaction.irrevocable |= server.rules.plain_keeps_beginning and transaction.plain_changed
        _log_rolled_back(server, session, transaction)
        transaction.events, transaction.registered = [], False
        # What could not be undone is in the log now; only some servers still take it to be in the transaction.
        transaction.irrevocable = stays
        return
    # Events that were logged at once are before the transaction, which may then have none to roll back.
    kept = transaction.irrevocable or (server.rules.plain_keeps_savepoints and transaction.plain_changed)
    if kept and transaction.events:
        transaction.events.append(server.query(session, f"ROLLBACK TO {quoted(statement.name)}"))
    else:
        del transaction.events[place.length :]
