"""The rules on boundary markers (WL#4162) that the events of a marked log exercise."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, VARIABLE_TYPES, EventType
from conformance.binlog.layouts.by_type import FIXED_LENGTHS
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.server.boundary_marking import boundaries_of
from conformance.models.server.events import BEGIN, COMMIT, ROLLBACK
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit

_ROWS: Final = ROWS_TYPES | {EventType.TABLE_MAP}
_WORDS: Final = (BEGIN, COMMIT, ROLLBACK)


def boundary_marks(log: PlannedLog) -> Iterator[tuple[str, int]]:
    """Yield the requirements that the events of a log exercise, each with the index of an event."""
    at = 0
    for unit in log.units:
        boundaries = boundaries_of(unit)
        for place, (event, boundary) in enumerate(zip(unit.events, boundaries, strict=True)):
            for requirement in _marks(unit, place, event, boundary):
                yield f"WL4162-{requirement}", at + place
        at += len(unit.events)


def _marks(unit: Unit, place: int, event: LoggedEvent, boundary: BoundaryType) -> Iterator[str]:
    has_gtid = unit.events[0].type in GTID_TYPES
    in_group = any(each.fields.get("query") == BEGIN for each in unit.events)
    if event.type in FIXED_LENGTHS:
        yield "MARKER-NO-EXTRA-SPACE"
    if event.type in _ROWS:
        yield "MARK-INSIDE-ROWS"
    elif event.type in GTID_TYPES:
        yield "MARK-GTID-START"
    elif event.type in (EventType.XID, EventType.ROWS_QUERY):
        yield "MARK-INSIDE-AND-XID"
    elif event.type == EventType.FORMAT_DESCRIPTION:
        yield "MARK-FORMAT-DESCRIPTION"
    elif event.type in VARIABLE_TYPES:
        yield from _context_marks(in_group=in_group, has_gtid=has_gtid)
    elif event.type == EventType.QUERY:
        yield from _query_marks(event, in_group=in_group)
    elif boundary is BoundaryType.SELF_CONTAINED:
        yield "MARK-DEFAULT-SELF"
    if event.type == EventType.QUERY and not in_group and not has_gtid and boundary is BoundaryType.SELF_CONTAINED:
        yield "MARK-DEFAULT-SELF"
    if has_gtid and place:
        yield from _adjusted_marks(place, event, boundary, in_group=in_group)


def _query_marks(event: LoggedEvent, *, in_group: bool) -> Iterator[str]:
    if event.fields["query"] in _WORDS:
        yield "MARK-QUERY-WORDS"
    elif in_group:
        yield "MARK-QUERY-NOT-IMMEDIATE"


def _context_marks(*, in_group: bool, has_gtid: bool) -> Iterator[str]:
    yield "CONTEXT-EVENTS-BEFORE-STATEMENT"
    if in_group:
        yield from ("CONTEXT-EVENTS-STAY-INSIDE", "MARK-INSIDE-AND-XID")
    elif not has_gtid:
        yield from ("CONTEXT-FIRST-EVENT-STARTS", "BOUNDARY-CHANGED-BY-CONTEXT")


def _adjusted_marks(place: int, event: LoggedEvent, boundary: BoundaryType, *, in_group: bool) -> Iterator[str]:
    if event.fields.get("query") == BEGIN:
        yield from ("ADJUST-START-TO-INSIDE", "BOUNDARY-CHANGED-BY-CONTEXT")
    elif boundary is BoundaryType.END_TRANSACTION and not in_group:
        yield from ("ADJUST-SELF-TO-END", "BOUNDARY-CHANGED-BY-CONTEXT")
    if place == 1:
        yield "ADJUST-AFTER-GTID"
