"""Changes of data that a real replica can apply: to a table of two INT columns that is there, and empty."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import WITH_ROWS_QUERIES, WITH_VARIABLE_FLAGS, WITH_ZERO_FILLED_BITMAPS, use_flag
from conformance.binlog.user_variable import VariableType
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: Returns the events of a change.
Change = Callable[[StreamBuilder], list[PlannedEvent]]
#: The values of a row.
Row = tuple[int | None, ...]

_COLUMNS: Final = 2
_INT: Final = 3
_ALL_PRESENT: Final = b"\x03"
_BINARY: Final = 63
_LAST_INSERT_ID: Final = 1
_INSERT_ID: Final = 2
_WRITE, _UPDATE, _DELETE = range(3)
#: The flags of a session that checks neither foreign keys nor unique ones.
NO_CHECKS: Final = 0x0002 | 0x0004


def query(stream: StreamBuilder, statement: str, *, database: str = "test") -> PlannedEvent:
    """Return a Query event of a statement that succeeded, without status variables."""
    fields = {"thread_id": stream.choose.integer(1, 99), "exec_time": 0, "error_code": 0}
    wire = {**fields, "status_variables": b"", "database": database.encode(), "query": statement.encode()}
    flags = use_flag(stream.server.profile, statement)
    reported = {**fields, "database": database, "query": statement}
    return mysql_events.plan(stream, EventType.QUERY, wire, reported, flags=flags)


def row_changes(
    stream: StreamBuilder, *, rows_events: int = 1, table: str = "t1", database: str = "test", flags: int = 0
) -> list[PlannedEvent]:
    """Return a Table_map event and the rows events of one statement that adds rows.

    Args:
        stream: The stream it is for.
        rows_events: How many rows events it has.
        table: Its table.
        database: The database of the table.
        flags: Their flags besides the one for the end of the statement.
    """
    images = [((None, _row(stream)),) for _ in range(rows_events)]
    return _statement(stream, _WRITE, images, table=table, database=database, flags=flags)


def rows_of_tables(stream: StreamBuilder, table_ids: Mapping[str, int]) -> list[PlannedEvent]:
    """Return the Table_map events of one statement that adds a row to each of some tables, then its rows events.

    Args:
        stream: The stream it is for.
        table_ids: The id in the Table_map event of each table.
    """
    maps = [
        mysql_events.table_map(stream, table_id=table_id, table=table, columns=_COLUMNS)
        for table, table_id in table_ids.items()
    ]
    *_, last = table_ids
    rows = [
        _rows_event(stream, _WRITE, table_id, [(None, _row(stream))], flags=int(table == last))
        for table, table_id in table_ids.items()
    ]
    return maps + rows


def _statement(
    stream: StreamBuilder,
    operation: int,
    events: Sequence[Sequence[tuple[Row | None, Row | None]]],
    *,
    table: str = "t1",
    database: str = "test",
    flags: int = 0,
) -> list[PlannedEvent]:
    """Return the Table_map event and the rows events of one statement, with the images of each."""
    table_id = stream.table_id(stream.choose.integer(1, 1000), (database, table, _COLUMNS))
    planned = [mysql_events.table_map(stream, table_id=table_id, database=database, table=table, columns=_COLUMNS)]
    for number, images in enumerate(events):
        end = flags | (number == len(events) - 1)
        planned.append(_rows_event(stream, operation, table_id, images, flags=end))
    return planned


def _rows_event(
    stream: StreamBuilder,
    operation: int,
    table_id: int,
    images: Sequence[tuple[Row | None, Row | None]],
    *,
    flags: int,
) -> PlannedEvent:
    fields = {
        "table_id": table_id,
        "rows_flags": flags,
        "rows": [{"before": _shown(before), "after": _shown(after)} for before, after in images],
    }
    bitmaps = _ALL_PRESENT * (2 if operation == _UPDATE else 1)
    rows = b"".join(_wire(stream, row) for pair in images for row in pair if row is not None)
    wire = {**fields, "row_data": bytes([_COLUMNS]) + bitmaps + rows}
    code = stream.server.rows_events[operation]
    return mysql_events.plan(stream, code, wire, fields, columns=(_INT,) * _COLUMNS)


def _row(stream: StreamBuilder) -> Row:
    return (stream.choose.integer(0, 99), None if stream.choose.yes(6) else stream.choose.integer(-9, 9))


def _shown(row: Row | None) -> dict[str, int | None] | None:
    return None if row is None else {str(index): value for index, value in enumerate(row)}


def _wire(stream: StreamBuilder, row: Row) -> bytes:
    nulls = sum(1 << index for index, value in enumerate(row) if value is None)
    if stream.server.profile not in WITH_ZERO_FILLED_BITMAPS:
        nulls |= 0xFF & ~mysql_events.bits_up_to(len(row))
    return bytes([nulls]) + b"".join(value.to_bytes(4, "little", signed=True) for value in row if value is not None)


def _insert(stream: StreamBuilder, first: str, *before: PlannedEvent) -> list[PlannedEvent]:
    """Return an INSERT in statement format, after the events on which its values depend."""
    second = stream.choose.one_of(("0", "7", "NULL"))
    return [*before, query(stream, f"INSERT INTO `t1` VALUES ({first}, {second})")]


def _plain(stream: StreamBuilder) -> list[PlannedEvent]:
    return _insert(stream, str(stream.choose.integer(0, 99)))


def _number(stream: StreamBuilder, kind: int) -> PlannedEvent:
    fields = {"intvar_type": kind, "intvar_value": stream.choose.integer(1, 99)}
    return mysql_events.plan(stream, EventType.INTVAR, fields, fields)


def _with_insert_id(stream: StreamBuilder) -> list[PlannedEvent]:
    return _insert(stream, str(stream.choose.integer(0, 99)), _number(stream, _INSERT_ID))


def _with_last_insert_id(stream: StreamBuilder) -> list[PlannedEvent]:
    return _insert(stream, "LAST_INSERT_ID()", _number(stream, _LAST_INSERT_ID))


def _with_both_ids(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return an INSERT that uses the last id, and gives one itself, as servers order them."""
    return _insert(stream, "LAST_INSERT_ID()", _number(stream, _LAST_INSERT_ID), _number(stream, _INSERT_ID))


def _with_random(stream: StreamBuilder) -> list[PlannedEvent]:
    fields = {"seed1": stream.choose.integer(0, 2**30 - 2), "seed2": stream.choose.integer(0, 2**30 - 2)}
    return _insert(stream, "FLOOR(RAND() * 100)", mysql_events.plan(stream, EventType.RAND, fields, fields))


def null_variable(stream: StreamBuilder, name: str) -> PlannedEvent:
    """Return the User_var event of a variable that is NULL."""
    wire = {"variable_name": name.encode(), "is_null": 1}
    return mysql_events.plan(stream, EventType.USER_VAR, wire, {"variable_name": name, "variable_value": None})


def variable(stream: StreamBuilder) -> PlannedEvent:
    """Return the User_var event of an integer in the variable `v`."""
    number = stream.choose.integer(0, 99)
    about = {"variable_type": int(VariableType.INT), "variable_charset": _BINARY}
    fields = {"variable_name": "v", "variable_value": number, **about}
    wire: dict[str, Any] = {
        "variable_name": b"v",
        "is_null": 0,
        "variable_value": number.to_bytes(8, "little"),
        **about,
    }
    if stream.server.profile in WITH_VARIABLE_FLAGS:
        wire["variable_flags"] = 0
    return mysql_events.plan(stream, EventType.USER_VAR, wire, fields)


def with_variable(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return an INSERT after its user variable; without BEGIN, as servers before 5.5 log it, it is a whole group."""
    return _insert(stream, "@`v`", variable(stream))


def loaded_file(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the file of LOAD DATA in one block or two, and the statement."""
    choose = stream.choose
    about: dict[str, Any] = {"file_id": choose.integer(1, 99)}
    planned = []
    # The last line of a file may end with the file.
    ends = ("\n", "\n" if choose.yes() else "")
    blocks = [*choose.several(1, 2)]
    for number in blocks:
        code = EventType.APPEND_BLOCK if number else EventType.BEGIN_LOAD_QUERY
        data = f"{choose.integer(0, 99)}\t{number}{ends[number == blocks[-1]]}"
        wire = {**about, "block_data": data.encode()}
        planned.append(mysql_events.plan(stream, code, wire, {**about, "block_data": data}))
    head, clause = "LOAD DATA ", "INFILE 'a.txt' INTO"
    fields = {
        "thread_id": choose.integer(1, 99),
        "exec_time": 0,
        "error_code": 0,
        **about,
        "file_name_start": len(head),
        "file_name_end": len(head) + len(clause),
        "duplicate_handling": 0,
    }
    statement = f"{head}{clause} TABLE `t1`"
    wire = {**fields, "status_variables": b"", "database": b"test", "query": statement.encode()}
    fields = {**fields, "database": "test", "query": statement}
    return [*planned, mysql_events.plan(stream, EventType.EXECUTE_LOAD_QUERY, wire, fields)]


def _two_rows(stream: StreamBuilder) -> list[PlannedEvent]:
    return _statement(stream, _WRITE, [[(None, _row(stream)), (None, _row(stream))]])


def row_with_text(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the events of one statement that adds a row, after its text."""
    return [mysql_events.rows_query(stream, "INSERT INTO `t1` SELECT 1, 2"), *row_changes(stream)]


def _updated(stream: StreamBuilder) -> list[PlannedEvent]:
    row = _row(stream)
    added = _statement(stream, _WRITE, [[(None, row)]])
    return [*added, *_statement(stream, _UPDATE, [[(row, _row(stream))]])]


def _deleted(stream: StreamBuilder) -> list[PlannedEvent]:
    row = _row(stream)
    added = _statement(stream, _WRITE, [[(None, row), (None, _row(stream))]])
    return [*added, *_statement(stream, _DELETE, [[(row, None)]])]


_STATEMENTS: Final[Mapping[str, Change]] = {
    "statement": _plain,
    "INSERT_ID": _with_insert_id,
    "LAST_INSERT_ID": _with_last_insert_id,
    "LAST_INSERT_ID and INSERT_ID": _with_both_ids,
    "random numbers": _with_random,
    "user variable": with_variable,
    "loaded file": loaded_file,
}
#: How data change, in statement format and in row format.
CHANGE: Final[Dimension[Change]] = Dimension(
    "change of data",
    {
        **_STATEMENTS,
        "row": row_changes,
        "two rows events": lambda stream: row_changes(stream, rows_events=2),
        "two rows": _two_rows,
        "row after its text": row_with_text,
        "updated row": _updated,
        "deleted row": _deleted,
        "two rows events without checks": lambda stream: row_changes(stream, rows_events=2, flags=NO_CHECKS),
    },
    profiles={"row after its text": WITH_ROWS_QUERIES},
)


def changes(stream: StreamBuilder, *, rows: bool = True) -> list[PlannedEvent]:
    """Return the events of any data change, in row format only if `rows` is true: a replica may not know it."""
    names = CHANGE.names(stream.server.profile) if rows else tuple(_STATEMENTS)
    return CHANGE.classes[stream.choose.one_of(names)](stream)
