"""Temporal columns: DATE, TIME, DATETIME and TIMESTAMP, before MySQL 5.6 and from 5.6 on.

The values are plain parts and not Python's `datetime`, because columns may hold values that are not in the calendar:
``0000-00-00``, ``2024-02-30``, ``-838:59:59``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import Values, take
from conformance.binlog.errors import MalformedBody

_FRACTION_DIGITS: Final = 6
#: These are added to the values on disk, so that they sort as bytes.
_TIME_SHIFT: Final = 0x800000
_DATETIME_SHIFT: Final = 0x8000000000
#: Months are counted from 0, which means none.
_MONTHS: Final = 13


def fraction_text(microsecond: int, digits: int) -> str:
    """Return the fraction with a point before it, empty for no digits."""
    return f".{microsecond:06d}"[: digits + 1] if digits else ""


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A calendar date of which each part may be 0."""

    year: int
    month: int
    day: int

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day or a span of time, up to 838 hours either way."""

    hour: int
    minute: int
    second: int
    microsecond: int = 0
    negative: bool = False

    def text(self, digits: int = 0) -> str:
        """Return the text with `digits` digits of fraction."""
        sign = "-" if self.negative else ""
        fraction = fraction_text(self.microsecond, digits)
        return f"{sign}{self.hour:02d}:{self.minute:02d}:{self.second:02d}{fraction}"


@dataclass(frozen=True, slots=True, order=True)
class DateTime:
    """A date and a time, without a time zone."""

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: int = 0
    microsecond: int = 0

    def text(self, digits: int = 0) -> str:
        """Return the text with `digits` digits of fraction."""
        date = f"{self.year:04d}-{self.month:02d}-{self.day:02d}"
        clock = f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}"
        return f"{date} {clock}{fraction_text(self.microsecond, digits)}"


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """Seconds since 1970 in UTC, and a fraction."""

    seconds: int
    microsecond: int = 0

    def text(self, digits: int = 0) -> str:
        """Return the text with `digits` digits of fraction."""
        return f"{self.seconds}{fraction_text(self.microsecond, digits)}"


@dataclass(frozen=True, slots=True)
class DateColumn:
    """Three bytes: five bits of day, four of month, the rest is the year."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Date, int]:
        """See `Codec.read`."""
        raw = int.from_bytes(take(data, at, end, 3), "little")
        return Date(raw >> 9, raw >> 5 & 0xF, raw & 0x1F), at + 3

    def write(self, value: Date, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return (value.year << 9 | value.month << 5 | value.day).to_bytes(3, "little")


@dataclass(frozen=True, slots=True)
class OldTimeColumn:
    """Three bytes: the decimal digits HHHMMSS as an integer (before MySQL 5.6)."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Time, int]:
        """See `Codec.read`."""
        raw = int.from_bytes(take(data, at, end, 3), "little", signed=True)
        size = abs(raw)
        return Time(size // 10000, size // 100 % 100, size % 100, negative=raw < 0), at + 3

    def write(self, value: Time, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        size = (value.hour * 100 + value.minute) * 100 + value.second
        return (-size if value.negative else size).to_bytes(3, "little", signed=True)


@dataclass(frozen=True, slots=True)
class OldDateTimeColumn:
    """Eight bytes: the decimal digits YYYYMMDDHHMMSS as an integer (before MySQL 5.6)."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[DateTime, int]:
        """See `Codec.read`."""
        raw = int.from_bytes(take(data, at, end, 8), "little")
        date, clock = divmod(raw, 1000000)
        year, month, day = date // 10000, date // 100 % 100, date % 100
        return DateTime(year, month, day, clock // 10000, clock // 100 % 100, clock % 100), at + 8

    def write(self, value: DateTime, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        date = (value.year * 100 + value.month) * 100 + value.day
        clock = (value.hour * 100 + value.minute) * 100 + value.second
        return (date * 1000000 + clock).to_bytes(8, "little")


@dataclass(frozen=True, slots=True)
class OldTimestampColumn:
    """Four bytes, little-endian (before MySQL 5.6)."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Timestamp, int]:
        """See `Codec.read`."""
        return Timestamp(int.from_bytes(take(data, at, end, 4), "little")), at + 4

    def write(self, value: Timestamp, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        return value.seconds.to_bytes(4, "little")


@dataclass(frozen=True, slots=True)
class _Fraction:
    """The fraction after a temporal value: one byte for every two digits, big-endian."""

    digits: int

    @property
    def size(self) -> int:
        return (self.digits + 1) // 2

    @property
    def unit(self) -> int:
        """Microseconds of the lowest bit."""
        return int(100 ** (_FRACTION_DIGITS // 2 - self.size))

    def microsecond(self, raw: int) -> int:
        return raw * self.unit

    def raw(self, microsecond: int) -> int:
        whole, rest = divmod(microsecond, self.unit)
        if rest or not 0 <= microsecond < 10**_FRACTION_DIGITS:
            raise ValueError(f"{microsecond} microseconds do not fit in {self.digits} digits of fraction")
        return whole

    def checked(self) -> "_Fraction":
        if not 0 <= self.digits <= _FRACTION_DIGITS:
            raise MalformedBody(
                f"{self.digits} is not a valid number of fraction digits: it must be from 0 to {_FRACTION_DIGITS}"
            )
        return self


def pack_clock(hour: int, minute: int, second: int) -> int:
    """Return an hour, a minute and a second as servers pack them: six bits each, except the hour."""
    return hour << 12 | minute << 6 | second


def pack_datetime(value: DateTime) -> int:
    """Return the whole seconds of a date and a time as servers pack them, sortable."""
    day = (value.year * _MONTHS + value.month) << 5 | value.day
    return day << 17 | pack_clock(value.hour, value.minute, value.second)


def unpack_datetime(packed: int, microsecond: int) -> DateTime:
    """Return what `pack_datetime` packed."""
    year, month = divmod(packed >> 22, _MONTHS)
    return DateTime(
        year,
        month,
        packed >> 17 & 0x1F,
        packed >> 12 & 0x1F,
        packed >> 6 & 0x3F,
        packed & 0x3F,
        microsecond,
    )


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """TIME since MySQL 5.6: sign and ten bits of hour, six of minute and second, a fraction."""

    digits: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Time, int]:
        """See `Codec.read`."""
        fraction = _Fraction(self.digits).checked()
        bits = 8 * fraction.size
        size = 3 + fraction.size
        signed = int.from_bytes(take(data, at, end, size), "big") - (_TIME_SHIFT << bits)
        raw = abs(signed)
        clock = raw >> bits
        microsecond = fraction.microsecond(raw & (1 << bits) - 1)
        return Time(clock >> 12 & 0x3FF, clock >> 6 & 0x3F, clock & 0x3F, microsecond, signed < 0), at + size

    def write(self, value: Time, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        fraction = _Fraction(self.digits)
        bits = 8 * fraction.size
        clock = pack_clock(value.hour, value.minute, value.second)
        raw = clock << bits | fraction.raw(value.microsecond)
        return ((_TIME_SHIFT << bits) + (-raw if value.negative else raw)).to_bytes(3 + fraction.size, "big")


@dataclass(frozen=True, slots=True)
class DateTimeColumn:
    """DATETIME since MySQL 5.6: five bytes and a fraction."""

    digits: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[DateTime, int]:
        """See `Codec.read`."""
        fraction = _Fraction(self.digits).checked()
        size = 5 + fraction.size
        raw = take(data, at, end, size)
        packed = int.from_bytes(raw[:5], "big") & (_DATETIME_SHIFT - 1)
        return unpack_datetime(packed, fraction.microsecond(int.from_bytes(raw[5:], "big"))), at + size

    def write(self, value: DateTime, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        fraction = _Fraction(self.digits)
        packed = pack_datetime(value) + _DATETIME_SHIFT
        return packed.to_bytes(5, "big") + fraction.raw(value.microsecond).to_bytes(fraction.size, "big")


@dataclass(frozen=True, slots=True)
class TimestampColumn:
    """TIMESTAMP since MySQL 5.6: four bytes, big-endian, and a fraction."""

    digits: int

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[Timestamp, int]:
        """See `Codec.read`."""
        fraction = _Fraction(self.digits).checked()
        size = 4 + fraction.size
        raw = take(data, at, end, size)
        microsecond = fraction.microsecond(int.from_bytes(raw[4:], "big"))
        return Timestamp(int.from_bytes(raw[:4], "big"), microsecond), at + size

    def write(self, value: Timestamp, values: Mapping[str, Any]) -> bytes:
        """See `Codec.write`."""
        fraction = _Fraction(self.digits)
        tail = fraction.raw(value.microsecond).to_bytes(fraction.size, "big")
        return value.seconds.to_bytes(4, "big") + tail
