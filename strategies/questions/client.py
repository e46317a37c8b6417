"""Questions in the role `client`: what a client delivers of the logs that a source sends, and where it then is."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, KNOWN_TYPES, ROWS_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, Header
from conformance.models.sender.sender import FATAL_ERROR, Log, LoggedEvent, Origin, Sender
from conformance.models.sender.sender_settings import FIRST, SenderSettings
from conformance.strategies.grammar.case import EVERY_EVENT, Expected
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups.log_sequence import SEVERAL
from conformance.strategies.questions.send import logs_of, settings_of
from conformance.strategies.questions.sparse_logs import OF_LOGS, POSITION, WITHIN, hole_before, with_hole

_IGNORABLE: Final = int(Flag.IGNORABLE)
_GROUP_STARTS: Final = frozenset(map(int, (*GTID_TYPES, EventType.MARIADB_GTID)))
#: The requirements that a production marks.
_OF_EVENTS: Final = frozenset({"FORMAT-CLIENT-PACKETS"})
#: What ends a group, and what prepares the statement after it.
_ENDS: Final = frozenset(map(int, (EventType.XID, EventType.XA_PREPARE)))
_END_WORDS: Final = ("COMMIT", "ROLLBACK")
#: What looks like the end of a group: a client that takes it for one shows it where the connection is lost after it. A
#: variable does where a statement has no BEGIN, and LOAD DATA where the client takes its statement for the only one.
_NO_END: Final = ("ROLLBACK TO ", "XA END ")
_NO_ENDS: Final = frozenset((EventType.USER_VAR, EventType.EXECUTE_LOAD_QUERY))
_PREPARING: Final = frozenset(
    map(int, (EventType.INTVAR, EventType.RAND, EventType.USER_VAR, EventType.ROWS_QUERY, EventType.BEGIN_LOAD_QUERY))
)
#: Table_map events and rows events.
_OF_ROWS: Final = frozenset(map(int, (EventType.TABLE_MAP, *ROWS_TYPES)))
#: Seconds between heartbeats that the client is to ask for: none, or up to the most that a replica may be set to.
_HEARTBEAT_SECONDS: Final = Dimension[int | None](
    "seconds between heartbeats", {"30": 30, "none": None, "1": 1, "the most": 4_294_967}
)

#: After what a connection is lost.
_LOST_AFTER: Final = choices(
    "connection lost", ("never", "in a group", "after a group", "after an ignorable event", "at the end of a log")
)
_LOST_AGAIN: Final = Number("connections lost further", fewest=0)
#: The Rotate with which a source begins its next log may be the last thing that arrives: it has the place from which to
#: go on, which a client has from nowhere else where the log before it ends in a Stop.
_LOST_BETWEEN: Final = yes_or_no("connection lost after the Rotate to the next log", when=SEVERAL)
#: The next connection is lost after the Rotate with which it begins: the client is where it was after the one before.
_LOST_AT_ONCE: Final = yes_or_no(
    "the next connection lost at once", when={_LOST_AFTER.name: list(_LOST_AFTER.classes)[1:]}
)
#: The ways in which the questions vary, besides what the families of logs declare.
DIMENSIONS: Final = (_LOST_AFTER, _LOST_AGAIN, _LOST_BETWEEN, _HEARTBEAT_SECONDS, POSITION, _LOST_AT_ONCE)


@dataclass(frozen=True, slots=True)
class _Delivered:
    """An event that a client gets: its log, the event, and whether a group of events ends with it.

    Attributes:
        log_name: The log.
        event: The event.
        ends_group: Whether it is the last of its group.
        in_group: Whether it belongs to a group.
    """

    log_name: str
    event: LoggedEvent
    ends_group: bool
    in_group: bool

    @property
    def header(self) -> Header:
        """The event's header."""
        return Header(*HEADER.unpack(self.event.data[:HEADER_BYTES]))

    @property
    def is_ignorable(self) -> bool:
        """Whether it is an ignorable event of an unknown type."""
        return bool(self.header.flags & _IGNORABLE) and self.event.type not in KNOWN_TYPES


def question(stream: StreamBuilder) -> Question:
    """Return the question to a client of a source that has a stream's logs, with what it must deliver.

    A production may put into `stream.settings` how the source fails after all that it has: ``failure``, its words,
    whether it fails ``at_once``, and whether the last group is not ``whole``.
    """
    logs = list(logs_of(stream))
    # A source sends Annotate_rows events to a client that asks for them, which is the client's own affair.
    settings = _with_table_maps(replace(settings_of(stream, logs), annotate_rows=False), logs)
    if stream.settings.get("place") in WITHIN:
        settings, logs = with_hole(settings, logs, hole_before(settings, logs, stream.vary(POSITION)))
    sender = Sender(settings)
    sender.send(logs)
    sent = {
        event.source.offset for event in sender.events if event.source is not None and event.origin is Origin.LOGGED
    }
    failure = stream.settings.get("failure")
    delivered = [each for each in _in_groups(logs) if each.event.offset in sent]
    if failure is not None:
        delivered = _before(failure, delivered)
    places = _places_to_cut(settings, logs, delivered)
    if failure is not None and delivered and delivered[-1].event.type == EventType.ROTATE:
        # A client that is in the log which is not there asks for it, and gets another error.
        places = [each for each in places if each is not delivered[-1]]
    cuts = list(_cuts(stream, delivered, places, _queries(stream, logs)))
    entries = list(_entries(stream, settings, logs, delivered))
    marks: dict[str, list[int]] = defaultdict(list)
    for requirement, index in _marks(settings, delivered, entries, cuts):
        marks[requirement].append(index)
    marks |= _own_marks(stream, logs, delivered)
    source = settings.as_json()
    asks = {name: source.pop(name) for name in ("log_name", "log_pos", "gtid_set")}
    kept = {name: source[name] for name in ("server_id", "gtid_mode", "waits", "logs")}
    made = {
        **asks,
        "heartbeat_seconds": stream.vary(_HEARTBEAT_SECONDS),
        "source": {**kept, "cuts": cuts},
    }
    data = b"".join(MAGIC + b"".join(event.data for event in log.events) for log in logs)
    expected = Expected(tuple(entries))
    if failure is not None:
        made["source"] |= {"failure": _failure(failure, delivered)}
        expected, marks = _with_error(expected, marks, len(data), at_once=failure["at_once"])
    return Question(expected, dict(marks), made, data)


def _own_marks(stream: StreamBuilder, logs: Sequence[Log], delivered: Sequence[_Delivered]) -> dict[str, list[int]]:
    """Return the marks that the production gave to events."""
    places = {each.event.offset: index for index, each in enumerate(delivered)}
    events = [event for log in logs for event in log.events]
    marks: dict[str, list[int]] = defaultdict(list)
    for (planned, _, _), event in zip(stream.placed, events, strict=True):
        for requirement in planned.marks:
            if requirement in _OF_EVENTS and event.offset in places:
                marks[requirement].append(places[event.offset])
    return marks


def _before(failure: Mapping[str, Any], delivered: Sequence[_Delivered]) -> list[_Delivered]:
    """Return what a client gets before the source fails; a group that is not whole does not end."""
    if failure["at_once"]:
        return []
    *before, last = delivered
    return [*before, last if failure["whole"] else replace(last, ends_group=False)]


def _failure(failure: Mapping[str, Any], delivered: Sequence[_Delivered]) -> dict[str, Any]:
    """Return what a source does at its end, with the number of entries of the group that then is not whole."""
    begun = 0
    if delivered and not failure["whole"]:
        starts = (at for at, each in enumerate(reversed(delivered), 1) if each.event.type in _GROUP_STARTS)
        begun = next(starts, len(delivered))
    return {"message": failure["message"], "at_once": failure["at_once"], "begun": begun}


def _with_error(
    expected: Expected, marks: Mapping[str, list[int]], end: int, *, at_once: bool
) -> tuple[Expected, dict[str, list[int]]]:
    """Return an answer that ends with the source's error in the place of its last entry, and its marks."""
    entries = expected.events[:-1]
    kept = {name: [at for at in indices if at < len(entries)] for name, indices in marks.items() if not at_once}
    return replace(expected, events=entries, refused_at=end, refused_kind="other", refused_code=FATAL_ERROR), {
        **{name: indices for name, indices in kept.items() if indices},
        "FORMAT-CLIENT-ERROR": [len(entries)],
    }


def _with_table_maps(settings: SenderSettings, logs: Sequence[Log]) -> SenderSettings:
    """Return settings that do not begin between a Table_map event and its rows, as no client could read those."""
    events = next((log.events for log in logs if log.name == settings.log_name), ())
    first: LoggedEvent | None = None
    for event in events:
        if not (event.type in _OF_ROWS or event.type not in KNOWN_TYPES):
            first = None
        elif first is None and event.type == EventType.TABLE_MAP:
            first = event
        if event.start == settings.log_pos:
            return settings if first is None else replace(settings, log_pos=first.start)
    return settings


def _in_groups(logs: Sequence[Log]) -> Iterator[_Delivered]:
    """Yield the events of the logs, each with its place in a group: one begins with a Gtid event.

    Ignorable events of unknown types after its last one belong to none, although a source leaves them out with it. In
    logs without Gtid events each Xid ends a group, and nothing else is certain.
    """
    for log in logs:
        placed = [_Delivered(log.name, event, ends_group=False, in_group=False) for event in log.events]
        first: int | None = None
        for number, each in enumerate((*placed, None)):
            is_next = each is None or each.event.type in _GROUP_STARTS | OF_LOGS
            if is_next and first is not None:
                last = max(at for at in range(first, number) if not placed[at].is_ignorable)
                for at in range(first, last + 1):
                    placed[at] = replace(placed[at], ends_group=at == last, in_group=True)
                first = None
            if each is not None and each.event.type in _GROUP_STARTS:
                first = number
        yield from placed


def _places_to_cut(
    settings: SenderSettings, logs: Sequence[Log], delivered: Sequence[_Delivered]
) -> Sequence[_Delivered]:
    """Return the events after which a connection may be lost.

    A client that asks by GTIDs again may then have all that comes before a later log: the source begins with that log,
    and what is between, which is about logs, does not come. It is certain what comes where that is not so.
    """
    if settings.gtid_set is None or not delivered:
        return delivered
    numbers = {log.name: number for number, log in enumerate(logs)}
    has, pending, places = ExecutedGtids(settings.gtid_set), None, []
    for each, following in zip(delivered, (*delivered[1:], None), strict=True):
        pending = gtid_parts(each.event.gtid) if each.event.gtid else pending
        if each.ends_group and pending is not None:
            has.add(*pending)
        first = Sender(replace(settings, gtid_set=has.gtids())).first(logs)
        if first <= numbers[each.log_name if following is None else following.log_name]:
            places.append(each)
    return places


def _cuts(
    stream: StreamBuilder, delivered: Sequence[_Delivered], places: Sequence[_Delivered], texts: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """Yield the places after which the source loses the connection, each once.

    Besides the place there is the index of the entry, and how many entries the client may deliver again: those of the
    group that was interrupted.
    """
    in_groups = [each for each in places if each.in_group and not each.ends_group]
    ends = [
        each
        for each in in_groups
        if each.event.type in _NO_ENDS or texts.get(each.event.offset, "").startswith(_NO_END)
    ]
    candidates = {
        "never": [],
        "in a group": ends or in_groups,
        "after a group": [each for each in places if each.ends_group],
        "after an ignorable event": [each for each in places if each.is_ignorable],
        "at the end of a log": [each for each in places if each.event.type in (EventType.ROTATE, EventType.STOP)],
    }
    place = stream.vary(_LOST_AFTER)
    further = sum(1 for _ in stream.several_of(_LOST_AGAIN))
    chosen = {}
    if place != "never" and places:
        some = [stream.choose.one_of(candidates[place] or list(places))]
        some += [stream.choose.one_of(list(places)) for _ in range(further)]
        chosen = {each.event.offset: each for each in some}
    again = {"again": 1} if place != "never" and stream.vary(_LOST_AT_ONCE) else {}
    for each in chosen.values():
        index = delivered.index(each)
        resent = index + 1 - _begin(delivered, index, texts)
        yield {"log_name": each.log_name, "log_pos": each.event.end, "index": index, "resent": resent, **again}
    if stream.settings["logs"] > 1 and stream.vary(_LOST_BETWEEN):
        for index, (each, following) in enumerate(pairwise(delivered)):
            if each.log_name != following.log_name and each in places and each.event.offset not in chosen:
                yield {"log_name": following.log_name, "log_pos": FIRST, "index": index, "resent": 0}
                return


def _begin(delivered: Sequence[_Delivered], index: int, texts: Mapping[int, str]) -> int:
    """Return the index of the first event of the group that is interrupted after an event; the next one if none is.

    A client may ask for a position inside the first group. Without a Gtid event a group begins with BEGIN, or with what
    a single statement needs.
    """
    each = delivered[index]
    if each.in_group:
        starts = (at for at in range(index, -1, -1) if delivered[at].event.type in _GROUP_STARTS)
        return index + 1 if each.ends_group else next(starts, 0)
    begin = index + 1
    for at in range(index, -1, -1):
        event = delivered[at].event
        text = texts.get(event.offset, "").upper()
        if text == "BEGIN":
            return at
        if delivered[at].ends_group:
            # In logs with Gtid events nothing prepares what comes after.
            return index + 1
        if event.type in _ENDS or event.type in OF_LOGS or text in _END_WORDS:
            break
        if begin == at + 1 and (event.type in _PREPARING or delivered[at].is_ignorable):
            begin = at
    else:
        return 0
    return begin if begin <= index else index + 1


def _entries(
    stream: StreamBuilder, settings: SenderSettings, logs: Sequence[Log], delivered: Sequence[_Delivered]
) -> Iterator[dict[str, Any]]:
    """Yield the entries of an answer: one for each event, and one for the end."""
    texts = _queries(stream, logs)
    has = ExecutedGtids(settings.gtid_set)
    for each in delivered:
        header = each.header
        entry: dict[str, Any] = {
            "type": header.type,
            "log_pos": header.log_pos,
            "timestamp": header.timestamp,
            "server_id": header.server_id,
            "flags": header.flags,
        }
        if each.event.offset in texts:
            entry["query"] = texts[each.event.offset]
        if each.event.gtid:
            pending = gtid_parts(each.event.gtid)
        if each.ends_group and settings.gtid_set is not None:
            has.add(*pending)
            entry["executed_gtids"] = str(has.gtids())
        elif each.ends_group:
            entry |= {"resume_log": each.log_name, "resume_pos": each.event.end}
        yield entry
    yield _end(settings, logs, delivered, has.gtids())


def _end(
    settings: SenderSettings, logs: Sequence[Log], delivered: Sequence[_Delivered], has: GtidSet
) -> dict[str, Any]:
    """Return the last entry; a client that moves at the end of a group may be before what comes after the last one."""
    entry: dict[str, Any] = {"type": None, "log_pos": 0}
    if settings.gtid_set is not None:
        return {**entry, "executed_gtids": str(has)}
    if delivered and delivered[-1].event.type in OF_LOGS:
        return entry
    return {**entry, "resume_log": logs[-1].name, "resume_pos": settings.logs[-1].size}


def _queries(stream: StreamBuilder, logs: Sequence[Log]) -> Mapping[int, str]:
    """Return the statements of Query events by the offset of the event in all logs."""
    events = [event for log in logs for event in log.events]
    pairs = zip(stream.expected_events, events, strict=True)
    return {event.offset: entry["query"] for entry, event in pairs if entry["type"] == EventType.QUERY}


def _marks(
    settings: SenderSettings,
    delivered: Sequence[_Delivered],
    entries: Sequence[Mapping[str, Any]],
    cuts: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[str, int]]:
    """Yield the requirements that an answer exercises, each with the index of an entry."""
    end = len(delivered)
    yield "FORMAT-CLIENT-BEGIN", EVERY_EVENT
    is_last_ignorable = bool(delivered) and delivered[-1].is_ignorable
    for index, entry in enumerate(entries):
        if "query" in entry:
            yield "FORMAT-CLIENT-CHECKSUM", index
        if "resume_pos" in entry:
            yield "FORMAT-CLIENT-POSITION", index
        if "executed_gtids" in entry:
            yield "FORMAT-CLIENT-GTIDS", index
    if not any("query" in entry for entry in entries):
        # The source refuses a client that does not announce checksums at the first event, whatever follows.
        yield "FORMAT-CLIENT-CHECKSUM", EVERY_EVENT
    for index, each in enumerate(delivered):
        if each.is_ignorable:
            yield "WL4033-CLIENT-IGNORABLE", index
        elif entries[index].get("flags", 0) & Flag.IGNORABLE:
            yield "WL4033-CLIENT-KNOWN-FLAGGED", index
    if is_last_ignorable and settings.gtid_set is None:
        yield "WL4033-CLIENT-IGNORABLE", end
    # By GTIDs a heartbeat also follows transactions that are left out.
    if settings.waits or settings.gtid_set is not None:
        yield "FORMAT-CLIENT-HEARTBEAT", EVERY_EVENT
    if cuts:
        first = min(each["index"] for each in cuts)
        yield from (("FORMAT-CLIENT-RESUMED", index) for index in range(first + 1, len(entries)))
