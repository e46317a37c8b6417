"""Faults of the Previous_gtids event (WL#7592): none, more than one, or one in another place.

A replica writes an event of its own whatever its source did. Each stream is a log that is sound except for the fault.
"""

from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS
from conformance.strategies.events import gtid_events
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups.sound_log import add_group, add_groups, begin_log


@family(focus="WL7592-RELAY-PREVIOUS-GTIDS-OWN", profiles=WITH_ANONYMOUS_GTIDS, fault=True)
def previous_gtids_missing(stream: StreamBuilder) -> None:
    """A log without a Previous_gtids event, of a server that writes one in every log."""
    stream.describe_format()
    add_groups(stream, 1, 3, anonymous=stream.choose.yes())


@family(focus="WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED", profiles=WITH_ANONYMOUS_GTIDS, fault=True)
def previous_gtids_doubled(stream: StreamBuilder) -> None:
    """A log that begins with more than one Previous_gtids event, or has another after its first groups."""
    choose = stream.choose
    anonymous = choose.yes()
    begin_log(stream)
    add_groups(stream, 0, 2, anonymous=anonymous)
    stream.add(_previous(stream, anonymous=anonymous))
    add_groups(stream, 1, 2, anonymous=anonymous)


@family(focus="WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED", profiles=WITH_ANONYMOUS_GTIDS, fault=True)
def previous_gtids_misplaced(stream: StreamBuilder) -> None:
    """A log whose Previous_gtids event comes after its first group, or within a group where that alone is valid."""
    choose = stream.choose
    anonymous = choose.yes()
    stream.describe_format()
    add_groups(stream, 1, 2, anonymous=anonymous)
    planned = replica_groups.group(stream)
    previous = _previous(stream, anonymous=anonymous)
    # The worklog's boundary parser warns of it inside a group; servers' parsers skip it anywhere.
    inside = stream.server.profile != "worklog"
    place = choose.integer(0, len(planned)) if inside else choose.one_of((0, len(planned)))
    if 0 < place < len(planned):
        planned.insert(place, previous)
    replica_groups.add(stream, [previous] if place == 0 else [])
    add_group(stream, planned, anonymous=anonymous)
    replica_groups.add(stream, [previous] if place == len(planned) else [])


def _previous(stream: StreamBuilder, *, anonymous: bool) -> PlannedEvent:
    """Return a Previous_gtids event, of a set that has none of the log's own GTIDs."""
    flags = int(Flag.IGNORABLE) if stream.choose.yes() else 0
    gtids = gtid_events.gtid_set(stream) if anonymous else GtidSet(())
    return gtid_events.previous_gtids(stream, gtids, flags=flags)
