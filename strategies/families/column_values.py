"""Rows with the ends of what columns hold: the least and the greatest value of every type at every size."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import product, starmap
from typing import Final, NamedTuple

from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.rows.table import Column
from conformance.binlog.rows.temporal import Date, DateTime, Time, Timestamp
from conformance.binlog.servers import WITH_FRACTIONS, WITH_TABLE_METADATA, WITHOUT_FRACTIONS
from conformance.specs.versions import Profiles
from conformance.strategies.events import row_events
from conformance.strategies.events.columns import (
    BINARY,
    UTF8MB3,
    ColumnKind,
    bit_column,
    char_column,
    enum_column,
    set_column,
)
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.notation import Value, shown_bytes
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: The places of values among all that a column holds.
_ENDS: Final = ("least", "greatest", "zero", "least above zero", "greatest below zero", "every digit")


class _Sized(NamedTuple):
    """A column of some size, and its values: one for each of `_ENDS`, or another value of note where it has none."""

    column: Column
    ends: tuple[Value, ...]


def _numbers(code: int, meta: int, numbers: Sequence[float], *, unsigned: bool | None = None) -> _Sized:
    return _Sized(Column(code, meta, unsigned=unsigned), tuple(Value(each, each) for each in numbers))


def _integers(*, unsigned: bool) -> Iterator[_Sized]:
    for code, size in INTEGER_BYTES.items():
        top, alternating = 1 << 8 * size - 1, int.from_bytes(b"\x5a" * size, "big")
        signed = (-top, top - 1, 0, 1, -1, alternating)
        numbers = (0, 2 * top - 1, top, 1, top - 1, alternating) if unsigned else signed
        yield _numbers(code, 0, numbers, unsigned=unsigned)


def _reals() -> Iterator[_Sized]:
    greatest, least = float.fromhex("0x1.fffffep+127"), 2.0**-149
    yield _numbers(ColumnType.FLOAT, 4, (-greatest, greatest, -0.0, least, -least, 0.15625))
    greatest, least = float.fromhex("0x1.fffffffffffffp+1023"), 5e-324
    yield _numbers(ColumnType.DOUBLE, 8, (-greatest, greatest, -0.0, least, -least, 1 / 3))


def _decimals(*digits_before: int) -> Iterator[_Sized]:
    """Yield columns with every number of digits after the point: nine of them are packed into four bytes."""
    for before, after in product(digits_before, (*range(11), 18, 19, 30)):
        if before + after:
            yield _decimal(before, after)


def _decimal(before: int, after: int) -> _Sized:
    def noted(digits: str, sign: str = "") -> Value:
        whole, fraction = digits[: len(digits) - after].lstrip("0") or "0", digits[len(digits) - after :]
        text = f"{sign}{whole}.{fraction}" if after else f"{sign}{whole}"
        return Value(Decimal(text), text)

    size = before + after
    nines, one, every = "9" * size, "1".zfill(size), ("1234567890" * 7)[:size]
    ends = (noted(nines, "-"), noted(nines), noted("0" * size), noted(one), noted(one, "-"), noted(every, "-"))
    return _Sized(Column(ColumnType.NEWDECIMAL, size << 8 | after), ends)


#: Number of digits of a fraction -> the microseconds of one of its last digit.
_STEPS: Final = (1_000_000, 100_000, 10_000, 1_000, 100, 10, 1)


def _micros(micros: int, digits: int) -> int:
    """Return microseconds without the digits that a column does not have."""
    return micros - micros % _STEPS[digits]


def _least(digits: int) -> int:
    """Return the microseconds of the least fraction; 0 without digits of one."""
    return _STEPS[digits] if digits else 0


def _times(code: ColumnType, digits: int) -> _Sized:
    smallest = (0, 0, 0 if digits else 1, _least(digits))
    times = (
        Time(838, 59, 59, 0, True),
        Time(838, 59, 59),
        Time(0, 0, 0),
        Time(*smallest),
        Time(*smallest, True),
        Time(11, 22, 33, _micros(987_654, digits), True),
    )
    return _Sized(Column(code, digits), tuple(Value(each, each.text(digits)) for each in times))


def _datetimes(code: ColumnType, digits: int) -> _Sized:
    times = (
        DateTime(1000, 1, 1),
        DateTime(9999, 12, 31, 23, 59, 59, _micros(999_999, digits)),
        DateTime(0, 0, 0),
        DateTime(1, 1, 1, 0, 0, 0, _least(digits)),
        DateTime(2024, 0, 0, 0, 0, 1),
        DateTime(2024, 2, 29, 12, 34, 56, _micros(123_456, digits)),
    )
    return _Sized(Column(code, digits), tuple(Value(each, each.text(digits)) for each in times))


def _timestamps(code: ColumnType, digits: int) -> _Sized:
    times = (
        (1, 0),
        ((1 << 31) - 1, _micros(999_999, digits)),
        (0, 0),
        (1, _least(digits)),
        (1 << 30, _micros(500_000, digits)),
        (1_234_567_890, _micros(123_456, digits)),
    )
    return _Sized(Column(code, digits), tuple(Value(each, each.text(digits)) for each in starmap(Timestamp, times)))


def _dates() -> Iterator[_Sized]:
    days = ((1000, 1, 1), (9999, 12, 31), (0, 0, 0), (1, 1, 1), (2024, 2, 0), (2024, 11, 30))
    ends = (Value(Date(*day), "{:04d}-{:02d}-{:02d}".format(*day)) for day in days)
    yield _Sized(Column(ColumnType.DATE), tuple(ends))
    yield _numbers(ColumnType.YEAR, 0, (1901, 2155, 0, 1902, 2027, 2028))


def _bits() -> Iterator[_Sized]:
    for width in (1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64):
        yield _Sized(bit_column(width), _ends_of_bits(width))


def _sets() -> Iterator[_Sized]:
    for count in (1, 3, 8, 9, 16, 17, 24, 25, 32, 33, 63, 64):
        yield _Sized(set_column(count, UTF8MB3), _ends_of_bits(count))


def _ends_of_bits(count: int) -> tuple[Value, ...]:
    """Return none, all, none, the lowest and the highest of some bits, and every second one."""
    every = (1 << count) - 1
    return tuple(Value(each, each) for each in (0, every, 0, 1, 1 << count - 1, every // 3))


def _enums() -> Iterator[_Sized]:
    for count in (1, 127, 128, 255, 256, 300):
        numbers = (1, count, 0, 1, max(count - 1, 1), (count + 1) // 2)
        yield _Sized(enum_column(count, UTF8MB3), tuple(Value(each, each) for each in numbers))


def _texts(column: Column, most: int) -> _Sized:
    """Return a column of characters and its values up to a number of bytes: empty, full, of one byte and of others."""
    data = (b"", b"m" * most, b"", b"\x01", b"\x7f", (b"0123456789" * (most // 10 + 1))[: max(most - 1, 1)])
    return _Sized(column, tuple(Value(each, shown_bytes(each)) for each in data))


def _characters() -> Iterator[_Sized]:
    for length in (3, 126, 129, 255, 258, 513, 765):
        yield _texts(char_column(length, UTF8MB3), length // 3)
    for length in (1, 127, 128, 254, 255, 256, 257, 511, 512):
        yield _texts(Column(ColumnType.VARCHAR, length, collation=BINARY), length)


def _blobs() -> Iterator[_Sized]:
    for size, most in ((1, 255), (2, 256), (2, 65_535), (3, 65_536), (4, 65_536)):
        yield _texts(Column(ColumnType.BLOB, size, collation=BINARY), most)


#: Every number of digits of the fraction of a second.
_DIGITS: Final = range(7)
_TABLES: Final[dict[str, Callable[[], Iterator[_Sized]]]] = {
    "integers": lambda: _integers(unsigned=False),
    "integers without a sign": lambda: _integers(unsigned=True),
    "FLOAT and DOUBLE": _reals,
    "DECIMAL of 0 to 3 digits before the point": lambda: _decimals(0, 1, 2, 3),
    "DECIMAL of 4 to 7 digits before the point": lambda: _decimals(4, 5, 6, 7),
    "DECIMAL of 8 to 10 digits before the point": lambda: _decimals(8, 9, 10),
    "DECIMAL of many digits before the point": lambda: _decimals(18, 19, 35),
    "TIME": lambda: (_times(ColumnType.TIME2, digits) for digits in _DIGITS),
    "DATETIME": lambda: (_datetimes(ColumnType.DATETIME2, digits) for digits in _DIGITS),
    "TIMESTAMP": lambda: (_timestamps(ColumnType.TIMESTAMP2, digits) for digits in _DIGITS),
    "times before 5.6": lambda: iter(
        (_times(ColumnType.TIME, 0), _datetimes(ColumnType.DATETIME, 0), _timestamps(ColumnType.TIMESTAMP, 0))
    ),
    "DATE and YEAR": _dates,
    "BIT": _bits,
    "SET": _sets,
    "ENUM": _enums,
    "CHAR and VARBINARY": _characters,
    "BLOB": _blobs,
}
_SINCE: Final[dict[str, Profiles]] = {
    "integers without a sign": WITH_TABLE_METADATA,
    **dict.fromkeys(("TIME", "DATETIME", "TIMESTAMP"), WITH_FRACTIONS),
    "times before 5.6": WITHOUT_FRACTIONS,
}
_TABLE: Final = Dimension("table", _TABLES, profiles=_SINCE)
_END: Final = Dimension("value", {name: at for at, name in enumerate(_ENDS)})
_OPERATION: Final = choices("operation", row_events.OPERATIONS)


@family(focus="FORMAT-ROWS-IMAGES", dimensions=(_TABLE, _END, _OPERATION))
def values_at_their_ends(stream: StreamBuilder) -> None:
    """A row with the least, the greatest or another value of note in columns of every size of a type."""
    columns, end, operation = tuple(stream.vary(_TABLE)()), stream.vary(_END), stream.vary(_OPERATION)
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, (_kind(each) for each in columns))
    image, other = ([each.ends[at % len(_ENDS)] for each in columns] for at in (end, end + 1))
    before, after = {"write": (None, image), "update": (other, image), "delete": (image, None)}[operation]
    groups.add_rows(stream, rows, lambda: row_events.row_of(stream, rows, operation, before=before, after=after))
    groups.end_log(stream)


def _kind(sized: _Sized) -> ColumnKind:
    return ColumnKind(lambda stream: sized.column, lambda stream, column: sized.ends[0])
