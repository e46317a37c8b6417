"""Faults of transaction boundaries (WL#4162): sequences that the transition table does not allow."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.servers import MOST_EVENT_TYPES
from conformance.binlog.total_table import total
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.transition_table import CELLS, COLUMNS, ROWS, Cell, StepOutcome
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, server_events
from conformance.strategies.grammar.dimension import Dimension, Number, bits, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.boundary_carriers import BITS, carrier, of_code
from conformance.strategies.groups.boundary_groups import Group

_Make = Callable[[StreamBuilder], PlannedEvent]
_WRONG: Final = tuple(each for each in CELLS.values() if each.outcome is StepOutcome.ERR)


def _begin(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.query(stream, "BEGIN")


def _insert(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.query(stream, "INSERT INTO t1 VALUES (1)")


def _commit(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.query(stream, stream.choose.one_of(("COMMIT", "ROLLBACK")))


def _gtid(stream: StreamBuilder) -> PlannedEvent:
    return groups.group_gtid(stream, (), anonymous=stream.choose.yes())


def _rows(stream: StreamBuilder) -> PlannedEvent:
    return stream.choose.one_of(groups.row_changes(stream))


#: State -> unmarked events, or markers, that lead there from Not Defined.
_PATHS: Final[dict[BoundaryType, tuple[tuple[_Make, ...], tuple[BoundaryType, ...]]]] = total(
    f"{__name__}._PATHS",
    COLUMNS,
    {
        BoundaryType.NOT_DEFINED: ((), ()),
        BoundaryType.SELF_CONTAINED: ((mysql_events.stop,), (BoundaryType.SELF_CONTAINED,)),
        BoundaryType.START_TRANSACTION: ((_begin,), (BoundaryType.START_TRANSACTION,)),
        BoundaryType.INSIDE_TRANSACTION: (
            (_gtid, _begin),
            (BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION),
        ),
        BoundaryType.END_TRANSACTION: (
            (_begin, mysql_events.xid),
            (BoundaryType.START_TRANSACTION, BoundaryType.END_TRANSACTION),
        ),
    },
    entry="unmarked events, and markers, that lead there",
)
#: Type -> unmarked events that are guessed to be of it, in every state in which they are wrong.
_GUESSED: Final[dict[BoundaryType, tuple[_Make, ...]]] = total(
    f"{__name__}._GUESSED",
    set(ROWS) - {BoundaryType.SELF_CONTAINED},
    {
        BoundaryType.START_TRANSACTION: (_gtid, _begin),
        BoundaryType.INSIDE_TRANSACTION: (_rows,),
        BoundaryType.END_TRANSACTION: (mysql_events.xid, _commit),
    },
    entry="unmarked events that are guessed to be of it",
)
#: What may follow a wrong step until the parser is in step again.
_TAIL: Final = (BoundaryType.INSIDE_TRANSACTION, BoundaryType.END_TRANSACTION, BoundaryType.IGNORE_BOUNDARY)
_RECOVERY: Final[tuple[Group, ...]] = (groups.ddl, boundaries.transaction)


def _step(cell: Cell) -> str:
    return f"{cell.before.heading} to {cell.fed.heading}"


_STEPS: Final = choices("wrong step", _WRONG, text=_step)
_MARKED: Final = yes_or_no("markers")
#: There are many Self Contained events, and each has a rule of its own.
_LONE: Final = Dimension[_Make](
    "lone event",
    {
        "Stop": mysql_events.stop,
        "Rotate": mysql_events.rotate,
        "Heartbeat": server_events.heartbeat,
        "Incident": server_events.incident,
        "Delete_file": boundaries.delete_file,
        "unknown": boundaries.unknown,
        "Previous_gtids": boundaries.previous_gtids,
    },
    when={
        "wrong step": tuple(_step(each) for each in _WRONG if each.fed is BoundaryType.SELF_CONTAINED),
        "markers": ("no",),
    },
)
#: Further events until the parser is in step again.
_MORE: Final = Number("events after the wrong one", fewest=0, few=3, many=(65, 300))
#: What the stream goes on with: it may stop within a transaction, and the next one begins all the same.
_GOES_ON: Final = choices("goes on with", ("nothing", "a transaction", "part of a transaction"))
#: The streams, each after a reset.
_STREAMS: Final = Number("streams", many=(40, 60))


@family(
    focus="WL4162-WARN-WRONG-TRANSITION",
    profiles=Profiles("worklog"),
    fault=True,
    dimensions=(_STEPS, _MARKED, _LONE, _MORE, _GOES_ON, _STREAMS),
)
def boundary_faults(stream: StreamBuilder) -> None:
    """A wrong step of the transition table, marked or not, with a tail that warns too; then the stream continues."""
    boundaries.describe_unknown(stream)
    for number in stream.several_of(_STREAMS):
        planned = _faulty(stream, first=number == 0)
        if number and stream.choose.yes(4):
            boundaries.add_twice(stream, planned)
            continue
        if number:
            stream.settings.setdefault("resets", []).append(stream.offset)
        for event in planned:
            stream.add(event)


def _faulty(stream: StreamBuilder, *, first: bool) -> list[PlannedEvent]:
    """Return the events up to a wrong step, its tail, and what comes after."""
    choose = stream.choose
    one, marked = stream.vary(_STEPS), stream.vary(_MARKED)
    path, markers = _PATHS[one.before]
    planned = [carrier(stream, each) for each in markers] if marked else [make(stream) for make in path]
    if marked:
        planned.append(carrier(stream, one.fed))
    elif one.fed is BoundaryType.SELF_CONTAINED:
        make = stream.vary(_LONE) if first else choose.one_of(tuple(_LONE.classes.values()))
        planned.append(make(stream))
    else:
        planned.append(choose.one_of(_GUESSED[one.fed])(stream))
    for _ in stream.several_of(_MORE):
        tail = choose.one_of(_TAIL)
        unmarked = not marked and tail is not BoundaryType.IGNORE_BOUNDARY
        planned.append(choose.one_of(_GUESSED[tail])(stream) if unmarked else carrier(stream, tail))
    goes_on = stream.vary(_GOES_ON)
    if goes_on != "nothing":
        group = choose.one_of(_RECOVERY)(stream)
        group = boundaries.marked(group) if marked else group
        planned += group if goes_on == "a transaction" else group[:-1]
    return planned


#: The first of the sixteen type codes that a stream has events of.
_CODES: Final = choices("type codes", range(0, 256, 16), text=lambda first: f"{first} to {first + 15}")
#: The marker of an event, or none.
_VALUES: Final = choices("marker", tuple(BoundaryType), text=lambda value: value.heading)
#: The state before an event with a marker. One without is guessed by its type, so it comes in every state.
_STATES: Final = choices(
    "state",
    COLUMNS,
    text=lambda state: state.heading,
    when={"marker": tuple(each.heading for each in BoundaryType if each)},
)
_BY_MARKERS: Final = yes_or_no("state by markers")


@family(
    focus="WL4162-TYPE-LOG-EVENT",
    profiles=Profiles("worklog"),
    fault=True,
    dimensions=(_CODES, _VALUES, _STATES, _BY_MARKERS),
)
def boundary_codes(stream: StreamBuilder) -> None:
    """In a state of the parser, an event with each of sixteen type codes, known or not, in a stream of its own."""
    boundaries.describe_unknown(stream, types=MOST_EVENT_TYPES)
    first, value = stream.vary(_CODES), stream.vary(_VALUES)
    states, by_markers = (stream.vary(_STATES),) if value else COLUMNS, stream.vary(_BY_MARKERS)
    # Where the type is guessed, the ignorable flag decides for the types that are not known, and for no other.
    flags = (None,) if value else (0, int(Flag.IGNORABLE))
    makers = [
        partial(of_code, code=code, value=value, flags=each) for code in range(first, first + 16) for each in flags
    ]
    for state in states:
        _add_in_state(stream, state, makers, by_markers)


#: A bit of the flags word besides the marker, or several.
_FLAGS: Final = bits("flags", BITS)
#: The types that a flag could mean something for.
_FLAGGED: Final = (
    EventType.QUERY,
    EventType.STOP,
    EventType.ROTATE,
    EventType.INTVAR,
    EventType.FORMAT_DESCRIPTION,
    EventType.XID,
    EventType.BEGIN_LOAD_QUERY,
    EventType.EXECUTE_LOAD_QUERY,
    EventType.TABLE_MAP,
    EventType.INCIDENT,
    EventType.HEARTBEAT,
    EventType.ROWS_QUERY,
    EventType.WRITE_ROWS,
    EventType.GTID,
    EventType.ANONYMOUS_GTID,
    EventType.PREVIOUS_GTIDS,
    EventType.XA_PREPARE,
    99,
)


@family(
    focus="WL4162-MARKER-HEADER-ALONE",
    profiles=Profiles("worklog"),
    fault=True,
    dimensions=(_FLAGS, _VALUES),
)
def boundary_flags(stream: StreamBuilder) -> None:
    """In one state of the parser, an event with some flags of each type that matters, in a stream of its own."""
    boundaries.describe_unknown(stream)
    flags, value = stream.vary(_FLAGS), stream.vary(_VALUES)
    state = stream.choose.one_of(COLUMNS)
    makers = [partial(of_code, code=int(code), value=value, flags=flags) for code in _FLAGGED]
    _add_in_state(stream, state, makers, stream.choose.yes())


def _add_in_state(stream: StreamBuilder, state: BoundaryType, makers: Sequence[_Make], by_markers: bool) -> None:
    """Add events that come in one state of the parser, each in a stream of its own, which goes on."""
    choose = stream.choose
    path, markers = _PATHS[state]
    for make in makers:
        stream.settings.setdefault("resets", []).append(stream.offset)
        for event in [carrier(stream, each) for each in markers] if by_markers else [each(stream) for each in path]:
            stream.add(event)
        stream.add(make(stream))
        for _ in choose.several(0, 2):
            stream.add(carrier(stream, choose.one_of(tuple(BoundaryType))))
