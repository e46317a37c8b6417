"""Values of columns that hold dates and times."""

from typing import Final

from conformance.binlog.rows.table import Column
from conformance.binlog.rows.temporal import Date, DateTime, Time, Timestamp
from conformance.binlog.servers import WITH_LATE_TIMESTAMPS
from conformance.strategies.grammar.notation import Value
from conformance.strategies.grammar.stream import StreamBuilder

#: Days that are the last of their month, and the first and the last of all.
_EDGES: Final = ((1, 1, 1), (9999, 12, 31), (2000, 2, 29), (2038, 1, 31), (1970, 4, 30))


def year(stream: StreamBuilder, column: Column) -> Value:
    """Choose a YEAR."""
    year = stream.choose.integer(1900, 2155)
    # The byte 0 is the year 0000, not 1900.
    year = 0 if year == 1900 else year
    return Value(year, year)


def _calendar(stream: StreamBuilder) -> tuple[int, int, int]:
    """Return a date, sometimes with zero parts, which servers store if their SQL mode allows it."""
    choose = stream.choose
    year, month, day = choose.integer(1, 9999), choose.integer(1, 12), choose.integer(1, 28)
    if choose.yes(6):
        year, month, day = choose.one_of(_EDGES)
    missing = choose.integer(0, 11)
    if missing == 11:
        return 0, 0, 0
    return year, 0 if missing == 10 else month, 0 if missing >= 9 else day


def date(stream: StreamBuilder, column: Column) -> Value:
    """Choose a DATE, sometimes with zero parts."""
    year, month, day = _calendar(stream)
    return Value(Date(year, month, day), f"{year:04d}-{month:02d}-{day:02d}")


def _fraction(stream: StreamBuilder, digits: int) -> tuple[int, str]:
    """Return microseconds that fit into `digits` digits, and their text with a point before it."""
    if digits == 0:
        return 0, ""
    number = stream.choose.integer(0, 10**digits - 1)
    return number * 10 ** (6 - digits), f".{number:0{digits}d}"


def _no_fraction(digits: int) -> tuple[int, str]:
    return 0, "." + "0" * digits if digits else ""


def time(stream: StreamBuilder, column: Column) -> Value:
    """Choose a TIME with as many digits of a fraction as the column has."""
    choose = stream.choose
    hour, minute, second = choose.integer(0, 838), choose.integer(0, 59), choose.integer(0, 59)
    # The sign of less than an hour, a minute or a second is in no number of its own.
    kept = choose.integer(0, 3) if choose.yes(4) else 3
    hour, minute, second = (hour, minute, second) if kept == 3 else (0, minute * (kept > 1), second * (kept > 0))
    largest = hour == 838 and minute == second == 59
    micro, fraction = _no_fraction(column.meta) if largest else _fraction(stream, column.meta)
    # There is no negative zero.
    negative = choose.yes(3) and (hour, minute, second, micro) != (0, 0, 0, 0)
    text = f"{'-' if negative else ''}{hour:02d}:{minute:02d}:{second:02d}{fraction}"
    return Value(Time(hour, minute, second, micro, negative), text)


def datetime(stream: StreamBuilder, column: Column) -> Value:
    """Choose a DATETIME, sometimes with zero parts."""
    choose = stream.choose
    year, month, day = _calendar(stream)
    hour, minute, second = (choose.integer(0, 23), choose.integer(0, 59), choose.integer(0, 59)) if year else (0, 0, 0)
    micro, fraction = _fraction(stream, column.meta) if year else _no_fraction(column.meta)
    text = f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}{fraction}"
    return Value(DateTime(year, month, day, hour, minute, second, micro), text)


def timestamp(stream: StreamBuilder, column: Column) -> Value:
    """Choose a TIMESTAMP, sometimes the zero one, and one after 2038 where servers store them."""
    choose = stream.choose
    is_late = stream.server.profile in WITH_LATE_TIMESTAMPS and choose.yes(3)
    seconds = choose.integer(2**31, 2**32 - 1) if is_late else choose.integer(0, 2**31 - 1)
    # Second 0 is the zero timestamp, which has no fraction.
    micro, fraction = _fraction(stream, column.meta) if seconds else _no_fraction(column.meta)
    return Value(Timestamp(seconds, micro), f"{seconds}{fraction}")
