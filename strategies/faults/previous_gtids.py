"""Faults of the Previous_gtids event (WL#7592): none, more than one, or one in another place.

A replica writes an event of its own whatever its source did. Each stream is a log that is sound except for the fault.
"""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups.replica_variants import GROUPS
from conformance.strategies.groups.sound_log import add_group, add_groups, begin_log

_KIND: Final = choices("groups are", ("anonymous", "with GTIDs"))
#: Where the further event is.
_FURTHER: Final = choices("further Previous_gtids", ("at the beginning", "after a group", "twice"))
_PLACE: Final = Dimension(
    "place of Previous_gtids",
    {"before the last group": 0, "after it": 2, "within it": 1},
    # The worklog's boundary parser warns of it inside a group; servers' parsers skip it anywhere.
    profiles={"within it": Profiles("mysql")},
)


@family(
    focus="WL7592-RELAY-PREVIOUS-GTIDS-OWN",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_KIND, GROUPS),
)
def previous_gtids_missing(stream: StreamBuilder) -> None:
    """A log without a Previous_gtids event, of a server that writes one in every log."""
    stream.describe_format()
    anonymous = stream.vary(_KIND) == "anonymous"
    for _ in stream.several_of(GROUPS):
        add_group(stream, replica_groups.group(stream), anonymous=anonymous)


@family(
    focus="WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_KIND, _FURTHER),
)
def previous_gtids_doubled(stream: StreamBuilder) -> None:
    """A log that begins with more than one Previous_gtids event, or has another after its first groups."""
    anonymous = stream.vary(_KIND) == "anonymous"
    further = stream.vary(_FURTHER)
    begin_log(stream)
    if further == "after a group":
        add_groups(stream, 1, 2, anonymous=anonymous)
    for _ in range(2 if further == "twice" else 1):
        stream.add(_previous(stream, anonymous=anonymous))
    add_groups(stream, 1, 2, anonymous=anonymous)


@family(
    focus="WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED",
    profiles=WITH_ANONYMOUS_GTIDS,
    fault=True,
    dimensions=(_KIND, _PLACE),
)
def previous_gtids_misplaced(stream: StreamBuilder) -> None:
    """A log whose Previous_gtids event comes after its first group, or within a group where that alone is valid."""
    anonymous = stream.vary(_KIND) == "anonymous"
    place = stream.vary(_PLACE)
    stream.describe_format()
    add_groups(stream, 1, 2, anonymous=anonymous)
    planned = replica_groups.transaction(stream)
    previous = _previous(stream, anonymous=anonymous)
    if place == 1:
        planned.insert(1, previous)
    replica_groups.add(stream, [previous] if place == 0 else [])
    add_group(stream, planned, anonymous=anonymous)
    replica_groups.add(stream, [previous] if place == 2 else [])


def _previous(stream: StreamBuilder, *, anonymous: bool) -> PlannedEvent:
    """Return a Previous_gtids event, of a set that has none of the log's own GTIDs."""
    flags = int(Flag.IGNORABLE) if stream.choose.yes() else 0
    gtids = gtid_events.gtid_set(stream) if anonymous else GtidSet(())
    return gtid_events.previous_gtids(stream, gtids, flags=flags)
