"""The worklog's table of boundary types: event class and situation -> boundary type.

Source: WL#4162, Transaction boundary types for log event types. The situation is in a line below the class, or in
the columns after the type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from conformance.binlog.total_table import check_complete
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.event_class import EventClass


class Situation(Enum):
    """The situation in which a row of the table holds."""

    #: As the event is made, without any of the other situations.
    MADE = "constructor"
    BEGIN = "BEGIN"
    COMMIT_OR_ROLLBACK = "COMMIT/ROLLBACK"
    #: A statement that is part of a larger transaction.
    NOT_IMMEDIATE = "not immediate logging"
    BEGIN_IN_GROUP = "BEGIN, binlog write_event"
    #: A statement that is logged immediately on its own, after a Gtid event or the context events that it needs.
    IMMEDIATE_IN_GROUP = "immediate logging"
    #: The first context event of a statement that is logged on its own.
    FIRST_CONTEXT = "binlog write_event"
    #: Sent to a replica, and not in any log.
    ARTIFICIAL = "rpl_binlog_sender"


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A row of the table.

    Attributes:
        event_class: The class of the event.
        situation: When it holds.
        boundary_type: The type of the event.
        requirement: Id of the requirement for the row.
    """

    event_class: EventClass
    situation: Situation
    boundary_type: BoundaryType
    requirement: str


_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY
_SELF: Final = BoundaryType.SELF_CONTAINED
_START: Final = BoundaryType.START_TRANSACTION
_INSIDE: Final = BoundaryType.INSIDE_TRANSACTION
_END: Final = BoundaryType.END_TRANSACTION

#: The rows in the order of the worklog. Execute_load_query has no row: it has the type of a Query.
TYPE_ROWS: Final = (
    TypeRow(EventClass.LOG_EVENT, Situation.MADE, _SELF, "WL4162-TYPE-LOG-EVENT"),
    TypeRow(EventClass.QUERY, Situation.MADE, _SELF, "WL4162-TYPE-QUERY"),
    TypeRow(EventClass.QUERY, Situation.BEGIN, _START, "WL4162-TYPE-QUERY-BEGIN"),
    TypeRow(EventClass.QUERY, Situation.COMMIT_OR_ROLLBACK, _END, "WL4162-TYPE-QUERY-COMMIT-ROLLBACK"),
    TypeRow(EventClass.QUERY, Situation.NOT_IMMEDIATE, _INSIDE, "WL4162-TYPE-QUERY-NOT-IMMEDIATE"),
    TypeRow(EventClass.QUERY, Situation.BEGIN_IN_GROUP, _INSIDE, "WL4162-TYPE-QUERY-BEGIN-AFTER-GTID"),
    TypeRow(EventClass.QUERY, Situation.IMMEDIATE_IN_GROUP, _END, "WL4162-TYPE-QUERY-IMMEDIATE-AFTER-GTID"),
    TypeRow(EventClass.LOAD, Situation.MADE, _SELF, "WL4162-TYPE-LOAD"),
    TypeRow(EventClass.CREATE_FILE, Situation.MADE, _SELF, "WL4162-TYPE-CREATE-FILE"),
    TypeRow(EventClass.START_V3, Situation.MADE, _SELF, "WL4162-TYPE-START-V3"),
    TypeRow(EventClass.FORMAT_DESCRIPTION, Situation.MADE, _IGNORE, "WL4162-TYPE-FORMAT-DESCRIPTION"),
    TypeRow(EventClass.INTVAR, Situation.MADE, _INSIDE, "WL4162-TYPE-INTVAR"),
    TypeRow(EventClass.INTVAR, Situation.FIRST_CONTEXT, _START, "WL4162-TYPE-INTVAR-FIRST"),
    TypeRow(EventClass.RAND, Situation.MADE, _INSIDE, "WL4162-TYPE-RAND"),
    TypeRow(EventClass.RAND, Situation.FIRST_CONTEXT, _START, "WL4162-TYPE-RAND-FIRST"),
    TypeRow(EventClass.USER_VAR, Situation.MADE, _INSIDE, "WL4162-TYPE-USER-VAR"),
    TypeRow(EventClass.USER_VAR, Situation.FIRST_CONTEXT, _START, "WL4162-TYPE-USER-VAR-FIRST"),
    TypeRow(EventClass.XID, Situation.MADE, _END, "WL4162-TYPE-XID"),
    TypeRow(EventClass.STOP, Situation.MADE, _SELF, "WL4162-TYPE-STOP"),
    TypeRow(EventClass.ROTATE, Situation.MADE, _SELF, "WL4162-TYPE-ROTATE"),
    TypeRow(EventClass.ROTATE, Situation.ARTIFICIAL, _IGNORE, "WL4162-TYPE-ROTATE-FAKE"),
    TypeRow(EventClass.APPEND_BLOCK, Situation.MADE, _INSIDE, "WL4162-TYPE-APPEND-BLOCK"),
    TypeRow(EventClass.BEGIN_LOAD_QUERY, Situation.MADE, _INSIDE, "WL4162-TYPE-BEGIN-LOAD-QUERY"),
    TypeRow(EventClass.DELETE_FILE, Situation.MADE, _SELF, "WL4162-TYPE-DELETE-FILE"),
    TypeRow(EventClass.EXECUTE_LOAD, Situation.MADE, _SELF, "WL4162-TYPE-EXECUTE-LOAD"),
    TypeRow(EventClass.UNKNOWN, Situation.MADE, _SELF, "WL4162-TYPE-UNKNOWN"),
    TypeRow(EventClass.TABLE_MAP, Situation.MADE, _INSIDE, "WL4162-TYPE-TABLE-MAP"),
    TypeRow(EventClass.ROWS, Situation.MADE, _INSIDE, "WL4162-TYPE-ROWS"),
    TypeRow(EventClass.WRITE_ROWS, Situation.MADE, _INSIDE, "WL4162-TYPE-WRITE-ROWS"),
    TypeRow(EventClass.UPDATE_ROWS, Situation.MADE, _INSIDE, "WL4162-TYPE-UPDATE-ROWS"),
    TypeRow(EventClass.DELETE_ROWS, Situation.MADE, _INSIDE, "WL4162-TYPE-DELETE-ROWS"),
    TypeRow(EventClass.INCIDENT, Situation.MADE, _SELF, "WL4162-TYPE-INCIDENT"),
    TypeRow(EventClass.IGNORABLE, Situation.MADE, _IGNORE, "WL4162-TYPE-IGNORABLE"),
    TypeRow(EventClass.ROWS_QUERY, Situation.MADE, _INSIDE, "WL4162-TYPE-ROWS-QUERY"),
    TypeRow(EventClass.HEARTBEAT, Situation.MADE, _SELF, "WL4162-TYPE-HEARTBEAT"),
    TypeRow(EventClass.GTID, Situation.MADE, _START, "WL4162-TYPE-GTID"),
    TypeRow(EventClass.PREVIOUS_GTIDS, Situation.MADE, _SELF, "WL4162-TYPE-PREVIOUS-GTIDS"),
)
_ROWS: Final[Mapping[tuple[EventClass, Situation], TypeRow]] = {
    (each.event_class, each.situation): each for each in TYPE_ROWS
}
#: Class -> the class whose rows it shares.
_SHARED: Final = {EventClass.EXECUTE_LOAD_QUERY: EventClass.QUERY}
check_complete(
    f"{__name__}.TYPE_ROWS",
    EventClass,
    {each.event_class for each in TYPE_ROWS} | _SHARED.keys(),
    entry="its rows, or name the class whose rows it shares in _SHARED",
)


def type_row(event_class: EventClass, situation: Situation) -> TypeRow:
    """Return the row for an event class in a situation.

    Raises:
        ValueError: The class has no such row.
    """
    row = _ROWS.get((_SHARED.get(event_class, event_class), situation))
    if row is None:
        raise ValueError(f"the type table has no row for {event_class.value} in the situation {situation.value!r}")
    return row
