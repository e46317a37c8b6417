"""Logs that a source sends to a replica (WL#4162, WL#4033, WL#7592): one, or several that follow each other."""

from collections.abc import Callable, Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_CHECKSUMS
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender import WITH_MODE_CHECK
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mariadb_events, mysql_events
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups import transactions as groups

#: The profiles whose senders skip what a replica has by its GTIDs.
WITH_AUTO_POSITION: Final = Profiles("worklog", "mysql >= 5.7")
_IN_USE: Final = int(Flag.BINLOG_IN_USE)
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: How the names of logs begin, and the number of the first: at 999999 they get longer, and paths have their limits.
_NAMES: Final = (("binlog", 1), ("b", 999_999), ("log.name-\u00e4", 9), ("n" * 200, 1))
_MOST_LOGS: Final = 3

#: Changes the events that are added: those of one group, or one event outside groups.
Change = Callable[[Sequence[PlannedEvent]], Sequence[PlannedEvent]]


@family(focus="WL4033-SEND-IGNORABLE", profiles=WITH_CHECKSUMS)
def sent_logs(stream: StreamBuilder) -> None:
    """One to three logs that follow each other, with ignorable events of unknown types, asked for by position."""
    choose = stream.choose
    code = choose.one_of(UNASSIGNED)
    lengths = declare_up_to(stream, code)
    for number, count in _several_logs(stream):
        _begin(stream, number, count, lengths=lengths)
        for _ in choose.several(1, 3):
            _add_group(stream, code)
        if choose.yes(3):
            stream.add(_ignorable(stream, code))
        _end(stream, number, count)


def _add_group(stream: StreamBuilder, code: int) -> None:
    planned = groups.group(stream)
    if stream.server.is_mariadb:
        place = next((at for at, event in enumerate(planned) if event.type == EventType.TABLE_MAP), 0)
        if place:
            planned.insert(place, mariadb_events.annotate_rows(stream))
    if stream.choose.yes():
        planned.insert(stream.choose.integer(0, len(planned)), _ignorable(stream, code))
    groups.add_group(stream, planned)


def _ignorable(stream: StreamBuilder, code: int) -> PlannedEvent:
    return mysql_events.ignorable(stream, code, stream.choose.octets(0, 60), flags=0)


@family(focus="WL4162-SEND-ROTATE-IGNORE", profiles=Profiles("worklog"))
def sent_marked_logs(stream: StreamBuilder) -> None:
    """One to three logs with a marker on every event, asked for by position."""
    choose = stream.choose
    for number, count in _several_logs(stream):
        _begin(stream, number, count, change=boundaries.marked)
        for _ in choose.several(1, 3):
            group = boundaries.group(stream, choose.one_of(boundaries.GTID_MODES))
            replica_groups.add(stream, boundaries.marked(group))
        _end(stream, number, count, change=boundaries.marked)


@family(focus="FORMAT-SEND-GTIDS-SKIPPED", profiles=WITH_AUTO_POSITION)
def sent_gtids(stream: StreamBuilder) -> None:
    """One to three logs with a GTID before each group, asked for by the GTIDs that the replica has."""
    stream.settings.update(by_gtids=True, gtid_mode="ON")
    choose = stream.choose
    marked = stream.server.profile == "worklog" and choose.yes()
    change: Change = boundaries.marked if marked else list
    for number, count in _several_logs(stream):
        _begin(stream, number, count, change=change)
        for _ in choose.several(0, 4):
            planned = groups.with_gtid(stream, groups.group(stream), anonymous=False)
            replica_groups.add(stream, change(planned))
        _end(stream, number, count, change=change)


@family(focus="FORMAT-SEND-MODE", profiles=WITH_MODE_CHECK)
def sent_in_another_mode(stream: StreamBuilder) -> None:
    """A log from another gtid_mode than the source has: it meets GTIDs under OFF, or groups without them under ON."""
    choose = stream.choose
    mode = choose.one_of(("ON", "OFF"))
    stream.settings["gtid_mode"] = mode
    _begin(stream, 0, 1)
    for anonymous in (mode == "OFF", mode == "ON"):
        for _ in choose.several(1, 2):
            groups.add_group(stream, groups.group(stream), anonymous=anonymous)


def _several_logs(stream: StreamBuilder) -> list[tuple[int, int]]:
    """Choose the names of the logs; return the number of each, from 0, and how many there are."""
    base, first = stream.choose.one_of(_NAMES)
    stream.settings.update(log_base=base, log_number=first)
    count = stream.choose.integer(1, _MOST_LOGS)
    return [(number, count) for number in range(count)]


def _begin(
    stream: StreamBuilder, number: int, count: int, *, lengths: bytes | None = None, change: Change = list
) -> None:
    """Begin a log; the last may still be in use, and each may have checksums or not."""
    choose = stream.choose
    if number:
        stream.checksummed = choose.yes() == stream.checksummed
    flags = _IN_USE if number == count - 1 and choose.yes() else 0
    if change is boundaries.marked:
        flags = MARKER_BITS.write(flags, BoundaryType.IGNORE_BOUNDARY)
    created = stream.timestamp if choose.yes() else 0
    stream.describe_format(flags=flags, created=created, post_header_lengths=lengths)
    if stream.server.is_mariadb:
        groups.add_gtid_list(stream)
    elif stream.server.gtid_form != "5.6":
        before = gtid_events.gtid_set(stream) if choose.yes(3) and not number else stream.executed.gtids()
        for event in change([gtid_events.previous_gtids(stream, before, flags=_IGNORABLE)]):
            stream.add(event)


def _end(stream: StreamBuilder, number: int, count: int, *, change: Change = list) -> None:
    """End a log that another one follows: with a Rotate event, or with a Stop event where the server was restarted."""
    if number == count - 1:
        return
    following = f"{stream.settings['log_base']}.{stream.settings['log_number'] + number + 1:06d}"
    end = mysql_events.stop(stream) if stream.choose.yes(3) else replica_groups.rotate(stream, following, 4)
    for event in change([end]):
        stream.add(event)
