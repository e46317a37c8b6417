"""The event classes that the worklog's type table names, by event type code.

Source: WL#4162, Transaction boundary types for log event types. A type that came later is listed under the
class that it behaves like; a type without a class here has the default of the base class.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.fed_event import FedEvent

_E: Final = EventType


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

_CODES: Final[Mapping[EventClass, tuple[int, ...]]] = {
    EventClass.QUERY: (_E.QUERY,),
    EventClass.EXECUTE_LOAD_QUERY: (_E.EXECUTE_LOAD_QUERY,),
    EventClass.LOAD: (_E.LOAD, _E.NEW_LOAD),
    EventClass.CREATE_FILE: (_E.CREATE_FILE,),
    EventClass.START_V3: (_E.START_V3,),
    EventClass.FORMAT_DESCRIPTION: (_E.FORMAT_DESCRIPTION,),
    EventClass.INTVAR: (_E.INTVAR,),
    EventClass.RAND: (_E.RAND,),
    EventClass.USER_VAR: (_E.USER_VAR,),
    EventClass.XID: (_E.XID, _E.XA_PREPARE),
    EventClass.STOP: (_E.STOP,),
    EventClass.ROTATE: (_E.ROTATE,),
    EventClass.APPEND_BLOCK: (_E.APPEND_BLOCK,),
    EventClass.BEGIN_LOAD_QUERY: (_E.BEGIN_LOAD_QUERY,),
    EventClass.DELETE_FILE: (_E.DELETE_FILE,),
    EventClass.EXECUTE_LOAD: (_E.EXEC_LOAD,),
    EventClass.TABLE_MAP: (_E.TABLE_MAP,),
    EventClass.ROWS: (_E.PRE_GA_WRITE_ROWS, _E.PRE_GA_UPDATE_ROWS, _E.PRE_GA_DELETE_ROWS),
    EventClass.WRITE_ROWS: (_E.WRITE_ROWS_V1, _E.WRITE_ROWS),
    EventClass.UPDATE_ROWS: (_E.UPDATE_ROWS_V1, _E.UPDATE_ROWS, _E.PARTIAL_UPDATE_ROWS),
    EventClass.DELETE_ROWS: (_E.DELETE_ROWS_V1, _E.DELETE_ROWS),
    EventClass.INCIDENT: (_E.INCIDENT,),
    EventClass.IGNORABLE: (_E.IGNORABLE,),
    EventClass.ROWS_QUERY: (_E.ROWS_QUERY,),
    EventClass.HEARTBEAT: (_E.HEARTBEAT, _E.HEARTBEAT_V2),
    EventClass.GTID: (_E.GTID, _E.ANONYMOUS_GTID, _E.GTID_TAGGED),
    EventClass.PREVIOUS_GTIDS: (_E.PREVIOUS_GTIDS,),
    EventClass.LOG_EVENT: (_E.SLAVE, _E.TRANSACTION_CONTEXT, _E.VIEW_CHANGE, _E.TRANSACTION_PAYLOAD),
}
_CLASSES: Final = {int(code): each for each, codes in _CODES.items() for code in codes}


def event_class(event: FedEvent) -> EventClass:
    """Return the class of an event.

    A type that the worklog's servers do not know is Ignorable with the ignorable flag and Unknown without it. These
    include the types that only MariaDB has, and MySQL's Large_transaction_header, which always has the flag.
    """
    known = _CLASSES.get(event.type)
    if known is not None:
        return known
    return EventClass.IGNORABLE if event.ignorable else EventClass.UNKNOWN
