"""Row images as text, in the notation of ``mysqlbinlog --verbose --verbose``.

Integers are shown as signed, with the unsigned reading of a negative one in parentheses, whether or not the column
is unsigned. Bytes that are not UTF-8 are kept, as surrogates.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import chain, groupby
from typing import Any, Final

from conformance.binlog.raw_text import LONG, long_raw_text, raw_text
from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.rows.images import ABSENT, Image, Row
from conformance.binlog.rows.json_diff import DiffOperation, JsonDiff, JsonDiffs
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_text import value_text
from conformance.binlog.rows.table import Column, Table
from conformance.binlog.total_table import total

#: Control characters, each as its code.
_CONTROL_CODES: Final = {code: f"\\x{code:02x}".encode() for code in range(0x20)}
#: Bytes that are escaped inside quotes: as hex, or as a letter or the character after a backslash.
_ESCAPES: Final = {
    **_CONTROL_CODES,
    **{ord(char): b"\\" + name for char, name in zip("\b\t\n\f\r", (b"b", b"t", b"n", b"f", b"r"), strict=True)},
    ord("'"): b"\\'",
    ord("\\"): b"\\\\",
}

_CONTROLS: Final = re.compile(rb"[\x00-\x1f]")
_ESCAPED: Final = re.compile(rb"[\x00-\x1f'\\]")
#: Bytes that are escaped at once, as a value may be long.
_PIECE: Final = 1 << 16

_BLOB_NAMES: Final = {
    1: "TINYBLOB/TINYTEXT",
    2: "BLOB/TEXT",
    3: "MEDIUMBLOB/MEDIUMTEXT",
    4: "LONGBLOB/LONGTEXT",
}
_YEAR_ZERO: Final = 1900


def row_lines(
    row: Row, table: Table, *, types: bool = True, quotes: bool = True, mariadb: bool = False
) -> Iterator[str]:
    """Yield the lines that show one row, without line ends.

    Args:
        row: The row.
        table: Its table.
        types: Print each value's column type after it, as with ``--verbose`` given twice.
        quotes: Put the table's name in backticks, as programs since 5.6 do.
        mariadb: Write values as MariaDB's program does: it escapes no quotes and no backslashes.
    """
    name = ".".join(_identifier(each) if quotes else _text(each) for each in (table.database, table.name))
    if row.before is None:
        yield f"### INSERT INTO {name}"
    elif row.after is None:
        yield f"### DELETE FROM {name}"
    else:
        yield f"### UPDATE {name}"
    if row.before is not None:
        yield "### WHERE"
        yield from _image_lines(row.before, table, types=types, mariadb=mariadb)
    if row.after is not None:
        yield "### SET"
        yield from _image_lines(row.after, table, types=types, mariadb=mariadb)


def _identifier(name: bytes) -> str:
    return f"`{_text(name).replace('`', '``')}`"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _image_lines(image: Image, table: Table, *, types: bool, mariadb: bool) -> Iterator[str]:
    for number, (value, column) in enumerate(zip(image, table.columns, strict=True), 1):
        if value is ABSENT:
            continue
        about = f"{type_name(column, value)} meta={column.meta} nullable={column.nullable:d} is_null={value is None:d}"
        note = f" /* {about} */" if types else ""
        head = f"###   @{number}="
        if isinstance(value, bytes):
            yield quoted(value, head=head, tail=note, escapes=not mariadb)
        elif isinstance(value, JsonDiffs):
            yield from f"{head}{_changes(value, number)}{note}".split("\n")
        elif mariadb and column.type == ColumnType.DATETIME and value is not None:
            yield f"{head}'{value_text_of(value, column)}'{note}"
        else:
            yield f"{head}{value_text_of(value, column)}{note}"


def type_name(column: Column, value: Any = None) -> str:
    """Return the name of a column's type; a VECTOR's contains the number of elements of `value`."""
    kind = column.type
    if kind == ColumnType.VECTOR:
        return f"VECTOR({len(value) if value is not None else column.dimension or 0})"
    name = _NAMES.get(kind)
    return f"TYPE_{kind}" if name is None else name(column)


def value_text_of(value: Any, column: Column) -> str:
    """Return a value as text, except one that is bytes, or changes of a JSON document.

    Args:
        value: The value, as `conformance.binlog.rows.images` reads it.
        column: Its column.
    """
    return "NULL" if value is None else _VALUES[column.type](value, column)


def quoted(data: bytes, *, head: str = "", tail: str = "", escapes: bool = True) -> str:
    """Return bytes in quotes, between two other texts: a long value is not copied to be put there.

    Args:
        data: The bytes.
        head: The text before.
        tail: The text after.
        escapes: Escape quotes and backslashes, and some control characters as letters, besides the others.
    """
    pieces = (data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
    pattern, shown_as = (_ESCAPED, _ESCAPES) if escapes else (_CONTROLS, _CONTROL_CODES)
    shown = (pattern.sub(lambda match: shown_as[match[0][0]], piece) for piece in pieces)
    line = chain((f"{head}'".encode(),), shown, (f"'{tail}".encode(),))
    return raw_text(b"".join(line)) if len(data) < LONG else long_raw_text(line)


def _integer(value: int, size: int) -> str:
    limit = 1 << 8 * size
    signed = value - limit if value >= limit >> 1 else value
    return str(signed) if signed >= 0 else f"{signed} ({signed + limit})"


def _real(value: float, form: str) -> str:
    return form % value if math.isfinite(value) else str(value)


def _temporal(value: Any, column: Column) -> str:
    return f"'{value.text(column.meta)}'"


def _date(value: Any, column: Column) -> str:
    return f"'{str(value).replace('-', ':')}'"


def _set(value: int, column: Column) -> str:
    """Return the bits byte by byte, the lowest byte first."""
    return "b'" + "".join(f"{byte:08b}" for byte in value.to_bytes(column.meta & 0xFF, "little")) + "'"


def _json(value: JsonDocument, column: Column) -> str:
    return quoted(_bare_text(value.value()))


def _bare_text(value: Any) -> bytes:
    """Return the text of a document; a string, or a value printed as one, has no quotes."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    text = value_text(value)
    return text.strip('"').encode("utf-8", "surrogateescape")


def _changes(value: JsonDiffs, number: int) -> str:
    """Return the changes as nested calls, the last one outermost; changes of one kind in a row share a call."""
    if not value.diffs:
        return f"@{number}"
    indent = "\n###      "
    calls = [(name, list(map(_arguments, diffs))) for name, diffs in groupby(value.diffs, _function)]
    text = f"@{number}"
    for name, arguments in calls:
        inner = f"{name}({text}, " if text == f"@{number}" else f"{name}({indent}{text},{indent}"
        text = inner + f",{indent}".join(arguments) + ")"
    return text


def _function(diff: JsonDiff) -> str:
    if diff.operation == DiffOperation.INSERT:
        return "JSON_ARRAY_INSERT" if diff.path.endswith(b"]") else "JSON_INSERT"
    return {DiffOperation.REPLACE: "JSON_REPLACE", DiffOperation.REMOVE: "JSON_REMOVE"}[diff.operation]


def _arguments(diff: JsonDiff) -> str:
    path = quoted(diff.path)
    return path if diff.value is None else f"{path}, {_argument(diff.value)}"


def _argument(document: JsonDocument) -> str:
    value = document.value()
    if isinstance(value, dict | list):
        return f"CAST({quoted(_bare_text(value))} AS JSON)"
    if value is None or isinstance(value, bool | int | float | Decimal):
        return value_text(value)
    return quoted(_bare_text(value))


def _quoted(value: bytes, column: Column) -> str:
    return quoted(value)


_NAMES: Final[Mapping[int, Callable[[Column], str] | None]] = total(
    f"{__name__}._NAMES",
    ColumnType,
    {
        ColumnType.TINY: lambda column: "TINYINT",
        ColumnType.SHORT: lambda column: "SHORTINT",
        ColumnType.INT24: lambda column: "MEDIUMINT",
        ColumnType.LONG: lambda column: "INT",
        ColumnType.LONGLONG: lambda column: "LONGINT",
        ColumnType.FLOAT: lambda column: "FLOAT",
        ColumnType.DOUBLE: lambda column: "DOUBLE",
        ColumnType.NEWDECIMAL: lambda column: f"DECIMAL({column.meta >> 8},{column.meta & 0xFF})",
        ColumnType.BIT: lambda column: f"BIT({column.bits})",
        ColumnType.YEAR: lambda column: "YEAR",
        ColumnType.DATE: lambda column: "DATE",
        ColumnType.NEWDATE: lambda column: "DATE",
        ColumnType.TIME: lambda column: "TIME",
        ColumnType.DATETIME: lambda column: "DATETIME",
        ColumnType.TIMESTAMP: lambda column: "TIMESTAMP",
        ColumnType.TIME2: lambda column: f"TIME({column.meta})",
        ColumnType.DATETIME2: lambda column: f"DATETIME({column.meta})",
        ColumnType.TIMESTAMP2: lambda column: f"TIMESTAMP({column.meta})",
        ColumnType.STRING: lambda column: f"STRING({column.string_length})",
        ColumnType.VARCHAR: lambda column: f"VARSTRING({column.meta})",
        ColumnType.VAR_STRING: lambda column: f"VARSTRING({column.meta})",
        ColumnType.ENUM: lambda column: "ENUM(1 byte)" if column.meta & 0xFF == 1 else "ENUM(2 bytes)",
        ColumnType.SET: lambda column: f"SET({column.meta & 0xFF} bytes)",
        ColumnType.BLOB: lambda column: _BLOB_NAMES.get(column.meta, "BLOB"),
        ColumnType.MARIADB_VARCHAR_COMPRESSED: lambda column: f"VARSTRING({column.meta}) COMPRESSED",
        ColumnType.MARIADB_BLOB_COMPRESSED: lambda column: f"{_BLOB_NAMES.get(column.meta, 'BLOB')} COMPRESSED",
        ColumnType.JSON: lambda column: "JSON",
        ColumnType.GEOMETRY: lambda column: "GEOMETRY",
    },
    entry="what returns the name of a column's type",
    rest={
        # Its name depends on the value.
        (ColumnType.VECTOR,): None,
        # The program has no name for them.
        (ColumnType.DECIMAL, ColumnType.NULL, ColumnType.TYPED_ARRAY): None,
        (ColumnType.TINY_BLOB, ColumnType.MEDIUM_BLOB, ColumnType.LONG_BLOB): None,
    },
)

_VALUES: Final[Mapping[int, Callable[[Any, Column], str]]] = total(
    f"{__name__}._VALUES",
    ColumnType,
    {
        ColumnType.FLOAT: lambda value, column: _real(value, "%-20g"),
        ColumnType.DOUBLE: lambda value, column: _real(value, "%.20g"),
        ColumnType.NEWDECIMAL: lambda value, column: f"{value:f}",
        ColumnType.BIT: lambda value, column: f"b'{value:0{column.bits}b}'",
        ColumnType.YEAR: lambda value, column: str(value or _YEAR_ZERO),
        ColumnType.DATE: _date,
        ColumnType.NEWDATE: _date,
        ColumnType.TIME: lambda value, column: f"'{value.text()}'",
        ColumnType.DATETIME: lambda value, column: value.text(),
        ColumnType.TIMESTAMP: lambda value, column: value.text(),
        ColumnType.TIME2: _temporal,
        ColumnType.DATETIME2: _temporal,
        ColumnType.TIMESTAMP2: lambda value, column: value.text(column.meta),
        ColumnType.ENUM: lambda value, column: str(value),
        ColumnType.SET: _set,
        ColumnType.JSON: _json,
        # mariadb-binlog prints the bytes of the row without unpacking them.
        ColumnType.MARIADB_VARCHAR_COMPRESSED: lambda value, column: quoted(value.packed, escapes=False),
        ColumnType.MARIADB_BLOB_COMPRESSED: lambda value, column: quoted(value.packed, escapes=False),
        ColumnType.VECTOR: lambda value, column: "[" + ",".join(f"{each:.5e}" for each in value) + "]",
    },
    entry="what returns a value of it as text",
    rest={
        tuple(INTEGER_BYTES): lambda value, column: _integer(value, INTEGER_BYTES[column.type]),
        (ColumnType.STRING, ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.GEOMETRY): _quoted,
        (ColumnType.BLOB, ColumnType.TINY_BLOB, ColumnType.MEDIUM_BLOB, ColumnType.LONG_BLOB): _quoted,
        (ColumnType.DECIMAL, ColumnType.NULL, ColumnType.TYPED_ARRAY): _quoted,
    },
)
