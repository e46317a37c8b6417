"""Operators on valid streams (WL#4162): one change each, like a bad splice, a lost packet or another writer's."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import SPARE_VALUES, BoundaryType
from conformance.models.boundary.marking import boundary_types
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, server_events
from conformance.strategies.families.boundaries import WITH_PARSER
from conformance.strategies.faults.bodies import QUERY_LENGTHS, WRONG, Kind, malformed
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups.boundary_groups import fed, with_marker

#: Registers a family of streams with a change that a parser has to report, or to tolerate.
_operator: Final = partial(family, focus="WL4162-STREAM-TRACKED")
#: The values of a marker that declare a boundary type.
_MARKERS: Final = tuple(each for each in BoundaryType if each is not BoundaryType.NOT_DEFINED)

Events = list[PlannedEvent]


def _unmarked(stream: StreamBuilder, group: Events) -> Events:
    return group


def _marked(stream: StreamBuilder, group: Events) -> Events:
    return boundaries.marked(group)


def _mixed(stream: StreamBuilder, group: Events) -> Events:
    """Return a group in which each event has its marker or none."""
    pairs = zip(group, boundaries.marked(group), strict=True)
    return [marked if stream.choose.yes() else unmarked for unmarked, marked in pairs]


#: Which events of a stream have markers; servers never wrote one.
_MARKINGS: Final = Dimension[Callable[[StreamBuilder, Events], Events]](
    "markers",
    {"none": _unmarked, "all": _marked, "some": _mixed},
    profiles={"all": Profiles("worklog"), "some": Profiles("worklog")},
)
#: The transactions besides the one that is changed.
_OTHERS: Final = Number("other transactions", fewest=0, few=2, many=(40, 60))
_VALID: Final = (boundaries.GTIDS, _MARKINGS)
_WITH_OTHERS: Final = (*_VALID, _OTHERS)


class _Valid:
    """A valid stream before it is changed: whole transactions, each a list of events."""

    def __init__(self, stream: StreamBuilder) -> None:
        stream.describe_format()
        self._stream = stream
        self._mode = stream.vary(boundaries.GTIDS)
        self._mark = stream.vary(_MARKINGS)

    def group(self) -> Events:
        """Return a transaction of any shape."""
        return self._finished(boundaries.group(self._stream, self._mode))

    def long_group(self) -> Events:
        """Return a transaction of several events, BEGIN among them."""
        planned = boundaries.transaction(self._stream)
        return self._finished(boundaries.with_gtid(self._stream, planned, self._mode))

    def groups(self) -> list[Events]:
        """Return some transactions, at least one of them of several events."""
        planned = [self.group() for _ in self._stream.several_of(_OTHERS)]
        planned.insert(self._stream.choose.integer(0, len(planned)), self.long_group())
        return planned

    def _finished(self, planned: Events) -> Events:
        # Marks hold for an event in its place, which the change may move.
        return self._mark(self._stream, [event._replace(marks=()) for event in planned])


def _types(groups: Sequence[Events]) -> list[BoundaryType]:
    """Return the boundary type of each event in the valid stream."""
    return [each for group in groups for each in boundary_types([fed(event) for event in group])]


def _flat(groups: Sequence[Events]) -> Events:
    return list(chain.from_iterable(groups))


def _one(stream: StreamBuilder, groups: Sequence[Events]) -> int:
    """Return the index of an event; each boundary type that occurs is equally likely."""
    types = _types(groups)
    wanted = stream.choose.one_of(sorted(set(types)))
    return stream.choose.one_of([index for index, each in enumerate(types) if each is wanted])


def _add(stream: StreamBuilder, planned: Events) -> None:
    for event in planned:
        stream.add(event)


def _change(stream: StreamBuilder, change: Callable[[Events, int, BoundaryType], None]) -> None:
    """Add a valid stream that is changed at one event, of a known boundary type."""
    valid = _Valid(stream)
    groups = valid.groups()
    planned, index = _flat(groups), _one(stream, groups)
    change(planned, index, _types(groups)[index])
    _add(stream, [*planned, *valid.group()])


@_operator(profiles=WITH_PARSER, fault=True, dimensions=_WITH_OTHERS)
def boundary_mid_transaction_starts(stream: StreamBuilder) -> None:
    """A stream that is read from the middle of a transaction."""
    valid = _Valid(stream)
    first = valid.long_group()
    _add(stream, first[stream.choose.integer(1, len(first) - 1) :])
    _add(stream, _flat(valid.groups()))


@_operator(profiles=WITH_PARSER, fault=True, dimensions=_WITH_OTHERS)
def boundary_events_dropped(stream: StreamBuilder) -> None:
    """A stream without one of its events, of any boundary type."""
    _change(stream, lambda planned, index, _: planned.__delitem__(index))


@_operator(profiles=WITH_PARSER, fault=True, dimensions=_WITH_OTHERS)
def boundary_events_doubled(stream: StreamBuilder) -> None:
    """A stream in which one event, of any boundary type, comes twice."""
    _change(stream, lambda planned, index, _: planned.insert(index, planned[index]))


@_operator(profiles=WITH_PARSER, fault=True, dimensions=_WITH_OTHERS)
def boundary_events_swapped(stream: StreamBuilder) -> None:
    """A stream in which two neighbours of different boundary types have changed places."""
    valid = _Valid(stream)
    groups = valid.groups()
    planned, types = _flat(groups), _types(groups)
    at = stream.choose.one_of([index for index in range(len(types) - 1) if types[index] is not types[index + 1]])
    planned[at], planned[at + 1] = planned[at + 1], planned[at]
    _add(stream, [*planned, *valid.group()])


#: After which event the first stream stops, and before which the second begins.
_CUT: Final = choices("stops", ("after the first event", "within", "at the end"))
_BEGUN: Final = choices("begins", ("at the start", "after the first event", "within", "at the end"))
#: The format description between them.
_FORMAT: Final = choices("format description", ("none", "alone", "with Previous_gtids"))
_WHOLE: Final = Impossible(
    {"stops": ("at the end",), "begins": ("at the start",)}, "two whole streams after each other are a valid one"
)


def _place(stream: StreamBuilder, place: str, end: int) -> int:
    """Return the index in a group that a class of `_CUT` or `_BEGUN` means, up to `end`."""
    places = {"at the start": 0, "after the first event": 1, "at the end": end}
    return places[place] if place in places else stream.choose.integer(min(2, end), max(end - 1, min(2, end)))


@_operator(profiles=WITH_PARSER, fault=True, dimensions=(*_VALID, _CUT, _BEGUN, _FORMAT), impossible=(_WHOLE,))
def boundary_streams_spliced(stream: StreamBuilder) -> None:
    """Two streams without a reset between them: the first stops, or the second begins, within a transaction."""
    choose = stream.choose
    valid = _Valid(stream)
    first, second = valid.long_group(), valid.long_group()
    cut = _place(stream, stream.vary(_CUT), len(first))
    begun = _place(stream, stream.vary(_BEGUN), len(second) - 1)
    _add(stream, [*_flat([valid.group()] if choose.yes() else []), *first[:cut]])
    between = stream.vary(_FORMAT)
    if between != "none":
        stream.describe_format()
    if between == "with Previous_gtids":
        stream.add(boundaries.previous_gtids(stream))
    _add(stream, [*second[begun:], *valid.group()])


@_operator(profiles=Profiles("worklog"), fault=True, dimensions=_WITH_OTHERS)
def boundary_markers_contradicting(stream: StreamBuilder) -> None:
    """A stream in which one event has the marker of a boundary type other than its own."""

    def contradict(planned: Events, index: int, own: BoundaryType) -> None:
        value = stream.choose.one_of([each for each in _MARKERS if each is not own])
        planned[index] = with_marker(planned[index], value)

    _change(stream, contradict)


@_operator(profiles=Profiles("worklog"), fault=True, dimensions=_WITH_OTHERS)
def boundary_markers_spare(stream: StreamBuilder) -> None:
    """A stream in which one event has a marker with an undefined value."""

    def spoil(planned: Events, index: int, own: BoundaryType) -> None:
        planned[index] = with_marker(planned[index], stream.choose.one_of(SPARE_VALUES))

    _change(stream, spoil)


_GROUPS: Final = Number("transactions")


@_operator(
    profiles=Profiles("worklog"),
    dimensions=(_GROUPS, boundaries.GTIDS, boundaries.SHAPES),
    impossible=(boundaries.NO_LOAD_ALONE,),
)
def boundary_markers_missing(stream: StreamBuilder) -> None:
    """A marked stream in which some events have lost their markers."""
    stream.describe_format()
    for _ in stream.several_of(_GROUPS):
        group = boundaries.varied_group(stream)
        _add(stream, _mixed(stream, [event._replace(marks=()) for event in group]))


@_operator(profiles=WITH_PARSER, dimensions=_WITH_OTHERS)
def boundary_ignorable_anywhere(stream: StreamBuilder) -> None:
    """A stream with an Ignore Boundary event in any place, also within a transaction."""
    _change(stream, lambda planned, index, _: planned.insert(index, boundaries.ignored(stream)))


#: Events that are Self Contained in the worklog; shipped parsers skip them, except for an Incident.
_ALONE: Final = Dimension[Callable[[StreamBuilder], PlannedEvent]](
    "lone event",
    {
        "Stop": mysql_events.stop,
        "Rotate": mysql_events.rotate,
        "Heartbeat": server_events.heartbeat,
        "Incident": server_events.incident,
        "Delete_file": boundaries.delete_file,
        "Previous_gtids": boundaries.previous_gtids,
    },
)
_WITHIN: Final = choices("place", ("after the first event", "within", "at the end"))


@_operator(profiles=WITH_PARSER, fault=True, dimensions=(*_VALID, _ALONE, _WITHIN))
def boundary_lone_events_within(stream: StreamBuilder) -> None:
    """A stream with a Self Contained event within a transaction."""
    valid = _Valid(stream)
    planned = valid.long_group()
    lone = stream.vary(_ALONE)(stream)
    planned.insert(_place(stream, stream.vary(_WITHIN), len(planned) - 1), lone)
    _add(stream, [*planned, *valid.group()])


_TORN: Final = yes_or_no("ends inside an event")


@_operator(profiles=WITH_PARSER, fault=True, dimensions=(*_VALID, _TORN))
def boundary_streams_truncated(stream: StreamBuilder) -> None:
    """A file that ends within a transaction, between two of its events or inside one."""
    choose = stream.choose
    valid = _Valid(stream)
    _add(stream, _flat([valid.group()] if choose.yes() else []))
    last = valid.long_group()
    _add(stream, last[: choose.integer(1, len(last) - 1)])
    if stream.vary(_TORN):
        start = stream.offsets[-1]
        cut = choose.integer(start + 1, stream.offset - 1)
        stream.damage(stream.bytes[:cut])
        stream.expect_refusal(at=start, kind="truncated", marks=())


@_operator(profiles=WITH_PARSER, fault=True, dimensions=(*_WITH_OTHERS, WRONG))
def boundary_malformed_queries(stream: StreamBuilder) -> None:
    """A stream in which the body of a Query event is too short, or has a length of more than it holds."""
    valid = _Valid(stream)
    planned = _flat(valid.groups())
    at = stream.choose.one_of([index for index, event in enumerate(planned) if event.type == EventType.QUERY])
    what, number = stream.vary(WRONG)
    query = Kind(lambda _: planned[at], QUERY_LENGTHS)
    _add(stream, planned[:at])
    stream.refuse(malformed(stream, query, what, number), kind="malformed", marks=("WL4162-STREAM-TRACKED",))
    _add(stream, [*planned[at + 1 :], *valid.group()])
