"""Rows of tables with many columns of numbers, whose metadata has a bit for the sign of each."""

from typing import Final

from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.rows.table import Column
from conformance.binlog.servers import WITH_TABLE_METADATA
from conformance.strategies.events import row_events
from conformance.strategies.events.columns import ColumnKind, kind_of
from conformance.strategies.grammar.dimension import Dimension, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Eight signs fill a byte of the metadata; up to 250 columns have a count of one byte.
_NUMBERS: Final = (2, 8, 9, 17, 250, 251, 256)
_COUNT: Final = Dimension(
    "columns of numbers", {str(each): each for each in _NUMBERS}, heavy=[str(each) for each in _NUMBERS if each >= 250]
)
_USUAL: Final = Dimension("sign of most columns", {"signed": False, "unsigned": True})
_PLACE: Final = choices("place of the other one", ("last", "first", "middle"))
_TYPE: Final = Dimension("type of the other one", {ColumnType(code).name: code for code in INTEGER_BYTES})
#: Other columns: some have a bit among the signs, as numbers of any type have, and others do not.
_BESIDE: Final = Dimension(
    "column before the other one",
    {
        "another integer": ColumnType.LONG,
        **{
            code.name: code
            for code in (
                ColumnType.NEWDECIMAL,
                ColumnType.FLOAT,
                ColumnType.DOUBLE,
                ColumnType.YEAR,
                ColumnType.BIT,
                ColumnType.VARCHAR,
                ColumnType.ENUM,
            )
        },
    },
)
#: Every column has a bit among the NULLs of a row, whether or not it may be NULL.
_NULLABLE: Final = yes_or_no("nullable")


@family(
    focus="FORMAT-ROWS-VALUES-UNSIGNED",
    profiles=WITH_TABLE_METADATA,
    dimensions=(_COUNT, _USUAL, _PLACE, _TYPE, _BESIDE, _NULLABLE),
)
def columns_of_signs(stream: StreamBuilder) -> None:
    """Rows of a table of which one column of numbers has no sign and all others have one, or the other way round."""
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, _kinds(stream))
    groups.add_rows(stream, rows, lambda: row_events.rows_event(stream, rows, "write", several=range(2)))
    groups.end_log(stream)


def _kinds(stream: StreamBuilder) -> list[ColumnKind]:
    count, usual, nullable = stream.vary(_COUNT), stream.vary(_USUAL), stream.vary(_NULLABLE)
    place = {"first": 0, "middle": count // 2, "last": count - 1}[stream.vary(_PLACE)]
    kinds = [_integer(ColumnType.LONG, unsigned=usual, nullable=nullable) for _ in range(count)]
    kinds[place] = _integer(stream.vary(_TYPE), unsigned=not usual, nullable=nullable)
    beside = stream.vary(_BESIDE)
    return kinds if beside == ColumnType.LONG else [*kinds[:place], kind_of(beside), *kinds[place:]]


def _integer(code: int, *, unsigned: bool, nullable: bool) -> ColumnKind:
    """Return the kind of integer columns with or without a sign."""
    declared = Column(code, unsigned=unsigned, nullable=nullable)
    return kind_of(ColumnType(code))._replace(column=lambda stream: declared)
