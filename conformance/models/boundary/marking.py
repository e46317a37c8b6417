"""The marking: the boundary types with which a server marks the events that it is about to log.

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
#: Type of an event that a Gtid event is logged for -> its type after that Gtid event (binlog.cc M1a and M1b).
_AFTER_GTID: Final = {_START: _INSIDE, _SELF: _END}


def boundary_types(events: Sequence[FedEvent]) -> list[BoundaryType]:
    """Return the boundary type that a server marks each event with, from the start of a log or connection.

    Args:
        events: The events that are logged, in order; markers that they already have are ignored.
    """
    classes = [event_class(event) for event in events]
    types = _made_types(events, classes)
    _adjust_context(classes, types)
    _adjust_after_gtids(classes, types)
    return types


def _made_types(events: Sequence[FedEvent], classes: Sequence[EventClass]) -> list[BoundaryType]:
    """Return the types that the events are made with; no statement between BEGIN and its end is logged immediately."""
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
    """Mark the first context event of a self-contained statement as start, and the statement as end (binlog.cc M2)."""
    first: int | None = None
    for index, its_class in enumerate(classes):
        if its_class in CONTEXT_CLASSES:
            first = index if first is None else first
            continue
        if first is not None and its_class in QUERY_CLASSES and types[index] is _SELF:
            types[first], types[index] = _START, _END
        first = None


def _adjust_after_gtids(classes: Sequence[EventClass], types: list[BoundaryType]) -> None:
    """Adjust the event that a Gtid event is logged for, and a self-contained statement that ends its group.

    Events that take no part in boundary parsing may come between: a source that resumes sends some.
    """
    directly = announced = False
    for index, its_class in enumerate(classes):
        made = types[index]
        if its_class is EventClass.GTID:
            directly = announced = True
        elif made is not _IGNORE:
            if directly or (announced and made is _SELF and its_class in QUERY_CLASSES):
                types[index] = _AFTER_GTID.get(made, made)
            directly = False
            announced = announced and made is _INSIDE
