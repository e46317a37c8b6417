"""One production for each event type: choices in, a planned event out."""

import struct
from collections.abc import Sequence
from typing import Any, Final

from conformance.binlog.codecs import Packed
from conformance.binlog.event_types import ROWS_TYPES, ROWS_V1, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.layout import POST_HEADER_REST
from conformance.binlog.layouts.by_type import OPAQUE, layout_of
from conformance.binlog.rows.table_metadata import write_table_metadata
from conformance.binlog.servers import WITH_EXACT_BITS, WITH_TABLE_METADATA, WITH_ZERO_FILLED_BITMAPS, use_flag
from conformance.binlog.vendor_types import layout_under
from conformance.strategies.events.status_variables import REQUIREMENT as STATUS_REQUIREMENT
from conformance.strategies.events.status_variables import status_fields
from conformance.strategies.events.status_variables import status_variables as generated_status
from conformance.strategies.grammar.dimension import Dimension, bits
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The pieces of generated text, the simplest first.
FRAGMENTS: Final = (
    "a",
    "insert into t1(a,b) values(1,2) ",
    "ä",
    "日本語 ",
    "'\"`\\;\n-- \r\n",
    "# ",
    "\t%s%n{}<b>&amp;",
    "\U0001f642\U0001d11e ",
    # What is cut off at the beginning, or taken for one character written twice.
    " A\\\\''``",
)
#: Names of default databases: none, and the longest in characters and in bytes.
DATABASES: Final = ("test", "", "a", "日" * 64, "Sales")
NAMES: Final = ("test", "t1", "a", "ünïcode", "x" * 64, "back`tick", "日本", "Orders", "two words", "e\u0301t\u00e9")
_LOG_NAMES: Final = ("b", "d" * 242 + "/b.000001", "d" * 502 + "/b.000001", "My  Log.000001", "l\u00f6g`s'.000001")
#: Flag bits that do not affect how an event is read.
FREE_FLAGS: Final = (0, Flag.THREAD_SPECIFIC, Flag.SUPPRESS_USE, 0x10, Flag.NO_FILTER, Flag.MTS_ISOLATE, 0x400, 0x1000)
#: The flag of events that a reader may ignore if it does not know their type.
IGNORABLE: Final = int(Flag.IGNORABLE)
#: All other bits of the flags word.
_OTHER_BITS: Final = tuple(1 << bit for bit in range(16) if 1 << bit != Flag.IGNORABLE)
#: How statements begin that define tables.
_DEFINING: Final = ("CREATE ", "ALTER ", "DROP ", "RENAME ")
#: Column type code of INT.
_INT: Final = 3
#: The most rows of an event whose values are expected: more would make a case many times as large.
_FEW_ROWS: Final = 16


def other_flags(name: str) -> Dimension[int]:
    """Return the dimension of the bits of the flags word other than the ignorable one."""
    return bits(name, _OTHER_BITS)


def text(stream: StreamBuilder, low: int, high: int) -> str:
    """Return a text of `low` to `high` characters."""
    size = stream.choose.integer(low, high)
    fragment = stream.choose.one_of(FRAGMENTS)
    return (fragment * (size // len(fragment) + 1))[:size]


def plan(
    stream: StreamBuilder,
    type_code: int,
    wire: dict[str, Any],
    fields: dict[str, Any],
    *,
    flags: int = 0,
    marks: tuple[str, ...] = (),
    columns: tuple[int, ...] = (),
) -> PlannedEvent:
    """Return an event of a type with a layout, from its fields on the wire and those that a reader reports.

    Where the format description declares a longer post-header than the layout knows, arbitrary bytes fill it, and the
    event is made for that: readers that are right otherwise misread it.
    """
    if "status_variables" in wire:
        fields = {**fields, **status_fields(wire["status_variables"])}
        marks = (*marks, STATUS_REQUIREMENT) if wire["status_variables"] else marks
    declared = stream.format.post_header_length(type_code)
    known = declared - growth(stream, type_code)
    if declared > known:
        wire = {**wire, POST_HEADER_REST: stream.choose.octets(declared - known, declared - known)}
    layout = layout_of(type_code, known)
    if layout is OPAQUE:
        layout = layout_under(stream.format, type_code)
    body = layout.write(wire, post_header_length=declared)
    planned = PlannedEvent(type_code, body, fields, flags, marks, columns=columns)
    # Rows cannot be read without their table.
    if declared > known or (type_code in ROWS_TYPES and growth(stream, EventType.TABLE_MAP)):
        return planned.only_for("FORMAT-POST-HEADER-LENGTHS")
    return planned


def growth(stream: StreamBuilder, type_code: int) -> int:
    """Return by how many bytes the stream's format description lengthens a type's post-header."""
    own = stream.server.post_header_lengths
    return stream.format.post_header_length(type_code) - own[type_code - 1] if type_code <= len(own) else 0


def query(
    stream: StreamBuilder,
    statement: str | bytes,
    *,
    database: str = "test",
    status_variables: bytes | None = None,
    flags: int = 0,
    marks: tuple[str, ...] = (),
) -> PlannedEvent:
    """Return a Query event, with the status variables of real events unless some are given.

    Its flags are those given, and SUPPRESS_USE where the server sets it. A statement may have bytes of no character.
    """
    choose = stream.choose
    raw, shown = _bytes_and_text(statement)
    fields = {
        "thread_id": whole_number(choose, 32),
        "exec_time": whole_number(choose, 32),
        "error_code": choose.one_of((0, 1062, 65535, 1)),
    }
    wire = {
        **fields,
        "status_variables": _status(stream, shown) if status_variables is None else status_variables,
        "database": database.encode(),
        "query": raw,
    }
    reported = {**fields, "database": database, "query": shown}
    marks = ("FORMAT-QUERY", "WL7592-QUERY-SIZE-GROWS", "WL40-USUAL-QUERY-TO-END", *marks)
    flags |= use_flag(stream.server.profile, shown)
    return plan(stream, EventType.QUERY, wire, reported, flags=flags, marks=marks)


def _bytes_and_text(statement: str | bytes) -> tuple[bytes, str]:
    """Return a statement as it is stored, and as readers report it: U+FFFD stands for a byte of no character."""
    if isinstance(statement, str):
        return statement.encode(), statement
    return statement, statement.decode("utf-8", "replace")


def _status(stream: StreamBuilder, statement: str) -> bytes:
    return generated_status(stream, definition=statement.upper().startswith(_DEFINING))


def log_name(stream: StreamBuilder) -> str:
    """Return the name of a log: as short as can be, with the longest of paths, or with rare letters."""
    choose = stream.choose
    name = f"binlog.{choose.integer(1, 999_999):06d}"
    return choose.one_of(_LOG_NAMES) if choose.yes(12) else name


def text_of(piece: str, size: int) -> str:
    """Return a text of `size` bytes: a piece again and again, and letters where it does not fit."""
    text = (piece * (size // len(piece.encode()) + 1)).encode()[:size].decode(errors="ignore")
    return text + "a" * (size - len(text.encode()))


def rotate(stream: StreamBuilder, *, flags: int = 0) -> PlannedEvent:
    """Return a Rotate event."""
    choose = stream.choose
    # An artificial one names the place from which the replica asked for events.
    position = whole_number(choose, 40, low=4) if choose.yes(4) else 4
    fields = {"next_position": position, "next_file": log_name(stream)}
    wire = {**fields, "next_file": str(fields["next_file"]).encode()}
    return plan(stream, EventType.ROTATE, wire, fields, flags=flags, marks=("FORMAT-ROTATE",))


def stop(stream: StreamBuilder) -> PlannedEvent:
    """Return a Stop event."""
    return PlannedEvent(EventType.STOP, b"", {}, 0, ("FORMAT-STOP",))


def xid(stream: StreamBuilder) -> PlannedEvent:
    """Return an Xid event."""
    fields = {"xid": whole_number(stream.choose, 64)}
    return plan(stream, EventType.XID, fields, fields, marks=("FORMAT-XID", "WL7592-XID-SIZE"))


def intvar(stream: StreamBuilder, *, largest: bool = False, kind: int | None = None) -> PlannedEvent:
    """Return an Intvar event of any number or of the largest, without a sign.

    Args:
        stream: The stream.
        largest: Whether the number is the largest.
        kind: 1 for LAST_INSERT_ID, 2 for INSERT_ID; either when None.
    """
    kind = stream.choose.one_of((2, 1)) if kind is None else kind
    fields = {"intvar_type": kind, "intvar_value": (1 << 64) - 1 if largest else whole_number(stream.choose, 64)}
    return plan(stream, EventType.INTVAR, fields, fields, marks=("FORMAT-INTVAR",))


def rand(stream: StreamBuilder) -> PlannedEvent:
    """Return a Rand event."""
    fields = {"seed1": whole_number(stream.choose, 64), "seed2": whole_number(stream.choose, 64)}
    return plan(stream, EventType.RAND, fields, fields, marks=("FORMAT-RAND",))


def table_map(
    stream: StreamBuilder, *, table_id: int, table: str, columns: int, database: str = "test"
) -> PlannedEvent:
    """Return a Table_map event of a table with INT columns."""
    fields = {"table_id": table_id, "database": database, "table": table, "column_count": columns}
    wire = {
        **fields,
        "table_flags": table_flags(stream),
        "database": database.encode(),
        "table": table.encode(),
        "column_types": bytes([_INT]) * columns,
        "column_metadata": b"",
        "null_bits": bits_up_to(columns).to_bytes((columns + 7) // 8, "little"),
        "optional_metadata": b"",
    }
    if stream.server.profile in WITH_TABLE_METADATA:
        wire["optional_metadata"] = write_table_metadata({"unsigned": [False] * columns})
    return plan(stream, EventType.TABLE_MAP, wire, fields, marks=("FORMAT-TABLE-MAP",))


def table_flags(stream: StreamBuilder) -> int:
    """Return the flags of a Table_map event: the lengths of BIT columns are exact."""
    return 1 if stream.server.profile in WITH_EXACT_BITS else 0


def bits_up_to(count: int) -> int:
    """Return a number with the lowest `count` bits set."""
    return (1 << count) - 1


#: The changes of rows, in the order of `rows_events`: whether a row has an image before and one after it.
ROW_CHANGES: Final = {"write": (False, True), "update": (True, True), "delete": (True, False)}


def write_rows(
    stream: StreamBuilder,
    *,
    table_id: int,
    columns: int,
    rows: int,
    last: bool,
    change: str = "write",
    numbers: Sequence[int | None] = (),
    flags: int = 0,
    older: bool = False,
) -> PlannedEvent:
    """Return a rows event of the server's own version, or of version 1.

    Args:
        stream: The stream it is for.
        table_id: The number of its table.
        columns: How many columns of type INT the table has.
        rows: How many rows it has; they are alike.
        last: Whether it ends its statement.
        change: Whether rows are written or changed otherwise (`ROW_CHANGES`); an update has the same image twice.
        numbers: The values of the columns, in turn, None for NULL; any values if there are none.
        flags: Its flags besides the one for the end of its statement.
        older: Whether it is of version 1.
    """
    bitmap = (columns + 7) // 8
    before, after = ROW_CHANGES[change]
    images = before + after
    drawn = struct.iter_unpack("<i", stream.choose.octets(4 * columns, 4 * columns))
    row_values = [numbers[index % len(numbers)] if numbers else number for index, (number,) in enumerate(drawn)]
    values = b"".join(struct.pack("<i", each) for each in row_values if each is not None)
    fields: dict[str, Any] = {"table_id": table_id, "rows_flags": flags | last}
    marks: tuple[str, ...] = ("FORMAT-ROWS",)
    if rows <= _FEW_ROWS:
        image = {str(index): number for index, number in enumerate(row_values)}
        fields["rows"] = [{"before": image if before else None, "after": image if after else None}] * rows
        marks += ("FORMAT-ROWS-IMAGES",)
    nulls = 0 if stream.server.profile in WITH_ZERO_FILLED_BITMAPS else bits_up_to(8 * bitmap) ^ bits_up_to(columns)
    nulls |= sum(1 << index for index, each in enumerate(row_values) if each is None)
    row = nulls.to_bytes(bitmap, "little") + values
    wire = {**fields, "row_data": Packed().write(columns, {}) + b"\xff" * bitmap * images + row * images * rows}
    code = (ROWS_V1 if older else stream.server.rows_events)[tuple(ROW_CHANGES).index(change)]
    return plan(stream, code, wire, fields, marks=marks, columns=(_INT,) * columns)


def rows_query(stream: StreamBuilder, statement: str | bytes, *, length_byte: int | None = None) -> PlannedEvent:
    """Return a Rows_query event; the worklog stores the statement after a number sign and a space."""
    prefix = "# " if stream.server.profile == "worklog" else ""
    raw, shown = _bytes_and_text(statement)
    wire: dict[str, Any] = {"rows_query": prefix.encode() + raw}
    if length_byte is not None:
        wire["length_byte"] = length_byte
    marks = (
        "WL4033-READ-ROWS-QUERY-TYPE",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "WL4033-READ-ROWS-QUERY-LENGTH-BYTE",
        "WL4033-READ-IGNORABLE-POST-HEADER",
        "WL4033-READ-KNOWN-FLAGGED",
    )
    return plan(stream, EventType.ROWS_QUERY, wire, {"rows_query": prefix + shown}, flags=IGNORABLE, marks=marks)


def ignorable(stream: StreamBuilder, type_code: int, body: bytes, *, flags: int) -> PlannedEvent:
    """Return an event of a type that no reader knows, with the ignorable flag."""
    return PlannedEvent(type_code, body, {}, flags | IGNORABLE, (), ignored=True)
