"""Runs a scenario on the model: each statement by the handler of its kind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.total_table import check_complete
from conformance.models.server import (
    administration,
    definitions,
    drops,
    gtid_next,
    row_changes,
    statements,
    transactions,
)
from conformance.models.server.logged_event import PlannedLog
from conformance.models.server.logging_rules import LoggingRules, rules_of
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.scenario import Scenario
from conformance.models.server.session import Session, StatementRefused
from conformance.models.server.settings import Settings
from conformance.models.server.statement_forms import KINDS
from conformance.models.server.statements import Statement

Handler = Callable[[SourceServer, Session, Any], None]


def _disconnect(server: SourceServer, session: Session, statement: statements.Disconnect) -> None:
    drops.disconnect(server, session)


_HANDLERS: Final[dict[type[Statement], Handler]] = {
    statements.CreateDatabase: definitions.create_database,
    statements.DropDatabase: drops.drop_database,
    statements.CreateTable: definitions.create_table,
    statements.CreateTableLike: definitions.create_table_like,
    statements.CreateTableSelect: definitions.create_table_select,
    statements.DropTable: drops.drop_table,
    statements.RenameTable: definitions.rename_table,
    statements.AlterTable: definitions.alter_table,
    statements.Maintain: definitions.maintain,
    statements.Insert: row_changes.insert,
    statements.InsertSelect: row_changes.insert_select,
    statements.Update: row_changes.update,
    statements.UpdateTables: row_changes.update_tables,
    statements.Delete: row_changes.delete,
    statements.InternalRows: row_changes.internal_rows,
    statements.InsertGtids: row_changes.insert_gtids,
    statements.Begin: transactions.begin,
    statements.Commit: transactions.commit,
    statements.Rollback: transactions.rollback,
    statements.Savepoint: transactions.savepoint,
    statements.RollbackTo: transactions.rollback_to,
    statements.Use: administration.use,
    statements.SetUserVariable: administration.set_user_variable,
    statements.SetSession: administration.set_session,
    statements.SetGlobal: administration.set_global,
    statements.SetGtidPurged: administration.set_gtid_purged,
    statements.FlushLogs: administration.flush_logs,
    statements.PurgeLogs: administration.purge_logs,
    statements.Restart: administration.restart,
    statements.Crash: administration.crash,
    statements.Disconnect: _disconnect,
}
check_complete(f"{__name__}._HANDLERS", KINDS.values(), _HANDLERS, entry="what runs it")


@dataclass(frozen=True, slots=True)
class ExecutionOutcome:
    """The outcome of a statement.

    Attributes:
        error: The number of the error with which it was refused; None if it was run.
        message: The error's text.
    """

    error: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Logged:
    """The result of a scenario.

    Attributes:
        logs: The binary logs, oldest first.
        outcomes: One for each statement.
        server: The server in its final state.
    """

    logs: tuple[PlannedLog, ...]
    outcomes: tuple[ExecutionOutcome, ...]
    server: SourceServer


def log_of(scenario: Scenario, *, rules: Callable[[Settings], LoggingRules] = rules_of) -> Logged:
    """Run a scenario on a new server.

    Args:
        scenario: The scenario.
        rules: Returns how a server with given settings logs.
    """
    server = SourceServer(scenario.settings, rules=rules)
    outcomes = tuple(run(server, index, each) for index, each in enumerate(scenario.statements))
    return Logged(tuple(server.logs), outcomes, server)


def run(server: SourceServer, index: int, statement: Statement) -> ExecutionOutcome:
    """Run one statement.

    Args:
        server: The server, which changes.
        index: The statement's index in its scenario.
        statement: The statement.
    """
    server.at = index
    session = server.session(statement.session)
    session.begin_statement(keeps_rows=server.rules.temporary_keep_rows)
    try:
        _run(server, session, statement)
    except StatementRefused as refused:
        return ExecutionOutcome(refused.code, str(refused))
    return ExecutionOutcome()


def _run(server: SourceServer, session: Session, statement: Statement) -> None:
    if not gtid_next.permits(server, session, statement):
        return
    try:
        _HANDLERS[type(statement)](server, session, statement)
    except StatementRefused as refused:
        gtid_next.release(session, refused)
        raise
    gtid_next.use_up(server, session, statement)
