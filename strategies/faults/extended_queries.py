"""Faults of extended Query events (WL#40): lengths that contradict the event."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.filtering.log_part import Part
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.extended_query import extended_query
from conformance.strategies.families.tables_info import TABLES
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.table_work import TableWork

#: Where the lengths of the query and of the tables info are in the body, in bytes.
_QUERY_LENGTH_AT: Final = 13
_TABLES_INFO_LENGTH_AT: Final = 15


@family(focus="WL40-LENGTHS-CONTRADICT", profiles=Profiles("worklog"), fault=True)
def contradicting_query_lengths(stream: StreamBuilder) -> None:
    """An extended Query event whose lengths leave bytes over, need more, or end its tables info within a tuple."""
    choose = stream.choose
    work = TableWork(stream, markers=choose.yes())
    work.begin(extended=True)
    for _ in choose.several(0, 2):
        work.group([work.control("BEGIN", Part.BEGIN), work.close()])
    tables = [choose.one_of(TABLES) for _ in choose.several(1, 3)]
    sql = f"DROP TABLE {mysql_events.text(stream, 0, 40)}"
    event = extended_query(stream, sql, tables)
    body = bytearray(event.body)
    kind = choose.integer(0, 4)
    if kind == 4:
        # The last name's length is more than the tables info has left for it.
        body[len(body) - 1 - len(tables[-1].name.encode())] += choose.integer(1, 100)
    elif kind == 3:
        body += choose.octets(1, 5)
    elif kind == 2:
        del body[len(body) - choose.integer(1, 2) :]
    else:
        at = (_QUERY_LENGTH_AT, _TABLES_INFO_LENGTH_AT)[kind]
        length = int.from_bytes(body[at : at + 2], "little")
        others = [each for each in (length + 1, length - 1, length + 1000, 0xFFFF) if 0 <= each <= 0xFFFF]
        body[at : at + 2] = choose.one_of(others).to_bytes(2, "little")
    broken = PlannedEvent(EventType.QUERY, bytes(body), {}, event.flags)
    stream.refuse(broken, kind="malformed", marks=("WL40-LENGTHS-CONTRADICT",))
    work.group([work.control("BEGIN", Part.BEGIN), work.close()])
