"""The tables of a replica: the rows that the events of a relay log leave in them.

Only the statements of `conformance.strategies.groups.replica_groups` are executed; others change no table.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.models.replica.replica_event import ReplicaEvent

Row = tuple[Any, ...]
#: The table that a replica has before it applies anything, as ``database.table``; it has two INT columns.
EXISTING: Final = "test.t1"

_INSERT: Final = re.compile(r"INSERT INTO `(\w+)` VALUES \((.+), (.+)\)\Z")
_CREATE: Final = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?`(\w+)`")
_DROP: Final = re.compile(r"DROP TABLE (?:IF EXISTS )?`(\w+)`")
_LOAD: Final = re.compile(r"LOAD DATA .* INTO TABLE `(\w+)`")
_SAVEPOINT: Final = re.compile(r"SAVEPOINT `(\w+)`\Z")
_BACK: Final = re.compile(r"ROLLBACK TO `(\w+)`\Z")
_VARIABLE: Final = re.compile(r"@`(\w+)`\Z")
_RANDOM: Final = re.compile(r"FLOOR\(RAND\(\) \* (\d+)\)\Z")
_LAST_INSERT_ID: Final = "LAST_INSERT_ID()"
#: The value of `intvar_type` for LAST_INSERT_ID.
_OF_LAST: Final = 1
#: The period of the random numbers of RAND.
_PERIOD: Final = 0x3FFFFFFF


class ReplicaTables:
    """The rows of some tables: those that other sessions see, and those of the open transaction.

    Only `EXISTING` is there at first, and empty.
    """

    def __init__(self) -> None:
        self._visible: dict[str, list[Row]] = {EXISTING: []}
        self._rows = self._copy(self._visible)
        #: The rows at each savepoint of the open transaction.
        self._savepoints: dict[str, dict[str, list[Row]]] = {}
        self._maps: dict[int, str] = {}
        self._variables: dict[str, Any] = {}
        self._last_insert_id = 0
        self._seeds = (0, 0)
        self._files: dict[int, str] = {}

    def commit(self) -> None:
        """Show the rows of the open transaction to other sessions."""
        self._visible = self._copy(self._rows)
        self._savepoints.clear()

    def rollback(self) -> None:
        """Undo what the open transaction did."""
        self._rows = self._copy(self._visible)

    def visible(self, names: Iterable[str]) -> dict[str, list[list[Any]]]:
        """Return the rows that other sessions see of each named table that exists, sorted, NULL before numbers."""
        return {name: sorted(map(list, self._visible[name]), key=_in_order) for name in names if name in self._visible}

    def execute(self, event: ReplicaEvent) -> None:
        """Execute one event in the open transaction; one of which only the header is known changes nothing."""
        if event.type in ROWS_TYPES and event.fields:
            self._change_rows(event.fields)
        elif event.type in _EXECUTED and event.fields:
            _EXECUTED[event.type](self, event.fields)

    @staticmethod
    def _copy(rows: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
        return {name: list(each) for name, each in rows.items()}

    def _open(self, fields: Mapping[str, Any]) -> None:
        self._maps[fields["table_id"]] = f"{fields['database']}.{fields['table']}"

    def _change_rows(self, fields: Mapping[str, Any]) -> None:
        rows = self._rows.get(self._maps.get(fields["table_id"], ""))
        if rows is None:
            return
        for image in fields.get("rows", ()):
            before, after = _row(image["before"]), _row(image["after"])
            if before is not None and before in rows:
                rows.remove(before)
            if after is not None:
                rows.append(after)

    def _query(self, fields: Mapping[str, Any]) -> None:
        statement, database = fields["query"], fields["database"]
        if match := _INSERT.match(statement):
            self._insert(f"{database}.{match[1]}", (self._value(match[2]), self._value(match[3])))
        elif match := _CREATE.match(statement):
            self._rows.setdefault(f"{database}.{match[1]}", [])
        elif match := _DROP.match(statement):
            self._rows.pop(f"{database}.{match[1]}", None)
        elif match := _SAVEPOINT.match(statement):
            self._savepoints[match[1]] = self._copy(self._rows)
        elif (match := _BACK.match(statement)) and match[1] in self._savepoints:
            self._rows = self._copy(self._savepoints[match[1]])

    def _insert(self, table: str, row: Row) -> None:
        if table in self._rows:
            self._rows[table].append(row)

    def _value(self, expression: str) -> Any:
        if match := _VARIABLE.match(expression):
            return self._variables.get(match[1])
        if match := _RANDOM.match(expression):
            return int(self._random() * int(match[1]))
        if expression == "NULL":
            return None
        return self._last_insert_id if expression == _LAST_INSERT_ID else int(expression)

    def _random(self) -> float:
        """Return the next number of RAND, from 0 up to but not including 1."""
        first, second = self._seeds
        first = (first * 3 + second) % _PERIOD
        self._seeds = (first, (first + second + 33) % _PERIOD)
        return first / _PERIOD

    def _set_number(self, fields: Mapping[str, Any]) -> None:
        if fields["intvar_type"] == _OF_LAST:
            self._last_insert_id = fields["intvar_value"]

    def _set_seeds(self, fields: Mapping[str, Any]) -> None:
        self._seeds = (fields["seed1"], fields["seed2"])

    def _set_variable(self, fields: Mapping[str, Any]) -> None:
        self._variables[fields["variable_name"]] = fields["variable_value"]

    def _add_block(self, fields: Mapping[str, Any]) -> None:
        if isinstance(fields["block_data"], str):
            self._files[fields["file_id"]] = self._files.get(fields["file_id"], "") + fields["block_data"]

    def _load(self, fields: Mapping[str, Any]) -> None:
        match, data = _LOAD.match(fields["query"]), self._files.pop(fields["file_id"], "")
        if match is None:
            return
        for line in data.splitlines():
            self._insert(f"{fields['database']}.{match[1]}", tuple(map(int, line.split("\t"))))

    def _forget_file(self, fields: Mapping[str, Any]) -> None:
        self._files.pop(fields["file_id"], None)


def _in_order(row: list[Any]) -> list[tuple[bool, int]]:
    return [(value is not None, value or 0) for value in row]


def _row(image: Mapping[str, Any] | None) -> Row | None:
    return None if image is None else tuple(image.values())


_EXECUTED: Final[Mapping[int, Callable[[ReplicaTables, Mapping[str, Any]], None]]] = {
    EventType.TABLE_MAP: ReplicaTables._open,
    EventType.QUERY: ReplicaTables._query,
    EventType.INTVAR: ReplicaTables._set_number,
    EventType.RAND: ReplicaTables._set_seeds,
    EventType.USER_VAR: ReplicaTables._set_variable,
    EventType.BEGIN_LOAD_QUERY: ReplicaTables._add_block,
    EventType.APPEND_BLOCK: ReplicaTables._add_block,
    EventType.DELETE_FILE: ReplicaTables._forget_file,
    EventType.EXECUTE_LOAD_QUERY: ReplicaTables._load,
}
