"""Streams that a source sends to a replica: what goes into the relay log (WL#7592, WL#4033, WL#4162)."""

from collections.abc import Callable, Sequence
from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_IGNORABLE_FLAG
from conformance.strategies.events import gtid_events, mysql_events, server_events
from conformance.strategies.families.boundaries import WITH_PARSER
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups, sound_log
from conformance.strategies.groups import transactions as groups

_IGNORABLE: Final = int(Flag.IGNORABLE)


@family(focus="WL4033-RELAY-IGNORABLE-COPIED", profiles=WITH_IGNORABLE_FLAG)
def relay_logs(stream: StreamBuilder) -> None:
    """All that a source sends: groups, ignorable events, heartbeats, Stop and Rotate, and perhaps a second log."""
    choose = stream.choose
    code = choose.one_of(UNASSIGNED)
    lengths = declare_up_to(stream, code)
    _begin(stream, lengths)
    _add_ignorable(stream, code)
    for _ in choose.several(1, 3):
        _add_group(stream, code)
        if choose.yes(4):
            # A replica that is also a source gets its own events back, and omits them.
            stream.server_id = replica_groups.REPLICA_ID
            groups.add_group(stream, groups.ddl(stream))
            stream.server_id = replica_groups.SOURCE_ID
    if choose.yes():
        stream.add(mysql_events.stop(stream) if choose.yes(3) else replica_groups.rotate(stream, "binlog.000002", 4))
        _begin(stream, lengths)
        _add_group(stream, code)


def _begin(stream: StreamBuilder, lengths: bytes) -> None:
    stream.describe_format(post_header_lengths=lengths)
    if stream.server.gtid_form not in ("absent", "5.6"):
        stream.add(gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=_IGNORABLE))


def _add_group(stream: StreamBuilder, code: int) -> None:
    """Add a group, with ignorable events in it and heartbeats between its events."""
    choose = stream.choose
    planned = groups.group(stream)
    form = stream.server.gtid_form
    if form != "absent" and (form != "5.6" or choose.yes()):
        planned = [groups.group_gtid(stream, planned, anonymous=form != "5.6" and choose.yes()), *planned]
    for event in planned:
        stream.add(event)
        if choose.yes(4):
            stream.add(server_events.heartbeat(stream))
        if choose.yes(4):
            _add_ignorable(stream, code)
    stream.timestamp += 1


def _add_ignorable(stream: StreamBuilder, code: int) -> None:
    stream.add(mysql_events.ignorable(stream, code, stream.choose.octets(0, 60), flags=0))


@family(focus="WL4162-WARN-RECEIVER", profiles=WITH_PARSER, fault=True)
def broken_groups_received(stream: StreamBuilder) -> None:
    """Groups that do not end, end without a beginning, or begin twice: a receiver warns, and writes them."""
    choose = stream.choose
    sound_log.begin_log(stream)
    sound_log.add_groups(stream, 0, 1, anonymous=True)
    for event in choose.one_of(_BROKEN)(stream):
        stream.add(event)
    sound_log.add_groups(stream, 0, 1, anonymous=True)


def _end_alone(stream: StreamBuilder) -> Sequence[PlannedEvent]:
    return [mysql_events.xid(stream)]


def _begun_twice(stream: StreamBuilder) -> Sequence[PlannedEvent]:
    begin = data_changes.query(stream, "BEGIN")
    return [*replica_groups.with_gtid(stream, [begin], anonymous=True), *replica_groups.transaction(stream)]


def _never_ended(stream: StreamBuilder) -> Sequence[PlannedEvent]:
    planned = replica_groups.transaction(stream)
    first, second = (replica_groups.with_gtid(stream, planned, anonymous=True) for _ in range(2))
    return [*first[: stream.choose.integer(2, len(first) - 1)], *second]


_BROKEN: Final[tuple[Callable[[StreamBuilder], Sequence[PlannedEvent]], ...]] = (
    _end_alone,
    _begun_twice,
    _never_ended,
)
