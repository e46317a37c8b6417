"""A scenario's statements as SQL, as given to a real server and as found in the log."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.binlog.total_table import total
from conformance.models.server import statements
from conformance.models.server.statement_forms import KINDS
from conformance.models.server.statements import Change, Statement
from conformance.models.server.tables import TableName, quoted

#: Kind of computed value -> its expression, whose value is the same on every server.
_EXPRESSIONS: Final[Mapping[str, str]] = {
    "rand": "floor(rand())",
    "variable": "@v",
    "uuid": "length(uuid())",
    "session_option": "@@session.binlog_rows_query_log_events",
    "global_option": "@@global.binlog_rows_query_log_events",
}
#: The values of `_EXPRESSIONS` that do not depend on the session; a user variable and an option have their own.
COMPUTED_VALUES: Final[Mapping[str, int]] = {"rand": 0, "uuid": 36}


def sql_of(statement: Statement) -> str | None:
    """Return the SQL of a statement; None for a restart, a crash, a disconnect and internal rows, which have none."""
    render = _RENDER[type(statement)]
    if render is None:
        return None
    text: str = render(statement)
    return _commented(text, statement) if isinstance(statement, Change) and statement.comment else text


def _commented(text: str, statement: Change) -> str:
    """Return a statement's text with its comment before or after the first word."""
    if statement.comment_first:
        return f"{statement.comment} {text}"
    word, _, rest = text.partition(" ")
    return f"{word} {statement.comment} {rest}"


def _create(statement: Any) -> str:
    temporary = "temporary " if statement.temporary else ""
    condition = "if not exists " if statement.if_not_exists else ""
    return f"create {temporary}table {condition}{statement.table.quoted}"


def _create_table(statement: statements.CreateTable) -> str:
    key = ", `id` int not null auto_increment primary key" if statement.auto_increment else ""
    return f"{_create(statement)} (`a` int{key}) engine={statement.engine}"


def _create_select(statement: statements.CreateTableSelect) -> str:
    parts = [f"select `a` from {each.quoted}" for each in statement.sources]
    if statement.with_variable:
        parts.append("select @v")
    if statement.with_rand:
        parts.append(f"select {_EXPRESSIONS['rand']}")
    # Without its definition the column would have the type of what is computed.
    column = " (`a` int)" if statement.with_variable or statement.with_rand else ""
    return f"{_create(statement)}{column} engine={statement.engine} {' union all '.join(parts)}"


def _drop_table(statement: statements.DropTable) -> str:
    temporary = "temporary " if statement.temporary else ""
    condition = "if exists " if statement.if_exists else ""
    return f"drop {temporary}table {condition}{names_of(statement.tables)}"


def names_of(tables: tuple[TableName, ...]) -> str:
    """Return the names of tables as a list in SQL."""
    return ", ".join(each.quoted for each in tables)


def _insert(statement: statements.Insert) -> str:
    rows = [f"({value})" for value in statement.values]
    if statement.computed:
        rows.append(f"({_EXPRESSIONS[statement.computed]})")
    delayed = "delayed " if statement.delayed else ""
    return f"insert {delayed}into {statement.table.quoted} (`a`) values {', '.join(rows)}"


def _insert_select(statement: statements.InsertSelect) -> str:
    return f"insert into {statement.table.quoted} (`a`) select `a` from {statement.source.quoted}"


def _update_tables(statement: statements.UpdateTables) -> str:
    one, two = statement.first.quoted, statement.second.quoted
    return f"update {one} as x, {two} as y set x.`a` = x.`a` + 1, y.`a` = y.`a` + 1"


def _rename(statement: statements.RenameTable) -> str:
    return "rename table " + ", ".join(f"{old.quoted} to {new.quoted}" for old, new in statement.pairs)


#: The form of a statement that sets a variable -> its beginning, with the scope and the name of the variable.
_SETS: Final[Mapping[str, str]] = {
    "keyword": "set {scope} {name}",
    "at": "set @@{scope}.{name}",
    "upper": "SET {scope} {upper}",
    "local": "set local {name}",
    "alone": "set {name}",
}


def _set(scope: str, statement: statements.SetVariable) -> str:
    name = statement.variable
    beginning = _SETS[statement.form].format(scope=scope, name=name, upper=name.upper())
    value = statement.spelling or f"'{statement.value}'"
    return f"{beginning} = {value}"


def _insert_gtids(statement: statements.InsertGtids) -> str:
    given, own = f"'{statement.gtids}'", f"@@global.{statement.variable}"
    value = f"gtid_subset({given}, {own}) + 2 * gtid_subset({own}, {given})"
    return f"insert into {statement.table.quoted} (`a`) values ({value})"


_RENDER: Final[Mapping[type[Statement], Callable[[Any], str] | None]] = total(
    f"{__name__}._RENDER",
    KINDS.values(),
    {
        statements.Use: lambda each: f"use {quoted(each.database)}",
        statements.CreateDatabase: lambda each: f"create database {quoted(each.database)}",
        statements.DropDatabase: lambda each: f"drop database {quoted(each.database)}",
        statements.CreateTable: _create_table,
        statements.CreateTableLike: lambda each: f"{_create(each)} like {each.like.quoted}",
        statements.CreateTableSelect: _create_select,
        statements.DropTable: _drop_table,
        statements.RenameTable: _rename,
        statements.AlterTable: lambda each: f"alter table {each.table.quoted} comment = 'altered'",
        statements.Insert: _insert,
        statements.InsertSelect: _insert_select,
        statements.Update: lambda each: f"update {each.table.quoted} set `a` = `a` + 1",
        statements.UpdateTables: _update_tables,
        statements.Delete: lambda each: f"delete from {each.table.quoted}",
        statements.Begin: lambda each: "begin",
        statements.Commit: lambda each: "commit",
        statements.Rollback: lambda each: "rollback",
        statements.Savepoint: lambda each: f"savepoint {quoted(each.name)}",
        statements.RollbackTo: lambda each: f"rollback to {quoted(each.name)}",
        statements.SetUserVariable: lambda each: f"set @v = {each.value}",
        statements.SetSession: lambda each: _set("session", each),
        statements.SetGlobal: lambda each: _set("global", each),
        statements.SetGtidPurged: lambda each: f"set global gtid_purged = '{each.gtids}'",
        statements.FlushLogs: lambda each: "flush binary logs",
        statements.PurgeLogs: lambda each: f"purge binary logs to 'bin.{each.to:06d}'",
        statements.InsertGtids: _insert_gtids,
        statements.Maintain: lambda each: f"{each.action} table {each.table.quoted}",
    },
    entry="what returns its SQL",
    rest={
        (statements.InternalRows, statements.Restart, statements.Crash, statements.Disconnect): None,
    },
)
