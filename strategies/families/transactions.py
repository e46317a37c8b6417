"""Transactions, rotation and checksums: ordinary streams."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_CHECKSUMS
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Number
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: Transactions and statements that are one, in a log.
_GROUPS: Final = Number("groups", many=(200, 240))


@family(focus=("FORMAT-EVENT-DELIVERED", "FORMAT-SEND-EVENT"), dimensions=(_GROUPS,))
def transactions(stream: StreamBuilder) -> None:
    """Transactions and DDL statements in statement and row format, as the profile's server logs them."""
    groups.begin_log(stream)
    for _ in stream.several_of(_GROUPS):
        groups.add_group(stream, groups.group(stream))
    if stream.choose.yes(6):
        groups.add_create_select(stream)
    groups.end_log(stream)
    if not stream.server.rules.ignorable:
        stream.mark("WL4033-CROSS-OLD-TO-OLD", "WL7592-OLD-STREAMS-READ")


@family(focus="FORMAT-ROTATE")
def rotations(stream: StreamBuilder) -> None:
    """Logs that end with a Rotate; and relay logs: an artificial Rotate, then a second format description."""
    groups.begin_log(stream)
    if stream.choose.yes():
        stream.add(mysql_events.rotate(stream, flags=int(Flag.ARTIFICIAL)))
        stream.checksummed = stream.server.checksums and stream.choose.yes()
        stream.describe_format(flags=int(Flag.RELAY_LOG), marks=("FORMAT-LATEST-GOVERNS",))
        stream.mark_following("FORMAT-LATEST-GOVERNS")
    groups.add_groups(stream, 1, 3)
    stream.add(mysql_events.rotate(stream))


@family(focus="FORMAT-CHECKSUM-NOT-BODY", profiles=WITH_CHECKSUMS)
def checksum_streams(stream: StreamBuilder) -> None:
    """Streams with and without checksums, closed or still in use."""
    in_use = stream.choose.yes(3)
    groups.begin_log(stream, flags=int(Flag.BINLOG_IN_USE) if in_use else 0)
    groups.add_groups(stream, 1, 3)
    if not in_use:
        groups.end_log(stream)
    stream.mark("FORMAT-CHECKSUM-NOT-BODY")
