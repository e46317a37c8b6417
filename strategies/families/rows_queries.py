"""Rows_query events (WL#4033): the statement that made the row changes."""

from typing import Final

from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Lengths around the limits of the length byte, and around those at which parsers have cut the text.
_LENGTHS: Final = (0, 1, 3, 4, 5, 33, 250, 251, 253, 254, 255, 256, 257, 258, 259, 260, 511, 512, 65535, 65536)


@family(
    focus=(
        "WL4033-READ-ROWS-QUERY-TEXT",
        "WL4033-RENDER-ROWS-QUERY-SHOWN",
        "WL4033-SEND-IGNORABLE",
        "WL4033-RELAY-IGNORABLE-COPIED",
    ),
    profiles=WITH_ROWS_QUERIES,
)
def rows_query_streams(stream: StreamBuilder) -> None:
    """Row-format transactions with their statements in Rows_query events, of every length."""
    choose = stream.choose
    groups.begin_log(stream)
    for _ in choose.several(1, 2):
        planned = [mysql_events.query(stream, "BEGIN")]
        for _ in choose.several(1, 3):
            rows_events = choose.integer(1, 3)
            planned.append(_rows_query(stream))
            changes = groups.row_changes(stream, rows_events=rows_events)
            if rows_events > 1:
                changes[1:] = [event.marked("WL4033-READ-ROWS-QUERY-SEVERAL-ROWS") for event in changes[1:]]
            planned += changes
        planned.append(mysql_events.xid(stream))
        groups.add_group(stream, planned)
    groups.end_log(stream)
    stream.mark("WL4033-CROSS-NEW-TO-NEW")


def _rows_query(stream: StreamBuilder) -> PlannedEvent:
    choose = stream.choose
    size = choose.one_of(_LENGTHS) if choose.yes() else choose.integer(0, 400)
    # Servers have written the low byte of the length, and 0 (9.7); readers use the event's length.
    length_byte = choose.one_of((None, 0, 255, 7))
    event = mysql_events.rows_query(stream, mysql_events.text(stream, size, size), length_byte=length_byte)
    if not stream.checksummed:
        event = event.marked("WL4033-GOLDEN-NO-CHECKSUM")
    # mysqlbinlog 9.7 refuses an empty one; no server writes it.
    return event._replace(tolerated=size == 0 and stream.server.profile != "worklog")
