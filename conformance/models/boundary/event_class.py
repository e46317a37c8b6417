"""The event classes that the worklog's type table names, by event type code.

Source: WL#4162, Transaction boundary types for log event types. A type that came later is listed under the
class that it behaves like; a type without a class here has the default of the base class.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from conformance.binlog.event_types import MARIADB_TYPES, PRE_GA_ROWS, UNLISTED_TYPES, EventType
from conformance.binlog.total_table import total
from conformance.models.boundary.fed_event import FedEvent


class EventClass(Enum):
    """A class of the type table; the value is the class's name without ``_log_event``."""

    LOG_EVENT = "Log_event"
    QUERY = "Query"
    EXECUTE_LOAD_QUERY = "Execute_load_query"
    LOAD = "Load"
    CREATE_FILE = "Create_file"
    START_V3 = "Start_v3"
    FORMAT_DESCRIPTION = "Format_description"
    INTVAR = "Intvar"
    RAND = "Rand"
    USER_VAR = "User_var"
    XID = "Xid"
    STOP = "Stop"
    ROTATE = "Rotate"
    APPEND_BLOCK = "Append_block"
    BEGIN_LOAD_QUERY = "Begin_load_query"
    DELETE_FILE = "Delete_file"
    EXECUTE_LOAD = "Execute_load"
    UNKNOWN = "Unknown"
    TABLE_MAP = "Table_map"
    ROWS = "Rows"
    WRITE_ROWS = "Write_rows"
    UPDATE_ROWS = "Update_rows"
    DELETE_ROWS = "Delete_rows"
    INCIDENT = "Incident"
    IGNORABLE = "Ignorable"
    ROWS_QUERY = "Rows_query"
    HEARTBEAT = "Heartbeat"
    GTID = "Gtid"
    PREVIOUS_GTIDS = "Previous_gtid"


#: The events that carry a value for the statement after them.
CONTEXT_CLASSES: Final = frozenset({EventClass.INTVAR, EventClass.RAND, EventClass.USER_VAR})
#: The events that carry a statement.
QUERY_CLASSES: Final = frozenset({EventClass.QUERY, EventClass.EXECUTE_LOAD_QUERY})

_TYPES: Final[Mapping[EventClass, tuple[EventType, ...]]] = {
    EventClass.QUERY: (EventType.QUERY,),
    EventClass.EXECUTE_LOAD_QUERY: (EventType.EXECUTE_LOAD_QUERY,),
    EventClass.LOAD: (EventType.LOAD, EventType.NEW_LOAD),
    EventClass.CREATE_FILE: (EventType.CREATE_FILE,),
    EventClass.START_V3: (EventType.START_V3,),
    EventClass.FORMAT_DESCRIPTION: (EventType.FORMAT_DESCRIPTION,),
    EventClass.INTVAR: (EventType.INTVAR,),
    EventClass.RAND: (EventType.RAND,),
    EventClass.USER_VAR: (EventType.USER_VAR,),
    EventClass.XID: (EventType.XID, EventType.XA_PREPARE),
    EventClass.STOP: (EventType.STOP,),
    EventClass.ROTATE: (EventType.ROTATE,),
    EventClass.APPEND_BLOCK: (EventType.APPEND_BLOCK,),
    EventClass.BEGIN_LOAD_QUERY: (EventType.BEGIN_LOAD_QUERY,),
    EventClass.DELETE_FILE: (EventType.DELETE_FILE,),
    EventClass.EXECUTE_LOAD: (EventType.EXEC_LOAD,),
    EventClass.TABLE_MAP: (EventType.TABLE_MAP,),
    EventClass.ROWS: PRE_GA_ROWS,
    EventClass.WRITE_ROWS: (EventType.WRITE_ROWS_V1, EventType.WRITE_ROWS),
    EventClass.UPDATE_ROWS: (EventType.UPDATE_ROWS_V1, EventType.UPDATE_ROWS, EventType.PARTIAL_UPDATE_ROWS),
    EventClass.DELETE_ROWS: (EventType.DELETE_ROWS_V1, EventType.DELETE_ROWS),
    EventClass.INCIDENT: (EventType.INCIDENT,),
    EventClass.IGNORABLE: (EventType.IGNORABLE,),
    EventClass.ROWS_QUERY: (EventType.ROWS_QUERY,),
    EventClass.HEARTBEAT: (EventType.HEARTBEAT, EventType.HEARTBEAT_V2),
    EventClass.GTID: (EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED),
    EventClass.PREVIOUS_GTIDS: (EventType.PREVIOUS_GTIDS,),
    EventClass.LOG_EVENT: (
        EventType.SLAVE,
        EventType.TRANSACTION_CONTEXT,
        EventType.VIEW_CHANGE,
        EventType.TRANSACTION_PAYLOAD,
    ),
}
#: Event type -> its class; None where the ignorable flag decides.
_CLASSES: Final[Mapping[int, EventClass | None]] = total(
    f"{__name__}._TYPES",
    EventType,
    {each: name for name, types in _TYPES.items() for each in types},
    entry="the class that it behaves like",
    # The worklog's servers do not know them.
    rest={UNLISTED_TYPES | MARIADB_TYPES: None},
)


def event_class(event: FedEvent) -> EventClass:
    """Return the class of an event.

    A type that the worklog's servers do not know is Ignorable with the ignorable flag and Unknown without it. These
    include the types that only MariaDB has, and MySQL's Large_transaction_header, which always has the flag.
    """
    known = _CLASSES.get(event.type)
    if known is not None:
        return known
    return EventClass.IGNORABLE if event.ignorable else EventClass.UNKNOWN
