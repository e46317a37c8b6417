"""Statements that drop tables: DROP TABLE of several kinds, DROP DATABASE, and the end of a session."""

from collections.abc import Iterable, Sequence
from typing import Final

from conformance.binlog.flags import Flag
from conformance.models.server.definitions import check_temporary, keep_transaction, log_temporary
from conformance.models.server.logged_event import LoggedEvent
from conformance.models.server.logging_rules import DropClass
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.session import AUTOMATIC, UNDEFINED, Session, StatementRefused
from conformance.models.server.statements import DropDatabase, DropTable
from conformance.models.server.tables import Table, TableName, quoted
from conformance.models.server.transactions import commit_open, roll_back_open

_UNKNOWN_TABLE: Final = 1051
_NO_DATABASE: Final = 1008
_DIRECTORY_REMAINS: Final = 1010
#: MySQL 5.6 and later refuse a given GTID where temporary tables are dropped by a statement of their own.
_SPLIT_WITH_GTID: Final = 1884
#: The error of WL#7592 for a DROP DATABASE that cannot be logged; shipped servers gave it this number.
PARTIAL_DROP: Final = 3091
_PARTIAL_DROP_TEXT: Final = (
    "DROP DATABASE failed{where}; some tables may have been dropped but the database directory remains. "
    "The GTID has not been added to GTID_EXECUTED and the statement was not written to the binary log. "
    "Fix this as follows: (1) remove all files from the database directory {directory:.192}; "
    "(2) SET GTID_NEXT='{gtid:.192}'; (3) DROP DATABASE `{database:.192}`."
)
_DROP: Final = "DROP TABLE IF EXISTS "
#: Each name takes two backticks and a comma.
_AROUND: Final = 3


def drop_table(server: SourceServer, session: Session, statement: DropTable) -> None:
    """Drop tables; those of one class are logged together, each class as a transaction of its own.

    Raises:
        Refused: A table does not exist, GTID consistency forbids it inside a transaction, or one given GTID would have
            to be that of several statements.
    """
    if statement.temporary:
        check_temporary(server, session)
    else:
        commit_open(server, session)
    classes = {name: _class_of(server, session, statement, name) for name in dict.fromkeys(statement.tables)}
    if statement.temporary and statement.if_exists:
        classes = _without_missing(server, classes)
    if session.has_given_gtid:
        classes = _under_one_gtid(server, session, classes)
    missing = [name for name, kind in classes.items() if kind == "missing"]
    refused = bool(missing) and not statement.if_exists
    if refused and (server.rules.atomic_ddl or len(missing) == len(classes)):
        raise StatementRefused(_UNKNOWN_TABLE, f"Unknown table '{missing[0]}'")
    for group in _groups(server, classes):
        if refused and missing == group:
            continue
        dropped = [table for name in group if (table := _remove(server, session, name, classes[name])) is not None]
        condition = "IF EXISTS " if statement.if_exists else ""
        if all(classes[name].startswith("temporary") for name in group):
            _log_temporary_drop(server, session, group, dropped, condition)
        else:
            text = _text(server, session, "TABLE", condition, group)
            server.log_alone(session, server.query(session, text, tables=group, generated=True))
    if refused:
        # Without atomic DDL the existing ones are dropped and logged all the same.
        raise StatementRefused(_UNKNOWN_TABLE, f"Unknown table '{missing[0]}'")


def _under_one_gtid(
    server: SourceServer, session: Session, classes: dict[TableName, DropClass]
) -> dict[TableName, DropClass]:
    """Return the classes under a given GTID, with which one statement is logged for all base tables.

    Raises:
        Refused: Temporary tables would need a statement of their own.
    """
    apart = {
        kind if table is not None else "base"
        for name, kind in classes.items()
        if (table := session.temporary.get(name)) is None or table.logged or server.rules.unlogged_temporary_dropped
    }
    if len(apart) > 1:
        raise StatementRefused(_SPLIT_WITH_GTID, "DROP TABLE of tables of several classes with a given GTID")
    if not server.rules.atomic_ddl:
        return classes
    return {name: "base-transactional" if kind == "base-plain" else kind for name, kind in classes.items()}


def _class_of(server: SourceServer, session: Session, statement: DropTable, name: TableName) -> DropClass:
    own = session.temporary.get(name)
    if own is not None:
        return "temporary-transactional" if own.transactional else "temporary-plain"
    base = None if statement.temporary else server.base_table(name)
    if base is None:
        return "missing"
    return "base-transactional" if base.transactional else "base-plain"


def _without_missing(server: SourceServer, classes: dict[TableName, DropClass]) -> dict[TableName, DropClass]:
    """Return the classes of tables that DROP TEMPORARY TABLE IF EXISTS names, as the server logs missing ones."""
    how = server.rules.missing_temporary
    if how == "not":
        return {name: kind for name, kind in classes.items() if kind != "missing"}
    with_plain = how == "first" and "temporary-plain" in classes.values()
    missing: DropClass = "temporary-plain" if with_plain else "temporary-transactional"
    return {name: missing if kind == "missing" else kind for name, kind in classes.items()}


def _groups(server: SourceServer, classes: dict[TableName, DropClass]) -> Iterable[list[TableName]]:
    rules = server.rules
    for kinds in rules.drop_groups:
        group = [name for name, own in classes.items() if own in kinds]
        if rules.drop_by_class:
            group.sort(key=lambda name: kinds.index(classes[name]))
        if rules.drop_plain_alone and kinds == ("base-plain",):
            yield from ([name] for name in group)
        elif group:
            yield group


def _remove(server: SourceServer, session: Session, name: TableName, kind: DropClass) -> Table | None:
    if kind.startswith("temporary"):
        return session.temporary.pop(name, None)
    return server.databases.get(name.database, {}).pop(name, None)


def _log_temporary_drop(
    server: SourceServer, session: Session, group: list[TableName], dropped: Sequence[Table], condition: str
) -> None:
    """Log the drop of temporary tables, and of names that are of no table, in one statement."""
    keep_transaction(server, session)
    rules, unlogged = server.rules, [table.name for table in dropped if not table.logged]
    if not rules.unlogged_temporary_dropped and len(unlogged) == len(dropped):
        # What is of no table may be of one whose creation was logged.
        group = [name for name in group if name not in unlogged]
    if not group:
        return
    if rules.uncertain_temporary_dropped and (unlogged or session.in_rows):
        condition = "IF EXISTS "
    text = _text(server, session, "TEMPORARY TABLE", condition, group)
    transactional = all(table.transactional for table in dropped)
    log_temporary(server, session, text, tables=tuple(group), transactional=transactional, generated=True)


def _text(server: SourceServer, session: Session, kind: str, condition: str, group: Sequence[TableName]) -> str:
    names = ",".join(quoted(name.table) if name.database == session.database else name.quoted for name in group)
    return f"DROP {kind} {condition}{names}{server.rules.drop_suffix}"


def drop_database(server: SourceServer, session: Session, statement: DropDatabase) -> None:
    """Drop a database; if its directory cannot be removed, the tables that were dropped are logged as DROP TABLE.

    Raises:
        Refused: There is no such database, or its directory remains.
    """
    commit_open(server, session)
    name = statement.database
    if name not in server.databases:
        raise StatementRefused(_NO_DATABASE, f"Can't drop database '{name}'; database doesn't exist")
    if not statement.obstructed:
        tables = server.databases.pop(name)
        if server.rules.drop_plain_alone:
            _log_plain_drops(server, session, name, [table for table in tables.values() if not table.transactional])
        if session.database == name:
            # Other sessions keep the name as their default, although the database has gone.
            session.database = ""
        server.log_alone(session, server.text(session, statement, database=name, tables=tuple(tables)))
        return
    if not server.rules.atomic_ddl:
        # From 8.0 on the directory is checked first, and nothing is dropped.
        _log_partial_drop(server, session, name)
    raise StatementRefused(_DIRECTORY_REMAINS, f"Error dropping database (can't rmdir './{name}/')")


def _log_plain_drops(server: SourceServer, session: Session, database: str, tables: Sequence[Table]) -> None:
    """Log the tables of a dropped database without atomic DDL: they are dropped one by one, before the database."""
    for table in tables:
        text = f"{_DROP}{quoted(table.name.table)}{server.rules.drop_suffix}"
        names = (table.name,)
        server.log_alone(session, server.query(session, text, database=database, tables=names, generated=True))


def _log_partial_drop(server: SourceServer, session: Session, database: str) -> None:
    tables = list(server.databases[database])
    server.databases[database] = {}
    words = server.rules.partial_drop_words
    groups = list(split_by_length(tables, limit=server.rules.drop_limit, words=words))
    one_group = server.rules.partial_drop == "one-group"
    if session.has_given_gtid and not one_group:
        several = server.rules.partial_drop == "several-statements"
        if len(groups) > 1 or not several:
            text = partial_drop_text(database, session.gtid_next, worklog=several)
            session.gtid_next = UNDEFINED
            raise StatementRefused(PARTIAL_DROP, text)
    queries = [_partial_drop(server, session, database, group) for group in groups]
    if one_group and queries and server.settings.gtid_mode == "ON":
        server.log_alone(session, *queries)
        return
    for query in queries:
        server.log_alone(session, query)


def _partial_drop(server: SourceServer, session: Session, database: str, group: Sequence[TableName]) -> LoggedEvent:
    text = server.rules.partial_drop_words + ",".join(quoted(name.table) for name in group)
    return server.query(session, text, database=database, tables=group, generated=True)


def partial_drop_text(database: str, gtid: str, *, worklog: bool) -> str:
    """Return the message of the error for a DROP DATABASE that cannot be logged.

    Args:
        database: The database; its directory has the same name.
        gtid: The given GTID.
        worklog: Whether in the worklog's words, which add that it failed on a slave.
    """
    where = " on slave" if worklog else ""
    return _PARTIAL_DROP_TEXT.format(where=where, directory=f"./{database}/", gtid=gtid, database=database)


def split_by_length(tables: Sequence[TableName], *, limit: int, words: str = _DROP) -> Iterable[list[TableName]]:
    """Yield the tables in groups whose DROP TABLE, which begins with `words`, is shorter than `limit` bytes."""
    group: list[TableName] = []
    size = len(words)
    for name in tables:
        room = len(name.table.encode()) + _AROUND
        # One more byte is kept free after the last name.
        if group and size + room + 1 >= limit:
            yield group
            group, size = [], len(words)
        group.append(name)
        size += room
    if group:
        yield group


def disconnect(server: SourceServer, session: Session) -> None:
    """End a session: its transaction is rolled back, its temporary tables are dropped, whatever GTID_NEXT it had.

    MariaDB drops them first, also one that the transaction has made: five releases from 10.1.23 to 11.8.9 do.
    """
    if server.rules.disconnect_drops_first:
        transaction, session.transaction = session.transaction, None
        _drop_temporary(server, session)
        session.transaction = transaction
        roll_back_open(server, session)
    else:
        roll_back_open(server, session)
        session.gtid_next = AUTOMATIC
        _drop_temporary(server, session)
    del server.sessions[session.number]


def _drop_temporary(server: SourceServer, session: Session) -> None:
    """Log the DROPs of the temporary tables of a session that ends."""
    for group in _by_database(server, list(session.temporary.values())):
        database = group[0].name.database
        names = ",".join(quoted(table.name.table) for table in group)
        server.log_alone(session, _drop_at_end(server, session, database, names, group))


def _drop_at_end(
    server: SourceServer, session: Session, database: str, names: str, group: Sequence[Table]
) -> LoggedEvent:
    return server.query(
        session,
        f"DROP /*!40005 TEMPORARY */ TABLE IF EXISTS {names}",
        database=database,
        flags=int(Flag.THREAD_SPECIFIC),
        tables=tuple(table.name for table in group),
        generated=True,
    )


def _by_database(server: SourceServer, tables: Sequence[Table]) -> Iterable[list[Table]]:
    """Yield the logged temporary tables of a session, newest first, in the groups that are dropped together."""
    groups: dict[tuple[str, bool], list[Table]] = {}
    for table in reversed(tables):
        if table.logged or server.rules.unlogged_temporary_ended:
            engine = table.transactional if server.rules.disconnect_by_engine else True
            groups.setdefault((table.name.database, engine), []).append(table)
    databases = list(dict.fromkeys(database for database, _ in groups))
    yield from (groups[key] for name in databases for key in ((name, True), (name, False)) if key in groups)
