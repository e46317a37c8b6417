"""The marking: the boundary types that a server puts on the events of a sequence that it is about to log.

Source: WL#4162, the type table, log_event.cc M1 to M9, binlog.cc M1 and M2, rpl_binlog_sender.cc. A writer knows what
comes next, so the first context event of a statement is marked by that statement.
"""

from collections.abc import Sequence
from typing import Final

from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.event_class import CONTEXT_CLASSES, QUERY_CLASSES, EventClass, event_class
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import Kind, kind_of
from conformance.models.boundary.type_table import Situation, type_row

_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY
_START: Final = BoundaryType.START_TRANSACTION
_INSIDE: Final = BoundaryType.INSIDE_TRANSACTION
_SELF: Final = BoundaryType.SELF_CONTAINED
_END: Final = BoundaryType.END_TRANSACTION

#: Kind -> the situation in which an event is made, outside and inside the transaction that a BEGIN opened.
_MADE: Final = {
    Kind.BEGIN: (Situation.BEGIN, Situation.BEGIN),
    Kind.COMMIT_OR_ROLLBACK: (Situation.COMMIT_OR_ROLLBACK, Situation.COMMIT_OR_ROLLBACK),
    Kind.STATEMENT: (Situation.MADE, Situation.NOT_IMMEDIATE),
    Kind.CONTEXT: (Situation.MADE, Situation.MADE),
    Kind.ARTIFICIAL: (Situation.ARTIFICIAL, Situation.ARTIFICIAL),
    Kind.PLAIN: (Situation.MADE, Situation.MADE),
}
#: What becomes of the type of an event that a Gtid event is logged for (binlog.cc M1a and M1b).
_BEHIND_GTID: Final = {_START: _INSIDE, _SELF: _END}


def boundary_types(events: Sequence[FedEvent]) -> list[BoundaryType]:
    """Return the boundary type that a server marks each event with, from the start of a log or connection.

    Args:
        events: What is logged, in its order; markers that the events have already are not looked at.
    """
    classes = [event_class(event) for event in events]
    types = _as_made(events, classes)
    _adjust_context(classes, types)
    _adjust_behind_gtids(classes, types)
    return types


def _as_made(events: Sequence[FedEvent], classes: Sequence[EventClass]) -> list[BoundaryType]:
    """Return the types that the events are made with; within BEGIN and its end no statement is logged at once."""
    types: list[BoundaryType] = []
    begun = False
    for event, its_class in zip(events, classes, strict=True):
        kind = kind_of(event, its_class)
        types.append(type_row(its_class, _MADE[kind][begun]).boundary_type)
        if kind is Kind.BEGIN:
            begun = True
        elif types[-1] is _END:
            begun = False
    return types


def _adjust_context(classes: Sequence[EventClass], types: list[BoundaryType]) -> None:
    """Let the first context event of a statement on its own start, and the statement end (binlog.cc M2)."""
    first: int | None = None
    for index, its_class in enumerate(classes):
        if its_class in CONTEXT_CLASSES:
            first = index if first is None else first
            continue
        if first is not None and its_class in QUERY_CLASSES and types[index] is _SELF:
            types[first], types[index] = _START, _END
        first = None


def _adjust_behind_gtids(classes: Sequence[EventClass], types: list[BoundaryType]) -> None:
    """Adjust what a Gtid event opens: the event that it is logged for, and a statement on its own that ends it.

    Events that take no part may stand between: a source that is asked to go on sends some.
    """
    directly = announced = False
    for index, its_class in enumerate(classes):
        made = types[index]
        if its_class is EventClass.GTID:
            directly = announced = True
        elif made is not _IGNORE:
            if directly or (announced and made is _SELF and its_class in QUERY_CLASSES):
                types[index] = _BEHIND_GTID.get(made, made)
            directly = False
            announced = announced and made is _INSIDE
