"""A log in which a checker finds nothing wrong: the surroundings of a single fault."""

from collections.abc import Sequence

from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups import transactions as groups


def begin_log(stream: StreamBuilder) -> None:
    """Add a format description and the Previous_gtids event of a server that has executed nothing."""
    groups.begin_plain_log(stream)
    stream.settings["tables"] = list(replica_groups.TABLES)


def add_group(stream: StreamBuilder, planned: Sequence[PlannedEvent], *, anonymous: bool) -> None:
    """Add a group with its Gtid or Anonymous_gtid event before it."""
    replica_groups.add(stream, replica_groups.with_gtid(stream, planned, anonymous=anonymous))


def add_groups(stream: StreamBuilder, low: int, high: int, *, anonymous: bool) -> int:
    """Add from `low` to `high` groups, and return how many."""
    count = 0
    for _ in stream.choose.several(low, high):
        add_group(stream, replica_groups.group(stream), anonymous=anonymous)
        count += 1
    return count
