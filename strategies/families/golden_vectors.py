"""Golden vectors: the events whose bytes a worklog prints."""

import base64
from typing import Any, Final

from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.tables_info_example import add_example
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import EPOCH, StreamBuilder
from conformance.strategies.groups import transactions as groups

#: The three lines of the BINLOG statement in WL#4033, each with the fields that a reader reports of its body and the
#: requirements that it exercises.
_WL4033: Final[tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...]] = (
    (
        "eWgQTB0BAAAANQAAANQEAACAACEjIGluc2VydCBpbnRvIHQxKGEsYikgdmFsdWVzKDEsMik=",
        {"rows_query": "# insert into t1(a,b) values(1,2)"},
        ("WL4033-GOLDEN-ROWS-QUERY-BYTES", "WL4033-GOLDEN-NO-CHECKSUM", "WL4033-READ-ROWS-QUERY-TYPE"),
    ),
    (
        "eWgQTBMBAAAAKwAAAP8EAAAAABcAAAAAAAEABHRlc3QAAnQxAAMDAwMABg==",
        {"table_id": 23, "database": "test", "table": "t1", "column_count": 3},
        ("WL4033-GOLDEN-TABLE-MAP-BYTES", "WL4033-GOLDEN-NO-CHECKSUM"),
    ),
    (
        "eWgQTBcBAAAAKgAAACkFAAAQABcAAAAAAAEAA//4AwAAAAEAAAACAAAA",
        {"table_id": 23, "rows_flags": 1, "rows": [{"before": None, "after": {"0": 3, "1": 1, "2": 2}}]},
        ("WL4033-GOLDEN-WRITE-ROWS-BYTES", "WL4033-GOLDEN-NO-CHECKSUM", "WL40-GOLDEN-FLAG"),
    ),
)


#: Where the Rows_query of the sample begins, in bytes from the start of its log.
_WL4033_START: Final = 1183


def _filler(stream: StreamBuilder, *, up_to: int) -> PlannedEvent:
    """Return a Query event that ends at an offset."""
    empty = mysql_events.query(stream, "")
    size = up_to - stream.offset - stream.length_of(empty)
    statement = "-" * size
    return empty._replace(body=empty.body + statement.encode(), fields={**empty.fields, "query": statement})


@family(
    focus=("WL4033-GOLDEN-ROWS-QUERY-BYTES", "WL4033-GOLDEN-TEXT-ROWS-QUERY"),
    profiles=Profiles("worklog", "mysql >= 5.6, < 8.3"),
    checksums=False,
)
def golden_vectors(stream: StreamBuilder) -> None:
    """The events of the WL#4033 sample, or of the WL#40 example, byte for byte, at their offsets in the logs."""
    if stream.server.profile == "worklog" and stream.choose.yes():
        add_example(stream)
        return
    stream.timestamp = EPOCH
    stream.describe_format()
    stream.add(_filler(stream, up_to=_WL4033_START))
    for line, fields, marks in _WL4033:
        event = base64.b64decode(line)
        header = HEADER.unpack_from(event)
        stream.add(PlannedEvent(header[1], event[HEADER_BYTES:], fields, header[5], marks))
    if stream.choose.yes():
        for planned in groups.transaction(stream):
            stream.add(planned)
