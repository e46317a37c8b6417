"""Rows_query events (WL#4033): the statement that made the row changes."""

from dataclasses import replace
from typing import Final

from conformance.binlog.servers import WITH_NULS_IN_ROWS_QUERIES, WITH_ROWS_QUERIES
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, Number, sizes
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Sizes in bytes around the limits of the length byte, without and with the worklog's prefix, and around those at which
#: parsers have cut the text.
_SIZE: Final = replace(
    sizes("size of the statement", 4, 254, 256, 65_536, most=70_000),
    # No server writes an empty one. 8.0.15 and 9.7.4 list no log that has one, and mysqlbinlog 9.7.4 refuses it.
    profiles={"0": Profiles("worklog", "mysql < 8.0")},
)
_TEXT: Final = Dimension(
    "text of the statement",
    {
        "one letter": "a",
        "a statement": "insert into t1(a,b) values(1,2) ",
        "two bytes a character": "ä",
        "three bytes a character": "日本語",
        "quotes, line breaks and comments": "'\"`\\;\n-- ",
        "the prefix": "# ",
        "marks of other languages": "\t%s%n{}<b>&amp;",
        "NULs": "x\0y ",
    },
    profiles={"NULs": WITH_NULS_IN_ROWS_QUERIES},
)
#: Servers have written the low byte of the length, and 0 (9.7); readers use the event's length.
_LENGTH_BYTE: Final = Dimension[int | None]("length byte", {"right": None, "0": 0, "7": 7, "255": 255})
#: Those from 2^31 on are negative to a reader that takes 32 bits for a number with a sign.
_SERVER_ID: Final = Dimension("server id", {"1": 1, "2^31": 1 << 31, "the largest": (1 << 32) - 1})
_STATEMENTS: Final = Number("statements", many=(100, 110))
_ROWS_EVENTS: Final = Number("rows events of the first statement")


@family(
    focus=(
        "WL4033-READ-ROWS-QUERY-TEXT",
        "WL4033-RENDER-ROWS-QUERY-SHOWN",
        "WL4033-SEND-IGNORABLE",
        "WL4033-RELAY-IGNORABLE-COPIED",
    ),
    profiles=WITH_ROWS_QUERIES,
    dimensions=(_SIZE, _TEXT, _LENGTH_BYTE, _SERVER_ID, _STATEMENTS, _ROWS_EVENTS),
)
def rows_query_streams(stream: StreamBuilder) -> None:
    """Row-format transactions with their statements in Rows_query events, of every length."""
    choose = stream.choose
    stream.server_id = stream.vary(_SERVER_ID)
    groups.begin_log(stream)
    for number in stream.several_of(_STATEMENTS):
        planned = [mysql_events.query(stream, "BEGIN"), _rows_query(stream)]
        rows_events = sum(1 for _ in stream.several_of(_ROWS_EVENTS)) if number == 0 else choose.integer(1, 2)
        changes = groups.row_changes(stream, rows_events=rows_events)
        if rows_events > 1:
            changes[1:] = [event.marked("WL4033-READ-ROWS-QUERY-SEVERAL-ROWS") for event in changes[1:]]
        planned += changes
        if choose.yes(4):
            # A second statement of the transaction.
            planned += [_rows_query(stream), *groups.row_changes(stream)]
        groups.add_group(stream, [*planned, mysql_events.xid(stream)])
    groups.end_log(stream)
    stream.mark("WL4033-CROSS-NEW-TO-NEW")


def _rows_query(stream: StreamBuilder) -> PlannedEvent:
    size = stream.vary(_SIZE)
    statement = mysql_events.text_of(stream.vary(_TEXT), size)
    event = mysql_events.rows_query(stream, statement, length_byte=stream.vary(_LENGTH_BYTE))
    if not stream.checksummed:
        event = event.marked("WL4033-GOLDEN-NO-CHECKSUM")
    # A reader may refuse an empty one as later ones do.
    return event._replace(tolerated=size == 0 and stream.server.profile != "worklog")
