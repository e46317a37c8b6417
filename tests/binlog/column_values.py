"""Hypothesis strategies for columns and the values they can hold."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from conformance.binlog.mariadb_compression import PackedValue
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.images import ABSENT, Image
from conformance.binlog.rows.json_document import JsonDocument
from conformance.binlog.rows.json_types import JsonOpaque
from conformance.binlog.rows.json_writing import write_json
from conformance.binlog.rows.table import Column
from conformance.binlog.rows.temporal import Date, DateTime, Time, Timestamp

dates = st.builds(Date, st.integers(0, 9999), st.integers(0, 12), st.integers(0, 31))


def fractions(digits: int) -> st.SearchStrategy[int]:
    """Microseconds with at most `digits` digits of fraction."""
    unit = 10 ** (6 - digits)
    return st.integers(0, 10**digits - 1).map(lambda value: value * unit)


def clocks(digits: int) -> st.SearchStrategy[DateTime]:
    parts = st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), fractions(digits)
    return st.builds(DateTime, st.integers(0, 9999), st.integers(0, 12), st.integers(0, 31), *parts)


def times(digits: int) -> st.SearchStrategy[Time]:
    parts = st.integers(0, 838), st.integers(0, 59), st.integers(0, 59), fractions(digits)
    # There is no negative zero.
    return st.builds(Time, *parts, negative=st.booleans()).map(
        lambda time: Time(0, 0, 0) if time == Time(0, 0, 0, 0, True) else time
    )


def timestamps(digits: int) -> st.SearchStrategy[Timestamp]:
    return st.builds(Timestamp, st.integers(0, 2**32 - 1), fractions(digits))


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    # There is no negative zero either.
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda value: Decimal(f"{value}E-{scale}"))


floats = st.floats(allow_nan=False, allow_infinity=False)
narrow_floats = st.floats(width=32, allow_nan=False, allow_infinity=False)

json_scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    floats,
    st.text(max_size=8) | st.text("ab", min_size=120, max_size=300),
    st.integers(1, 65).flatmap(lambda digits: decimals(digits, digits // 3)),
    dates,
    clocks(6),
    times(6),
    st.builds(JsonOpaque, st.sampled_from((7, 15, 252, 255)), st.binary(max_size=9)),
)
json_values: st.SearchStrategy[Any] = st.recursive(
    json_scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=12,
)
documents: st.SearchStrategy[JsonDocument] = json_values.map(write_json)


@st.composite
def typed_columns(draw) -> tuple[Column, st.SearchStrategy[Any]]:
    """A column of any type, and its values."""
    return draw(st.sampled_from([*_FIXED, *_SIZED]).flatmap(lambda make: make()))


def _integers(code: ColumnType, size: int) -> st.SearchStrategy[tuple[Column, st.SearchStrategy[Any]]]:
    bits = 8 * size
    signed = st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)
    return st.sampled_from(
        (
            (Column(code, unsigned=False), signed),
            (Column(code, unsigned=None), signed),
            (Column(code, unsigned=True), st.integers(0, (1 << bits) - 1)),
        )
    )


def _just(code: ColumnType, values: st.SearchStrategy[Any], meta: int = 0) -> Any:
    return st.just((Column(code, meta), values))


def _digits(code: ColumnType, values: Any) -> Any:
    return st.integers(0, 6).map(lambda digits: (Column(code, digits), values(digits)))


def _decimal() -> Any:
    sizes = st.integers(1, 65).flatmap(
        lambda precision: st.tuples(st.just(precision), st.integers(0, min(precision, 30)))
    )
    return sizes.map(lambda size: (Column(ColumnType.NEWDECIMAL, size[0] << 8 | size[1]), decimals(*size)))


def _bit() -> Any:
    return st.integers(1, 64).map(
        lambda bits: (Column(ColumnType.BIT, bits // 8 << 8 | bits % 8), st.integers(0, (1 << bits) - 1))
    )


def _string() -> Any:
    def column(length: int) -> Any:
        high = (ColumnType.STRING & ~0x30) | ((length >> 4 & 0x30) ^ 0x30)
        return Column(ColumnType.STRING, high << 8 | length & 0xFF), st.binary(max_size=min(length, 300))

    return st.integers(0, 1020).map(column)


def _varchar(code: ColumnType) -> Any:
    return st.integers(0, 65535).map(lambda length: (Column(code, length), st.binary(max_size=min(length, 300))))


def _packed(columns: Any) -> Any:
    return columns.map(lambda pair: (pair[0], pair[1].map(PackedValue)))


def _sized(code: ColumnType, values: st.SearchStrategy[Any]) -> Any:
    return st.integers(2, 4).map(lambda size: (Column(code, size), values))


def _labels(code: ColumnType, largest: int) -> Any:
    return st.integers(1, largest).map(
        lambda size: (Column(code, code << 8 | size), st.integers(0, (1 << 8 * size) - 1))
    )


vectors = st.lists(narrow_floats, max_size=5).map(tuple)

_FIXED = (
    lambda: _integers(ColumnType.TINY, 1),
    lambda: _integers(ColumnType.SHORT, 2),
    lambda: _integers(ColumnType.INT24, 3),
    lambda: _integers(ColumnType.LONG, 4),
    lambda: _integers(ColumnType.LONGLONG, 8),
    lambda: _just(ColumnType.FLOAT, narrow_floats, 4),
    lambda: _just(ColumnType.DOUBLE, floats, 8),
    lambda: _just(ColumnType.YEAR, st.just(0) | st.integers(1901, 2155)),
    lambda: _just(ColumnType.DATE, dates),
    lambda: _just(ColumnType.NEWDATE, dates),
    lambda: _just(ColumnType.TIME, times(0)),
    lambda: _just(ColumnType.DATETIME, clocks(0)),
    lambda: _just(ColumnType.TIMESTAMP, timestamps(0)),
)
_SIZED = (
    _decimal,
    _bit,
    lambda: _digits(ColumnType.TIME2, times),
    lambda: _digits(ColumnType.DATETIME2, clocks),
    lambda: _digits(ColumnType.TIMESTAMP2, timestamps),
    _string,
    lambda: _varchar(ColumnType.VARCHAR),
    lambda: _varchar(ColumnType.VAR_STRING),
    lambda: _packed(_varchar(ColumnType.MARIADB_VARCHAR_COMPRESSED)),
    lambda: _labels(ColumnType.ENUM, 2),
    lambda: _labels(ColumnType.SET, 8),
    lambda: _sized(ColumnType.BLOB, st.binary(max_size=300)),
    lambda: _packed(_sized(ColumnType.MARIADB_BLOB_COMPRESSED, st.binary(max_size=300))),
    lambda: _sized(ColumnType.GEOMETRY, st.binary(max_size=40)),
    lambda: _sized(ColumnType.VECTOR, vectors),
    lambda: _sized(ColumnType.JSON, documents),
)


def images(columns: list[tuple[Column, st.SearchStrategy[Any]]], present: list[bool]) -> st.SearchStrategy[Image]:
    return st.tuples(
        *(st.none() | values if there else st.just(ABSENT) for (_, values), there in zip(columns, present, strict=True))
    )
