"""The events of a stream as a replica gets them, also those that a reader refuses or does not reach."""

from collections.abc import Iterator

from conformance.binlog.header import HEADER, Header
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.strategies.grammar.stream import StreamBuilder


def sent_events(stream: StreamBuilder) -> Iterator[ReplicaEvent]:
    """Yield every event of a stream: a receiver reads no further than the header of one that it does not know."""
    for event, offset, _ in stream.placed:
        header = Header(*HEADER.unpack_from(stream.bytes, offset))
        is_unknown = event.ignored or offset == stream.refused_at
        yield ReplicaEvent.of_header(header, offset, None if is_unknown else event.fields)


def events_to_apply(stream: StreamBuilder) -> Iterator[ReplicaEvent]:
    """Yield the events of a relay log up to the one that cannot be read, which the replica reads the header of."""
    for event in sent_events(stream):
        yield event
        if event.offset == stream.refused_at:
            return
