"""Transaction boundaries (WL#4162): streams with and without markers, and sequences of boundary types."""

from collections.abc import Sequence
from itertools import chain, product
from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import with_tables_info
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, WITHIN_TRANSACTION, BoundaryType
from conformance.models.boundary.shipped_tables import WITH_SHIPPED_PARSER
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events import gtid_events, mysql_events, server_events
from conformance.strategies.events.extended_query import extended_query
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_carriers as carriers
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import boundary_words
from conformance.strategies.groups import transactions as groups

_TABLE: Final = TableName("test", "t1")
#: Databases of statements with tables info.
_DATABASES: Final = ("test", "", "a", "BEGIN", "x" * 64, "日本")
#: The profiles whose servers have a boundary parser.
WITH_PARSER: Final = Profiles("worklog") | WITH_SHIPPED_PARSER
_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The most transactions of a stream with or without markers.
_MOST_GROUPS: Final = 9
_MARKED: Final = ("WL4162-MARKER-READ-BACK", "WL4162-EVENT-HAS-TYPE")
_UNMARKED: Final = ("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", "WL4162-EVENT-HAS-TYPE")


@family(focus=("WL4162-MARKER-READ-BACK", "WL4162-MARKER-HEADER-ALONE"), profiles=Profiles("worklog"))
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
    for _ in range(choose.integer(1, _MOST_GROUPS)):
        mode = choose.one_of(boundaries.GTID_MODES)
        _add_marked(stream, _between_marked(stream))
        group = boundaries.marked(boundaries.group(stream, mode))
        if choose.yes(4):
            # A later server may have new events inside: only the marker shows where they belong.
            group.insert(choose.integer(1, len(group) - 1) if len(group) > 1 else 1, _inside(stream, group))
        for event in group:
            _add(stream, event)
            if choose.yes(8):
                _add_marked(stream, [boundaries.ignored(stream)])
    _add_marked(stream, groups.ending(stream))
    if choose.yes(4):
        again = boundaries.marked(boundaries.group(stream, choose.one_of(boundaries.GTID_MODES)))
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


@family(focus=("WL4162-MARKER-UNMARKED-STAYS-UNDEFINED", "WL4162-STREAM-MIDDLE-KNOWN"), profiles=WITH_PARSER)
def unmarked_streams(stream: StreamBuilder) -> None:
    """Valid streams of a server without markers, with every event type that an old source may have.

    They hold everything that may be fed to a parser, as `marked_streams` do: no server's log is like that.
    """
    choose = stream.choose
    is_worklog = stream.server.profile == "worklog"
    extended = is_worklog and choose.yes(6)
    lengths = stream.server.post_header_lengths
    stream.describe_format(post_header_lengths=with_tables_info(lengths) if extended else None, marks=_UNMARKED)
    if extended:
        _add_extended(stream)
        return
    if choose.yes():
        flags = int(choose.one_of((Flag.IGNORABLE, Flag.IGNORABLE | Flag.RELAY_LOG, Flag(0))))
        _add_unmarked(stream, [gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=flags)])
    for _ in range(choose.integer(1, _MOST_GROUPS)):
        mode = choose.one_of(boundaries.GTID_MODES)
        for _ in range(choose.integer(0, 2)):
            alone = (*boundaries.OLD_EVENTS, *boundaries.ALONE) if is_worklog else (server_events.incident,)
            _add_unmarked(stream, [choose.one_of(alone)(stream)])
        for event in boundaries.group(stream, mode):
            _add_unmarked(stream, [event])
            if choose.yes(8):
                _add_unmarked(stream, [boundaries.ignored(stream)])
    _add_unmarked(stream, groups.ending(stream))
    if choose.yes(4):
        again = boundaries.group(stream, choose.one_of(boundaries.GTID_MODES))
        boundaries.add_twice(stream, [event.marked(*_UNMARKED) for event in again])


def _add_unmarked(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    for event in planned:
        stream.add(event.marked(*_UNMARKED))


def _add_extended(stream: StreamBuilder) -> None:
    """Add transactions whose statements are in Query events with tables info (WL#40)."""
    choose = stream.choose
    for _ in choose.several(1, 3):
        words = ["BEGIN", choose.one_of(boundary_words.statements(stream)), choose.one_of(("COMMIT", "ROLLBACK"))]
        planned = [
            extended_query(stream, word, [_TABLE] if choose.yes() else [], database=choose.one_of(_DATABASES))
            for word in words
        ]
        if choose.yes():
            planned = boundaries.with_gtid(stream, planned, anonymous=choose.yes())
        _add_unmarked(stream, planned)


@family(focus="WL4162-STREAM-MIDDLE-KNOWN", profiles=WITH_PARSER)
def boundary_sequences(stream: StreamBuilder) -> None:
    """Valid sequences of boundary types, usually several in one stream, with resets between them."""
    choose = stream.choose
    if stream.server.profile != "worklog":
        _add_groups(stream)
        return
    kind = choose.integer(0, 3)
    if kind == 3:
        stream.describe_format(post_header_lengths=with_tables_info(stream.server.post_header_lengths))
        _add_extended(stream)
    elif kind == 2:
        _add_groups(stream)
    else:
        boundaries.describe_unknown(stream)
        resets = []
        for number in choose.several(1, 4):
            if number:
                resets.append(stream.offset)
            _walk(stream)
        stream.settings["resets"] = resets


def _add_groups(stream: StreamBuilder) -> None:
    """Add whole transactions without markers, CREATE TABLE ... SELECT among them, and resets within some."""
    choose = stream.choose
    groups.begin_log(stream, previous=False)
    resets = []
    for _ in choose.several(1, 3):
        if choose.yes(3):
            stream.add(gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=_IGNORABLE))
        planned = boundaries.create_select(stream) if choose.yes(3) else boundaries.group(stream, "anonymous")
        # Another stream may begin while this one is in the middle of a transaction.
        cut = choose.integer(1, len(planned)) if choose.yes(3) else len(planned)
        for event in planned[:cut]:
            stream.add(event)
        if cut < len(planned):
            resets.append(stream.offset)
    if resets and resets[-1] == stream.offset:
        stream.add(mysql_events.stop(stream))
    stream.settings["resets"] = resets


#: The most events of one sequence.
_LONGEST: Final = 12
#: State -> the types that are valid in it.
_OPEN: Final = (BoundaryType.END_TRANSACTION, BoundaryType.INSIDE_TRANSACTION, BoundaryType.IGNORE_BOUNDARY)
_CLOSED: Final = (BoundaryType.SELF_CONTAINED, BoundaryType.START_TRANSACTION, BoundaryType.IGNORE_BOUNDARY)


def _walk(stream: StreamBuilder) -> None:
    """Add a sequence of boundary types that is a prefix of a sentence of the grammar."""
    choose = stream.choose
    state = BoundaryType.NOT_DEFINED
    for _ in range(choose.integer(0, _LONGEST)):
        chosen = choose.one_of(_OPEN if state in WITHIN_TRANSACTION else _CLOSED)
        stream.add(carriers.carrier(stream, chosen))
        if chosen is not BoundaryType.IGNORE_BOUNDARY:
            state = chosen


#: The values of a marker that are defined.
_VALUES: Final = tuple(int(each) for each in BoundaryType)
#: The most types before the sequences that each case runs through, and the length of these sequences.
_BEFORE: Final = 4
_THROUGH: Final = 2


@family(focus="WL4162-TT-INITIAL", profiles=Profiles("worklog"))
def boundary_exhaustive(stream: StreamBuilder) -> None:
    """After up to four boundary types, valid or not, every sequence of two more, each in a stream of its own."""
    choose = stream.choose
    boundaries.describe_unknown(stream)
    before = [choose.one_of(_VALUES) for _ in choose.several(0, _BEFORE)]
    resets = []
    for after in product(_VALUES, repeat=_THROUGH):
        resets.append(stream.offset)
        for value in (*before, *after):
            stream.add(carriers.carrier(stream, value))
    if choose.yes(4):
        # What a parser does with the spare values is open; it may also refuse them cleanly.
        stream.add(carriers.carrier(stream, choose.one_of(SPARE_VALUES)))
    stream.settings["resets"] = resets


#: The lengths of runs.
_RUNS: Final = (3, 17, 63, 64, 65, 255, 256, 257, 300)


@family(focus="WL4162-STREAM-GRAMMAR", profiles=WITH_PARSER)
def boundary_runs(stream: StreamBuilder) -> None:
    """Valid streams with up to hundreds of one thing: events in a transaction, ignored or lone events, transactions."""
    choose = stream.choose
    stream.describe_format()
    length = choose.one_of(_RUNS)
    marked = stream.server.profile == "worklog" and choose.yes()
    planned = choose.one_of((_long_transaction, _many_ignored, _many_alone, _many_transactions))(stream, length)
    for event in boundaries.marked(planned) if marked else planned:
        stream.add(event)


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
