"""Questions in the role `relay`: what the model of a receiver writes when a source sends a stream."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.fed_event import WITH_QUERY, FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.replica.relay import Feed, Receiver, Reception, RelayEvent, RelaySettings
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.strategies.grammar.case import EVERY_EVENT, Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups.replica_groups import REPLICA_ID, SOURCE_LOG
from conformance.strategies.questions.gtid_modes import suitable_modes
from conformance.strategies.questions.sent_events import MALFORMED, NOT_WHOLE, sent_events

#: The events with which the replica itself begins a relay log.
_FIRST: Final = frozenset({int(EventType.FORMAT_DESCRIPTION), int(EventType.PREVIOUS_GTIDS)})
#: The number of events after the beginning of a connection that show the state in which the parser was left.
_BEGINNING: Final = 4
_NOT_DEFINED: Final = BoundaryType.NOT_DEFINED


def question(stream: StreamBuilder) -> Question:
    """Return the question to a replica that receives a stream, with what its relay logs must hold."""
    profile = stream.server.profile
    given = {"server_id": REPLICA_ID, "source_log": SOURCE_LOG, **stream.settings, "gtid_mode": _gtid_mode(stream)}
    settings = RelaySettings.of_json(profile, given)
    receiver = Receiver(settings, lambda: _feed(profile))
    data = bytes(stream.bytes)
    marks: dict[str, list[int]] = defaultdict(list)
    unwritten = False
    first = [0]
    for event in sent_events(stream):
        if event.offset in settings.connections:
            first.append(len(receiver.events))
        reception = receiver.receive(event, data[event.offset : event.end])
        if receiver.leaves_out(event):
            marks["FORMAT-RELAY-MARIADB-LEFT-OUT"] = [EVERY_EVENT]
        if event.offset == stream.refused_at and stream.refused_kind == MALFORMED:
            marks["FORMAT-RELAY-BODIES-UNREAD"] += [len(receiver.events) - 1] * (reception is Reception.WRITTEN)
        if reception is not Reception.WRITTEN:
            unwritten = True
        elif unwritten:
            # An event that was fed although it is not written is noticed at the next event that is.
            marks["WL4162-RELAY-FEEDS-QUEUED"].append(len(receiver.events) - 1)
            unwritten = False
    for requirement, index in _marks(receiver.events, first, skips=stream.server.rules.ignorable):
        marks[requirement].append(index)
    if settings.ignored_ids:
        marks["FORMAT-RELAY-IGNORED"].append(EVERY_EVENT)
    entries = tuple(receiver.entries())
    expected = Expected(entries)
    if stream.refused_kind in NOT_WHOLE:
        expected = Expected(entries, stream.refused_at, stream.refused_kind)
        for requirement, indices in stream.marks.items():
            if stream.count in indices:
                marks[requirement].append(len(entries))
    return Question(expected, dict(marks), settings.as_json(), data)


def _gtid_mode(stream: StreamBuilder) -> str:
    """Return a gtid_mode in which a replica takes every event: the given one if it does.

    With gtid_mode=ON, 9.7.4 ignores no servers by their ids (error 3139).
    """
    modes = suitable_modes(stream.server.profile, (event.type for event in sent_events(stream)))
    if "ignored_ids" in stream.settings:
        modes = tuple(each for each in modes if each != "ON") or modes
    given = stream.settings.get("gtid_mode")
    return given if given in modes else stream.choose.one_of(modes)


def _feed(profile: str) -> Feed | None:
    """Return the function that feeds an event to the boundary parser of a profile and returns its warning."""
    if profile == "worklog":
        worklog = WorklogParser()
        return lambda event: worklog.feed(_fed(event)).warning
    version = SHIPPED_VERSIONS[profile]
    if version is None:
        return None
    shipped = ShippedParser(version)

    def feed(event: ReplicaEvent) -> str | None:
        warning = shipped.feed(_fed(event)).warning
        return warning.text if warning else None

    return feed


def _fed(event: ReplicaEvent) -> FedEvent:
    with_query = event.type in WITH_QUERY
    return FedEvent(event.type, event.flags, event.query.encode() if with_query else None)


def _marks(events: list[RelayEvent], first: list[int], *, skips: bool) -> Iterator[tuple[str, int]]:
    """Yield the requirements that the events of relay logs exercise, each with the index of an event.

    Args:
        events: The events of the relay logs.
        first: Index of the first of them in each connection.
        skips: Whether a replica of this version skips what is ignorable.
    """
    written = [index for index, event in enumerate(events) if event.written]
    for start in first:
        for index in [each for each in written if each >= start][:_BEGINNING]:
            yield "WL4162-RESET-RECEIVER-LOOP", index
    for index, event in enumerate(events):
        yield from _written_marks(events, index, skips=skips) if event.written else _own_marks(event, index)


def _written_marks(events: list[RelayEvent], index: int, *, skips: bool) -> Iterator[tuple[str, int]]:
    event = events[index]
    assert event.source is not None, "what is written was received"
    if event.source.ignorable and skips:
        yield "WL4033-RELAY-IGNORABLE-COPIED", index
    elif "tables_info" in event.source.fields:
        yield "WL40-RELAY-EXTENDED-QUERY", index
    elif event.source.recognised:
        yield "WL4033-RELAY-EVENTS-AS-USUAL", index
    else:
        yield "WL4033-RELAY-UNKNOWN-NOT-LOST", index
    if MARKER_BITS.read(event.flags) is _NOT_DEFINED:
        yield "WL4162-TT-GUESS-LEAVES-BYTES", index
    if event.warning:
        yield "WL4162-WARN-RECEIVER", index
        yield "WL4162-RELAY-WARN-TEXT", index
        if event.source.recognised or (event.source.ignorable and skips):
            yield "WL4162-RELAY-KEEPS-EVENTS", index
        # The replica may also end its relay log there, or not.
        following = (later for later in range(index + 1, len(events)) if events[later].written)
        yield from (("WL4162-RELAY-KEEPS-EVENTS", later) for later in islice(following, 1))


def _own_marks(event: RelayEvent, index: int) -> Iterator[tuple[str, int]]:
    if event.source is None and event.flags & Flag.ARTIFICIAL:
        # The source's format description, with which the next relay log goes on.
        return
    yield "FORMAT-RELAY-LOG-BOUNDS", index
    if event.type in _FIRST:
        yield "FORMAT-RELAY-OWN-GTIDS", index
        yield "WL7592-RELAY-PREVIOUS-GTIDS-OWN", index
    if event.type == EventType.ROTATE:
        yield "WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO", index
        yield "WL7592-RELAY-ROTATE-OWN-POSITION", index
    if event.source is not None:
        yield "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED", index
