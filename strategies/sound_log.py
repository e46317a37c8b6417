"""A log in which a checker finds nothing: what stands around a fault that is to be the only one."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from strategies import replica_groups
from strategies import transactions as groups
from strategies.planned_event import PlannedEvent
from strategies.stream import StreamBuilder

_GTIDS: Final = frozenset({int(EventType.GTID), int(EventType.ANONYMOUS_GTID)})


def begin_log(stream: StreamBuilder) -> None:
    """Add a format description and the Previous_gtids event of a server that has executed nothing."""
    groups.begin_plain_log(stream)


def named(
    stream: StreamBuilder, planned: Sequence[PlannedEvent], *, anonymous: bool, later: int = 0
) -> list[PlannedEvent]:
    """Return a group behind its Gtid or Anonymous_gtid event.

    Args:
        stream: The stream it is for.
        planned: The group.
        anonymous: Whether it has no GTID.
        later: How many more Gtid events will stand before this one than stand in the stream now.
    """
    number = 1 + later + sum(event.type in _GTIDS for event, _, _ in stream.placed)
    # The worklog has the flag on every Anonymous_gtid event; servers leave it out.
    flags = int(Flag.IGNORABLE) if anonymous and stream.server.profile == "worklog" else 0
    return replica_groups.named(stream, planned, anonymous=anonymous, flags=flags, number=number)


def add_group(stream: StreamBuilder, planned: Sequence[PlannedEvent], *, anonymous: bool) -> None:
    """Add a group behind its Gtid or Anonymous_gtid event."""
    replica_groups.add(stream, named(stream, planned, anonymous=anonymous))


def add_groups(stream: StreamBuilder, low: int, high: int, *, anonymous: bool) -> int:
    """Add from `low` to `high` groups, and return how many."""
    count = 0
    for _ in stream.choose.several(low, high):
        add_group(stream, replica_groups.group(stream), anonymous=anonymous)
        count += 1
    return count
