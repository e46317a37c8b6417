"""Sessions of the model: their variables, temporary tables and open transactions."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from conformance.models.server.logged_event import LoggedEvent
from conformance.models.server.tables import Row, Table, TableName

AUTOMATIC: Final = "AUTOMATIC"
ANONYMOUS: Final = "ANONYMOUS"
#: A given GTID was used up; no transaction can begin until the session sets GTID_NEXT.
UNDEFINED: Final = "NOT_YET_DETERMINED"


class StatementRefused(Exception):
    """A statement that the server refuses.

    Attributes:
        code: The number of the error, as servers number it; 0 if the worklog gives the error no number.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(slots=True, eq=False)
class SavepointPlace:
    """A savepoint and its place in a transaction.

    Attributes:
        name: Its name.
        length: The number of events in the transaction's cache that a rollback to it keeps.
        rows: The rows at that time of each table that the transaction had changed.
        joined: Whether a transactional engine had taken part at that time, at least to read.
        registered: Whether a statement of the transaction had been logged at that time.
    """

    name: str
    length: int
    rows: dict[Table, list[Row]]
    joined: bool
    registered: bool


@dataclass(slots=True, eq=False)
class OpenTransaction:
    """An open transaction.

    Attributes:
        events: The events logged in it so far.
        database: The session's default database when the first of them was logged.
        irrevocable: Whether `events` hold changes that a rollback does not undo, so that it must be logged.
        registered: Whether a statement of it was logged, in `events` or before it.
        joined: Whether a transactional engine took part, at least to read.
        changed: Whether it changed something, so that an Xid event ends the transaction.
        plain_changed: Whether a non-transactional table was changed in it.
        savepoints: Its savepoints, oldest first.
        before: The rows that each changed table had before it.
    """

    events: list[LoggedEvent] = field(default_factory=list)
    database: str = ""
    irrevocable: bool = False
    registered: bool = False
    joined: bool = False
    changed: bool = False
    plain_changed: bool = False
    savepoints: list[SavepointPlace] = field(default_factory=list)
    before: dict[Table, list[Row]] = field(default_factory=dict)

    def keep(self, logged: Iterable[LoggedEvent], *, database: str) -> None:
        """Keep logged events for the end of the transaction; `database` is the session's default database."""
        if not self.events:
            self.database = database
        self.events += logged

    def remember(self, table: Table) -> None:
        """Save a table's rows before its first change in this transaction."""
        self.before.setdefault(table, list(table.rows))

    def add_foreign(self, table: Table, rows: Sequence[Row]) -> None:
        """Add rows that another session has inserted since to the saved rows."""
        for kept in self._kept(table):
            kept.extend(rows)

    def drop_foreign(self, table: Table, gone: Container[int]) -> None:
        """Remove rows, given by their identity, from the saved rows: the session that inserted them has rolled back."""
        for kept in self._kept(table):
            kept[:] = [row for row in kept if id(row) not in gone]

    def _kept(self, table: Table) -> list[list[Row]]:
        places = (self.before, *(each.rows for each in self.savepoints))
        return [rows[table] for rows in places if table in rows]


@dataclass(slots=True, eq=False)
class Session:
    """One session.

    Attributes:
        number: Its number in the scenario.
        thread_id: Number of its thread on the server.
        binlog_format: Its value of this variable.
        binlog_rows_query_log_events: Its value of this variable.
        in_rows: Whether its statements are logged in row format: with ROW, and from an unsafe statement with MIXED on
            to the end of that statement or, where servers do so, of its last temporary table.
        database: Its default database, empty for none.
        gtid_next: ``AUTOMATIC``, ``ANONYMOUS``, a GTID, or `UNDEFINED`.
        owns_anonymous: Whether it has not used up ``ANONYMOUS`` yet.
        user_variable: The value of its user variable `v`, None if it was not set.
        temporary: Its temporary tables, oldest first.
        transaction: The open transaction; None outside one.
    """

    number: int
    thread_id: int
    binlog_format: str
    binlog_rows_query_log_events: bool
    in_rows: bool = False
    database: str = ""
    gtid_next: str = AUTOMATIC
    owns_anonymous: bool = False
    user_variable: int | None = None
    temporary: dict[TableName, Table] = field(default_factory=dict)
    transaction: OpenTransaction | None = None

    @property
    def has_given_gtid(self) -> bool:
        """Whether its next transaction has a given GTID."""
        return self.gtid_next not in (AUTOMATIC, ANONYMOUS, UNDEFINED)

    def begin_statement(self, *, keeps_rows: bool) -> None:
        """Choose the format of a statement before it is known whether it is safe.

        Args:
            keeps_rows: Whether a session with temporary tables stays in row format, which has not logged them.
        """
        self.in_rows = self.binlog_format == "ROW" or (self.in_rows and keeps_rows and bool(self.temporary))

    def log_unsafe(self) -> None:
        """Log an unsafe statement as rows, with MIXED."""
        self.in_rows |= self.binlog_format == "MIXED"

    def release(self) -> None:
        """Give up the GTID that the session was given and did not use up, or the right to be anonymous."""
        self.owns_anonymous = False
        if self.has_given_gtid:
            self.gtid_next = UNDEFINED
