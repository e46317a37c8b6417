"""Where mysqlbinlog 9.7.4 overruns memory: at a Query event whose empty database name has no zero byte after it.

It prints `use` with that name, takes the length 0 for "up to the next zero byte", and so puts the statement between
backticks into 1027 bytes of its stack. Any log can have such an event; valid ones are WL#40's alone, whose names end
without a zero byte.
"""

from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import QUERY_TYPES
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.reader import ReaderRules, read_events

#: The first length that reaches the guard of its stack; a backtick counts for two.
FATAL_BYTES: Final = 1031
_DATABASE_LENGTH: Final = HEADER_BYTES + 8
_VARIABLES_LENGTH: Final = HEADER_BYTES + 11
_READS_ALL: Final = ReaderRules(verify_checksums=False, known=frozenset(range(256)), beyond_format_description=True)


def overruns(stream: bytes) -> bool:
    """Return whether a stream that can be read to its end has such an event."""
    return any(_overruns(event) for event in read_events(stream, _READS_ALL))


def _overruns(event: Event) -> bool:
    header = event.header
    if header.type not in QUERY_TYPES or header.flags & Flag.SUPPRESS_USE or event.data[_DATABASE_LENGTH]:
        return False
    variables = int.from_bytes(event.data[_VARIABLES_LENGTH : _VARIABLES_LENGTH + 2], "little")
    begin = HEADER_BYTES + event.format.post_header_length(header.type) + variables
    name = event.data[begin : event.body_end].partition(b"\0")[0]
    return len(name) + name.count(b"`") >= FATAL_BYTES
