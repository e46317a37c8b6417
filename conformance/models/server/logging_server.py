"""The server of the model: databases, sessions, GTIDs, and the binary logs that it writes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from conformance.binlog.checksum import ChecksumAlgorithm
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.layouts.mariadb_layouts import ALLOW_PARALLEL, DDL, STANDALONE, TRANSACTIONAL
from conformance.binlog.servers import server_of, use_flag, with_tables_info
from conformance.models.server import events
from conformance.models.server.gtid import Gtid
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_rules import LoggingRules, rules_of
from conformance.models.server.recovery import executed_after_restart
from conformance.models.server.session import ANONYMOUS, AUTOMATIC, UNDEFINED, Session, StatementRefused
from conformance.models.server.settings import NUMBERED_MODES, Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Statement
from conformance.models.server.tables import Table, TableName

#: The time at which the server of every scenario starts, in seconds since 1970; each statement is a second later.
EPOCH: Final = 1_700_000_000
SERVER_ID: Final = 1
#: Thread numbers of sessions begin after those of the server's own threads.
_FIRST_THREAD: Final = 8

#: The servers' number of the error that GTID_NEXT is undefined.
GTID_NEXT_UNDEFINED: Final = 1837
#: GTID_NEXT is ANONYMOUS under the mode ON.
_ANONYMOUS_WITH_MODE_ON: Final = 1782


def log_name(number: int) -> str:
    """Return the file name of the log with a number."""
    return f"bin.{number:06d}"


class SourceServer:
    """A server that logs.

    Attributes:
        settings: Its current settings.
        rules: How servers of its profile log.
        server: What servers of its profile write.
        databases: Its databases: name -> tables by name.
        sessions: The connected sessions by number.
        executed: Its executed GTIDs.
        purged: Those of them that are in none of its logs.
        unlogged: Those that were declared as purged and are named in no log of a shipped server, which has a table of
            its own for them (MySQL 9.7.4).
        logs: Its binary logs, oldest first, the current one last; not those that were purged.
        at: Index of the current statement; None while the server starts for the first time.
        unrestricted: Indices of the statements that GTID consistency forbids, and that were run as it is not enforced.

    Args:
        settings: The settings with which it starts.
        rules: Returns how a server with given settings logs.
    """

    def __init__(self, settings: Settings, *, rules: Callable[[Settings], LoggingRules] = rules_of) -> None:
        self.settings = settings
        self._rules_of = rules
        self.server = server_of(settings.profile)
        self.databases: dict[str, dict[TableName, Table]] = {}
        self.sessions: dict[int, Session] = {}
        self.executed = ExecutedGtids()
        self.purged = ExecutedGtids()
        self.unlogged = ExecutedGtids()
        self.logs: list[PlannedLog] = []
        self.at: int | None = None
        self.unrestricted: list[int | None] = []
        self._threads = _FIRST_THREAD
        self._table_ids = 100
        self._xids = 10
        self._mariadb_gno = 0
        self.open_log(started=True)

    @property
    def rules(self) -> LoggingRules:
        """How it logs."""
        return self._rules_of(self.settings)

    @property
    def clock(self) -> int:
        """Seconds since 1970."""
        return EPOCH + (0 if self.at is None else self.at + 1)

    @property
    def log(self) -> PlannedLog:
        """The current binary log."""
        return self.logs[-1]

    # --- sessions and tables

    def session(self, number: int) -> Session:
        """Return a session; it connects with its first statement."""
        if number not in self.sessions:
            self._threads += 1
            self.sessions[number] = Session(
                number,
                self._threads,
                self.settings.binlog_format,
                self.settings.binlog_rows_query_log_events,
            )
        return self.sessions[number]

    def base_table(self, name: TableName) -> Table | None:
        """Return a table that all sessions see; None if there is none."""
        return self.databases.get(name.database, {}).get(name)

    def table(self, session: Session, name: TableName) -> Table:
        """Return the table that a session sees under a name: its own temporary one if there is one.

        Raises:
            Refused: There is no such table.
        """
        table = session.temporary.get(name) or self.base_table(name)
        if table is None:
            raise StatementRefused(1146, f"Table '{name}' doesn't exist")
        return table

    def number_table(self, table: Table) -> Table:
        """Give a table the number under which its rows are logged; a changed definition gets a new one."""
        self._table_ids += 1
        table.table_id = self._table_ids
        return table

    def next_xid(self) -> int:
        """Return the number of the next transaction."""
        self._xids += 1
        return self._xids

    # --- GTIDs

    def check_gtid_next(self, session: Session) -> None:
        """Check that a session may change data: a statement logged before its transaction may have used its GTID.

        Raises:
            StatementRefused: Its given GTID was used up, or it is to be anonymous, and the mode is ON since then.
        """
        if session.gtid_next == UNDEFINED:
            message = "When @@SESSION.GTID_NEXT is set to a GTID, you must explicitly set it to a different value"
            raise StatementRefused(GTID_NEXT_UNDEFINED, f"{message} after a COMMIT or ROLLBACK.")
        self.check_anonymous(session.gtid_next)

    def check_anonymous(self, gtid_next: str) -> None:
        """Check that a value of GTID_NEXT, if it is ANONYMOUS, is allowed under the mode.

        Raises:
            StatementRefused: The mode is ON.
        """
        if gtid_next == ANONYMOUS and self.settings.gtid_mode == "ON":
            message = "@@SESSION.GTID_NEXT cannot be set to ANONYMOUS when @@GLOBAL.GTID_MODE = ON."
            raise StatementRefused(_ANONYMOUS_WITH_MODE_ON, message)

    def must_be_consistent(self, session: Session) -> bool:
        """Return whether a session's next transaction must fit under one GTID."""
        if self.rules.gtid_events in ("never", "mariadb"):
            return False
        numbered = self.settings.gtid_mode in NUMBERED_MODES and session.gtid_next == AUTOMATIC
        return self.settings.enforce_gtid_consistency or session.has_given_gtid or numbered

    def forbid(self, session: Session, code: int, what: str) -> None:
        """Refuse the current statement, which GTID consistency forbids, if that is enforced.

        Args:
            session: The session.
            code: The number of the error.
            what: What is forbidden, as in the error's text.

        Raises:
            StatementRefused: It is enforced.
        """
        if self.must_be_consistent(session):
            raise StatementRefused(code, f"Statement violates GTID consistency: {what}")
        self.unrestricted.append(self.at)

    def skips(self, session: Session) -> bool:
        """Return whether a session's next transaction was executed before, and so is not executed again."""
        return session.has_given_gtid and session.gtid_next in self.executed

    def _gtid_event(self, session: Session | None, logged: Sequence[LoggedEvent]) -> LoggedEvent | None:
        rules, mode = self.rules, self.settings.gtid_mode
        if rules.gtid_events == "mariadb":
            return self._mariadb_gtid(logged)
        next_gtid = AUTOMATIC if session is None else session.gtid_next
        if session is not None:
            session.owns_anonymous = False
        identifier: Gtid | None = None
        if session is not None and session.has_given_gtid:
            identifier = Gtid.parse(session.gtid_next)
            session.gtid_next = UNDEFINED
        elif next_gtid != ANONYMOUS and mode in NUMBERED_MODES and rules.gtid_events != "never":
            source = UUID(self.settings.server_uuid).bytes
            identifier = Gtid(source, "", self.next_number(source))
        if identifier is not None:
            self.executed.add(*identifier)
        elif rules.gtid_events != "always":
            return None
        relogged = next_gtid == ANONYMOUS and identifier is None
        anonymous_flags = rules.anonymous_flags | (int(Flag.IGNORABLE) if relogged else 0)
        return events.gtid(
            identifier,
            form=self.server.gtid_form,
            flags=anonymous_flags if identifier is None else 0,
            with_statements=not any(each.type in ROWS_TYPES for each in logged),
        )

    def next_number(self, source: bytes) -> int:
        """Return the number of the next automatic GTID of a source, a UUID: the least that is not executed."""
        return self.executed.next_of(source)

    def _mariadb_gtid(self, logged: Sequence[LoggedEvent]) -> LoggedEvent:
        self._mariadb_gno += 1
        if logged[0].fields.get("query") != events.BEGIN:
            return events.mariadb_gtid(self._mariadb_gno, flags=STANDALONE | DDL)
        transactional = TRANSACTIONAL if logged[-1].type == EventType.XID else 0
        return events.mariadb_gtid(self._mariadb_gno, flags=transactional | ALLOW_PARALLEL)

    # --- writing

    def query(
        self,
        session: Session,
        statement: str | bytes,
        *,
        database: str | None = None,
        flags: int = 0,
        tables: Sequence[TableName] = (),
        generated: bool = False,
    ) -> LoggedEvent:
        """Return a Query event of a session, in its default database unless one is given.

        Its flags are those given, and SUPPRESS_USE where servers set it.
        """
        text = statement if isinstance(statement, str) else statement.decode()
        made = events.query(
            text.encode(),
            database=session.database if database is None else database,
            thread_id=session.thread_id,
            flags=flags | use_flag(self.server.profile, text),
            tables=tables,
            generated=generated,
        )
        return replace(made, statement=self.at)

    def text(self, session: Session, statement: Statement, **arguments: Any) -> LoggedEvent:
        """Return the Query event that holds a statement as it was given."""
        return self.query(session, sql_of(statement) or "", **arguments)

    def log_alone(self, session: Session, *logged: LoggedEvent) -> None:
        """Write a statement that is a transaction of its own, with its context events before it."""
        self._write_transaction(session, list(logged))

    def log_transaction(
        self,
        session: Session,
        logged: Iterable[LoggedEvent],
        *,
        end: LoggedEvent,
        database: str | None = None,
        tables: Sequence[TableName] = (),
    ) -> None:
        """Write a transaction: BEGIN, in the session's default database unless one is given, its events, its end."""
        begin = self.query(session, events.BEGIN, database=database, tables=tables)
        self._write_transaction(session, [begin, *logged, end])

    def commit_query(self, session: Session, tables: Sequence[TableName] = ()) -> LoggedEvent:
        """Return the Query event COMMIT, which ends a transaction without transactional engines."""
        return self.query(session, events.COMMIT, tables=tables)

    def xid(self) -> LoggedEvent:
        """Return the Xid event that ends a transaction."""
        return events.xid(self.next_xid())

    def _write_transaction(self, session: Session, logged: list[LoggedEvent]) -> None:
        gtid = self._gtid_event(session, logged)
        if self.rules.gtid_events == "mariadb" and logged[0].fields.get("query") == events.BEGIN:
            # Its Gtid event is the BEGIN.
            del logged[0]
        self.log.transactions += 1
        self._write([*([gtid] if gtid else []), *logged], transaction=True)

    def _write(self, logged: Iterable[LoggedEvent], *, transaction: bool = False) -> None:
        self.log.units.append(Unit(tuple(logged), self.at, transaction, self.clock))

    # --- logs

    def open_log(self, *, started: bool) -> None:
        """Begin a new binary log.

        Args:
            started: Whether the server started with it, as its format description then records.
        """
        settings, rules = self.settings, self.rules
        algorithm: int | None = None
        if self.server.checksums:
            crc32 = settings.binlog_checksum == "CRC32"
            algorithm = int(ChecksumAlgorithm.CRC32 if crc32 else ChecksumAlgorithm.NONE)
        lengths = self.server.post_header_lengths
        described = FormatDescription(
            binlog_version=4,
            server_version=self.server.version,
            created=self.clock if started else 0,
            header_length=HEADER_BYTES,
            post_header_lengths=with_tables_info(lengths) if settings.binlog_with_tables_info else lengths,
            checksum_algorithm=algorithm,
        )
        number = self._next_number
        name = log_name(number)
        if self.logs:
            self._close_last()
        log = PlannedLog(name, number, described, SERVER_ID, settings.boundary_markers, gtid_mode=settings.gtid_mode)
        self.logs.append(log)
        self._write([LoggedEvent(EventType.FORMAT_DESCRIPTION, {}, int(Flag.BINLOG_IN_USE))])
        if rules.gtid_events == "mariadb":
            self._write([events.gtid_list(SERVER_ID, self._mariadb_gno)])
            self._write([events.binlog_checkpoint(name)])
        elif rules.previous_gtids_always or (rules.gtid_events == "numbered" and settings.gtid_mode in NUMBERED_MODES):
            gtids = self.executed.missing_in(self.unlogged.gtids()) if self.unlogged.size else self.executed.gtids()
            self.log.previous_gtids = gtids
            self._write([events.previous_gtids(gtids, flags=rules.previous_gtids_flags)])

    def _close_last(self) -> None:
        """Clear the in-use flag of the last log's format description."""
        units = self.log.units
        first = units[0].events[0]
        units[0] = replace(units[0], events=(replace(first, flags=first.flags & ~int(Flag.BINLOG_IN_USE)),))

    @property
    def _next_number(self) -> int:
        return self.logs[-1].number + 1 if self.logs else 1

    def rotate(self) -> None:
        """Continue in a new binary log."""
        self._write([events.rotate(log_name(self._next_number))])
        self.open_log(started=False)

    def start_again(self, settings: Settings, *, stopped: bool) -> None:
        """Start again with other settings.

        Args:
            settings: The new settings.
            stopped: Whether it was shut down and so wrote a Stop event; else it crashed.
        """
        if stopped:
            self._write([events.stop()])
        self.sessions.clear()
        if not self.rules.numbers_kept:
            for table in (each for tables in self.databases.values() for each in tables.values()):
                table.forget_number()
        self.settings = settings
        self.executed = executed_after_restart(self.logs, self.executed, settings)
        self.purged = ExecutedGtids(self.logs[0].previous_gtids)
        self.purged.add_set(self.unlogged.gtids())
        self.open_log(started=True)

    def declare_purged(self, gtids: GtidSet) -> None:
        """Take GTIDs as executed and purged."""
        self.executed.add_set(gtids)
        self.purged.add_set(gtids)
        if self.rules.purged_in_log:
            self.rotate()
        elif self.settings.profile != "worklog":
            self.unlogged.add_set(gtids)

    def purge(self, number: int) -> None:
        """Delete the logs before the one with a number; their GTIDs are then purged."""
        self.logs = [log for log in self.logs if log.number >= number]
        self.purged.add_set(self.logs[0].previous_gtids or GtidSet())
