"""Faults of extended Query events (WL#40): lengths that contradict the event."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.filtering.log_part import Part
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.extended_query import extended_query
from conformance.strategies.families.tables_info import TABLES
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.table_work import TableWork

#: Where the lengths of the query and of the tables info are in the body, in bytes.
_QUERY_LENGTH_AT: Final = 13
_TABLES_INFO_LENGTH_AT: Final = 15

#: The body and its tables -> where its wrong length is, and how many bytes it has.
_Place = Callable[[bytes, Sequence[TableName]], tuple[int, int]]
#: The lengths that can be wrong. The last tuple begins with the length of its database, which is not empty.
_LENGTHS: Final[Mapping[str, _Place]] = {
    "the statement": lambda body, tables: (_QUERY_LENGTH_AT, 2),
    "the tables info": lambda body, tables: (_TABLES_INFO_LENGTH_AT, 2),
    "the last table's name": lambda body, tables: (len(body) - 1 - _size(tables[-1].name), 1),
    "the last table's database": lambda body, tables: (
        len(body) - 2 - _size(tables[-1].name) - _size(tables[-1].database),
        1,
    ),
}


def _size(name: str) -> int:
    return len(name.encode())


_LONGER, _SHORTER = "the event, which is longer", "the event, which is shorter"
_AT: Final = choices("wrong length", (*_LENGTHS, _LONGER, _SHORTER))
#: What is wrong with a length: the one that there is -> the one that is written, as far as its field has room.
_BY: Final = Dimension[Callable[[int], int]](
    "how it is wrong",
    {
        "one more": lambda length: length + 1,
        "one less": lambda length: length - 1,
        "a hundred more": lambda length: length + 100,
        "as large as can be": lambda length: 0xFFFF,
    },
    when={"wrong length": tuple(_LENGTHS)},
)
_TABLES: Final = Number("tables in the list")
_STATEMENT: Final = choices("size of the statement", ("40", "256"))
_BEFORE: Final = Number("groups before", fewest=0, few=2)


@family(
    focus="WL40-LENGTHS-CONTRADICT",
    profiles=Profiles("worklog"),
    fault=True,
    dimensions=(_AT, _BY, _TABLES, _STATEMENT, _BEFORE),
)
def contradicting_query_lengths(stream: StreamBuilder) -> None:
    """An extended Query event whose lengths leave bytes over, need more, or end its tables info within a tuple."""
    choose = stream.choose
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    for _ in stream.several_of(_BEFORE):
        work.group([work.control("BEGIN", Part.BEGIN), work.close()])
    place = stream.vary(_AT)
    tables = [choose.one_of(TABLES) for _ in stream.several_of(_TABLES)]
    size = int(stream.vary(_STATEMENT)) - len("DROP TABLE ")
    sql = f"DROP TABLE {mysql_events.text(stream, size, size)}"
    event = extended_query(stream, sql, tables, named=True)
    body = bytearray(event.body)
    if place in _LENGTHS:
        at, width = _LENGTHS[place](event.body, tables)
        length = int.from_bytes(body[at : at + width], "little")
        wrong = min(stream.vary(_BY)(length), (1 << 8 * width) - 1)
        body[at : at + width] = wrong.to_bytes(width, "little")
    elif place == _SHORTER:
        del body[len(body) - choose.integer(1, 2) :]
    else:
        body += choose.octets(1, 5)
    broken = PlannedEvent(EventType.QUERY, bytes(body), {}, event.flags)
    stream.refuse(broken, kind="malformed", marks=("WL40-LENGTHS-CONTRADICT",))
    work.group([work.control("BEGIN", Part.BEGIN), work.close()])
