"""Logs of a source that are larger than can be made: what is before the position that is asked for is not there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.models.sender.sender import Log, LoggedEvent
from conformance.models.sender.sender_settings import NO_HOLE, Hole, SenderSettings, Wait
from conformance.strategies.grammar.dimension import choices

#: Events of a log that belong to no group.
OF_LOGS: Final = frozenset(
    map(int, (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP))
) | {int(EventType.MARIADB_GTID_LIST), int(EventType.MARIADB_BINLOG_CHECKPOINT)}
#: The places in a log at which one begins without what is before them.
WITHIN: Final = ("an event", "the end")
_LOG_POS: Final = slice(13, 17)
#: The end of a position, which has 32 bits; from half of them on it is negative with a sign.
_END: Final = 1 << 32
_SIGN: Final = 1 << 31
#: From here on a number of variable length has eight bytes.
_LONG: Final = 1 << 24
_USUAL, _FIRST_LONG, _BEFORE_SIGN, _SIGNED, _LAST = (
    "as it is", "2^24", "shortly before 2^31", "2^31", "shortly before 2^32",
)  # fmt: skip
#: Where the position that is asked for is.
POSITION: Final = choices(
    "bytes before the position",
    (_USUAL, _FIRST_LONG, _BEFORE_SIGN, _SIGNED, _LAST),
    when={"position asked for": WITHIN},
)


def hole_before(settings: SenderSettings, logs: Sequence[Log], position: str) -> Hole:
    """Return the hole that brings the position that is asked for to a place.

    Args:
        settings: What is asked for, within a log.
        logs: The logs.
        position: The place, a class of `POSITION`: with the last one the log ends at the greatest position.
    """
    log = next(log for log in logs if log.name == settings.log_name)
    last = log.events[-1]
    # A log begins with what is about it, wherever its groups are, and ends with an event.
    head = next((event.start for event in log.events if event.type not in OF_LOGS), None)
    if head is None:
        return NO_HOLE
    begin = min(max(settings.log_pos, head), last.start)
    to = {
        _USUAL: begin,
        _FIRST_LONG: _LONG,
        _BEFORE_SIGN: _SIGN - 1,
        _SIGNED: _SIGN,
        _LAST: _END - 1 - (last.end - begin),
    }
    return Hole(begin, to[position] - begin)


def with_hole(settings: SenderSettings, logs: Sequence[Log], hole: Hole) -> tuple[SenderSettings, list[Log]]:
    """Return the settings and the logs with a hole in the log that is asked for.

    Args:
        settings: What is asked for, within a log.
        logs: The logs.
        hole: Its length may be 0: then all stays as it is.

    Returns:
        The settings, in which positions count the hole, and the logs.
    """
    if not hole.length:
        return settings, list(logs)
    name = settings.log_name
    moved_settings = replace(
        settings,
        log_pos=hole.passed(max(settings.log_pos, hole.at)),
        logs=tuple(replace(each, hole=hole) if each.name == name else each for each in settings.logs),
        waits=tuple(_passed_waits(settings, hole)),
    )
    return (
        moved_settings,
        [replace(log, events=tuple(_passed(log, hole))) if log.name == name else log for log in logs],
    )


def _passed_waits(settings: SenderSettings, hole: Hole) -> Iterator[Wait]:
    """Yield the waits, those after the hole at the positions that they have there; no event ends right before it."""
    for each in settings.waits:
        if each.log_name != settings.log_name:
            yield each
        elif each.log_pos != hole.at:
            yield replace(each, log_pos=hole.passed(each.log_pos))


def moved(data: bytes, by: int, *, has_checksum: bool) -> bytes:
    """Return an event with another position, if it has one.

    Args:
        data: All its bytes.
        by: How much later it ends, in bytes; less than 0 if it ends earlier.
        has_checksum: Whether a checksum is its end, which is then made for the new position.
    """
    changed = bytearray(data)
    log_pos = int.from_bytes(changed[_LOG_POS], "little")
    if log_pos:
        changed[_LOG_POS] = (log_pos + by).to_bytes(4, "little")
    if log_pos and has_checksum:
        changed[-CHECKSUM_BYTES:] = checksum(changed[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
    return bytes(changed)


def _passed(log: Log, hole: Hole) -> Iterator[LoggedEvent]:
    """Yield the events of a log, those after the hole with the positions that they have there."""
    has_checksum = bool(FormatDescription.from_event(log.events[0].data).checksum_bytes)
    for event in log.events:
        start = hole.passed(event.start)
        if start == event.start:
            yield event
        else:
            yield replace(event, start=start, data=moved(event.data, hole.length, has_checksum=has_checksum))
