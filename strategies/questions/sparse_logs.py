"""Logs of a source that are larger than can be made: what is before the position that is asked for is not there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.models.sender.sender import Hole, Log, LoggedEvent
from conformance.models.sender.sender_settings import SenderSettings
from conformance.strategies.grammar.dimension import choices
from conformance.strategies.questions.send import moved

#: Events of a log that belong to no group.
OF_LOGS: Final = frozenset(
    map(int, (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP))
) | {int(EventType.MARIADB_GTID_LIST), int(EventType.MARIADB_BINLOG_CHECKPOINT)}
#: The places in a log at which one begins without what is before them.
WITHIN: Final = ("an event", "the end")
#: The end of a position, which has 32 bits; from half of them on it is negative with a sign.
_END: Final = 1 << 32
_SIGN: Final = 1 << 31
_USUAL, _BEFORE_SIGN, _SIGNED, _LAST = "as it is", "shortly before 2^31", "2^31", "shortly before 2^32"
#: Where the position that is asked for is.
POSITION: Final = choices(
    "bytes before the position", (_USUAL, _BEFORE_SIGN, _SIGNED, _LAST), when={"position asked for": WITHIN}
)


def hole_before(settings: SenderSettings, logs: Sequence[Log], position: str) -> Hole:
    """Return the hole that brings the position that is asked for to a place.

    Args:
        settings: What is asked for, within a log.
        logs: The logs.
        position: The place, a class of `POSITION`: with the last one the log ends at the greatest position.
    """
    log = next(log for log in logs if log.name == settings.log_name)
    # A log begins with what is about it, wherever its groups are.
    head = next((event.start for event in log.events if event.type not in OF_LOGS), log.events[-1].end)
    begin = max(settings.log_pos, head)
    to = {_USUAL: begin, _BEFORE_SIGN: _SIGN - 1, _SIGNED: _SIGN, _LAST: _END - 1 - (log.events[-1].end - begin)}
    return Hole(begin, to[position] - begin)


def with_hole(
    settings: SenderSettings, logs: Sequence[Log], hole: Hole
) -> tuple[SenderSettings, list[Log], list[dict[str, Any]]]:
    """Return the settings and the logs with a hole in the log that is asked for, and the files that the logs are in.

    Args:
        settings: What is asked for, within a log.
        logs: The logs.
        hole: Its length may be 0: then all stays as it is.

    Returns:
        The settings, in which positions and lengths count the hole; the logs; of each file the `name`, the `length`
        of what is there, in bytes, and the `hole` if it has one.
    """
    files: list[dict[str, Any]] = list(settings.as_json()["logs"])
    if not hole.length:
        return settings, list(logs), files
    name = settings.log_name
    moved_settings = replace(
        settings,
        log_pos=hole.passed(max(settings.log_pos, hole.at)),
        logs=tuple(
            replace(each, length=each.length + hole.length) if each.name == name else each for each in settings.logs
        ),
        waits=tuple(
            replace(each, log_pos=hole.passed(each.log_pos)) if each.log_name == name else each
            for each in settings.waits
        ),
    )
    has = {"at": hole.at, "length": hole.length}
    return (
        moved_settings,
        [replace(log, events=tuple(_passed(log, hole))) if log.name == name else log for log in logs],
        [{**each, "hole": has} if each["name"] == name else each for each in files],
    )


def _passed(log: Log, hole: Hole) -> Iterator[LoggedEvent]:
    """Yield the events of a log, those after the hole with the positions that they have there."""
    has_checksum = bool(FormatDescription.from_event(log.events[0].data).checksum_bytes)
    for event in log.events:
        start = hole.passed(event.start)
        if start == event.start:
            yield event
        else:
            yield replace(event, start=start, data=moved(event.data, hole.length, has_checksum=has_checksum))
