"""Rows of tables whose character columns have several character sets, which the metadata of the table names."""

from typing import Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.table import Column
from conformance.binlog.servers import WITH_TABLE_METADATA
from conformance.strategies.events import row_events
from conformance.strategies.events.columns import ColumnKind, kind_of
from conformance.strategies.grammar.dimension import Dimension, Impossible, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Character set -> the number of a collation of it. Text of latin1 may be valid UTF-8, and that of UTF-8 is any text in
#: latin1: who takes one for the other reads another text.
_COLLATIONS: Final = {"UTF-8": 45, "latin1": 8, "binary strings": 63, "cp1251": 51}
_USUAL: Final = Dimension("character set of most columns", dict(_COLLATIONS))
_OTHER: Final = Dimension("character set of another column", dict(_COLLATIONS))
_SAME: Final = tuple(
    Impossible({_USUAL.name: (each,), _OTHER.name: (each,)}, "another character set is meant") for each in _COLLATIONS
)
#: Metadata that names the exceptions counts character columns alone.
_COUNT: Final = choices("character columns", (3, 4, 9))
_PLACE: Final = choices("place of the other one", ("last", "first", "middle"))
_NUMBERS: Final = choices("columns of numbers", ("before them", "none", "between them", "after them"))
_TYPE: Final = Dimension(
    "type of the other one",
    {"VARCHAR": ColumnType.VARCHAR, "CHAR": ColumnType.STRING, "TEXT": ColumnType.BLOB},
)
_BYTES: Final = 80


@family(
    focus="FORMAT-ROWS-IMAGES",
    profiles=WITH_TABLE_METADATA,
    dimensions=(_USUAL, _OTHER, _COUNT, _PLACE, _NUMBERS, _TYPE, row_events.ROWS),
    impossible=_SAME,
)
def columns_of_character_sets(stream: StreamBuilder) -> None:
    """Rows of a table of which one character column has another character set than the others."""
    groups.begin_plain_log(stream)
    rows = row_events.table_of(stream, _kinds(stream))
    several = stream.several_of(row_events.ROWS)
    groups.add_rows(stream, rows, lambda: row_events.rows_event(stream, rows, "write", several=several))
    groups.end_log(stream)


def _kinds(stream: StreamBuilder) -> list[ColumnKind]:
    usual, count = stream.vary(_USUAL), stream.vary(_COUNT)
    place = {"first": 0, "middle": count // 2, "last": count - 1}[stream.vary(_PLACE)]
    kinds = [_of_set(ColumnType.VARCHAR, usual) for _ in range(count)]
    kinds[place] = _of_set(stream.vary(_TYPE), stream.vary(_OTHER))
    numbers = [kind_of(ColumnType.LONG)] * 2
    at = {"before them": 0, "between them": count // 2, "after them": count}.get(stream.vary(_NUMBERS))
    return kinds if at is None else [*kinds[:at], *numbers, *kinds[at:]]


def _of_set(code: ColumnType, collation: int) -> ColumnKind:
    """Return the kind of columns of a type whose character set is given."""
    meta = {ColumnType.VARCHAR: _BYTES, ColumnType.STRING: ColumnType.STRING << 8 | _BYTES, ColumnType.BLOB: 2}[code]
    return kind_of(code)._replace(column=lambda stream: Column(code, meta, collation=collation))
