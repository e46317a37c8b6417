"""A scenario's statements as SQL: what a real server is given, and what stands in the log as their text."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.source.statements import (
    AlterTable,
    Begin,
    Commit,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Delete,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    InsertSelect,
    Maintain,
    RenameTable,
    Rollback,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetSession,
    SetUserVariable,
    Statement,
    Update,
    UpdateTables,
    Use,
)
from conformance.source.tables import TableName

#: How a computed value is made -> its expression: the value is the same on every server.
_EXPRESSIONS: Final[Mapping[str, str]] = {"rand": "floor(rand())", "variable": "@v", "uuid": "length(uuid())"}
#: The value that `_EXPRESSIONS` make; a user variable has its own.
COMPUTED_VALUES: Final[Mapping[str, int]] = {"rand": 0, "uuid": 36}


def sql_of(statement: Statement) -> str | None:
    """Return the SQL of a statement, None for what no SQL does: a restart, a crash, a disconnect, internal rows."""
    render = _RENDER.get(type(statement))
    return None if render is None else render(statement)


def _create(statement: Any) -> str:
    temporary = "temporary " if statement.temporary else ""
    condition = "if not exists " if statement.if_not_exists else ""
    return f"create {temporary}table {condition}{statement.table.quoted}"


def _create_table(statement: CreateTable) -> str:
    key = ", `id` int not null auto_increment primary key" if statement.auto_increment else ""
    return f"{_create(statement)} (`a` int{key}) engine={statement.engine}"


def _create_select(statement: CreateTableSelect) -> str:
    parts = [f"select `a` from {each.quoted}" for each in statement.sources]
    if statement.with_variable:
        parts.append("select @v")
    return f"{_create(statement)} engine={statement.engine} {' union all '.join(parts)}"


def _drop_table(statement: DropTable) -> str:
    temporary = "temporary " if statement.temporary else ""
    condition = "if exists " if statement.if_exists else ""
    return f"drop {temporary}table {condition}{names_of(statement.tables)}"


def names_of(tables: tuple[TableName, ...]) -> str:
    """Return the names of tables as a list in SQL."""
    return ", ".join(each.quoted for each in tables)


def _insert(statement: Insert) -> str:
    rows = [f"({value})" for value in statement.values]
    if statement.computed:
        rows.append(f"({_EXPRESSIONS[statement.computed]})")
    delayed = "delayed " if statement.delayed else ""
    return f"insert {delayed}into {statement.table.quoted} (`a`) values {', '.join(rows)}"


def _insert_select(statement: InsertSelect) -> str:
    return f"insert into {statement.table.quoted} (`a`) select `a` from {statement.source.quoted}"


def _update_tables(statement: UpdateTables) -> str:
    one, two = statement.first.quoted, statement.second.quoted
    return f"update {one} as x, {two} as y set x.`a` = x.`a` + 1, y.`a` = y.`a` + 1"


def _rename(statement: RenameTable) -> str:
    return "rename table " + ", ".join(f"{old.quoted} to {new.quoted}" for old, new in statement.pairs)


def _set(scope: str, statement: SetSession | SetGlobal) -> str:
    return f"set {scope} {statement.variable} = '{statement.value}'"


_RENDER: Final[Mapping[type[Statement], Callable[[Any], str]]] = {
    Use: lambda each: f"use `{each.database}`",
    CreateDatabase: lambda each: f"create database `{each.database}`",
    DropDatabase: lambda each: f"drop database `{each.database}`",
    CreateTable: _create_table,
    CreateTableLike: lambda each: f"{_create(each)} like {each.like.quoted}",
    CreateTableSelect: _create_select,
    DropTable: _drop_table,
    RenameTable: _rename,
    AlterTable: lambda each: f"alter table {each.table.quoted} comment = 'altered'",
    Insert: _insert,
    InsertSelect: _insert_select,
    Update: lambda each: f"update {each.table.quoted} set `a` = `a` + 1",
    UpdateTables: _update_tables,
    Delete: lambda each: f"delete from {each.table.quoted}",
    Begin: lambda each: "begin",
    Commit: lambda each: "commit",
    Rollback: lambda each: "rollback",
    Savepoint: lambda each: f"savepoint `{each.name}`",
    RollbackTo: lambda each: f"rollback to `{each.name}`",
    SetUserVariable: lambda each: f"set @v = {each.value}",
    SetSession: lambda each: _set("session", each),
    SetGlobal: lambda each: _set("global", each),
    FlushLogs: lambda each: "flush binary logs",
    Maintain: lambda each: f"{each.action} table {each.table.quoted}",
}
