"""Faults of transaction boundaries (WL#4162): sequences that the transition table does not allow."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.total_table import total
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.transition_table import CELLS, COLUMNS, ROWS, StepOutcome
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, server_events
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups as boundaries
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.boundary_carriers import carrier, of_code
from conformance.strategies.groups.boundary_groups import Group

#: The values of a marker that declare a boundary type.
_MARKERS: Final = tuple(each for each in BoundaryType if each is not BoundaryType.NOT_DEFINED)
_Make = Callable[[StreamBuilder], PlannedEvent]
_WRONG: Final = tuple(each for each in CELLS.values() if each.outcome is StepOutcome.ERR)
#: Those of them that a Self Contained event makes.
_ALONE_WITHIN: Final = tuple(each for each in _WRONG if each.fed is BoundaryType.SELF_CONTAINED)


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
    ROWS,
    {
        BoundaryType.SELF_CONTAINED: (
            mysql_events.stop,
            mysql_events.rotate,
            server_events.heartbeat,
            server_events.incident,
            boundaries.delete_file,
            boundaries.unknown,
            boundaries.previous_gtids,
        ),
        BoundaryType.START_TRANSACTION: (_gtid, _begin),
        BoundaryType.INSIDE_TRANSACTION: (_rows,),
        BoundaryType.END_TRANSACTION: (mysql_events.xid, _commit),
    },
    entry="unmarked events that are guessed to be of it",
)
#: What may follow a wrong step until the parser is in step again.
_TAIL: Final = (BoundaryType.INSIDE_TRANSACTION, BoundaryType.END_TRANSACTION, BoundaryType.IGNORE_BOUNDARY)
#: The lengths of long tails.
_LONG_TAILS: Final = (64, 65, 256, 300)
#: The most streams, each after a reset, that follow the first.
_MORE_STREAMS: Final = 5
_RECOVERY: Final[tuple[Group, ...]] = (groups.ddl, boundaries.transaction)


@family(focus="WL4162-WARN-WRONG-TRANSITION", profiles=Profiles("worklog"), fault=True)
def boundary_faults(stream: StreamBuilder) -> None:
    """A wrong step of the transition table, marked or not, with a tail that warns too; then the stream continues."""
    choose = stream.choose
    boundaries.describe_unknown(stream)
    for event in _faulty(stream):
        stream.add(event)
    for _ in range(choose.integer(0, _MORE_STREAMS)):
        planned = _faulty(stream)
        if choose.yes(4):
            boundaries.add_twice(stream, planned)
            continue
        stream.settings.setdefault("resets", []).append(stream.offset)
        for event in planned:
            stream.add(event)


def _faulty(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the events up to a wrong step, its tail, and what comes after."""
    choose = stream.choose
    # There are many Self Contained events, and each has a rule of its own.
    alone = choose.yes(3)
    one = choose.one_of(_ALONE_WITHIN if alone else _WRONG)
    marked = not alone and choose.yes()
    path, markers = _PATHS[one.before]
    planned = [carrier(stream, each) for each in markers] if marked else [make(stream) for make in path]
    planned.append(carrier(stream, one.fed) if marked else choose.one_of(_GUESSED[one.fed])(stream))
    for _ in range(choose.one_of(_LONG_TAILS)) if choose.yes(24) else choose.several(0, 4):
        tail = choose.one_of(_TAIL)
        unmarked = not marked and tail is not BoundaryType.IGNORE_BOUNDARY
        planned.append(choose.one_of(_GUESSED[tail])(stream) if unmarked else carrier(stream, tail))
    if choose.yes():
        group = choose.one_of(_RECOVERY)(stream)
        group = boundaries.marked(group) if marked else group
        # The stream may stop within the transaction, and the next one begins all the same.
        planned += group[:-1] if choose.yes() else group
    return planned


#: How many codes a stream has events of.
_CODES: Final = 16


@family(focus="WL4162-TYPE-LOG-EVENT", profiles=Profiles("worklog"), fault=True)
def boundary_codes(stream: StreamBuilder) -> None:
    """In one state of the parser, an event with each of sixteen type codes, known or not, in a stream of its own."""
    choose = stream.choose
    boundaries.describe_unknown(stream)
    first = _CODES * choose.integer(0, 256 // _CODES - 1)
    state = choose.one_of(COLUMNS)
    marked = choose.yes(3)
    resets = []
    for code in range(first, first + _CODES):
        resets.append(stream.offset)
        path, markers = _PATHS[state]
        for event in [carrier(stream, each) for each in markers] if choose.yes() else [make(stream) for make in path]:
            stream.add(event)
        stream.add(of_code(stream, code, choose.one_of(_MARKERS) if marked else 0))
        for _ in choose.several(0, 2):
            stream.add(carrier(stream, choose.one_of((0, *_MARKERS))))
    stream.settings["resets"] = resets
