"""Groups: the state of a transaction in an applier, as a table of states and kinds of event (WL#7592, Plan 5)."""

from enum import Enum, auto
from itertools import product
from typing import Final, NamedTuple

from conformance.binlog.total_table import check_complete
from conformance.models.replica.event_kind import Kind


class State(Enum):
    """The state of an applier."""

    #: Between groups.
    OUTSIDE = auto()
    #: After a Gtid or Anonymous_gtid event: the group has begun, but its BEGIN has not been read.
    NAMED = auto()
    #: Inside a statement of several events without BEGIN.
    STATEMENT = auto()
    #: After BEGIN.
    OPEN = auto()


class Effect(Enum):
    """What a step does to the transaction."""

    NOTHING = auto()
    COMMIT = auto()
    #: The open transaction is rolled back: the rest of it never came.
    ROLLBACK = auto()
    #: An implicit commit inside a group: an error if the group has a GTID, which can be used only once.
    IMPLICIT_COMMIT = auto()


class Step(NamedTuple):
    """One cell of the table: the next state, and the effect on the transaction."""

    state: State
    effect: Effect = Effect.NOTHING


_OUTSIDE, _NAMED, _STATEMENT, _OPEN = State.OUTSIDE, State.NAMED, State.STATEMENT, State.OPEN
_COMMITTED: Final = Step(_OUTSIDE, Effect.COMMIT)

#: Steps of events that are transactions themselves, or end or begin one.
_BETWEEN: Final = {
    Kind.GTID: Step(_NAMED),
    Kind.GTID_AND_BEGIN: Step(_OPEN),
    Kind.BEGIN: Step(_OPEN),
    Kind.COMMIT: Step(_OUTSIDE),
    Kind.DDL: _COMMITTED,
    Kind.ATOMIC_CREATE: _COMMITTED,
    Kind.STATEMENT: _COMMITTED,
    Kind.PREPARES: Step(_STATEMENT),
    Kind.ROWS: Step(_STATEMENT),
    Kind.LAST_ROWS: _COMMITTED,
    Kind.PAYLOAD: _COMMITTED,
    Kind.INCIDENT: Step(_OUTSIDE),
}
_STEPS: Final[dict[State, dict[Kind, Step]]] = {
    State.OUTSIDE: _BETWEEN,
    # A COMMIT directly after a Gtid event is an empty transaction. An Incident there is the whole group.
    State.NAMED: {**_BETWEEN, Kind.COMMIT: _COMMITTED, Kind.INCIDENT: _COMMITTED},
    State.STATEMENT: {
        **_BETWEEN,
        Kind.GTID: Step(_NAMED, Effect.ROLLBACK),
        Kind.GTID_AND_BEGIN: Step(_OPEN, Effect.ROLLBACK),
        Kind.COMMIT: _COMMITTED,
        Kind.INCIDENT: Step(_STATEMENT),
    },
    State.OPEN: {
        Kind.GTID: Step(_NAMED, Effect.ROLLBACK),
        Kind.GTID_AND_BEGIN: Step(_OPEN, Effect.ROLLBACK),
        Kind.BEGIN: Step(_OPEN, Effect.IMPLICIT_COMMIT),
        Kind.COMMIT: _COMMITTED,
        # CREATE TABLE ... SELECT before WL#7592: the CREATE is inside the transaction, and the rows follow.
        Kind.DDL: Step(_OPEN, Effect.IMPLICIT_COMMIT),
        Kind.ATOMIC_CREATE: Step(_OPEN),
        Kind.STATEMENT: Step(_OPEN),
        Kind.PREPARES: Step(_OPEN),
        Kind.ROWS: Step(_OPEN),
        Kind.LAST_ROWS: Step(_OPEN),
        Kind.PAYLOAD: Step(_OUTSIDE, Effect.IMPLICIT_COMMIT),
        Kind.INCIDENT: Step(_OPEN),
    },
}


#: The kinds that take no part in groups.
OUTSIDE_GROUPS: Final = frozenset({Kind.FORMAT, Kind.ROTATE, Kind.STOP, Kind.PREVIOUS_GTIDS, Kind.UNKNOWN, Kind.PASSED})
check_complete(
    f"{__name__}._STEPS",
    product(State, set(Kind) - OUTSIDE_GROUPS),
    {(state, kind) for state, steps in _STEPS.items() for kind in steps},
    entry="where it leads, or name the kind in OUTSIDE_GROUPS",
)


def step(state: State, kind: Kind) -> Step:
    """Return the step for an event of a kind; kinds that take no part in groups change nothing."""
    return Step(state) if kind in OUTSIDE_GROUPS else _STEPS[state][kind]
