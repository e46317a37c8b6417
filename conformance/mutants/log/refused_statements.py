"""The mutants of the role `log` of statements that are refused or change nothing, and of what a session keeps."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from conformance.models.server.execution import run
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.scenario import Scenario
from conformance.models.server.session import AUTOMATIC, UNDEFINED, Session
from conformance.models.server.statements import (
    CreateTable,
    CreateTableSelect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    RenameTable,
    Savepoint,
    Statement,
)
from conformance.models.server.tables import TableName
from conformance.mutants.log.faults import Answer
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

#: Returns what a server kept before a statement, or changes it after the statement by what it kept.
_Before = Callable[[SourceServer, Session, Any], Any]
_After = Callable[[SourceServer, Session, Any, Any], None]


def _nothing(server: SourceServer, session: Session, statement: Any, kept: Any = None) -> None:
    """Keep nothing before a statement, or change nothing after it."""


def around(kind: type[Statement], *, before: _Before = _nothing, after: _After = _nothing) -> Answer:
    """Return the answer of a server that is changed before or after each statement of a kind."""

    def answer(request: Request) -> Observation:
        scenario: Scenario = scenario_of(request)
        server = SourceServer(scenario.settings)
        for index, each in enumerate(scenario.statements):
            session = server.session(each.session)
            kept = before(server, session, each) if isinstance(each, kind) else None
            run(server, index, each)
            if isinstance(each, kind):
                after(server, session, each, kept)
        return written(request, server.logs)

    return answer


def back(name: str) -> _After:
    """Return what gives a session its attribute of a name again, as it was kept."""
    return lambda server, session, statement, kept: setattr(session, name, kept)


def _move_table(server: SourceServer, session: Session, statement: RenameTable, kept: None) -> None:
    """Give the first table its new name, also where the statement was refused."""
    old, new = statement.pairs[0]
    table = server.base_table(old)
    if table is not None and new.database in server.databases and server.base_table(new) is None:
        del server.databases[old.database][old]
        table.name = new
        server.databases[new.database][new] = table


def _is_all_missing(server: SourceServer, session: Session, statement: DropTable) -> bool:
    return not any(name in session.temporary or server.base_table(name) for name in statement.tables)


def _not_temporary(server: SourceServer, session: Session, statement: DropTable) -> list[TableName]:
    return [name for name in statement.tables if statement.temporary and name not in session.temporary]


def _hidden(server: SourceServer, session: Session, statement: DropTable) -> list[TableName]:
    several = len(statement.tables) > 1 and not statement.temporary
    return [name for name in statement.tables if several and name in session.temporary]


def _drop_base(server: SourceServer, session: Session, statement: DropTable, kept: Sequence[TableName]) -> None:
    for name in kept:
        server.databases.get(name.database, {}).pop(name, None)


def _is_there(server: SourceServer, session: Session, statement: CreateTable) -> bool:
    return statement.temporary and statement.table in session.temporary


def _unlog(server: SourceServer, session: Session, statement: Statement, kept: bool) -> None:
    """Take what the statement has logged from the log, if it has changed nothing."""
    if kept and server.log.units[-1].statement == server.at and session.transaction is None:
        del server.log.units[-1]


def hide_transaction(server: SourceServer, session: Session, statement: Statement) -> Any:
    """Have no transaction open while a statement runs; return the one that is."""
    kept = session.transaction
    session.transaction = None
    return kept


def _as_unsafe(server: SourceServer, session: Session, statement: Insert) -> str:
    """Log a change of a plain temporary table as rows with MIXED, if its transaction has events."""
    kept = session.binlog_format
    table = session.temporary.get(statement.table)
    begun = session.transaction is not None and bool(session.transaction.events)
    if kept == "MIXED" and begun and table is not None and not table.transactional:
        session.binlog_format = "ROW"
    return kept


def _end_rows(server: SourceServer, session: Session, statement: Insert) -> None:
    """Go back to statements outside a transaction, although there are temporary tables."""
    if session.transaction is None:
        session.in_rows = False


def _place_of(server: SourceServer, session: Session, statement: Savepoint) -> int | None:
    savepoints = [] if session.transaction is None else session.transaction.savepoints
    return next((at for at, each in enumerate(savepoints) if each.name == statement.name), None)


def _move_back(server: SourceServer, session: Session, statement: Savepoint, kept: int | None) -> None:
    """Have a savepoint that is set again in the place of the first."""
    if kept is not None and session.transaction is not None:
        savepoints = session.transaction.savepoints
        savepoints.insert(kept, savepoints.pop())


def _take_gtid(server: SourceServer, session: Session, statement: Statement) -> str:
    kept, session.gtid_next = session.gtid_next, AUTOMATIC
    return kept


def _gtid(server: SourceServer, session: Session, statement: Statement) -> str:
    return session.gtid_next


def _give_back_unused(server: SourceServer, session: Session, statement: DropDatabase, kept: str) -> None:
    if statement.obstructed and session.gtid_next == UNDEFINED and kept not in server.executed:
        session.gtid_next = kept


def _use_up(server: SourceServer, session: Session, statement: CreateTableSelect, kept: None) -> None:
    if session.has_given_gtid and session.transaction is None:
        session.gtid_next = UNDEFINED


def _take_table(server: SourceServer, session: Session, statement: CreateTable) -> Any:
    """Take the table that a CREATE TABLE finds there from its database; return it."""
    if statement.if_not_exists or statement.temporary or server.base_table(statement.table) is None:
        return None
    return server.databases[statement.table.database].pop(statement.table)


def _put_back(server: SourceServer, session: Session, statement: CreateTable, kept: Any) -> None:
    if kept is not None:
        server.databases[statement.table.database][statement.table] = kept


LOG_REFUSED_STATEMENTS_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-refused-creation",
        "FORMAT-LOG-REFUSED",
        "a CREATE TABLE that is refused as the table exists is logged",
        answer=around(CreateTable, before=_take_table, after=_put_back),
    ),
    Mutant(
        "logs-rename-in-part",
        "WL3303-LOG-AS-ROWS",
        "a RENAME TABLE that is refused has renamed its first table",
        answer=around(RenameTable, after=_move_table),
        also=("WL3303-LOG-AS-STATEMENT",),
    ),
    Mutant(
        "logs-missing-drop-silent",
        "FORMAT-LOG-EVENTS",
        "a DROP TABLE IF EXISTS of no table that exists is not logged",
        answer=around(DropTable, before=_is_all_missing, after=_unlog),
    ),
    Mutant(
        "logs-temporary-drop-of-base",
        "FORMAT-LOG-EVENTS",
        "DROP TEMPORARY TABLE drops a table that is not temporary",
        answer=around(DropTable, before=_not_temporary, after=_drop_base),
        also=("WL3303-LOG-AS-ROWS", "WL3303-LOG-AS-STATEMENT"),
    ),
    Mutant(
        "logs-hidden-table-dropped",
        "WL3303-LOG-AS-STATEMENT",
        "a DROP TABLE of several tables drops also the one that a temporary table hides",
        answer=around(DropTable, before=_hidden, after=_drop_base),
        also=("WL3303-LOG-AS-ROWS",),
    ),
    Mutant(
        "logs-temporary-again-silent",
        "FORMAT-LOG-EVENTS",
        "a CREATE TEMPORARY TABLE IF NOT EXISTS of one that exists is not logged",
        answer=around(CreateTable, before=_is_there, after=_unlog),
        also=("WL7592-LOG-TEMPORARY-OUTSIDE",),
    ),
    Mutant(
        "logs-drop-commits-nothing",
        "WL3303-LOG-AS-ROWS",
        "DROP TABLE does not commit the open transaction",
        answer=around(DropTable, before=hide_transaction, after=back("transaction")),
        also=("FORMAT-LOG-EVENTS",),
    ),
    Mutant(
        "logs-plain-temporary-unsafe",
        "FORMAT-LOG-EVENTS",
        "a change of a temporary table that cannot be rolled back is unsafe in a transaction with MIXED",
        answer=around(Insert, before=_as_unsafe, after=back("binlog_format")),
    ),
    Mutant(
        "logs-rows-not-kept",
        "WL3303-LOG-AS-ROWS",
        "a session with temporary tables goes back to statements after an unsafe one with MIXED",
        answer=around(Insert, before=_end_rows),
    ),
    Mutant(
        "logs-savepoint-keeps-order",
        "FORMAT-LOG-SAVEPOINTS",
        "a savepoint that is set again is still before those that were set since",
        answer=around(Savepoint, before=_place_of, after=_move_back),
    ),
    Mutant(
        "logs-flush-keeps-gtid",
        "FORMAT-LOG-EVENTS",
        "FLUSH LOGS leaves a given GTID to the next transaction",
        answer=around(FlushLogs, before=_take_gtid, after=back("gtid_next")),
    ),
    Mutant(
        "logs-partial-drop-keeps-gtid",
        "WL7592-LOG-DROPDB-NAMED-SEVERAL",
        "a DROP DATABASE that fails and cannot be logged leaves its GTID to the next statement",
        answer=around(DropDatabase, before=_gtid, after=_give_back_unused),
    ),
    Mutant(
        "logs-refused-creation-takes-gtid",
        "WL3303-LOG-AS-STATEMENT",
        "a CREATE TABLE ... SELECT that is refused uses up the given GTID",
        answer=around(CreateTableSelect, after=_use_up),
        also=("WL3303-LOG-AS-ROWS",),
    ),
)
