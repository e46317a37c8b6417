"""Golden vectors: the events whose bytes a worklog prints."""

import base64
from typing import Any, Final

from conformance.binlog.event_types import ROWS_V1, EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.extended_query import UPDATE_TABLE_MAP_VERSION
from conformance.strategies.events.tables_info_example import add_example
from conformance.strategies.grammar.dimension import Dimension
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
#: The table of the sample.
_TABLE_ID: Final = 23
_COLUMNS: Final = 3


def _filler(stream: StreamBuilder, *, up_to: int) -> PlannedEvent:
    """Return a Query event that ends at an offset, with the flag that servers of that time set."""
    empty = mysql_events.query(stream, "", flags=UPDATE_TABLE_MAP_VERSION, marks=("WL40-GOLDEN-FLAG",))
    size = up_to - stream.offset - stream.length_of(empty)
    statement = "-" * size
    return empty._replace(body=empty.body + statement.encode(), fields={**empty.fields, "query": statement})


def _is_known(stream: StreamBuilder, type_code: int) -> bool:
    """Return whether readers of the stream's server know an event of the sample."""
    if type_code == EventType.ROWS_QUERY:
        return stream.server.profile in WITH_ROWS_QUERIES
    return type_code not in ROWS_V1 or stream.server.reads_rows_v1


_SAMPLE: Final = Dimension("bytes", {"WL#4033": "sample", "WL#40": "example"}, profiles={"WL#40": Profiles("worklog")})


@family(
    focus=("WL4033-GOLDEN-TABLE-MAP-BYTES", "WL4033-GOLDEN-TEXT-ROWS-QUERY"),
    checksums=False,
    dimensions=(_SAMPLE,),
)
def golden_vectors(stream: StreamBuilder) -> None:
    """The events of the WL#4033 sample, or of the WL#40 example, byte for byte, at their offsets in the logs.

    Of the sample a log has the events that readers of its server know; rows of version 2 where they know no others.
    """
    if stream.vary(_SAMPLE) == "example":
        add_example(stream)
        return
    stream.timestamp = EPOCH
    stream.describe_format()
    at = _WL4033_START
    for line, fields, marks in _WL4033:
        event = base64.b64decode(line)
        header = HEADER.unpack_from(event)
        if _is_known(stream, header[1]):
            if stream.count == 1:
                stream.add(_filler(stream, up_to=at))
            stream.add(PlannedEvent(header[1], event[HEADER_BYTES:], fields, header[5], marks))
        at += len(event)
    if not stream.server.reads_rows_v1:
        stream.add(mysql_events.write_rows(stream, table_id=_TABLE_ID, columns=_COLUMNS, rows=1, last=True))
    if stream.choose.yes():
        for planned in groups.transaction(stream):
            stream.add(planned)
