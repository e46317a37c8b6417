"""The statements of a scenario: a frozen class for each kind."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Final, get_type_hints

from conformance.models.server.settings import GLOBAL_VARIABLES, SESSION_VARIABLES, Settings
from conformance.models.server.tables import TRANSACTIONAL, TableName, checked_name

#: The kinds of value that an INSERT can compute; some need a context event in statement format.
COMPUTED: Final = ("", "rand", "variable", "uuid")
MAINTENANCE: Final = ("optimize", "repair", "analyze", "checksum")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement, or one act of administration.

    Attributes:
        kind: Its kind, a key of `KINDS`.
        session: The number of the session in which it is run, from 1; sessions begin with their first statement.
    """

    kind: ClassVar[str] = ""
    session: int = 1


def _one_of(statement: Statement, name: str, words: Any) -> None:
    value = getattr(statement, name)
    if value not in words:
        raise ValueError(f"{statement.kind}: {name} is {value!r}; it is one of {', '.join(map(repr, words))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(Statement):
    """Changes the session's default database."""

    kind: ClassVar[str] = "use"
    database: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateDatabase(Statement):
    """Creates a database."""

    kind: ClassVar[str] = "create_database"
    database: str

    def __post_init__(self) -> None:
        checked_name(self.database)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropDatabase(Statement):
    """Drops a database; if its directory holds a foreign file (`obstructed`), that fails halfway."""

    kind: ClassVar[str] = "drop_database"
    database: str
    obstructed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable(Statement):
    """Creates a table with a nullable INT column `a`, and an auto-increment column `id` if requested."""

    kind: ClassVar[str] = "create_table"
    table: TableName
    engine: str = "innodb"
    temporary: bool = False
    if_not_exists: bool = False
    auto_increment: bool = False

    def __post_init__(self) -> None:
        _one_of(self, "engine", TRANSACTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTableLike(Statement):
    """Creates a table with the columns and the engine of another one."""

    kind: ClassVar[str] = "create_table_like"
    table: TableName
    like: TableName
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTableSelect(Statement):
    """Creates a table with the rows of others, one after the other, and with the user variable `v` if requested."""

    kind: ClassVar[str] = "create_table_select"
    table: TableName
    sources: tuple[TableName, ...]
    engine: str = "innodb"
    temporary: bool = False
    if_not_exists: bool = False
    with_variable: bool = False

    def __post_init__(self) -> None:
        _one_of(self, "engine", TRANSACTIONAL)
        if not self.sources:
            raise ValueError(f"{self.kind}: no table to select from")


@dataclass(frozen=True, slots=True, kw_only=True)
class DropTable(Statement):
    """Drops tables of any class; with `temporary`, only temporary ones."""

    kind: ClassVar[str] = "drop_table"
    tables: tuple[TableName, ...]
    if_exists: bool = False
    temporary: bool = False

    def __post_init__(self) -> None:
        if not self.tables:
            raise ValueError(f"{self.kind}: no table to drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameTable(Statement):
    """Renames tables, pair by pair; each pair is the old name and the new one."""

    kind: ClassVar[str] = "rename_table"
    pairs: tuple[tuple[TableName, TableName], ...]

    def __post_init__(self) -> None:
        if not self.pairs:
            raise ValueError(f"{self.kind}: no table to rename")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTable(Statement):
    """Changes a table's comment."""

    kind: ClassVar[str] = "alter_table"
    table: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Statement):
    """Inserts rows.

    Attributes:
        values: The values of column `a`, a row each.
        computed: How the value of one more row is computed: by ``rand``, a user ``variable`` or ``uuid``; empty for
            no such row.
        delayed: Whether it is an INSERT DELAYED.
    """

    kind: ClassVar[str] = "insert"
    table: TableName
    values: tuple[int, ...] = ()
    computed: str = ""
    delayed: bool = False

    def __post_init__(self) -> None:
        _one_of(self, "computed", COMPUTED)
        if not self.values and not self.computed:
            raise ValueError(f"{self.kind}: no row to insert")


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertSelect(Statement):
    """Inserts the rows of another table."""

    kind: ClassVar[str] = "insert_select"
    table: TableName
    source: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Statement):
    """Adds 1 to `a` in all rows."""

    kind: ClassVar[str] = "update"
    table: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateTables(Statement):
    """Adds 1 to `a` in all rows of two tables, in one statement; neither may be empty, or nothing happens."""

    kind: ClassVar[str] = "update_tables"
    first: TableName
    second: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(Statement):
    """Deletes all rows."""

    kind: ClassVar[str] = "delete"
    table: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalRows(Statement):
    """Rows that come from no statement's text: from inside the server, or from a source without Rows_query."""

    kind: ClassVar[str] = "internal_rows"
    table: TableName
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin(Statement):
    """Opens a transaction."""

    kind: ClassVar[str] = "begin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit(Statement):
    """Commits the open transaction."""

    kind: ClassVar[str] = "commit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback(Statement):
    """Rolls the open transaction back."""

    kind: ClassVar[str] = "rollback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Savepoint(Statement):
    """Sets a savepoint."""

    kind: ClassVar[str] = "savepoint"
    name: str

    def __post_init__(self) -> None:
        checked_name(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackTo(Statement):
    """Rolls back to a savepoint."""

    kind: ClassVar[str] = "rollback_to"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUserVariable(Statement):
    """Gives the session's user variable `v` a value."""

    kind: ClassVar[str] = "set_user_variable"
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSession(Statement):
    """Sets a session variable: one of `SESSION_VARIABLES`, to a word, or to ``ON`` or ``OFF``."""

    kind: ClassVar[str] = "set_session"
    variable: str
    value: str

    def __post_init__(self) -> None:
        _one_of(self, "variable", SESSION_VARIABLES)
        _check_value(self, SESSION_VARIABLES[self.variable])


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGlobal(Statement):
    """Sets a global variable: one of `GLOBAL_VARIABLES`, to a word, or to ``ON`` or ``OFF``."""

    kind: ClassVar[str] = "set_global"
    variable: str
    value: str

    def __post_init__(self) -> None:
        _one_of(self, "variable", GLOBAL_VARIABLES)
        _check_value(self, GLOBAL_VARIABLES[self.variable])


def _check_value(statement: Statement, words: Any) -> None:
    if words is not None:
        _one_of(statement, "value", ("ON", "OFF") if words is bool else words)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushLogs(Statement):
    """Rotates the binary log."""

    kind: ClassVar[str] = "flush_logs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart(Statement):
    """Shuts the server down and starts it again, with some settings changed; all sessions end.

    Attributes:
        options: The settings that change, as pairs of name and value, both as text.
    """

    kind: ClassVar[str] = "restart"
    options: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for name, _ in self.options:
            if name not in {each.name for each in fields(Settings)} - {"profile", "server_uuid"}:
                raise ValueError(f"{self.kind}: a restart cannot change {name!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash(Statement):
    """Kills the server and starts it again; all sessions end, and whatever was not committed is lost."""

    kind: ClassVar[str] = "crash"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnect(Statement):
    """Ends the session."""

    kind: ClassVar[str] = "disconnect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintain(Statement):
    """OPTIMIZE, REPAIR, ANALYZE or CHECKSUM TABLE; it fails if there is no such table."""

    kind: ClassVar[str] = "maintain"
    action: str
    table: TableName

    def __post_init__(self) -> None:
        _one_of(self, "action", MAINTENANCE)


#: Kind -> the class of its statements.
KINDS: Final[Mapping[str, type[Statement]]] = {
    each.kind: each
    for each in (
        Use, CreateDatabase, DropDatabase, CreateTable, CreateTableLike, CreateTableSelect, DropTable, RenameTable,
        AlterTable, Insert, InsertSelect, Update, UpdateTables, Delete, InternalRows, Begin, Commit, Rollback,
        Savepoint, RollbackTo, SetUserVariable, SetSession, SetGlobal, FlushLogs, Restart, Crash, Disconnect, Maintain,
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
    types = get_type_hints(kind)
    names = {each.name for each in fields(kind)}
    unknown = sorted(value.keys() - names - {"kind"})
    if unknown:
        raise ValueError(f"{kind.kind} has no {unknown[0]!r}; it has {', '.join(sorted(names))}")
    try:
        return kind(**{name: _from_json(given, types[name]) for name, given in value.items() if name != "kind"})
    except TypeError as error:
        raise ValueError(f"{kind.kind}: {error}") from error


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
