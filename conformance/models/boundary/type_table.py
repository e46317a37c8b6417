"""The worklog's table of boundary types: event class and situation -> boundary type.

Source: WL#4162, Transaction boundary types for log event types. The situation is in a line below the class, or in
the columns after the type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

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


_C: Final = EventClass
_S: Final = Situation
_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY
_SELF: Final = BoundaryType.SELF_CONTAINED
_START: Final = BoundaryType.START_TRANSACTION
_INSIDE: Final = BoundaryType.INSIDE_TRANSACTION
_END: Final = BoundaryType.END_TRANSACTION

#: The rows in the order of the worklog. Execute_load_query has no row: it has the type of a Query.
TYPE_ROWS: Final = (
    TypeRow(_C.LOG_EVENT, _S.MADE, _SELF, "WL4162-TYPE-LOG-EVENT"),
    TypeRow(_C.QUERY, _S.MADE, _SELF, "WL4162-TYPE-QUERY"),
    TypeRow(_C.QUERY, _S.BEGIN, _START, "WL4162-TYPE-QUERY-BEGIN"),
    TypeRow(_C.QUERY, _S.COMMIT_OR_ROLLBACK, _END, "WL4162-TYPE-QUERY-COMMIT-ROLLBACK"),
    TypeRow(_C.QUERY, _S.NOT_IMMEDIATE, _INSIDE, "WL4162-TYPE-QUERY-NOT-IMMEDIATE"),
    TypeRow(_C.QUERY, _S.BEGIN_IN_GROUP, _INSIDE, "WL4162-TYPE-QUERY-BEGIN-AFTER-GTID"),
    TypeRow(_C.QUERY, _S.IMMEDIATE_IN_GROUP, _END, "WL4162-TYPE-QUERY-IMMEDIATE-AFTER-GTID"),
    TypeRow(_C.LOAD, _S.MADE, _SELF, "WL4162-TYPE-LOAD"),
    TypeRow(_C.CREATE_FILE, _S.MADE, _SELF, "WL4162-TYPE-CREATE-FILE"),
    TypeRow(_C.START_V3, _S.MADE, _SELF, "WL4162-TYPE-START-V3"),
    TypeRow(_C.FORMAT_DESCRIPTION, _S.MADE, _IGNORE, "WL4162-TYPE-FORMAT-DESCRIPTION"),
    TypeRow(_C.INTVAR, _S.MADE, _INSIDE, "WL4162-TYPE-INTVAR"),
    TypeRow(_C.INTVAR, _S.FIRST_CONTEXT, _START, "WL4162-TYPE-INTVAR-FIRST"),
    TypeRow(_C.RAND, _S.MADE, _INSIDE, "WL4162-TYPE-RAND"),
    TypeRow(_C.RAND, _S.FIRST_CONTEXT, _START, "WL4162-TYPE-RAND-FIRST"),
    TypeRow(_C.USER_VAR, _S.MADE, _INSIDE, "WL4162-TYPE-USER-VAR"),
    TypeRow(_C.USER_VAR, _S.FIRST_CONTEXT, _START, "WL4162-TYPE-USER-VAR-FIRST"),
    TypeRow(_C.XID, _S.MADE, _END, "WL4162-TYPE-XID"),
    TypeRow(_C.STOP, _S.MADE, _SELF, "WL4162-TYPE-STOP"),
    TypeRow(_C.ROTATE, _S.MADE, _SELF, "WL4162-TYPE-ROTATE"),
    TypeRow(_C.ROTATE, _S.ARTIFICIAL, _IGNORE, "WL4162-TYPE-ROTATE-FAKE"),
    TypeRow(_C.APPEND_BLOCK, _S.MADE, _INSIDE, "WL4162-TYPE-APPEND-BLOCK"),
    TypeRow(_C.BEGIN_LOAD_QUERY, _S.MADE, _INSIDE, "WL4162-TYPE-BEGIN-LOAD-QUERY"),
    TypeRow(_C.DELETE_FILE, _S.MADE, _SELF, "WL4162-TYPE-DELETE-FILE"),
    TypeRow(_C.EXECUTE_LOAD, _S.MADE, _SELF, "WL4162-TYPE-EXECUTE-LOAD"),
    TypeRow(_C.UNKNOWN, _S.MADE, _SELF, "WL4162-TYPE-UNKNOWN"),
    TypeRow(_C.TABLE_MAP, _S.MADE, _INSIDE, "WL4162-TYPE-TABLE-MAP"),
    TypeRow(_C.ROWS, _S.MADE, _INSIDE, "WL4162-TYPE-ROWS"),
    TypeRow(_C.WRITE_ROWS, _S.MADE, _INSIDE, "WL4162-TYPE-WRITE-ROWS"),
    TypeRow(_C.UPDATE_ROWS, _S.MADE, _INSIDE, "WL4162-TYPE-UPDATE-ROWS"),
    TypeRow(_C.DELETE_ROWS, _S.MADE, _INSIDE, "WL4162-TYPE-DELETE-ROWS"),
    TypeRow(_C.INCIDENT, _S.MADE, _SELF, "WL4162-TYPE-INCIDENT"),
    TypeRow(_C.IGNORABLE, _S.MADE, _IGNORE, "WL4162-TYPE-IGNORABLE"),
    TypeRow(_C.ROWS_QUERY, _S.MADE, _INSIDE, "WL4162-TYPE-ROWS-QUERY"),
    TypeRow(_C.HEARTBEAT, _S.MADE, _SELF, "WL4162-TYPE-HEARTBEAT"),
    TypeRow(_C.GTID, _S.MADE, _START, "WL4162-TYPE-GTID"),
    TypeRow(_C.PREVIOUS_GTIDS, _S.MADE, _SELF, "WL4162-TYPE-PREVIOUS-GTIDS"),
)
_ROWS: Final[Mapping[tuple[EventClass, Situation], TypeRow]] = {
    (each.event_class, each.situation): each for each in TYPE_ROWS
}
#: Class -> the class whose rows it shares.
_SHARED: Final = {EventClass.EXECUTE_LOAD_QUERY: EventClass.QUERY}


def type_row(event_class: EventClass, situation: Situation) -> TypeRow:
    """Return the row for an event class in a situation.

    Raises:
        ValueError: The class has no such row.
    """
    row = _ROWS.get((_SHARED.get(event_class, event_class), situation))
    if row is None:
        raise ValueError(f"the type table has no row for {event_class.value} in the situation {situation.value!r}")
    return row
