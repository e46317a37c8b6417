"""Transaction boundaries (WL#4162): streams with and without markers, and sequences of boundary types."""

from collections.abc import Callable, Sequence
from itertools import chain, product
from typing import Final, NamedTuple

from conformance.binlog.flags import Flag
from conformance.binlog.servers import with_tables_info
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, WITHIN_TRANSACTION, BoundaryType
from conformance.models.boundary.shipped_tables import WITH_SHIPPED_PARSER
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events, server_events
from conformance.strategies.events.extended_query import EXTENDED, extended_query
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_carriers as carriers
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import boundary_words
from conformance.strategies.groups import transactions as groups

_TABLE: Final = TableName("test", "t1")
#: The profiles whose servers have a boundary parser.
WITH_PARSER: Final = Profiles("worklog") | WITH_SHIPPED_PARSER
_IGNORABLE: Final = int(Flag.IGNORABLE)
_MARKED: Final = ("WL4162-MARKER-READ-BACK", "WL4162-EVENT-HAS-TYPE")
_UNMARKED: Final = ("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", "WL4162-EVENT-HAS-TYPE")


#: Transactions of a stream.
_GROUPS: Final = Number("transactions", many=(100, 120))
#: Where in the first transaction an event is that takes no part.
_IGNORED: Final = choices("ignored event", ("nowhere", "before", "after the first", "before the last", "after"))
#: Whether a stream comes again for another use.
_AGAIN: Final = yes_or_no("read again")


def _with_ignored(stream: StreamBuilder, group: list[PlannedEvent], ignored: PlannedEvent) -> list[PlannedEvent]:
    """Return a group with an event that takes no part in one of the places of `_IGNORED`."""
    places = {"before": 0, "after the first": 1, "before the last": len(group) - 1, "after": len(group)}
    place = places.get(stream.vary(_IGNORED))
    return group if place is None else [*group[:place], ignored, *group[place:]]


@family(
    focus=("WL4162-MARKER-READ-BACK", "WL4162-MARKER-HEADER-ALONE"),
    profiles=Profiles("worklog"),
    dimensions=(_GROUPS, boundaries.GTIDS, boundaries.SHAPES, _IGNORED, _AGAIN),
    impossible=(boundaries.NO_LOAD_ALONE,),
)
def marked_streams(stream: StreamBuilder) -> None:
    """Valid streams of a server that marks every event, in every format, with and without Gtid events.

    They hold everything that may be fed to a parser, including heartbeats, artificial events and, after resets, other
    streams: no server's log is like that.
    """
    choose = stream.choose
    stream.describe_format(flags=MARKER_BITS.write(0, BoundaryType.IGNORE_BOUNDARY), marks=_MARKED)
    header = (
        [gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=_IGNORABLE)] if choose.yes() else []
    )
    _add_marked(stream, header)
    for _ in stream.several_of(_GROUPS):
        _add_marked(stream, _between_marked(stream))
        group = boundaries.marked(boundaries.varied_group(stream))
        if choose.yes(4):
            # A later server may have new events inside: only the marker shows where they belong.
            group.insert(choose.integer(1, len(group) - 1) if len(group) > 1 else 1, _inside(stream, group))
        for event in _with_ignored(stream, group, *boundaries.marked([boundaries.ignored(stream)])):
            _add(stream, event)
    _add_marked(stream, groups.ending(stream))
    if stream.vary(_AGAIN):
        again = boundaries.marked(boundaries.varied_group(stream))
        boundaries.add_twice(stream, [event.marked(*_MARKED) for event in again])


def _inside(stream: StreamBuilder, group: Sequence[PlannedEvent]) -> PlannedEvent:
    value = BoundaryType.INSIDE_TRANSACTION if len(group) > 1 else BoundaryType.SELF_CONTAINED
    return boundaries.later_event(stream, value)


def _between_marked(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return what comes between two transactions, usually nothing."""
    choose = stream.choose
    if not choose.yes(3):
        return []
    if choose.yes(4):
        return [server_events.heartbeat(stream)]
    return [boundaries.ignored(stream) if choose.yes() else choose.one_of(boundaries.ALONE)(stream)]


def _add_marked(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    for event in boundaries.marked(planned):
        _add(stream, event)


def _add(stream: StreamBuilder, event: PlannedEvent) -> None:
    """Add a marked event, sometimes with other flags besides its marker."""
    flagged = carriers.with_flags(stream, event)
    marks = _MARKED if flagged is event else (*_MARKED, "WL4162-MARKER-THREE-FLAG-BITS")
    stream.add(flagged.marked(*marks))


class _Rotate(NamedTuple):
    """A Rotate event: whether it is flagged as artificial, and whether its header has a time and a log_pos."""

    artificial: bool
    placed: bool


#: A Rotate between transactions. Its flag alone makes it artificial, whatever else its header has.
_ROTATES: Final = Dimension[_Rotate | None](
    "Rotate",
    {
        "none": None,
        "artificial": _Rotate(artificial=True, placed=False),
        "of the log": _Rotate(artificial=False, placed=True),
        "artificial, with time and log_pos": _Rotate(artificial=True, placed=True),
        "of the log, without time and log_pos": _Rotate(artificial=False, placed=False),
    },
)


def _add_rotate(stream: StreamBuilder, rotate: _Rotate) -> None:
    """Add a Rotate event without a marker."""
    _add_unmarked(stream, [mysql_events.rotate(stream, flags=int(Flag.ARTIFICIAL) if rotate.artificial else 0)])
    stream.set_timestamp(stream.timestamp if rotate.placed else 0)
    stream.set_log_pos(stream.offset if rotate.placed else 0)


#: The flags of a Previous_gtids event at the start, None without one.
_PREVIOUS: Final = Dimension[int | None](
    "Previous_gtids",
    {
        "none": None,
        "ignorable": _IGNORABLE,
        "ignorable in a relay log": int(Flag.IGNORABLE | Flag.RELAY_LOG),
        "unflagged": 0,
    },
)


@family(
    focus=("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", "WL4162-STREAM-MIDDLE-KNOWN"),
    profiles=WITH_PARSER,
    dimensions=(_PREVIOUS, _GROUPS, boundaries.GTIDS, boundaries.SHAPES, _IGNORED, _ROTATES, _AGAIN),
    impossible=(boundaries.NO_LOAD_ALONE,),
)
def unmarked_streams(stream: StreamBuilder) -> None:
    """Valid streams of a server without markers, with every event type that an old source may have.

    They hold everything that may be fed to a parser, as `marked_streams` do: no server's log is like that.
    """
    choose = stream.choose
    is_worklog = stream.server.profile == "worklog"
    stream.describe_format(marks=_UNMARKED)
    flags = stream.vary(_PREVIOUS)
    if flags is not None:
        _add_unmarked(stream, [gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=flags)])
    for _ in stream.several_of(_GROUPS):
        for _ in range(choose.integer(0, 2)):
            alone = (*boundaries.OLD_EVENTS, *boundaries.ALONE) if is_worklog else (server_events.incident,)
            _add_unmarked(stream, [choose.one_of(alone)(stream)])
        group = boundaries.varied_group(stream)
        _add_unmarked(stream, _with_ignored(stream, group, boundaries.ignored(stream)))
    rotate = stream.vary(_ROTATES)
    if rotate is not None:
        _add_rotate(stream, rotate)
        after = boundaries.statement_alone(stream)
        _add_unmarked(stream, boundaries.with_gtid(stream, after, stream.vary(boundaries.GTIDS)))
    _add_unmarked(stream, groups.ending(stream))
    if stream.vary(_AGAIN):
        again = boundaries.varied_group(stream)
        boundaries.add_twice(stream, [event.marked(*_UNMARKED) for event in again])


def _add_unmarked(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    for event in planned:
        stream.add(event.marked(*_UNMARKED))


#: Databases of statements with tables info.
_DATABASES: Final = Dimension(
    "database", {"test": "test", "none": "", "one letter": "a", "a word": "BEGIN", "64": "x" * 64, "multi-byte": "日本"}
)
_LISTED: Final = yes_or_no("listed table")
_ENDINGS: Final = choices("ending", ("COMMIT", "ROLLBACK"))


@family(
    focus=(
        "WL4162-MARKER-UNMARKED-STAYS-UNDEFINED",
        "WL40-GUESS-EXTENDED-QUERY",
        "WL40-RELAY-EXTENDED-QUERY",
    ),
    profiles=Profiles("worklog"),
    dimensions=(_GROUPS, boundaries.GTIDS, _DATABASES, _LISTED, _ENDINGS),
)
def extended_transactions(stream: StreamBuilder) -> None:
    """Valid streams without markers, whose statements are in Query events with tables info (WL#40)."""
    stream.describe_format(post_header_lengths=with_tables_info(stream.server.post_header_lengths), marks=_UNMARKED)
    for _ in stream.several_of(_GROUPS):
        words = ("BEGIN", stream.choose.one_of(boundary_words.statements(stream)), stream.vary(_ENDINGS))
        planned = [
            extended_query(stream, word, [_TABLE] if stream.vary(_LISTED) else [], database=stream.vary(_DATABASES))
            for word in words
        ]
        _add_unmarked(stream, boundaries.with_gtid(stream, planned, stream.vary(boundaries.GTIDS)))


#: Streams after each other, with a reset before each but the first.
_STREAMS: Final = Number("streams", many=(40, 60))
#: Where a stream stops: within its transaction, or after it.
_STOPS: Final = choices("stops", ("after the transaction", "at its first event", "within it"))
#: Whether the events of the streams after the first have checksums if those of the first do not, and the reverse.
_OTHER_CHECKSUMS: Final = yes_or_no("other checksums after the first", when={"streams": ("2", "3", "many")})


@family(
    focus="WL4162-REPOSITION-AT-START",
    profiles=WITH_PARSER,
    dimensions=(_STREAMS, boundaries.GTIDS, boundaries.SHAPES, _STOPS, _OTHER_CHECKSUMS),
    impossible=(boundaries.NO_LOAD_ALONE,),
)
def boundary_connections(stream: StreamBuilder) -> None:
    """Several streams, with resets between them: each is a transaction without markers, or the beginning of one."""
    choose = stream.choose
    groups.begin_log(stream, previous=False)
    resets = []
    for number in stream.several_of(_STREAMS):
        if number:
            resets.append(stream.offset)
        if number == 1 and stream.vary(_OTHER_CHECKSUMS):
            # What is read wrongly from here on was read rightly under the checksums of before.
            for event in boundaries.with_gtid(stream, boundaries.transaction(stream), stream.vary(boundaries.GTIDS)):
                stream.add(event)
            resets.append(stream.offset)
            stream.checksummed = not stream.checksummed
            stream.describe_format()
        if choose.yes(3):
            stream.add(gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=_IGNORABLE))
        planned = boundaries.varied_group(stream)
        if choose.yes(4):
            planned = boundaries.create_select(stream)
        # Another stream may begin while this one is in the middle of a transaction.
        stop = stream.vary(_STOPS)
        cut = {"at its first event": 1, "within it": choose.integer(1, max(len(planned) - 1, 1))}.get(stop)
        for event in planned[:cut]:
            stream.add(event)
    stream.settings["resets"] = resets


#: Events of a sequence.
_EVENTS: Final = Number("events", fewest=0, few=6, many=(64, 300))


@family(focus="WL4162-STREAM-MIDDLE-KNOWN", profiles=Profiles("worklog"), dimensions=(_STREAMS, _EVENTS, EXTENDED))
def boundary_sequences(stream: StreamBuilder) -> None:
    """Valid sequences of boundary types, with resets between them."""
    boundaries.describe_unknown(stream, extended=stream.vary(EXTENDED))
    resets = []
    for number in stream.several_of(_STREAMS):
        # A sequence may be empty; there is one reset before the next one all the same.
        if number and stream.offset not in resets:
            resets.append(stream.offset)
        _walk(stream)
    if resets and resets[-1] == stream.offset:
        stream.add(mysql_events.stop(stream))
    stream.settings["resets"] = resets


#: State -> the types that are valid in it.
_OPEN: Final = (BoundaryType.END_TRANSACTION, BoundaryType.INSIDE_TRANSACTION, BoundaryType.IGNORE_BOUNDARY)
_CLOSED: Final = (BoundaryType.SELF_CONTAINED, BoundaryType.START_TRANSACTION, BoundaryType.IGNORE_BOUNDARY)


def _walk(stream: StreamBuilder) -> None:
    """Add a sequence of boundary types that is a prefix of a sentence of the grammar."""
    choose = stream.choose
    state = BoundaryType.NOT_DEFINED
    for _ in stream.several_of(_EVENTS):
        chosen = choose.one_of(_OPEN if state in WITHIN_TRANSACTION else _CLOSED)
        stream.add(carriers.carrier(stream, chosen))
        if chosen is not BoundaryType.IGNORE_BOUNDARY:
            state = chosen


#: The values of a marker that are defined.
_VALUES: Final = tuple(int(each) for each in BoundaryType)
_TYPES: Final = {each.heading: int(each) for each in BoundaryType}
#: The types before the sequences that each case runs through, and the length of these sequences.
_BEFORE: Final = Number("types before", fewest=0, few=4)
_THROUGH: Final = 2
_FIRST: Final = Dimension("first type", _TYPES, when={"types before": ("1", "2", "3", "4")})
_SECOND: Final = Dimension("second type", _TYPES, when={"types before": ("2", "3", "4")})
#: A spare marker at the end of the stream.
_SPARE: Final = Dimension[int | None]("spare marker", {"none": None} | {str(each): each for each in SPARE_VALUES})


@family(
    focus="WL4162-TT-INITIAL", profiles=Profiles("worklog"), dimensions=(_BEFORE, _FIRST, _SECOND, _SPARE, EXTENDED)
)
def boundary_exhaustive(stream: StreamBuilder) -> None:
    """After up to four boundary types, valid or not, every sequence of two more, each in a stream of its own."""
    choose = stream.choose
    boundaries.describe_unknown(stream, extended=stream.vary(EXTENDED))
    varied = dict(enumerate((_FIRST, _SECOND)))
    before = [
        stream.vary(varied[number]) if number in varied else choose.one_of(_VALUES)
        for number in stream.several_of(_BEFORE)
    ]
    resets = []
    for after in product(_VALUES, repeat=_THROUGH):
        resets.append(stream.offset)
        for value in (*before, *after):
            stream.add(carriers.carrier(stream, value))
    spare = stream.vary(_SPARE)
    if spare is not None:
        # What a parser does with the spare values is open; it may also refuse them cleanly.
        stream.add(carriers.carrier(stream, spare))
    stream.settings["resets"] = resets


def _long_transaction(stream: StreamBuilder, length: int) -> list[PlannedEvent]:
    make = stream.choose.one_of((mysql_events.intvar, mysql_events.rand, boundary_words.plain_statement))
    begin = boundary_words.plain(stream, "BEGIN")
    return [begin, *(make(stream) for _ in range(length)), mysql_events.xid(stream), *_after(stream)]


def _many_ignored(stream: StreamBuilder, length: int) -> list[PlannedEvent]:
    first, *others = _after(stream)
    return [first, *(boundaries.ignored(stream) for _ in range(length)), *others]


def _many_alone(stream: StreamBuilder, length: int) -> list[PlannedEvent]:
    make = stream.choose.one_of((boundary_words.plain_statement, server_events.incident))
    return [*(make(stream) for _ in range(length)), *_after(stream)]


def _many_transactions(stream: StreamBuilder, length: int) -> list[PlannedEvent]:
    if stream.choose.yes():
        made = [[boundary_words.plain(stream, "BEGIN"), mysql_events.xid(stream)] for _ in range(length)]
    else:
        made = [[mysql_events.intvar(stream), boundary_words.plain_statement(stream)] for _ in range(length)]
    return [*chain.from_iterable(made), *_after(stream)]


def _after(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a short transaction that shows in which state the parser is."""
    words = ("BEGIN", stream.choose.one_of(boundary_words.ORDINARY), "COMMIT")
    return [boundary_words.plain(stream, each) for each in words]


_RUN_OF: Final = Dimension[Callable[[StreamBuilder, int], list[PlannedEvent]]](
    "run of",
    {
        "events in a transaction": _long_transaction,
        "ignored events": _many_ignored,
        "lone events": _many_alone,
        "transactions": _many_transactions,
    },
)
#: The lengths of runs.
_RUNS: Final = choices("length", (3, 17, 64, 65, 256, 257, 300, 1100))
_MARKERS: Final = Dimension("markers", {"no": False, "yes": True}, profiles={"yes": Profiles("worklog")})


@family(focus="WL4162-STREAM-MIDDLE-KNOWN", profiles=WITH_PARSER, dimensions=(_RUN_OF, _RUNS, _MARKERS))
def boundary_runs(stream: StreamBuilder) -> None:
    """Valid streams with up to 1100 of one thing: events in a transaction, ignored or lone events, transactions."""
    stream.describe_format()
    planned = stream.vary(_RUN_OF)(stream, stream.vary(_RUNS))
    for event in boundaries.marked(planned) if stream.vary(_MARKERS) else planned:
        stream.add(event)
