"""The statements of a scenario as SQL, and the tables that they change, written from docs/roles/log.md."""

import struct
from collections.abc import Callable
from typing import Any

_LONG = 3
Row = list[int | None]
Change = tuple[Row | None, Row | None]
Undo = list[Callable[[], None]]


class Refused(Exception):
    """The statement fails and is not logged."""


def quoted(name: str) -> str:
    """Return a name in backquotes."""
    doubled = name.replace("`", "``")
    return f"`{doubled}`"


def name_of(text: str) -> tuple[str, str]:
    """Return database and table."""
    database, _, table = text.partition(".")
    return database, table


def _shown(text: str) -> str:
    database, table = name_of(text)
    return f"{quoted(database)}.{quoted(table)}"


def text_of(statement: dict[str, Any]) -> str:
    """Return the SQL of a statement, with its comment."""
    text = _TEXTS[statement["kind"]](statement)
    comment = statement.get("comment")
    if comment is None:
        return text
    if statement.get("comment_first"):
        return f"{comment} {text}"
    first, _, rest = text.partition(" ")
    return f"{first} {comment} {rest}"


def _create(statement: dict[str, Any]) -> str:
    temporary = "temporary " * statement.get("temporary", False)
    condition = "if not exists " * statement.get("if_not_exists", False)
    return f"create {temporary}table {condition}{_shown(statement['table'])}"


def _create_table(statement: dict[str, Any]) -> str:
    number = ", `id` int not null auto_increment primary key" * statement.get("auto_increment", False)
    return f"{_create(statement)} (`a` int{number}) engine={statement.get('engine', 'innodb')}"


def _create_select(statement: dict[str, Any]) -> str:
    parts = [f"select `a` from {_shown(source)}" for source in statement["sources"]]
    parts += ["select @v"] * statement.get("with_variable", False)
    parts += ["select floor(rand())"] * statement.get("with_rand", False)
    column = " (`a` int)" * (len(parts) > len(statement["sources"]))
    return f"{_create(statement)}{column} engine={statement.get('engine', 'innodb')} {' union all '.join(parts)}"


def _insert(statement: dict[str, Any]) -> str:
    computed = {
        "rand": "floor(rand())",
        "variable": "@v",
        "uuid": "length(uuid())",
        "session_option": "@@session.binlog_rows_query_log_events",
        "global_option": "@@global.binlog_rows_query_log_events",
    }
    rows = [str(value) for value in statement.get("values", [])]
    rows += [computed[statement["computed"]]] if "computed" in statement else []
    delayed = "delayed " * statement.get("delayed", False)
    return f"insert {delayed}into {_shown(statement['table'])} (`a`) values " + ", ".join(f"({row})" for row in rows)


def _insert_gtids(statement: dict[str, Any]) -> str:
    variable, gtids = f"@@global.{statement['variable']}", statement["gtids"]
    value = f"gtid_subset('{gtids}', {variable}) + 2 * gtid_subset({variable}, '{gtids}')"
    return f"insert into {_shown(statement['table'])} (`a`) values ({value})"


def _update_tables(statement: dict[str, Any]) -> str:
    first, second = _shown(statement["first"]), _shown(statement["second"])
    return f"update {first} as x, {second} as y set x.`a` = x.`a` + 1, y.`a` = y.`a` + 1"


_TEXTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "create_database": lambda s: f"create database {quoted(s['database'])}",
    "drop_database": lambda s: f"drop database {quoted(s['database'])}",
    "create_table": _create_table,
    "create_table_like": lambda s: f"{_create(s)} like {_shown(s['like'])}",
    "create_table_select": _create_select,
    "rename_table": lambda s: "rename table " + ", ".join(f"{_shown(a)} to {_shown(b)}" for a, b in s["pairs"]),
    "alter_table": lambda s: f"alter table {_shown(s['table'])} comment = 'altered'",
    "insert": _insert,
    "insert_select": lambda s: f"insert into {_shown(s['table'])} (`a`) select `a` from {_shown(s['source'])}",
    "update": lambda s: f"update {_shown(s['table'])} set `a` = `a` + 1",
    "delete": lambda s: f"delete from {_shown(s['table'])}",
    "update_tables": _update_tables,
    "insert_gtids": _insert_gtids,
    "internal_rows": lambda s: "",
    "maintain": lambda s: f"{s['action']} table {_shown(s['table'])}",
}


class Table:
    """A table: the column `a`, and a numbered column in some.

    Attributes:
        is_logged: Whether its creation was logged.
        next: The number of auto_increment that the next row gets.
    """

    def __init__(self, engine: str, *, numbered: bool) -> None:
        self.engine, self.numbered = engine, numbered
        self.transactional = engine == "innodb"
        self.temporary, self.is_logged = False, True
        self.rows: list[Row] = []
        self.next = 1

    def restart(self) -> None:
        """Be opened by a server of 5.7 that was started again: InnoDB reads the next number from the rows."""
        if self.numbered and self.transactional:
            self.next = 1 + max((row[-1] for row in self.rows), default=0)

    def insert(self, values: Row, undo: Undo | None, *, blocks: bool) -> list[Change]:
        """Add rows."""
        taken, size = 0, 1
        while blocks and self.transactional and taken < len(values):
            taken, size = taken + size, size * 2
        added = [[value, self.next + place] if self.numbered else [value] for place, value in enumerate(values)]
        self.rows += added
        self.next += max(taken, len(values)) if self.numbered else 0
        if undo is not None:
            undo.append(lambda: self._remove(added))
        return [(None, list(row)) for row in added]

    def _remove(self, rows: list[Row]) -> None:
        self.rows = [row for row in self.rows if not any(row is each for each in rows)]

    def delete(self, undo: Undo | None) -> list[Change]:
        """Remove all rows."""
        gone, self.rows = self.rows, []
        if undo is not None:
            undo.append(lambda: self.rows.extend(gone))
        return [(row, None) for row in gone]

    def update(self, undo: Undo | None) -> list[Change]:
        """Add 1 to each row but NULL."""
        rows = [row for row in self.rows if row[0] is not None]
        changes: list[Change] = [(list(row), [row[0] + 1, *row[1:]]) for row in rows if row[0] is not None]
        _add(rows, 1)
        if undo is not None:
            undo.append(lambda: _add(rows, -1))
        return changes

    def map(self, number: int, name: tuple[str, str]) -> bytes:
        """Return the body of a Table_map."""
        count = 1 + self.numbered
        named = b"".join(bytes([len(part.encode())]) + part.encode() + b"\0" for part in name)
        head = number.to_bytes(6, "little") + struct.pack("<H", 1)
        return head + named + bytes([count]) + bytes([_LONG]) * count + b"\0" + b"\1"

    def images(self, number: int, changes: list[Change], *, ends: bool) -> bytes:
        """Return the body of a rows event."""
        count = 1 + self.numbered
        used = bytes([(1 << count) - 1])
        is_update = None not in changes[0]
        head = number.to_bytes(6, "little") + struct.pack("<HH", ends, 2) + bytes([count]) + used * (1 + is_update)
        return head + b"".join(_image(row) for change in changes for row in change if row is not None)


def _add(rows: list[Row], more: int) -> None:
    for row in rows:
        row[0] = (row[0] or 0) + more


def _image(row: Row) -> bytes:
    nulls = sum(1 << place for place, value in enumerate(row) if value is None)
    return bytes([nulls]) + b"".join(struct.pack("<i", value) for value in row if value is not None)
