"""GTID_NEXT and statements: which of them it refuses or skips, and what becomes of a given GTID afterwards.

Source: MySQL 5.6.24, 5.7.22, 8.0.15 and 9.7.4; WL#7592, plan 9, on groups without changes.
"""

from typing import Final

from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import ANONYMOUS, AUTOMATIC, Session, StatementRefused
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Maintain,
    RenameTable,
    Restart,
    Rollback,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    SetUserVariable,
    Statement,
    Use,
)
from conformance.models.server.transactions import log_empty

_IMPLICIT_COMMIT: Final = 1778
#: The error of CREATE TABLE ... SELECT under GTID consistency: it is raised before the statement is a transaction.
CREATE_SELECT_REFUSED: Final = 1786

#: The statements that run whatever GTID_NEXT is.
_FREE: Final[frozenset[type[Statement]]] = frozenset(
    {Begin, Commit, Rollback, SetUserVariable, SetSession, SetGlobal, SetGtidPurged, Restart, Crash, Disconnect}
)
#: Those that end an open transaction and are one of their own, unless they are about temporary tables.
_DEFINITIONS: Final[frozenset[type[Statement]]] = frozenset(
    {
        CreateDatabase,
        DropDatabase,
        CreateTable,
        CreateTableLike,
        CreateTableSelect,
        DropTable,
        RenameTable,
        AlterTable,
        Maintain,
        FlushLogs,
    }
)


def permits(server: SourceServer, session: Session, statement: Statement) -> bool:
    """Return whether a statement runs; False if it is skipped, because its given GTID was executed before.

    Raises:
        StatementRefused: GTID_NEXT has to be set to something else before.
    """
    rules = server.rules
    if session.transaction is not None and _commits(server, statement):
        is_set = session.gtid_next != AUTOMATIC and rules.implicit_commit == "set"
        if session.has_given_gtid or is_set:
            raise StatementRefused(
                _IMPLICIT_COMMIT, "Cannot execute statements with implicit commit inside a transaction"
            )
    if type(statement) in _FREE or (isinstance(statement, Use) and not rules.use_needs_gtid_next):
        return True
    server.check_gtid_next(session)
    if not server.skips(session):
        session.owns_anonymous = session.gtid_next == ANONYMOUS and rules.owns_anonymous
        return True
    if session.transaction is None and type(statement) in _DEFINITIONS:
        session.release()
    return False


def use_up(server: SourceServer, session: Session, statement: Statement) -> None:
    """Use up what GTID_NEXT gave to a definition outside transactions: a GTID, if need be, by an empty group."""
    if session.transaction is not None or type(statement) not in _DEFINITIONS:
        return
    if session.has_given_gtid and not _reads(server, statement):
        log_empty(server, session)
    session.release()


def release(session: Session, refused: StatementRefused) -> None:
    """Release what GTID_NEXT gave where a statement was refused outside transactions, one that sets a variable too."""
    if session.transaction is None and refused.code != CREATE_SELECT_REFUSED:
        session.release()


def _commits(server: SourceServer, statement: Statement) -> bool:
    """Return whether a statement commits an open transaction before it runs.

    MySQL 5.6.24 runs BEGIN whatever GTID_NEXT is.
    """
    if isinstance(statement, Begin):
        return server.rules.implicit_commit == "given"
    temporary = getattr(statement, "temporary", False)
    return type(statement) in _DEFINITIONS and not temporary and not _reads(server, statement)


def _reads(server: SourceServer, statement: Statement) -> bool:
    """Return whether a statement is CHECKSUM TABLE where that is not logged: it changes nothing."""
    return isinstance(statement, Maintain) and statement.action == "checksum" and not server.rules.checksum_table
