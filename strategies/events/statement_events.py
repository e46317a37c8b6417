"""Events of statement-based logging besides Query: user variables, and the file of LOAD DATA."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.rows.decimal_column import DecimalColumn
from conformance.binlog.servers import WITH_VARIABLE_FLAGS
from conformance.binlog.user_variable import VariableType
from conformance.specs.versions import ByVersion
from conformance.strategies.events import mysql_events
from conformance.strategies.events.character_sets import BY_COLLATION, character_sets
from conformance.strategies.events.status_variables import status_variables
from conformance.strategies.grammar.dimension import Dimension, Number, choices, sizes
from conformance.strategies.grammar.magnitude import size_up_to, whole_number
from conformance.strategies.grammar.notation import DOUBLE, Value, decimal_size, decimal_text, real, shown_bytes
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: Collations of string variables: utf8, utf8mb4, binary.
_COLLATIONS: Final = (33, 45, 63)
#: Those with numbers of more than a byte, all of them of utf8mb4, and the first servers that have them.
_NEWER_COLLATIONS: Final = ByVersion(
    "collations with numbers of more than a byte",
    {"worklog": (), "mysql": (), "mysql >= 8.0": (256, 305, 323), "mariadb": (608,), "mariadb >= 10.2": (608, 1069)},
)
_BINARY: Final = 63
_UNSIGNED: Final = 1
#: Blocks up to this size hold any bytes.
_SOME: Final = 300


def _string(stream: StreamBuilder, size: int) -> tuple[Value, dict[str, int]]:
    choose = stream.choose
    others = [each.collation for each in character_sets(stream.server.profile)]
    usual = (*_COLLATIONS, *_NEWER_COLLATIONS[stream.server.profile])
    collation = choose.one_of(others) if choose.yes(3) else choose.one_of(usual)
    about = _about(VariableType.STRING, collation)
    if collation in BY_COLLATION:
        return BY_COLLATION[collation].value(choose, 60, declared=True), about
    data = choose.octets(size, size) if collation == _BINARY else _some_text(stream, size)
    return Value(data, shown_bytes(data)), about


def _some_text(stream: StreamBuilder, size: int) -> bytes:
    return mysql_events.text_of(stream.choose.one_of((*mysql_events.FRAGMENTS, "\0b\0")), size).encode()


def _digits(stream: StreamBuilder, _: int) -> tuple[Value, dict[str, int]]:
    """Return a text that looks like a number, which it is not: what is around its value may be lost with that."""
    text = stream.choose.one_of(("007", "0", "-1", "1e5", "18446744073709551616", " 1", "0x1F"))
    return Value(text.encode(), text), _about(VariableType.STRING, stream.choose.one_of(_COLLATIONS))


def _integer(stream: StreamBuilder, _: int) -> tuple[Value, dict[str, int]]:
    high = 2**64 - 1 if stream.server.profile in WITH_VARIABLE_FLAGS else 2**63 - 1
    number = whole_number(stream.choose, high.bit_length())
    if stream.choose.yes():
        number = max(-number, -(2**63))
    return Value((number % 2**64).to_bytes(8, "little"), number), _about(VariableType.INT, _BINARY)


def _real(stream: StreamBuilder, _: int) -> tuple[Value, dict[str, int]]:
    number = real(stream.choose, DOUBLE)
    return Value(DOUBLE.pack(number), number), _about(VariableType.REAL, _BINARY)


def _decimal(stream: StreamBuilder, _: int) -> tuple[Value, dict[str, int]]:
    size = decimal_size(stream.choose)
    text = decimal_text(stream.choose, size)
    data = bytes(size) + DecimalColumn(*size).write(Decimal(text), {})
    return Value(data, text), _about(VariableType.DECIMAL, _BINARY)


def _about(kind: VariableType, collation: int) -> dict[str, int]:
    return {"variable_type": int(kind), "variable_charset": collation}


#: What makes the value of a user variable; nothing does that of NULL.
VARIABLE: Final = Dimension[Callable[[StreamBuilder, int], tuple[Value, dict[str, int]]] | None](
    "variable",
    {
        "text": _string,
        "NULL": None,
        "integer": _integer,
        "double": _real,
        "decimal": _decimal,
        "text of digits": _digits,
    },
)
#: Sizes in bytes of the text of a user variable, and of a piece of a file: servers cut it into blocks of 128 KiB.
TEXT_SIZE: Final = sizes("size of a text", 33, 251, 256, 65_536, most=70_000)
BLOCK_SIZE: Final = sizes("size of a block", 33, 251, 256, 65_536, most=131_072)
BLOCKS: Final = Number("blocks of a file", many=(20, 30))
FATE: Final = choices("end of LOAD DATA", ("statement", "failure"))


#: The longest name of a variable, in characters and in bytes.
_LONGEST_NAME: Final = "日" * 64


def user_var(stream: StreamBuilder) -> PlannedEvent:
    """Return a User_var event: a variable of any type, or NULL."""
    choose = stream.choose
    name = choose.one_of((*mysql_events.NAMES, _LONGEST_NAME))
    fields: dict[str, Any] = {"variable_name": name, "variable_value": None}
    wire: dict[str, Any] = {"variable_name": name.encode(), "is_null": 1}
    marks = ("FORMAT-USER-VAR", "FORMAT-USER-VAR-VALUE")
    make, size = stream.vary(VARIABLE), stream.vary(TEXT_SIZE)
    if make is not None:
        value, about = make(stream, size)
        fields.update(about, variable_value=value.shown)
        wire.update(about, is_null=0, variable_value=value.wire)
        if make is _integer and stream.server.profile in WITH_VARIABLE_FLAGS:
            unsigned = value.shown >= 2**63 or (value.shown >= 0 and choose.yes())
            wire["variable_flags"] = _UNSIGNED if unsigned else 0
    return mysql_events.plan(stream, EventType.USER_VAR, wire, fields, marks=marks)


def load_block(
    stream: StreamBuilder, file_id: int, *, first: bool, size: int | None = None, end: bytes = b""
) -> PlannedEvent:
    """Return a Begin_load_query event, or the Append_block event of a later block of the file.

    Args:
        stream: The stream it is for.
        file_id: The number of the file.
        first: Whether the file begins with it.
        size: The bytes of the block; chosen when None.
        end: What they end with.
    """
    choose = stream.choose
    if size is None:
        # Servers cut the file into blocks of 128 KiB, which is more than many parsers read at once.
        size = stream.vary(BLOCK_SIZE)
    data = (b"1\tone\n" * (size // 6 + 1))[:size] if size > _SOME else choose.octets(size, size)
    data = data[: size - len(end)] + end
    fields = {"file_id": file_id, "block_data": shown_bytes(data)}
    code = EventType.BEGIN_LOAD_QUERY if first else EventType.APPEND_BLOCK
    return mysql_events.plan(
        stream, code, {"file_id": file_id, "block_data": data}, fields, marks=("FORMAT-LOAD-BLOCK",)
    )


def execute_load_query(stream: StreamBuilder, file_id: int) -> PlannedEvent:
    """Return an Execute_load_query event: a statement, and where in it the file is named."""
    choose = stream.choose
    comment = mysql_events.text_of("ä", size_up_to(choose, 70_000))
    head = "LOAD DATA " + choose.one_of(("", f"/* {comment} */ "))
    clause = f"INFILE '{choose.one_of(mysql_events.NAMES)}.txt' IGNORE INTO"
    end = choose.one_of(("", " ", ";", " \t\n", "\0"))
    return executed_text(stream, f"{head}{clause} TABLE `t1` (a){end}", file_id=file_id, clause=clause)


def executed_text(stream: StreamBuilder, statement: str, *, file_id: int = 1, clause: str = "") -> PlannedEvent:
    """Return an Execute_load_query event with any statement.

    Args:
        stream: The stream it is for.
        statement: The statement.
        file_id: The number of the file.
        clause: What of the statement names the file.
    """
    choose = stream.choose
    start = len(statement.partition(clause)[0].encode()) if clause else 0
    database = choose.one_of(mysql_events.DATABASES)
    about = {
        "thread_id": whole_number(choose, 32),
        "exec_time": whole_number(choose, 32),
        "error_code": choose.one_of((0, 1062, 65535, 1)),
        "file_id": file_id,
        "file_name_start": start,
        "file_name_end": start + len(clause.encode()),
        "duplicate_handling": choose.integer(0, 2),
    }
    wire = {
        **about,
        "status_variables": status_variables(stream),
        "database": database.encode(),
        "query": statement.encode(),
    }
    fields = {**about, "database": database, "query": statement}
    marks = ("FORMAT-EXECUTE-LOAD-QUERY",)
    return mysql_events.plan(stream, EventType.EXECUTE_LOAD_QUERY, wire, fields, marks=marks)


def delete_file(stream: StreamBuilder, file_id: int) -> PlannedEvent:
    """Return a Delete_file event: the statement that needed the file has failed."""
    fields = {"file_id": file_id}
    return mysql_events.plan(stream, EventType.DELETE_FILE, fields, fields, marks=("FORMAT-DELETE-FILE",))


def load_data(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the events of LOAD DATA in a transaction: the file block by block, then the statement."""
    choose = stream.choose
    file_id = whole_number(choose, 32, low=1)
    planned = [mysql_events.query(stream, "BEGIN")]
    for number in stream.several_of(BLOCKS):
        planned.append(load_block(stream, file_id, first=number == 0))
    if stream.vary(FATE) == "failure":
        return [*planned, delete_file(stream, file_id), mysql_events.query(stream, "ROLLBACK")]
    return [*planned, execute_load_query(stream, file_id), mysql_events.xid(stream)]
