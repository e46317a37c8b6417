"""Logs of a source that follow each other: their names, where each begins and ends, and who wrote them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import WITH_FLAG_OF_UNKNOWN_TYPES, WITH_SERVER_ID_ZERO
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.grammar.dimension import Dimension, Number, yes_or_no
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import EPOCH, StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import replica_groups
from conformance.strategies.groups import transactions as groups

_IN_USE: Final = int(Flag.BINLOG_IN_USE)
_IGNORABLE: Final = int(Flag.IGNORABLE)

LOGS: Final = Dimension("logs", {str(each): each for each in (1, 2, 3, 9)}, heavy=("9",))
SEVERAL: Final = {"logs": ("2", "3", "9")}
#: How the names of logs begin, and the number of the first: at 999999 they get longer, and paths have their limits.
NAMES: Final = Dimension(
    "names of the logs",
    {
        "plain": ("binlog", 1),
        "with a dot": ("log.name", 9),
        "capitals": ("Log-Bin", 1),
        "a space": ("my log", 1),
        "not in ASCII": ("l\u00f6g", 1),
        "beyond 999999": ("b", 999_999),
        "long": ("n" * 200, 1),
    },
)
END: Final = Dimension("end of a log", {"Rotate": "rotate", "Stop": "stop"}, SEVERAL)
_CHECKSUMS: Final = Dimension("checksums of the next log", {"the same": False, "others": True}, SEVERAL)
LAST_IN_USE: Final = yes_or_no("the last log is in use")
#: A log in which the server crashed has the flag for ever, and no event at its end.
CRASHED: Final = yes_or_no("the first log is one of a crash", when=SEVERAL)
CREATED: Final = yes_or_no("the first log has the time of a start")
#: The id of the server that logged the events, which a source keeps.
_LOGGED_BY: Final = Dimension(
    "server id in the logs",
    {"1": 1, "the largest": (1 << 32) - 1, "0": 0},
    profiles={"0": WITH_SERVER_ID_ZERO},
)
#: The time of the first event, in seconds since 1970, which has 32 bits without a sign.
_TIME: Final = Dimension(
    "time of the events", {"usual": EPOCH, "from 2^31": 1 << 31, "almost 2^32": (1 << 32) - (1 << 16)}
)
#: What logs differ in.
OF_LOGS: Final = (LOGS, NAMES, CRASHED, END, _CHECKSUMS, LAST_IN_USE, CREATED, _LOGGED_BY, _TIME)
#: The same, of logs that one server wrote with the same checksums.
PLAIN: Final = (LOGS, NAMES, CRASHED, END, LAST_IN_USE, CREATED)
#: The groups of each log.
GROUPS: Final = Number("groups of a log")
#: What is of a known type is handled by what it is, whatever the flag means for types that are unknown.
FLAGGED: Final = Dimension(
    "known events of the groups with the ignorable flag",
    {"no": False, "yes": True},
    profiles={"yes": WITH_FLAG_OF_UNKNOWN_TYPES},
)

#: Changes the events that are added: those of one group, or one event outside groups.
Change = Callable[[Sequence[PlannedEvent]], Sequence[PlannedEvent]]


def several_logs(stream: StreamBuilder) -> Iterator[tuple[int, int]]:
    """Choose the names of the logs; yield the number of each, from 0, and how many there are."""
    base, first = stream.vary(NAMES)
    stream.server_id, stream.timestamp = stream.vary(_LOGGED_BY), stream.vary(_TIME)
    stream.settings.update(log_base=base, log_number=first)
    count = stream.vary(LOGS)
    for number in range(count):
        yield number, count


def begin(
    stream: StreamBuilder,
    number: int,
    count: int,
    *,
    lengths: bytes | None = None,
    change: Change = list,
    before: GtidSet | None = None,
    old: bool = False,
) -> None:
    """Begin a log; the last may still be in use, each may have checksums or not, and an old one no Previous_gtids."""
    stream.settings["logs"] = count
    if number and stream.vary(_CHECKSUMS):
        stream.checksummed = not stream.checksummed
    is_last = number == count - 1
    in_use = stream.vary(LAST_IN_USE) if is_last else not number and stream.vary(CRASHED)
    flags = _IN_USE if in_use else 0
    if change is boundaries.marked:
        flags = MARKER_BITS.write(flags, BoundaryType.IGNORE_BOUNDARY)
    # A server that was stopped has started again, and so has one whose log just ends.
    started = stream.vary(END) == "stop" if number else stream.vary(CREATED)
    created = stream.timestamp if started else 0
    stream.describe_format(flags=flags, created=created, post_header_lengths=lengths)
    if stream.server.is_mariadb:
        groups.add_gtid_list(stream)
    elif stream.server.gtid_form != "5.6" and not old:
        known = before if before is not None and not number else stream.executed.gtids()
        for event in change([gtid_events.previous_gtids(stream, known, flags=_IGNORABLE)]):
            stream.add(event)


def end(stream: StreamBuilder, number: int, count: int, *, change: Change = list) -> None:
    """End a log that another one follows: with a Rotate event, or with a Stop event where the server was restarted."""
    formats = [event for event, _, _ in stream.placed if event.type == EventType.FORMAT_DESCRIPTION]
    if number == count - 1 or formats[-1].flags & _IN_USE:
        return
    following = f"{stream.settings['log_base']}.{stream.settings['log_number'] + number + 1:06d}"
    last = mysql_events.stop(stream)
    if stream.vary(END) == "rotate":
        last = replica_groups.rotate(stream, following, 4)
    for event in change([last]):
        stream.add(event)


def flagged(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> list[PlannedEvent]:
    """Return the events of a group, with the ignorable flag where the stream has it so."""
    flags = _IGNORABLE if stream.vary(FLAGGED) else 0
    return [each._replace(flags=each.flags | flags) for each in planned]
