"""The events of a stream as a replica gets them, also those that a reader refuses or does not reach."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.header import HEADER, Header
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The faults of an event that is not there whole, so that nobody takes it.
NOT_WHOLE: Final = frozenset({"truncated", "invalid-length", "checksum"})
#: The fault of an event that is whole, and that only what reads its body refuses.
MALFORMED: Final = "malformed"


def sent_events(stream: StreamBuilder) -> Iterator[ReplicaEvent]:
    """Yield every event of a stream, up to one that is not whole.

    A receiver reads no further than the header of one that it does not know, and of one whose body is malformed.
    """
    for event, offset, _ in stream.placed:
        is_refused = offset == stream.refused_at
        if is_refused and stream.refused_kind in NOT_WHOLE:
            return
        header = Header(*HEADER.unpack_from(stream.bytes, offset))
        is_unknown = event.ignored or (is_refused and stream.refused_kind != MALFORMED)
        yield ReplicaEvent.of_header(header, offset, None if is_unknown else event.fields)


def events_to_apply(stream: StreamBuilder) -> Iterator[ReplicaEvent]:
    """Yield the events of a relay log up to the one that cannot be applied.

    A replica reads the header of one that it does not know, and nothing of one whose body is malformed.
    """
    for event in sent_events(stream):
        if event.offset == stream.refused_at and stream.refused_kind == MALFORMED:
            return
        yield event
        if event.offset == stream.refused_at:
            return
