"""The statements of a scenario: a frozen class for each kind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.options import SPELLINGS, option_of
from conformance.models.server.settings import GLOBAL_VARIABLES, SESSION_VARIABLES
from conformance.models.server.tables import TRANSACTIONAL, TableName, checked_name

#: The kinds of value that an INSERT can compute; some need a context event in statement format.
COMPUTED: Final = ("", "rand", "variable", "uuid", "session_option", "global_option")
MAINTENANCE: Final = ("optimize", "repair", "analyze", "checksum")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement, or one act of administration.

    Attributes:
        kind: Its kind, a key of `KINDS` in `statement_forms`.
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
    """Creates a table with the rows of others, one after the other.

    Attributes:
        with_variable: Whether one more row has the value of the user variable `v`.
        with_rand: Whether one more row, the last, has a value that is computed with rand().
    """

    kind: ClassVar[str] = "create_table_select"
    table: TableName
    sources: tuple[TableName, ...]
    engine: str = "innodb"
    temporary: bool = False
    if_not_exists: bool = False
    with_variable: bool = False
    with_rand: bool = False

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


#: A comment without effect: one that no server runs, or to the end of a line.
_COMMENT: Final = re.compile(r"/\*(?![!+M])(?:(?!\*/).)*\*/|(?:-- |#)[^\n]*\n", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Statement):
    """A statement that changes rows.

    Attributes:
        comment: A comment in its text, with its delimiters: after the first word, or before it; empty for none.
        comment_first: Whether it is before the first word.
    """

    comment: str = ""
    comment_first: bool = False

    def __post_init__(self) -> None:
        if self.comment and not (_COMMENT.fullmatch(self.comment) and "\0" not in self.comment):
            raise ValueError(
                f"{self.kind}: {self.comment[:40]!r} is not a comment: write /*...*/, or -- or # and a line"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Change):
    """Inserts rows.

    Attributes:
        values: The values of column `a`, a row each.
        computed: How the value of one more row is computed: by ``rand``, a user ``variable``, ``uuid``, or the value of
            binlog_rows_query_log_events, as ``session_option`` or ``global_option``; empty for no such row.
        delayed: Whether it is an INSERT DELAYED.
    """

    kind: ClassVar[str] = "insert"
    table: TableName
    values: tuple[int, ...] = ()
    computed: str = ""
    delayed: bool = False

    def __post_init__(self) -> None:
        Change.__post_init__(self)
        _one_of(self, "computed", COMPUTED)
        if not self.values and not self.computed:
            raise ValueError(f"{self.kind}: no row to insert")


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertSelect(Change):
    """Inserts the rows of another table."""

    kind: ClassVar[str] = "insert_select"
    table: TableName
    source: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Change):
    """Adds 1 to `a` in all rows."""

    kind: ClassVar[str] = "update"
    table: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateTables(Change):
    """Adds 1 to `a` in all rows of two tables, in one statement; neither may be empty, or nothing happens."""

    kind: ClassVar[str] = "update_tables"
    first: TableName
    second: TableName


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(Change):
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
class InsertGtids(Statement):
    """Inserts a row that compares a set of the server's GTIDs with a given one.

    The value is 1 if the set holds all of the given one, 2 if it is in it, 3 if they are equal.

    Attributes:
        variable: ``gtid_executed`` or ``gtid_purged``.
        gtids: The given set, as servers print it.
    """

    kind: ClassVar[str] = "insert_gtids"
    table: TableName
    variable: str
    gtids: str

    def __post_init__(self) -> None:
        _one_of(self, "variable", ("gtid_executed", "gtid_purged"))
        GtidSet.from_text(self.gtids)


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


#: How a statement that sets a variable is written: ``set session x = 'ON'``, ``set @@session.x = 'ON'``, with
#: the name in upper case; for the session also with ``local``, or without a word for the scope.
SET_FORMS: Final = ("keyword", "at", "upper", "local", "alone")
_GLOBAL_FORMS: Final = SET_FORMS[:3]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVariable(Statement):
    """Sets a variable.

    Attributes:
        variable: Its name.
        value: A word; for an option that is on or off ``ON`` or ``OFF``, or one of `REFUSED`, which servers refuse.
        spelling: How the value is written without quotes, one of its `SPELLINGS`; empty for the word in quotes.
        form: How the statement is written, one of `SET_FORMS`.
    """

    variables: ClassVar[Mapping[str, Any]] = {}
    forms: ClassVar[tuple[str, ...]] = SET_FORMS
    variable: str
    value: str
    spelling: str = ""
    form: str = SET_FORMS[0]

    def __post_init__(self) -> None:
        _one_of(self, "variable", self.variables)
        _one_of(self, "form", self.forms)
        words = self.variables[self.variable]
        if words is not None:
            _one_of(self, "value", ("ON", "OFF", *REFUSED) if words is bool else words)
        if self.spelling:
            _one_of(self, "spelling", SPELLINGS.get(self.value, ()) if words is bool else ())


#: Values that no option takes that is on or off.
REFUSED: Final = ("2", "YES")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSession(SetVariable):
    """Sets a session variable, one of `SESSION_VARIABLES`."""

    kind: ClassVar[str] = "set_session"
    variables: ClassVar[Mapping[str, Any]] = SESSION_VARIABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGlobal(SetVariable):
    """Sets a global variable, one of `GLOBAL_VARIABLES`."""

    kind: ClassVar[str] = "set_global"
    variables: ClassVar[Mapping[str, Any]] = GLOBAL_VARIABLES
    forms: ClassVar[tuple[str, ...]] = _GLOBAL_FORMS


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGtidPurged(Statement):
    """Declares GTIDs of other logs as executed and purged, on a server that has executed none."""

    kind: ClassVar[str] = "set_gtid_purged"
    gtids: str

    def __post_init__(self) -> None:
        GtidSet.from_text(self.gtids)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushLogs(Statement):
    """Rotates the binary log."""

    kind: ClassVar[str] = "flush_logs"


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeLogs(Statement):
    """Deletes the binary logs before the one with the number `to`, which counts from 1 and stays with a log."""

    kind: ClassVar[str] = "purge_logs"
    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart(Statement):
    """Shuts the server down and starts it again, with some settings changed; all sessions end.

    Attributes:
        options: The settings that change, as pairs of name and value, both as text; a name may also be written as on
            the command line, with its dashes, and may then have no value.
    """

    kind: ClassVar[str] = "restart"
    options: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for name, value in self.options:
            try:
                option_of(name, value)
            except ValueError as error:
                raise ValueError(f"{self.kind}: {error}") from error


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
