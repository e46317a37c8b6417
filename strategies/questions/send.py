"""Questions in the role `send`: what the model of a sender sends of the logs that a stream is cut into."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, MARIADB_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import FLAGS_AT, HEADER_BYTES, MAGIC
from conformance.binlog.servers import WITH_HEARTBEAT_V2
from conformance.models.sender.sender import (
    ANNOTATING,
    FATAL_ERROR,
    REFUSED,
    WITH_MODE_CHECK,
    Log,
    LoggedEvent,
    NoSuchPosition,
    Origin,
    Sender,
    SenderStopped,
    SentEvent,
    TransactionsPurged,
)
from conformance.models.sender.sender_settings import FIRST, LogFile, SenderSettings, Wait
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups.replica_groups import SOURCE_ID
from conformance.strategies.questions.gtid_modes import suitable_modes
from conformance.strategies.questions.sparse_logs import POSITION, WITHIN, hole_before, moved, with_hole

_IGNORABLE: Final = int(Flag.IGNORABLE)
_GROUP_STARTS: Final = frozenset(map(int, (*GTID_TYPES, EventType.MARIADB_GTID)))
#: The events that a server writes at once when it begins a log: a source meets all of them, or none.
_OPENING: Final = frozenset(
    map(
        int,
        (
            EventType.FORMAT_DESCRIPTION,
            EventType.PREVIOUS_GTIDS,
            EventType.MARIADB_GTID_LIST,
            EventType.MARIADB_BINLOG_CHECKPOINT,
        ),
    )
)
_ANNOTATED: Final = EventType.MARIADB_ANNOTATE_ROWS
#: A GTID that no stream has: a replica may have applied transactions of other sources.
_FOREIGN: Final = "00000000-0000-0000-0000-0000000000ff:1-7"
_LARGEST_POSITION: Final = (1 << 32) - 1
#: The most heartbeat periods of one wait.
_MOST_HEARTBEATS: Final = 3
#: The places in a log at which a replica may ask to begin.
PLACES: Final = ("the beginning", "after the format description", "an event", "the end")
#: The places beyond the end of a log, which it does not have: the next byte, and the last one that a replica can name.
BEYOND: Final = ("one byte beyond the end", "the largest number")
#: Which GTIDs of the logs a replica may have.
HOLDINGS: Final = (
    *("none", "the first ones", "some", "all but the second", "all but the last", "all"),
    "all but the first",
)

_ANNOUNCED: Final = choices("checksums announced", ("CRC32", "NONE"))
_SERVER_ID: Final = choices("server id of the sender", (SOURCE_ID, 0, 0xFFFFFFFF))
LAST_WAIT: Final = Number("heartbeats at the end", fewest=0, many=(10, 12))
HEARTBEAT: Final = Dimension("version of heartbeats", {"1": False, "2": True}, profiles={"2": WITH_HEARTBEAT_V2})
#: The ways in which the questions vary, besides what the families of logs declare.
DIMENSIONS: Final = (_ANNOUNCED, _SERVER_ID, LAST_WAIT, HEARTBEAT, POSITION)


def question(stream: StreamBuilder) -> Question:
    """Return the question to a source that has a stream's logs, with what it must send.

    Each format description after the first begins another log. A production may put into `stream.settings` how the
    names of the logs begin (``log_base``), the number of the first one (``log_number``), the source's ``gtid_mode``,
    and what the replica asks for: ``log`` and ``place``, one of `PLACES` or `BEYOND`, or a position, or by GTIDs
    ``holding`` and ``foreign``, and ``lacking``, a set, where it lacks some of what came before the first log. One that
    needs to know whether heartbeats are of the second version, or how many come at the end, chooses ``heartbeat_v2``
    and ``heartbeats`` itself.
    """
    logs = list(logs_of(stream))
    settings = replace(
        settings_of(stream, logs), heartbeat_v2=_chosen(stream, "heartbeat_v2", lambda: stream.vary(HEARTBEAT))
    )
    if stream.settings.get("place") in WITHIN:
        settings, logs = with_hole(settings, logs, hole_before(settings, logs, stream.vary(POSITION)))
    sender = Sender(settings)
    refused_at, code, refused_kind = None, None, ""
    marks: dict[str, list[int]] = defaultdict(list)
    try:
        sender.send(logs)
    except SenderStopped as stopped:
        refused_at, code, refused_kind = stopped.event.offset, FATAL_ERROR, "other"
        marks[_REFUSALS[type(stopped)]].append(len(sender.events))
    for requirement, index in _marks(settings, logs, sender.events):
        marks[requirement].append(index)
    expected = Expected(tuple(sender.entries()), refused_at, refused_kind, code)
    data = b"".join(MAGIC + b"".join(event.data for event in log.events) for log in logs)
    return Question(expected, dict(marks), settings.as_json(), data)


def _chosen(stream: StreamBuilder, setting: str, choose: Callable[[], Any]) -> Any:
    """Return what the production has chosen, or else what is chosen now."""
    return stream.settings[setting] if setting in stream.settings else choose()


def logs_of(stream: StreamBuilder) -> Iterator[Log]:
    """Yield the logs of a stream, each with the positions of its own file."""
    base, number = stream.settings.get("log_base", "binlog"), stream.settings.get("log_number", 1)
    events: list[LoggedEvent] = []
    #: Where the log begins in the stream, less than the magic number; how much the logs before have added to it.
    begin, added = 0, 0
    for entry, (planned, _, _) in zip(stream.expected_events, stream.placed, strict=True):
        if events and entry["type"] == EventType.FORMAT_DESCRIPTION:
            yield Log(f"{base}.{number:06d}", tuple(events))
            begin, added, events, number = entry["offset"] - FIRST, added + FIRST, [], number + 1
        data = bytes(stream.bytes[entry["offset"] : entry["offset"] + entry["length"]])
        if begin:
            data = moved(data, -begin, has_checksum=len(data) > HEADER_BYTES + len(planned.body))
        start = entry["offset"] - begin
        events.append(LoggedEvent.of_entry(entry, start=start, offset=entry["offset"] + added, data=data))
    yield Log(f"{base}.{number:06d}", tuple(events))


def settings_of(stream: StreamBuilder, logs: Sequence[Log]) -> SenderSettings:
    """Return what a replica asks of a source with these logs, and how the source is set.

    Args:
        stream: The stream that the logs are cut from.
        logs: The logs.
    """
    given = stream.settings
    by_gtids = "holding" in given
    log_name, log_pos = ("", FIRST) if by_gtids else _place(stream, logs)
    return SenderSettings(
        profile=stream.server.profile,
        logs=tuple(LogFile(log.name, log.events[-1].end) for log in logs),
        server_id=stream.vary(_SERVER_ID),
        gtid_mode=given.get("gtid_mode") or _gtid_mode(stream, logs),
        log_name=log_name,
        log_pos=log_pos,
        gtid_set=_gtid_set(stream, logs) if by_gtids else None,
        checksum=stream.vary(_ANNOUNCED),
        annotate_rows=given.get("annotate_rows", False),
        waits=tuple(_waits(stream, logs)),
    )


def _place(stream: StreamBuilder, logs: Sequence[Log]) -> tuple[str, int]:
    """Return where a replica begins."""
    choose = stream.choose
    is_last = stream.settings["log"] == "last" if "log" in stream.settings else choose.yes()
    log = logs[-1] if is_last else logs[0]
    place = stream.settings["place"] if "place" in stream.settings else choose.one_of(PLACES)
    if isinstance(place, int):
        return log.name, place
    positions = {
        "the beginning": FIRST,
        "after the format description": log.events[0].end,
        "the end": log.events[-1].end,
        **dict(zip(BEYOND, (log.events[-1].end + 1, _LARGEST_POSITION), strict=True)),
    }
    if place in positions:
        return log.name, positions[place]
    return log.name, choose.one_of([event.start for event in log.events[1:]] or [FIRST])


def _gtid_mode(stream: StreamBuilder, logs: Sequence[Log]) -> str:
    """Return a gtid_mode with which the logs can be sent."""
    types = {event.type for log in logs for event in log.events}
    return stream.choose.one_of(suitable_modes(stream.server.profile, types))


def _gtid_set(stream: StreamBuilder, logs: Sequence[Log]) -> GtidSet:
    """Return what a replica has: some of what is in the logs, and what came before them, but for what it lacks."""
    choose = stream.choose
    gtids = [event.gtid for log in logs for event in log.events if event.gtid]
    before = ExecutedGtids(logs[0].previous_gtids)
    kept = ExecutedGtids(before.missing_in(stream.settings.get("lacking", GtidSet())))
    chosen: Sequence[str] = {
        "none": (),
        "the first ones": gtids[: choose.integer(1, max(len(gtids), 1))],
        "some": [each for each in gtids if choose.yes()],
        "all but the first": gtids[1:],
        "all but the second": [*gtids[:1], *gtids[2:]],
        "all but the last": gtids[:-1],
        "all": gtids,
    }[stream.settings["holding"]]
    for each in chosen:
        kept.add(*gtid_parts(each))
    # The same number without a tag is another transaction.
    for uuid, tag, number in map(gtid_parts, gtids):
        if tag and choose.yes():
            kept.add(uuid, "", number)
    if stream.settings["foreign"]:
        kept.add_set(GtidSet.from_text(_FOREIGN))
    return kept.gtids()


def _waits(stream: StreamBuilder, logs: Sequence[Log]) -> Iterator[Wait]:
    """Yield where the source waits: in a new log, between groups, before the Stop of a server, and at the end.

    A wait may be shorter than a heartbeat period: then the position after what was left out is all that is sent.
    """
    choose = stream.choose
    for log in logs:
        for event, following in zip(log.events, log.events[1:], strict=False):
            is_new = event.type in _OPENING and following.type not in _OPENING and choose.yes(4)
            is_group = following.type in _GROUP_STARTS and choose.yes(6)
            if is_new or is_group or (following.type == EventType.STOP and choose.yes()):
                yield Wait(log.name, event.end, choose.integer(0, _MOST_HEARTBEATS))
    heartbeats = _chosen(stream, "heartbeats", lambda: sum(1 for _ in stream.several_of(LAST_WAIT)))
    if heartbeats:
        yield Wait(logs[-1].name, logs[-1].events[-1].end, heartbeats)


def _marks(settings: SenderSettings, logs: Sequence[Log], sent: Sequence[SentEvent]) -> Iterator[tuple[str, int]]:
    """Yield the requirements that what is sent exercises, each with the index of an event."""
    for index, event in enumerate(sent):
        for requirement in _MARKS[event.origin]:
            yield requirement, index
        if event.source is not None:
            for requirement in _marks_of_logged(event.source):
                yield requirement, index
    by_gtids = settings.gtid_set is not None
    if sent and settings.gtid_mode in REFUSED and settings.log_pos > FIRST:
        yield from _marks_of_mode(settings, logs, sent)
    first = next((index for index, event in enumerate(sent) if event.origin is Origin.LOGGED), None)
    if sent and settings.log_pos > FIRST:
        # What has a requirement of its own is missing for that one, and at the end of a log there is no event.
        is_own = first is None or not _is_at(settings, logs, sent[first]) or any(_marks_of_logged(sent[first].source))
        yield "FORMAT-SEND-POSITION", 0 if is_own or first is None else first
    if by_gtids and sent:
        yield "FORMAT-SEND-FIRST-LOG", 0
        for index, event in enumerate(sent):
            if event.origin is Origin.LOGGED:
                yield "FORMAT-SEND-GTIDS-SKIPPED", index
    if settings.profile in ANNOTATING and any(event.type == _ANNOTATED for log in logs for event in log.events):
        for index, event in enumerate(sent):
            if _type_of(event) in MARIADB_TYPES:
                yield "FORMAT-SEND-ANNOTATE-ROWS", index


def _is_at(settings: SenderSettings, logs: Sequence[Log], event: SentEvent) -> bool:
    """Return whether an event is one of the log that is asked for."""
    return any(event.source in log.events for log in logs if log.name == settings.log_name)


def _marks_of_mode(
    settings: SenderSettings, logs: Sequence[Log], sent: Sequence[SentEvent]
) -> Iterator[tuple[str, int]]:
    """Yield the requirement on gtid_mode with the last event that is sent, where a forbidden one is not to be sent."""
    log = next(each for each in logs if each.name == settings.log_name)
    if settings.profile in WITH_MODE_CHECK and any(
        event.type in REFUSED[settings.gtid_mode] and event.start < settings.log_pos for event in log.events
    ):
        yield "FORMAT-SEND-MODE", len(sent) - 1


def _type_of(event: SentEvent) -> int | None:
    """Return the type of an event of a log, None for one that the sender makes."""
    return None if event.source is None else event.source.type


_REFUSALS: Final[dict[type[SenderStopped], str]] = {
    SenderStopped: "FORMAT-SEND-MODE",
    NoSuchPosition: "FORMAT-SEND-NO-POSITION",
    TransactionsPurged: "FORMAT-SEND-PURGED",
}
_MARKS: Final[dict[Origin, tuple[str, ...]]] = {
    Origin.LOGGED: ("WL4162-SEND-LOGGED-KEPT",),
    Origin.FORMAT: ("FORMAT-SEND-FORMAT", "FORMAT-SEND-CHECKSUM", "WL4162-SEND-LOGGED-KEPT"),
    Origin.ROTATE: ("WL4162-SEND-ROTATE-IGNORE", "FORMAT-SEND-ROTATE", "FORMAT-SEND-CHECKSUM"),
    Origin.HEARTBEAT: ("WL4162-SEND-HEARTBEAT-SELF", "FORMAT-SEND-HEARTBEAT", "FORMAT-SEND-CHECKSUM"),
}


def _marks_of_logged(event: LoggedEvent | None) -> Iterator[str]:
    if event is None:
        return
    flags: Any = int.from_bytes(event.data[FLAGS_AT : FLAGS_AT + 2], "little")
    if event.type == EventType.PREVIOUS_GTIDS:
        yield "WL7592-SEND-PREVIOUS-GTIDS"
    elif event.type == EventType.ANONYMOUS_GTID:
        yield "WL7592-SEND-ANONYMOUS-GTIDS"
    elif flags & _IGNORABLE:
        yield "WL4033-SEND-IGNORABLE"
