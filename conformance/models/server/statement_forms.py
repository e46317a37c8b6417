"""The kinds of statements of a scenario, and their forms in JSON values."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Final, get_type_hints

from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Delete,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    InsertGtids,
    InsertSelect,
    InternalRows,
    Maintain,
    PurgeLogs,
    RenameTable,
    Restart,
    Rollback,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    SetUserVariable,
    Statement,
    Update,
    UpdateTables,
    Use,
)
from conformance.models.server.tables import TableName

#: Kind -> the class of its statements.
KINDS: Final[Mapping[str, type[Statement]]] = {
    each.kind: each
    for each in (
        Use, CreateDatabase, DropDatabase, CreateTable, CreateTableLike, CreateTableSelect, DropTable, RenameTable,
        AlterTable, Insert, InsertSelect, Update, UpdateTables, Delete, InternalRows, Begin, Commit, Rollback,
        Savepoint, RollbackTo, SetUserVariable, SetSession, SetGlobal, SetGtidPurged, FlushLogs, PurgeLogs, Restart,
        Crash, Disconnect, Maintain, InsertGtids,
    )
}  # fmt: skip


def statement_to_json(statement: Statement) -> dict[str, Any]:
    """Return a statement in JSON values, with its kind and without default values."""
    value: dict[str, Any] = {"kind": statement.kind}
    for each in fields(statement):
        given = getattr(statement, each.name)
        if each.default is MISSING or given != each.default:
            value[each.name] = _to_json(given)
    return value


def statement_from_json(value: Mapping[str, Any]) -> Statement:
    """Return the statement that JSON values hold.

    Raises:
        ValueError: There is no such kind, a field is missing or unknown, or its value does not fit.
    """
    kind = KINDS.get(value.get("kind", ""))
    if kind is None:
        raise ValueError(f"no kind of statement {value.get('kind')!r}; there are {', '.join(KINDS)}")
    types = _types_of_fields(kind.kind)
    unknown = sorted(value.keys() - types.keys() - {"kind"})
    if unknown:
        raise ValueError(f"{kind.kind} has no {unknown[0]!r}; it has {', '.join(sorted(types))}")
    try:
        return kind(**{name: _from_json(given, types[name]) for name, given in value.items() if name != "kind"})
    except TypeError as error:
        raise ValueError(f"{kind.kind}: {error}") from error


@cache
def _types_of_fields(kind: str) -> Mapping[str, Any]:
    types = get_type_hints(KINDS[kind])
    return {each.name: types[each.name] for each in fields(KINDS[kind])}


def _to_json(value: Any) -> Any:
    if isinstance(value, TableName):
        return str(value)
    return [_to_json(each) for each in value] if isinstance(value, tuple) else value


def _from_json(value: Any, kind: Any) -> Any:
    reader = _READERS.get(kind)
    if reader is None:
        if type(value) is not kind:
            raise ValueError(f"{value!r} is not of type {kind.__name__}")
        return value
    return reader(value)


_READERS: Final[Mapping[Any, Any]] = {
    TableName: TableName.parse,
    tuple[TableName, ...]: lambda value: tuple(map(TableName.parse, value)),
    tuple[int, ...]: tuple,
    tuple[tuple[TableName, TableName], ...]: lambda value: tuple(
        (TableName.parse(old), TableName.parse(new)) for old, new in value
    ),
    tuple[tuple[str, str], ...]: lambda value: tuple((str(name), str(given)) for name, given in value),
}
