"""Format descriptions: post-headers longer than today's, and more types than today's."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import MOST_EVENT_TYPES
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: The types whose post-header may grow, as that of Gtid events did between 5.6 and 5.7. No Query post-header has 17
#: bytes, as that means the extended Query event of WL#40.
_GROWING: Final = (EventType.QUERY, EventType.ROTATE, EventType.TABLE_MAP)
_GROWTH: Final = (1, 2, 3, 8, 100)


@family(focus="FORMAT-POST-HEADER-LENGTHS")
def post_header_lengths(stream: StreamBuilder) -> None:
    """Streams whose format description declares longer post-headers, and more types, than any server does."""
    choose = stream.choose
    lengths = bytearray(stream.server.post_header_lengths)
    for type_code in (*_GROWING, stream.server.rows_events[0]):
        if choose.yes():
            lengths[type_code - 1] += choose.one_of(_GROWTH)
    more = choose.integer(0, MOST_EVENT_TYPES - len(lengths)) if choose.yes() else 0
    lengths += bytes(more)
    groups.begin_plain_log(stream, lengths=bytes(lengths))
    if more:
        stream.mark("WL4033-READ-FUTURE-FORMAT")
    if stream.server.gtid_form != "absent":
        stream.mark("WL7592-ANON-CODE-DECLARED-EARLY")
    for _ in choose.several(1, 3):
        groups.add_group(stream, groups.transaction(stream), anonymous=True)
    groups.end_log(stream)
