"""A server that logs, written from the five worklogs and docs/roles/log.md: nobody may blame it."""

import base64
import struct
import uuid
from collections.abc import Callable
from typing import Any

from statements import Refused, Table, name_of, quoted, text_of
from wire import (
    ANONYMOUS,
    FORMAT,
    GTID,
    HEADER,
    MAGIC,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    STOP,
    GtidSet,
    add,
    body_of_set,
    contains,
    made,
    sealed,
    serve,
    set_of_text,
)

INTVAR, RAND, USER_VAR, TABLE_MAP, ROWS_QUERY, WRITE, UPDATE, DELETE = 5, 13, 14, 19, 29, 30, 31, 32
_IGNORE, _SELF, _START, _INSIDE, _END = (number << 10 for number in range(1, 6))
_LENGTHS = bytes.fromhex("380d0008001200040404041200005c00041a08000000080808020000000a0a0a2a2a00123400")
_MODES = ["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]
_NOW = 1700000000
_IMPLICIT = {
    "create_database", "drop_database", "rename_table", "alter_table", "maintain", "flush_logs",
    "create_table", "create_table_like", "create_table_select", "drop_table",
}  # fmt: skip

#: An event before it is written: its type, its body and its flags.
Event = tuple[int, bytes, int]
Name = tuple[str, str]
#: A row before and after a change: what is not there is None.
Change = tuple[list[int | None] | None, list[int | None] | None]


class Log:
    """One binary log.

    Attributes:
        previous: The set of its Previous_gtids event, None without one.
        gtids: The GTIDs in it.
    """

    def __init__(self, number: int, *, checksum: bool, created: int, extended: bool, marked: bool) -> None:
        self.number, self.checksum, self.marked = number, checksum, marked
        self.data = bytearray(MAGIC)
        self.previous: GtidSet | None = None
        self.gtids: list[tuple[tuple[bytes, str], int]] = []
        self.groups = 0
        lengths = bytearray(_LENGTHS)
        if extended:
            lengths[QUERY - 1] = 17
        version = b"5.7.44-log".ljust(50, b"\0")
        body = struct.pack("<H50sIB", 4, version, created, HEADER.size) + lengths + bytes([checksum])
        raw = made((_NOW, FORMAT, 1, len(MAGIC) + HEADER.size + len(body) + 4, _IGNORE * marked), body, checksum=True)
        self.data += sealed(raw)

    def write(self, code: int, body: bytes, flags: int = 0, marker: int = _SELF) -> None:
        """Add an event at the end."""
        end = len(self.data) + HEADER.size + len(body) + 4 * self.checksum
        header = (_NOW, code, 1, end, flags | marker * self.marked)
        self.data += made(header, body, checksum=self.checksum)


class Session:
    """A session: its variables, its temporary tables, and its open transaction.

    Attributes:
        cache: The events of the transaction that are not yet in the log.
        undo: What takes back the changes of the transaction, last first.
        registered: Whether a statement of the transaction was logged, at once or not.
        fixed: Whether the cache holds what a rollback cannot undo.
        gtid_next: AUTOMATIC, ANONYMOUS, a GTID, or nothing once a given GTID is used up.
        as_rows: Whether a statement was logged as rows since there were no temporary tables.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.format, self.texts = settings["binlog_format"], settings["binlog_rows_query_log_events"]
        self.database, self.gtid_next, self.variable = "", "AUTOMATIC", None
        self.temporary: dict[Name, Table] = {}
        self.anonymous = self.as_rows = False
        self.clear()

    def clear(self) -> None:
        """Forget the transaction: none is open then."""
        self.within = self.registered = self.fixed = False
        self.cache: list[Event] = []
        self.undo: list[Callable[[], None]] = []
        self.savepoints: list[tuple[str, int | None, int]] = []
        self.begun_in = ""

    @property
    def given(self) -> bool:
        """Whether the session has a given GTID."""
        return ":" in self.gtid_next

    def give_up(self) -> None:
        """Lose the right to a given GTID, or to be anonymous."""
        self.gtid_next = "" if self.given else self.gtid_next
        self.anonymous = False


class Server:
    """A server with its logs, in one scenario."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = dict(settings)
        self.worklog = settings["profile"] == "worklog"
        self.databases: set[str] = set()
        self.tables: dict[Name, Table] = {}
        self.logs: list[Log] = []
        self.numbers = 0
        self.executed: GtidSet = {}
        self.purged: GtidSet = {}
        self.logged: GtidSet = {}
        self.start()

    # Logs

    def start(self) -> None:
        """Open the first log after a start."""
        self.sessions: dict[int, Session] = {}
        if self.worklog and self.logs:
            self.recover()
        for table in self.tables.values():
            table.restart()
        self.open(_NOW)

    def recover(self) -> None:
        """Read from the logs which GTIDs are executed and purged."""
        executed: GtidSet = {}
        for log in reversed(self.logs):
            for source, number in log.gtids:
                add(executed, source, number)
            united(executed, log.previous or {})
            has_both = log.previous is not None and log.gtids
            if has_both or self.settings["binlog_gtid_simple_recovery"]:
                break
        self.executed, self.logged = executed, united({}, executed)
        self.purged = united({}, self.logs[0].previous or {})

    def open(self, created: int = 0) -> None:
        """Begin the next log."""
        self.numbers += 1
        self.log = Log(
            self.numbers,
            checksum=self.settings["binlog_checksum"] == "CRC32",
            created=created,
            extended=self.settings["binlog_with_tables_info"],
            marked=self.settings["boundary_markers"],
        )
        self.logs.append(self.log)
        if self.settings["gtid_mode"] != "OFF" or not self.settings["before_wl7592"]:
            self.log.previous = united({}, self.executed if self.worklog else self.logged)
            self.log.write(PREVIOUS_GTIDS, body_of_set(self.log.previous, tagged=False), 0x80)

    def rotate(self) -> None:
        """End the log and begin the next one."""
        self.log.write(ROTATE, struct.pack("<Q", 4) + f"bin.{self.numbers + 1:06}".encode())
        self.open()

    def query(self, database: str, text: str, tables: list[Name] = []) -> Event:  # noqa: B006
        """Return a Query event."""
        name, words, info, more = database.encode(), text.encode(), b"", b""
        if self.settings["binlog_with_tables_info"]:
            for of, table in tables:
                for part in ("" if of == database else of, table):
                    info += bytes([len(part.encode())]) + part.encode()
            more = struct.pack("<HH", len(words), len(info))
        head = struct.pack("<IIBHH", 1, 0, len(name), 0, 0) + more
        return QUERY, head + name + b"\0" * (not more) + words + info, 0

    def write(self, session: Session, group: list[Event]) -> None:
        """Write a group with the Gtid event before it, and use up a given GTID."""
        mode = self.settings["gtid_mode"]
        events = list(group)
        automatic = session.gtid_next == "AUTOMATIC" and mode in ("ON_PERMISSIVE", "ON")
        stamp = struct.pack("<Bqq", 2, self.log.groups, self.log.groups + 1)
        if session.given or automatic:
            if automatic:
                source, number = (uuid.UUID(self.settings["server_uuid"]).bytes, ""), 1
                while contains(self.executed, source, number):
                    number += 1
            else:
                ((source, ((number, _),)),) = set_of_text(session.gtid_next).items()
            for each in (self.executed, self.logged):
                add(each, source, number)
            self.log.gtids.append((source, number))
            events.insert(0, (GTID, b"\1" + source[0] + struct.pack("<q", number) + stamp, 0))
        elif not self.settings["before_wl7592"]:
            flags = 0x80 if self.worklog or session.gtid_next == "ANONYMOUS" else 0
            events.insert(0, (ANONYMOUS, b"\1" + bytes(24) + stamp, flags))
        self.log.groups += 1
        for place, (code, body, flags) in enumerate(events):
            marker = _END if place == len(events) - 1 else _INSIDE if place else _START
            self.log.write(code, body, flags, marker if len(events) > 1 else _SELF)
        if session.given:
            session.gtid_next = ""

    # Transactions

    def commit(self, session: Session, tables: list[Name] = [], *, explicit: bool = False) -> None:  # noqa: B006
        """Write what the transaction holds, and end it."""
        if session.cache or (explicit and session.given):
            begin = self.query(session.begun_in if session.cache else session.database, "BEGIN", tables)
            self.write(session, [begin, *session.cache, self.query(session.database, "COMMIT", tables)])
        session.clear()

    def rollback(self, session: Session) -> None:
        """Undo the transaction, and write it with ROLLBACK if it holds what cannot be undone."""
        for take_back in reversed(session.undo):
            take_back()
        self.drop_cache(session)
        session.clear()
        if session.given:
            session.gtid_next = ""

    def drop_cache(self, session: Session) -> None:
        """Forget the events of a transaction, or write them with ROLLBACK if one cannot be undone."""
        if session.fixed and session.cache:
            ends = [
                self.query(each, word) for each, word in ((session.begun_in, "BEGIN"), (session.database, "ROLLBACK"))
            ]
            self.write(session, [ends[0], *session.cache, ends[1]])
        session.cache, session.fixed, session.registered = [], False, False

    def at_once(self, session: Session, events: list[Event]) -> None:
        """Write a transaction of its own."""
        begin, end = self.query(session.database, "BEGIN"), self.query(session.database, "COMMIT")
        self.write(session, [begin, *events, end])
        session.registered = session.within

    def keep(self, session: Session, events: list[Event], *, fixed: bool = False) -> None:
        """Keep events for the end of the transaction."""
        if not session.cache:
            session.begun_in = session.database
        session.cache += events
        session.registered = True
        session.fixed |= fixed

    def is_consistent(self, session: Session) -> bool:
        """Return whether GTID consistency is enforced for a session."""
        mode = self.settings["gtid_mode"]
        automatic = mode == "ON_PERMISSIVE" and session.gtid_next == "AUTOMATIC"
        return self.settings["enforce_gtid_consistency"] or mode == "ON" or automatic or session.given

    def is_executed(self, session: Session) -> bool:
        """Return whether the given GTID of a session was executed before: statements are then passed over."""
        return session.given and is_subset(set_of_text(session.gtid_next), self.executed)

    def run(self, statement: dict[str, Any]) -> None:
        """Run a statement; one that is refused changes nothing."""
        kind, number = statement["kind"], statement.get("session", 1)
        if kind in ("restart", "crash"):
            self.end(statement)
            return
        session = self.sessions.setdefault(number, Session(self.settings))
        if kind == "disconnect":
            self.disconnect(session)
            del self.sessions[number]
            return
        session.anonymous = session.gtid_next == "ANONYMOUS"
        if self.is_executed(session) and not kind.startswith("set_"):
            return
        try:
            if not kind.startswith("set_") and kind not in ("use", "begin", "commit", "rollback"):
                self.check(session, kind, statement)
            getattr(self, {"commit": "end_work", "rollback": "undo_work"}.get(kind, kind))(session, statement)
        except Refused:
            if not session.within and kind != "create_table_select":
                session.give_up()

    def check(self, session: Session, kind: str, statement: dict[str, Any]) -> None:
        """Refuse what may not be run with the GTID that is given."""
        commits = kind in _IMPLICIT and not statement.get("temporary")
        if not session.gtid_next or (commits and session.within and session.given):
            raise Refused
        if commits and session.within:
            self.commit(session)
        if kind == "create_table_select" and not statement.get("temporary") and self.is_consistent(session):
            raise Refused
        if statement.get("temporary") and session.within and self.is_consistent(session):
            raise Refused

    def begin(self, session: Session, _: dict[str, Any]) -> None:
        """Begin a transaction."""
        if session.within:
            if session.given:
                raise Refused
            self.commit(session)
        session.within = True

    def end_work(self, session: Session, _: dict[str, Any]) -> None:
        """COMMIT."""
        self.commit(session, explicit=True)

    def undo_work(self, session: Session, _: dict[str, Any]) -> None:
        """ROLLBACK."""
        self.rollback(session)

    def savepoint(self, session: Session, statement: dict[str, Any]) -> None:
        """SAVEPOINT."""
        if not session.within:
            return
        name = statement["name"]
        session.savepoints = [each for each in session.savepoints if each[0] != name]
        place = len(session.cache) if session.registered else None
        session.savepoints.append((name, place, len(session.undo)))
        if session.registered:
            self.keep(session, [self.query(session.database, f"SAVEPOINT {quoted(name)}")])

    def rollback_to(self, session: Session, statement: dict[str, Any]) -> None:
        """ROLLBACK TO."""
        names = [each[0] for each in session.savepoints]
        if statement["name"] not in names:
            raise Refused
        at = names.index(statement["name"])
        name, place, undone = session.savepoints[at]
        session.savepoints = session.savepoints[: at + 1]
        for take_back in reversed(session.undo[undone:]):
            take_back()
        session.undo = session.undo[:undone]
        if place is None:
            self.drop_cache(session)
        elif session.fixed:
            self.keep(session, [self.query(session.database, f"ROLLBACK TO {quoted(name)}")])
        else:
            session.cache = session.cache[: place + 1]

    # Variables

    def use(self, session: Session, statement: dict[str, Any]) -> None:
        """USE."""
        if statement["database"] not in self.databases:
            raise Refused
        session.database = statement["database"]

    def set_user_variable(self, session: Session, statement: dict[str, Any]) -> None:
        """SET @v."""
        session.variable = statement["value"]

    def set_session(self, session: Session, statement: dict[str, Any]) -> None:
        """SET SESSION."""
        variable, value = statement["variable"], statement["value"]
        if variable == "binlog_rows_query_log_events":
            session.texts = boolean(statement.get("spelling", value))
        elif variable == "binlog_format":
            if session.within or (session.format == "ROW" and session.temporary and value != "ROW"):
                raise Refused
            session.format = value
        elif variable == "gtid_next":
            mode = self.settings["gtid_mode"]
            is_gtid = ":" in value
            owns = session.given and not self.is_executed(session)
            if session.within or owns or (is_gtid and (mode == "OFF" or value.count(":") > 1)):
                raise Refused
            if value == "ANONYMOUS" and mode == "ON":
                raise Refused
            session.gtid_next, session.anonymous = value, value == "ANONYMOUS"
        else:
            raise Refused

    def set_global(self, session: Session, statement: dict[str, Any]) -> None:
        """SET GLOBAL."""
        variable, value = statement["variable"], statement["value"]
        if variable == "gtid_mode":
            self.set_mode(session, value)
        elif variable == "binlog_rows_query_log_events":
            self.settings[variable] = boolean(statement.get("spelling", value))
        elif variable == "enforce_gtid_consistency":
            if not boolean(value) and self.settings["gtid_mode"] == "ON":
                raise Refused
            self.settings[variable] = boolean(value)
        elif variable in ("binlog_format", "binlog_checksum"):
            self.settings[variable] = value
            if variable == "binlog_checksum":
                self.rotate()
        else:
            raise Refused

    def set_mode(self, session: Session, value: str) -> None:
        """SET GLOBAL gtid_mode."""
        before = self.settings["gtid_mode"]
        others = self.sessions.values()
        if session.within or abs(_MODES.index(before) - _MODES.index(value)) > 1:
            raise Refused
        if value == "ON" and (not self.settings["enforce_gtid_consistency"] or any(each.anonymous for each in others)):
            raise Refused
        if value == "OFF" and any(each.given for each in others):
            raise Refused
        self.settings["gtid_mode"] = value
        if before != value:
            self.rotate()

    def set_gtid_purged(self, _: Session, statement: dict[str, Any]) -> None:
        """SET GLOBAL gtid_purged."""
        if self.executed:
            raise Refused
        for each in (self.executed, self.purged):
            united(each, set_of_text(statement["gtids"]))

    # Administration

    def flush_logs(self, session: Session, _: dict[str, Any]) -> None:
        """FLUSH BINARY LOGS."""
        self.rotate()
        self.commit(session, explicit=True)

    def purge_logs(self, _: Session, statement: dict[str, Any]) -> None:
        """PURGE BINARY LOGS."""
        kept = [log for log in self.logs if log.number >= statement["to"]]
        if not any(log.number == statement["to"] for log in self.logs):
            raise Refused
        self.logs = kept
        united(self.purged, kept[0].previous or {})

    def disconnect(self, session: Session) -> None:
        """End a session."""
        self.rollback(session)
        session.gtid_next = "AUTOMATIC"
        groups: dict[tuple[str, bool], list[Name]] = {}
        for name, table in session.temporary.items():
            if self.worklog and not table.is_logged:
                continue
            groups.setdefault((name[0], table.transactional), []).append(name)
        for (database, _), names in groups.items():
            text = "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS " + ",".join(quoted(name[1]) for name in names)
            self.write(session, [self.query(database, text, names)])

    def end(self, statement: dict[str, Any]) -> None:
        """Shut the server down, or kill it, and start it again."""
        for session in self.sessions.values():
            if statement["kind"] == "restart":
                self.disconnect(session)
            else:
                session.fixed = False
                self.rollback(session)
        if statement["kind"] == "restart":
            self.log.write(STOP, b"")
        for setting, value in statement.get("options", []):
            option = setting.removeprefix("--").replace("-", "_")
            name = option.removeprefix("skip_")
            self.settings[name] = value if name == "gtid_mode" else option == name and boolean(value or "ON")
        self.start()

    # Rows

    def table(self, session: Session, name: Name) -> Table:
        """Return a table of a session."""
        table = session.temporary.get(name) or self.tables.get(name)
        if table is None:
            raise Refused
        return table

    def change(self, session: Session, statement: dict[str, Any]) -> None:
        """Run a statement that changes rows, and log it as a statement or as rows."""
        kind = statement["kind"]
        names = [name_of(statement[key]) for key in ("table", "first", "second") if key in statement]
        sources = [name_of(statement["source"])] if "source" in statement else []
        written = {name: self.table(session, name) for name in names}
        read = {name: self.table(session, name) for name in sources}
        as_rows = self.is_row(session, statement, written, read)
        self.check_consistency(session, list(written.values()), as_rows=as_rows)
        context: list[Event] = []
        changes = {name: self.apply(session, statement, name, context) for name in written}
        if as_rows:
            self.log_rows(session, statement, written, changes)
        else:
            text = self.query(session.database, text_of(statement), [*names, *sources])
            kept = any(table.transactional for table in written.values()) or bool(session.cache)
            fixed = any(changes[name] and not table.transactional for name, table in written.items())
            if kept:
                self.keep(session, [*context, text], fixed=fixed)
            else:
                self.at_once(session, [*context, text])
        if not session.within:
            self.commit(session, explicit=kind != "internal_rows")

    insert = insert_select = update = delete = update_tables = insert_gtids = internal_rows = change

    def is_row(
        self, session: Session, statement: dict[str, Any], written: dict[Name, Table], read: dict[Name, Table]
    ) -> bool:
        """Return whether a statement is logged as rows."""
        kind = statement["kind"]
        if session.format != "MIXED":
            return session.format == "ROW" or kind == "internal_rows"
        tables = [*written.values(), *read.values()]
        fixed = any(not table.transactional and not table.temporary for table in tables)
        changes = any(table.transactional for table in written.values())
        unsafe = (
            statement.get("computed") in ("rand", "uuid", "session_option", "global_option")
            or kind in ("insert_gtids", "internal_rows")
            or (kind == "insert_select" and any(table.numbered for table in written.values()))
            or (session.within and fixed and (changes or bool(session.cache)))
        )
        session.as_rows = bool(session.temporary) and not self.worklog and (session.as_rows or unsafe)
        return unsafe or session.as_rows

    def check_consistency(self, session: Session, written: list[Table], *, as_rows: bool) -> None:
        """Refuse what GTID consistency forbids."""
        counted = [table for table in written if not (table.temporary and as_rows)]
        fixed = any(not table.transactional for table in counted)
        mixed = fixed and any(table.transactional for table in counted)
        if self.is_consistent(session) and (mixed or (fixed and session.cache)):
            raise Refused

    def apply(self, session: Session, statement: dict[str, Any], name: Name, context: list[Event]) -> list[Change]:
        """Change the rows of one table, and return how; collect the events that the statement needs before it."""
        kind, table = statement["kind"], self.table(session, name)
        undo = session.undo if table.transactional else None
        if kind == "delete":
            return table.delete(undo)
        if kind in ("update", "update_tables"):
            others = [self.table(session, name_of(statement[key])) for key in ("first", "second") if key in statement]
            return table.update(undo) if all(each.rows for each in others) else []
        first = table.next
        changes = table.insert(self.values(session, statement), undo, blocks=kind == "insert_select")
        if table.numbered and changes:
            context.append((INTVAR, struct.pack("<BQ", 2, first), 0))
        if statement.get("computed") == "rand":
            context.append((RAND, struct.pack("<QQ", 1, 2), 0))
        if statement.get("computed") == "variable":
            context.append(self.user_variable(session))
        return changes

    def values(self, session: Session, statement: dict[str, Any]) -> list[int | None]:
        """Return what an INSERT puts into the first column."""
        if statement["kind"] == "insert_select":
            return [row[0] for row in self.table(session, name_of(statement["source"])).rows]
        if statement["kind"] == "insert_gtids":
            given = set_of_text(statement["gtids"])
            held = self.executed if statement["variable"] == "gtid_executed" else self.purged
            return [is_subset(given, held) + 2 * is_subset(held, given)]
        computed = {
            "rand": 0,
            "variable": session.variable,
            "uuid": 36,
            "session_option": int(session.texts),
            "global_option": int(self.settings["binlog_rows_query_log_events"]),
        }
        more = [computed[statement["computed"]]] if "computed" in statement else []
        return [*statement.get("values", []), *more]

    def user_variable(self, session: Session) -> Event:
        """Return the User_var event of @v."""
        head = struct.pack("<I", 1) + b"v"
        if session.variable is None:
            return USER_VAR, head + b"\1", 0
        return USER_VAR, head + struct.pack("<BBIIqB", 0, 2, 63, 8, session.variable, 0), 0

    def log_rows(
        self, session: Session, statement: dict[str, Any], written: dict[Name, Table], changes: dict[Name, list[Change]]
    ) -> None:
        """Log the rows of a statement: those of non-transactional tables at once."""
        text = [(ROWS_QUERY, b"\0" + text_of(statement).encode(), 0x80)]
        with_text = session.texts and statement["kind"] != "internal_rows"
        for transactional in (False, True):
            names = [
                name for name, table in written.items() if table.transactional is transactional and not table.temporary
            ]
            if not any(changes[name] for name in names):
                continue
            events = self.row_events([(name, written[name], changes[name]) for name in names])
            if with_text and next(iter(written)) in names:
                events = text + events
            if transactional:
                self.keep(session, events)
            else:
                self.at_once(session, events)

    def row_events(self, parts: list[tuple[Name, Table, list[Change]]]) -> list[Event]:
        """Return Table_map and rows events of one statement."""
        maps = [(TABLE_MAP, table.map(number, name), 0) for number, (name, table, _) in enumerate(parts, 1)]
        rows = []
        filled = [(number, part) for number, part in enumerate(parts, 1) if part[2]]
        for number, (_, table, changes) in filled:
            before, after = changes[0]
            code = WRITE if before is None else DELETE if after is None else UPDATE
            ends = number == filled[-1][0]
            rows.append((code, table.images(number, changes, ends=ends), 0))
        return [*maps, *rows]

    # Definitions

    def define(self, session: Session, text: str, tables: list[Name], context: list[Event] = []) -> None:  # noqa: B006
        """Log a definition as a transaction of its own."""
        self.write(session, [*context, self.query(session.database, text, tables)])

    def create_database(self, session: Session, statement: dict[str, Any]) -> None:
        """CREATE DATABASE."""
        name = statement["database"]
        if name in self.databases:
            raise Refused
        self.databases.add(name)
        self.write(session, [self.query(name, text_of(statement))])

    def drop_database(self, session: Session, statement: dict[str, Any]) -> None:
        """DROP DATABASE, which drops the tables only if the directory holds a foreign file."""
        database = statement["database"]
        if database not in self.databases:
            raise Refused
        names = [name for name in self.tables if name[0] == database]
        for name in names:
            del self.tables[name]
        if statement.get("obstructed"):
            self.drop_half(session, database, names)
            return
        self.databases.discard(database)
        self.write(session, [self.query(database, text_of(statement))])
        if session.database == database:
            session.database = ""

    def drop_half(self, session: Session, database: str, names: list[Name]) -> None:
        """Log the tables that a DROP DATABASE dropped before it failed."""
        parts: list[list[Name]] = [[]]
        length = len("DROP TABLE IF EXISTS ")
        for name in names:
            more = len(quoted(name[1]).encode()) + 1
            if length + more >= 1023:
                parts.append([])
                length = len("DROP TABLE IF EXISTS ")
            parts[-1].append(name)
            length += more
        if session.given and (len(parts) > 1 or not self.worklog):
            session.give_up()
            return
        for part in filter(None, parts):
            text = "DROP TABLE IF EXISTS " + ",".join(quoted(name[1]) for name in part)
            self.write(session, [self.query(database, text, part)])

    def create_table(self, session: Session, statement: dict[str, Any]) -> None:
        """CREATE TABLE."""
        table = Table(statement.get("engine", "innodb"), numbered=statement.get("auto_increment", False))
        name = name_of(statement["table"])
        self.create(session, statement, table, text_of(statement), [name])

    def create_table_like(self, session: Session, statement: dict[str, Any]) -> None:
        """CREATE TABLE ... LIKE."""
        name, like = name_of(statement["table"]), name_of(statement["like"])
        old = self.table(session, like)
        table = Table("innodb" if old.transactional else "myisam", numbered=old.numbered)
        text, names = text_of(statement), [name, like]
        if old.temporary and session.format == "ROW":
            if_not = {"if_not_exists": True} if statement.get("if_not_exists") else {}
            plain = {"kind": "create_table", "table": statement["table"], "auto_increment": old.numbered, **if_not}
            text, names = text_of(plain | {"engine": table.engine}), [name]
        self.create(session, statement, table, text, names)

    def create(self, session: Session, statement: dict[str, Any], table: Table, text: str, names: list[Name]) -> bool:
        """Create a table, log it, and return whether it is new."""
        name = names[0]
        temporary = statement.get("temporary", False)
        among = session.temporary if temporary else self.tables
        exists = name in among
        if name[0] not in self.databases or (exists and not statement.get("if_not_exists")):
            raise Refused
        if not exists:
            table.temporary, table.is_logged = temporary, not temporary or session.format != "ROW"
            among[name] = table
        if not temporary:
            self.define(session, text, names)
        elif session.format != "ROW":
            self.temporary_change(session, text, names, transactional=table.transactional)
        return not exists

    def temporary_change(self, session: Session, text: str, names: list[Name], *, transactional: bool) -> None:
        """Log the creation or the end of a temporary table."""
        event = self.query(session.database, text, names)
        if not session.within:
            self.write(session, [event])
        elif transactional or session.cache:
            self.keep(session, [event], fixed=True)
        else:
            self.at_once(session, [event])

    def create_table_select(self, session: Session, statement: dict[str, Any]) -> None:
        """CREATE TABLE ... SELECT."""
        name, sources = name_of(statement["table"]), [name_of(each) for each in statement["sources"]]
        values = [row[0] for source in sources for row in self.table(session, source).rows]
        table = Table(statement.get("engine", "innodb"), numbered=False)
        context = []
        if statement.get("with_variable"):
            values.append(session.variable)
            context.append(self.user_variable(session))
        if statement.get("with_rand"):
            values.append(0)
            context.append((RAND, struct.pack("<QQ", 1, 2), 0))
        temporary = statement.get("temporary", False)
        as_rows = session.format == "ROW" or (session.format == "MIXED" and statement.get("with_rand", False))
        exists = name in (session.temporary if temporary else self.tables)
        if name[0] not in self.databases or (exists and not statement.get("if_not_exists")):
            raise Refused
        if exists:
            return
        table.temporary, table.is_logged = temporary, not temporary or not as_rows
        (session.temporary if temporary else self.tables)[name] = table
        changes = table.insert(values, None, blocks=False)
        if not as_rows:
            text = self.query(session.database, text_of(statement), [name, *sources])
            self.write(session, [*context, text])
        elif not temporary:
            plain = text_of({"kind": "create_table", "table": statement["table"], "engine": table.engine})
            create = self.query(session.database, plain, [name])
            rows = self.row_events([(name, table, changes)]) if changes else []
            if rows and session.texts:
                rows.insert(0, (ROWS_QUERY, b"\0" + text_of(statement).encode(), 0x80))
            ends = [self.query(session.database, word, [name]) for word in ("BEGIN", "COMMIT")]
            if self.settings["before_wl7592"]:
                self.write(session, [ends[0], create, *rows, ends[1]])
            else:
                self.write(session, [create])
                if rows:
                    self.write(session, [ends[0], *rows, ends[1]])

    def drop_table(self, session: Session, statement: dict[str, Any]) -> None:
        """DROP TABLE, one statement for each type of tables."""
        names = [name_of(each) for each in statement["tables"]]
        only, if_exists = statement.get("temporary", False), statement.get("if_exists", False)
        groups: dict[str, list[Name]] = {"fixed": [], "undoable": [], "base fixed": [], "base": []}
        missing = []
        for name in names:
            table = session.temporary.get(name)
            if table is not None:
                groups["undoable" if table.transactional else "fixed"].append(name)
            elif not only and name in self.tables:
                own = self.worklog and not self.tables[name].transactional
                groups["base fixed" if own else "base"].append(name)
            else:
                missing.append(name)
        if missing and len(missing) == len(names) and not if_exists:
            raise Refused
        if only or not self.worklog or groups["base"] or if_exists:
            groups["undoable" if only else "base"] += missing
        groups = {kind: part for kind, part in groups.items() if part}
        if session.given and len(groups) > 1:
            raise Refused
        for kind, group in groups.items():
            base = kind.startswith("base")
            tables = {name: (self.tables if base else session.temporary).pop(name, None) for name in group}
            # Under worklog the drop of what was not logged is not; a name that is of no table may be one of a replica.
            part = [name for name, table in tables.items() if not self.worklog or table is None or table.is_logged]
            if not part:
                continue
            optional = if_exists or (not base and session.format == "ROW")
            words = ("" if base else "TEMPORARY ") + "TABLE " + "IF EXISTS " * optional
            shown = ",".join(f"{quoted(name[0])}.{quoted(name[1])}" for name in part)
            text = f"DROP {words}{shown} /* generated by server */"
            if base:
                self.define(session, text, part)
            else:
                self.temporary_change(session, text, part, transactional=kind == "undoable")
        if missing and not if_exists:
            raise Refused

    def rename_table(self, session: Session, statement: dict[str, Any]) -> None:
        """RENAME TABLE."""
        tables = dict(self.tables)
        targets: list[Name] = []
        named: list[Name] = []
        for pair in statement["pairs"]:
            old, new = (name_of(each) for each in pair)
            if old not in tables or new in tables or new[0] not in self.databases:
                raise Refused
            tables[new] = tables.pop(old)
            if old not in targets:
                named.append(old)
            targets.append(new)
        self.tables = tables
        self.define(session, text_of(statement), named)

    def alter_table(self, session: Session, statement: dict[str, Any]) -> None:
        """ALTER TABLE."""
        name = name_of(statement["table"])
        if not self.table(session, name).temporary or session.format != "ROW":
            self.define(session, text_of(statement), [name])

    def maintain(self, session: Session, statement: dict[str, Any]) -> None:
        """OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE, which are logged even if they fail."""
        if statement["action"] != "checksum" or self.worklog:
            self.define(session, text_of(statement), [name_of(statement["table"])])


def boolean(value: str) -> bool:
    """Return what an option is set to."""
    word = str(value).upper()
    if word not in ("ON", "1", "TRUE", "OFF", "0", "FALSE"):
        raise Refused
    return word in ("ON", "1", "TRUE")


def united(target: GtidSet, more: GtidSet) -> GtidSet:
    """Add a set to another one."""
    for source, intervals in more.items():
        for first, last in intervals:
            for number in range(first, last + 1):
                add(target, source, number)
    return target


def is_subset(small: GtidSet, large: GtidSet) -> bool:
    """Return whether all GTIDs of a set are in another one."""
    return all(contains(large, source, *ends) for source, intervals in small.items() for ends in intervals)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the logs that a scenario leaves."""
    scenario = request["settings"]["scenario"]
    server = Server(scenario["settings"])
    for statement in scenario["statements"]:
        server.run(statement)
    return {"streams": [base64.b64encode(bytes(log.data)).decode() for log in server.logs], "error": None}


if __name__ == "__main__":
    serve("log", ["log", "type"], [], answer, ["worklog", "mysql-5.7"])
