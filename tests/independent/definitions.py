"""Definitions of databases and tables in a log, written from docs/roles/log.md and the worklogs."""

import struct
from typing import Any

from row_changes import RAND, ROWS_QUERY, RowChanges
from sessions import Event, Name, Session
from statements import Refused, Table, name_of, quoted, text_of


class Definitions(RowChanges):
    """Statements that define databases and tables."""

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
        else:
            # It goes on with rows.
            session.as_rows = not self.worklog
            self.use_up(session)
        return not exists

    def use_up(self, session: Session) -> None:
        """Use a given GTID up, as an empty transaction, by a definition of which nothing is logged."""
        if session.given and not session.within:
            self.commit(session, explicit=True)

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
        if exists or (temporary and as_rows):
            # Nothing of it is logged.
            self.use_up(session)
        if exists:
            return
        table.temporary, table.is_logged = temporary, not temporary or not as_rows
        (session.temporary if temporary else self.tables)[name] = table
        changes = table.insert(values, None, blocks=False)
        if temporary and not as_rows:
            names = [name, *sources]
            self.temporary_change(session, text_of(statement), names, transactional=table.transactional)
        elif not as_rows:
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
        in_rows = session.format == "ROW" or (session.as_rows and bool(session.temporary) and not self.worklog)
        for kind, group in groups.items():
            base = kind.startswith("base")
            tables = {name: (self.tables if base else session.temporary).pop(name, None) for name in group}
            # Under worklog the drop of what was not logged is not; a name that is of no table may be one of a replica.
            part = [name for name, table in tables.items() if not self.worklog or table is None or table.is_logged]
            if not part:
                self.use_up(session)
                continue
            optional = if_exists or (not base and in_rows)
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
        else:
            self.use_up(session)

    def maintain(self, session: Session, statement: dict[str, Any]) -> None:
        """OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE, which are logged even if they fail."""
        if statement["action"] != "checksum" or self.worklog:
            self.define(session, text_of(statement), [name_of(statement["table"])])
