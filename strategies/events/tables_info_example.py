"""The example of WL#40, section 2: one extended Query event, at the position at which it is printed."""

from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.binlog.servers import with_tables_info
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: Where the example begins, in bytes from the start of its log.
_START: Final = 0x294
_EXAMPLE: Final = bytes.fromhex(
    "2fa1004b 02 64000000 75000000 09030000 1000"
    "01000000 c9000000 04 0000 1a00 2b00 0800"
    "00 00400000 01 0000000000000000 06 03 737464 04 0800 0800 0800"
    "74657374"
    "52454e414d45205441424c4520743120544f20746d702c20743220544f2074312c20746d7020544f207432"
    "00 02 7431 00 02 7432"
)
_FIELDS: Final[dict[str, Any]] = {
    "thread_id": 1,
    "exec_time": 201,
    "error_code": 0,
    "database": "test",
    "query": "RENAME TABLE t1 TO tmp, t2 TO t1, tmp TO t2",
    "tables_info": "``.`t1`,``.`t2`",
}
_MARKS: Final = (
    "WL40-GOLDEN-EVENT",
    "WL40-GOLDEN-HEADER",
    "WL40-GOLDEN-LOG-POS",
    "WL40-GOLDEN-FLAG",
    "WL40-GOLDEN-QUERY",
    "WL40-GOLDEN-TABLES",
    "WL40-GOLDEN-NO-CHECKSUM",
    "WL40-POST-HEADER-ORDER",
    "WL40-DATA-ORDER",
    "WL40-STATUS-VARS-UNCHANGED",
    "WL40-DB-NO-ZERO",
    "WL40-TABLES-INFO-NAME-LENGTHS",
    "WL40-TABLES-INFO-DEFAULT-DB",
)


def add_example(stream: StreamBuilder) -> None:
    """Add a format description, a filler event and the example, all without checksums."""
    stream.describe_format(post_header_lengths=with_tables_info(stream.server.post_header_lengths))
    size = _START - stream.offset - HEADER_BYTES
    text = "-" * (size - 1)
    filler = bytes([len(text) & 0xFF]) + text.encode()
    stream.add(PlannedEvent(EventType.ROWS_QUERY, filler, {"rows_query": text}))
    timestamp, type_code, server_id, _, _, flags = HEADER.unpack_from(_EXAMPLE)
    stream.timestamp, stream.server_id = timestamp, server_id
    stream.add(PlannedEvent(type_code, _EXAMPLE[HEADER_BYTES:], _FIELDS, flags, _MARKS))
