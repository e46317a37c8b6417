"""Statements of any bytes: servers store what a client sent, in any character set, with anything in its literals."""

from typing import Final

from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, Number
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Each byte that is of no character is so by itself, so that it is one U+FFFD to every decoder.
_BYTES: Final = Dimension(
    "bytes of the statement",
    {
        "bytes of no character": b"INSERT INTO t1 VALUES (_binary'\xff\xfe')",
        "only bytes of no character": b"\xff\xc0\xfe",
        "a byte of no character at the end": b"SELECT 1 -- \xff",
        "four bytes a character": "INSERT INTO t1 VALUES ('😀𝄞')".encode(),
        "the last character": "SELECT '\U0010ffff'".encode(),
        "a byte order mark": "\ufeffSELECT 1".encode(),
        "characters without a glyph": "SELECT '\u200b\u2028\ue000\x01\x7f'".encode(),
    },
)
_EVENT: Final = Dimension(
    "event with the statement", {"Query": True, "Rows_query": False}, profiles={"Rows_query": WITH_ROWS_QUERIES}
)
_STATEMENTS: Final = Number("statements")


@family(focus="FORMAT-QUERY", dimensions=(_BYTES, _EVENT, _STATEMENTS))
def statements_of_any_bytes(stream: StreamBuilder) -> None:
    """Statements with bytes of no character, and with characters of four bytes, in Query and Rows_query events."""
    groups.begin_log(stream)
    for _ in stream.several_of(_STATEMENTS):
        statement = stream.vary(_BYTES)
        if stream.vary(_EVENT):
            groups.add_group(stream, [mysql_events.query(stream, statement)])
            continue
        begin, end = mysql_events.query(stream, "BEGIN"), mysql_events.xid(stream)
        planned = [begin, mysql_events.rows_query(stream, statement), *groups.row_changes(stream), end]
        groups.add_group(stream, planned)
    groups.end_log(stream)
