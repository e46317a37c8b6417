"""Changes of rows, as statements or as rows, written from docs/roles/log.md and the worklogs."""

import struct
from typing import Any

from groups import Transactions
from sessions import Event, Name, Session
from statements import Refused, Table, name_of, text_of
from wire import is_subset, set_of_text

INTVAR, RAND, USER_VAR, TABLE_MAP, ROWS_QUERY, WRITE, UPDATE, DELETE = 5, 13, 14, 19, 29, 30, 31, 32
#: A row before and after a change: what is not there is None.
Change = tuple[list[int | None] | None, list[int | None] | None]


class RowChanges(Transactions):
    """Statements that change rows, and how they are logged."""

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
            self.commit(session, explicit=kind != "internal_rows" and any(changes.values()))

    insert = insert_select = update = delete = update_tables = insert_gtids = internal_rows = change

    def is_row(
        self, session: Session, statement: dict[str, Any], written: dict[Name, Table], read: dict[Name, Table]
    ) -> bool:
        """Return whether a statement is logged as rows."""
        kind = statement["kind"]
        keeps_rows = bool(session.temporary) and not self.worklog
        if session.format != "MIXED":
            session.as_rows = keeps_rows and (session.as_rows or session.format == "ROW")
            return session.format == "ROW" or kind == "internal_rows" or session.as_rows
        tables = [*written.values(), *read.values()]
        fixed = any(not table.transactional and not table.temporary for table in tables)
        changes = any(table.transactional for table in written.values())
        unsafe = (
            statement.get("computed") in ("rand", "uuid", "session_option", "global_option")
            or kind in ("insert_gtids", "internal_rows")
            or (kind == "insert_select" and any(table.numbered for table in written.values()))
            or (session.within and fixed and (changes or bool(session.cache)))
        )
        session.as_rows = keeps_rows and (session.as_rows or unsafe)
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
