"""Statements that define databases and tables, except those that drop tables."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.models.server import events
from conformance.models.server.gtid_next import CREATE_SELECT_REFUSED
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.row_changes import rows_of_new_table
from conformance.models.server.session import Session, StatementRefused
from conformance.models.server.sql import COMPUTED_VALUES, sql_of
from conformance.models.server.statements import (
    AlterTable,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Maintain,
    RenameTable,
)
from conformance.models.server.tables import Row, Table, TableName
from conformance.models.server.tables_info import list_of_rename
from conformance.models.server.transactions import commit_open

#: The number of the error with which temporary tables inside a transaction are refused, before 8.0.
TEMPORARY_REFUSED: Final = 1787
_TEMPORARY_REFUSED_SINCE_8_0: Final = 3748
_EXISTS: Final = 1050
_NO_DATABASE: Final = 1049


def create_database(server: SourceServer, session: Session, statement: CreateDatabase) -> None:
    """Create a database."""
    commit_open(server, session)
    if statement.database in server.databases:
        raise StatementRefused(1007, f"Can't create database '{statement.database}'; database exists")
    server.databases[statement.database] = {}
    server.log_alone(session, server.text(session, statement, database=statement.database))


def create_table(server: SourceServer, session: Session, statement: CreateTable) -> None:
    """Create a table without rows."""
    made = Table(statement.table, statement.engine, statement.temporary, auto_increment=statement.auto_increment)
    _create(server, session, statement, made, listed=(statement.table,))


def create_table_like(server: SourceServer, session: Session, statement: CreateTableLike) -> None:
    """Create a table like another one; in row format, columns are logged if that one is temporary and so not logged."""
    like = server.table(session, statement.like)
    made = Table(statement.table, like.engine, statement.temporary, auto_increment=like.auto_increment)
    hidden = like.temporary and not _logs_temporary(server, session)
    condition = "IF NOT EXISTS " if statement.if_not_exists else ""
    generated = f"CREATE TABLE {condition}{statement.table.quoted} {made.definition}" if hidden else None
    listed = (statement.table,) if hidden else (statement.table, statement.like)
    _create(server, session, statement, made, listed=listed, generated=generated)


def _create(
    server: SourceServer,
    session: Session,
    statement: CreateTable | CreateTableLike,
    made: Table,
    *,
    listed: tuple[TableName, ...],
    generated: str | None = None,
) -> None:
    if made.temporary:
        _create_temporary(server, session, statement, made, listed=listed)
        return
    commit_open(server, session)
    exists = _exists(server, made.name)
    if exists and not statement.if_not_exists:
        raise StatementRefused(_EXISTS, f"Table '{made.name}' already exists")
    if not exists:
        server.databases[made.name.database][made.name] = server.number_table(made)
    elif not (server.rules.needless_like if generated else server.rules.needless_create):
        return
    text = generated or sql_of(statement) or ""
    server.log_alone(session, server.query(session, text, tables=listed, generated=generated is not None))


def _exists(server: SourceServer, name: TableName) -> bool:
    if name.database not in server.databases:
        raise StatementRefused(_NO_DATABASE, f"Unknown database '{name.database}'")
    return name in server.databases[name.database]


def _logs_temporary(server: SourceServer, session: Session) -> bool:
    """Return whether the creation of a temporary table is logged: a replica that gets rows does not need it."""
    return not session.in_rows and not (server.rules.temporary_follow_mixed and session.binlog_format == "MIXED")


def check_temporary(server: SourceServer, session: Session) -> None:
    """Check that a temporary table may be created or dropped now.

    Raises:
        Refused: GTID consistency forbids it inside a transaction; from 8.0 on only if it would be logged.
    """
    forbidden = not server.rules.atomic_ddl or _logs_temporary(server, session)
    if forbidden and session.transaction is not None:
        what = "CREATE TEMPORARY TABLE and DROP TEMPORARY TABLE can only be executed outside transactional context."
        code = _TEMPORARY_REFUSED_SINCE_8_0 if server.rules.atomic_ddl else TEMPORARY_REFUSED
        server.forbid(session, code, what)


def keep_transaction(server: SourceServer, session: Session) -> None:
    """Record that the open transaction created or dropped a temporary table."""
    if session.transaction is not None and server.rules.temporary_keeps_transaction:
        session.transaction.irrevocable = True


def log_temporary(
    server: SourceServer,
    session: Session,
    text: str,
    *,
    tables: tuple[TableName, ...],
    transactional: bool,
    generated: bool = False,
) -> None:
    """Log the creation or the drop of temporary tables; an open transaction stays open and includes it.

    Args:
        server: The server.
        session: The session.
        text: The statement.
        tables: The tables that it names.
        transactional: Whether these tables are transactional.
        generated: Whether the server writes the statement itself.
    """
    query = server.query(session, text, flags=int(Flag.THREAD_SPECIFIC), tables=tables, generated=generated)
    rules, transaction = server.rules, session.transaction
    if transaction is None:
        server.log_alone(session, query)
        return
    transaction.registered = True
    apart = not transaction.events or (session.in_rows and rules.plain_drop_apart)
    if rules.plain_temporary_at_once and apart and not transactional:
        server.log_transaction(session, [query], end=server.commit_query(session))
    else:
        transaction.keep((query,), database=session.database)
        transaction.irrevocable = True


def _create_temporary(
    server: SourceServer,
    session: Session,
    statement: CreateTable | CreateTableLike | CreateTableSelect,
    made: Table,
    *,
    listed: tuple[TableName, ...],
) -> None:
    check_temporary(server, session)
    _exists(server, made.name)
    if made.name in session.temporary:
        if statement.if_not_exists:
            if isinstance(statement, CreateTableSelect):
                return
            _log_created(server, session, statement, made, listed=listed)
            return
        raise StatementRefused(_EXISTS, f"Table '{made.name}' already exists")
    made.logged = _logs_temporary(server, session)
    session.temporary[made.name] = made
    keep_transaction(server, session)
    _log_created(server, session, statement, made, listed=listed)


def _log_created(
    server: SourceServer,
    session: Session,
    statement: CreateTable | CreateTableLike | CreateTableSelect,
    made: Table,
    *,
    listed: tuple[TableName, ...],
) -> None:
    """Log the creation of a temporary table, where that is logged; also of one that exists, with IF NOT EXISTS."""
    if _logs_temporary(server, session):
        text = sql_of(statement) or ""
        log_temporary(server, session, text, tables=listed, transactional=made.transactional)


def create_table_select(server: SourceServer, session: Session, statement: CreateTableSelect) -> None:
    """Create a table with the rows of others; with IF NOT EXISTS nothing is done or logged where there is one.

    Raises:
        Refused: GTID consistency forbids it.
    """
    sources = [server.table(session, name) for name in statement.sources]
    if not statement.temporary:
        if server.rules.create_select_refused_first:
            _check_create_select(server, session, statement)
        commit_open(server, session)
        if not server.rules.create_select_refused_first:
            _check_create_select(server, session, statement)
    made = Table(statement.table, statement.engine, statement.temporary)
    rows: list[Row] = [(row[0],) for source in sources for row in source.rows]
    if statement.with_variable:
        rows.append((session.user_variable,))
    if statement.with_rand:
        rows.append((COMPUTED_VALUES["rand"],))
    if statement.temporary:
        _create_temporary(server, session, statement, made, listed=(statement.table, *statement.sources))
        made.rows = rows
        return
    if _exists(server, made.name):
        if statement.if_not_exists:
            return
        raise StatementRefused(_EXISTS, f"Table '{made.name}' already exists")
    made.rows = rows
    server.databases[made.name.database][made.name] = server.number_table(made)
    hidden = any(each.temporary for each in sources) and server.rules.temporary_follow_mixed
    unsafe = server.rules.rand_is_unsafe or server.rules.rand_is_unsafe_in_create
    if hidden or (statement.with_rand and unsafe):
        session.log_unsafe()
    if not session.in_rows:
        tables = (statement.table, *statement.sources)
        context = [events.rand(server.clock)] if statement.with_rand else []
        context += [events.user_variable("v", session.user_variable)] if statement.with_variable else []
        server.log_alone(session, *context, server.text(session, statement, tables=tables))
    else:
        _log_create_select(server, session, statement, made)


def _check_create_select(server: SourceServer, session: Session, statement: CreateTableSelect) -> None:
    rules = server.rules
    atomic = rules.create_select == "atomic" and statement.engine == "innodb"
    if not atomic:
        server.forbid(session, CREATE_SELECT_REFUSED, "CREATE TABLE ... SELECT.")


def _log_create_select(server: SourceServer, session: Session, statement: CreateTableSelect, made: Table) -> None:
    """Log the creation of a table as a statement and its rows as rows."""
    rules, listed = server.rules, (made.name,)
    atomic = rules.create_select == "atomic" and made.transactional
    text = f"CREATE TABLE {made.name.quoted} {made.definition}" + (" START TRANSACTION" if atomic else "")
    create = server.query(session, text, tables=listed, generated=True)
    rows = rows_of_new_table(server, session, made, text=sql_of(statement) or "")
    # WL#40 ends the one group with a Query event, whatever the engine.
    with_xid = made.transactional and not server.settings.before_wl7592
    if atomic:
        server.log_transaction(session, [create, *rows], end=server.xid())
    elif rules.create_select == "one":
        changed = with_xid and (rows or rules.create_takes_part)
        end = server.xid() if changed else server.commit_query(session, listed)
        server.log_transaction(session, [create, *rows], end=end, tables=listed)
    else:
        server.log_alone(session, create)
        if rows:
            end = server.xid() if with_xid else server.commit_query(session)
            server.log_transaction(session, rows, end=end)


def rename_table(server: SourceServer, session: Session, statement: RenameTable) -> None:
    """Rename tables.

    Raises:
        Refused: A table or a database does not exist, or a new name is taken.
    """
    commit_open(server, session)
    databases = {name: dict(tables) for name, tables in server.databases.items()}
    renamed: list[tuple[Table, TableName]] = []
    for old, new in statement.pairs:
        table = databases.get(old.database, {}).pop(old, None)
        if table is None:
            raise StatementRefused(server.rules.renamed_missing, f"Table '{old}' doesn't exist")
        if new.database not in databases:
            raise StatementRefused(_NO_DATABASE, f"Unknown database '{new.database}'")
        if new in databases[new.database]:
            raise StatementRefused(_EXISTS, f"Table '{new}' already exists")
        databases[new.database][new] = table
        renamed.append((table, new))
    server.databases = databases
    for table, new in renamed:
        table.name = new
        server.number_table(table)
    listed = list_of_rename(statement.pairs)
    server.log_alone(session, server.text(session, statement, tables=listed))


def alter_table(server: SourceServer, session: Session, statement: AlterTable) -> None:
    """Change a table's comment; a temporary one is changed in the log as it was created there."""
    commit_open(server, session)
    table = server.table(session, statement.table)
    if not table.temporary or _logs_temporary(server, session):
        server.number_table(table)
        server.log_alone(session, server.text(session, statement, tables=(statement.table,)))


def maintain(server: SourceServer, session: Session, statement: Maintain) -> None:
    """Run OPTIMIZE, REPAIR, ANALYZE or CHECKSUM TABLE: logged even if it fails because there is no such table."""
    if statement.action != "checksum" or server.rules.checksum_table:
        commit_open(server, session)
        server.log_alone(session, server.text(session, statement, tables=(statement.table,)))
