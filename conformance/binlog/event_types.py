"""Event type codes, what the events of each type are for, how servers list them, and their layouts."""

from enum import Enum, IntEnum, auto
from typing import Final

from conformance.binlog.layout import Layout
from conformance.binlog.layouts import (
    group_layouts,
    gtid_layouts,
    log_layouts,
    mariadb_layouts,
    old_layouts,
    row_layouts,
    statement_layouts,
    transaction_layouts,
)


class Purpose(Enum):
    """What the events of a type are for. What a model does with a new type follows from it."""

    #: The log itself: how to read it, what came before it, a gap in it, its end.
    LOG = auto()
    #: A source sends it between two events of its log; no log holds one.
    HEARTBEAT = auto()
    #: Names the transaction after it.
    GTID = auto()
    #: About the transaction after it, before its Gtid event.
    ANNOUNCEMENT = auto()
    #: Needed by the statement after it, or its text: a variable, a seed, a table, a piece of a file.
    CONTEXT = auto()
    #: A statement, or as much as one.
    STATEMENT = auto()
    #: Rows that were written, updated or deleted.
    ROWS = auto()
    #: Ends a transaction.
    COMMIT = auto()
    #: A whole transaction in one event.
    PAYLOAD = auto()
    #: Changes nothing: a reader may skip it.
    NOTE = auto()
    #: No model follows what it does: it is read, and passed on.
    UNMODELLED = auto()


class EventType(IntEnum):
    """The event types of MySQL 5.0 to 9.7 and MariaDB 10/11 (facts taken from their sources and files).

    Each is written as its code; what its events are for; the name under which servers list it in SHOW BINLOG EVENTS,
    None if no server has one; and the layout of its body, `OPAQUE` if it is kept as bytes.
    """

    purpose: Purpose
    listed: str | None
    layout: Layout

    UNKNOWN = 0, Purpose.UNMODELLED, None, log_layouts.OPAQUE
    START_V3 = 1, Purpose.LOG, "Start_v3", log_layouts.START_V3
    QUERY = 2, Purpose.STATEMENT, "Query", statement_layouts.QUERY
    STOP = 3, Purpose.LOG, "Stop", log_layouts.STOP
    ROTATE = 4, Purpose.LOG, "Rotate", log_layouts.ROTATE
    INTVAR = 5, Purpose.CONTEXT, "Intvar", statement_layouts.INTVAR
    LOAD = 6, Purpose.UNMODELLED, "Load", old_layouts.LOAD
    SLAVE = 7, Purpose.LOG, "Slave", log_layouts.OPAQUE
    CREATE_FILE = 8, Purpose.UNMODELLED, "Create_file", old_layouts.CREATE_FILE
    APPEND_BLOCK = 9, Purpose.CONTEXT, "Append_block", statement_layouts.LOAD_BLOCK
    EXEC_LOAD = 10, Purpose.UNMODELLED, "Exec_load", statement_layouts.LOAD_FILE
    DELETE_FILE = 11, Purpose.CONTEXT, "Delete_file", statement_layouts.LOAD_FILE
    NEW_LOAD = 12, Purpose.UNMODELLED, "New_load", old_layouts.NEW_LOAD
    RAND = 13, Purpose.CONTEXT, "RAND", statement_layouts.RAND
    USER_VAR = 14, Purpose.CONTEXT, "User var", statement_layouts.USER_VAR
    FORMAT_DESCRIPTION = 15, Purpose.LOG, "Format_desc", log_layouts.FORMAT_DESCRIPTION
    XID = 16, Purpose.COMMIT, "Xid", transaction_layouts.XID
    BEGIN_LOAD_QUERY = 17, Purpose.CONTEXT, "Begin_load_query", statement_layouts.LOAD_BLOCK
    EXECUTE_LOAD_QUERY = 18, Purpose.STATEMENT, "Execute_load_query", statement_layouts.EXECUTE_LOAD_QUERY
    TABLE_MAP = 19, Purpose.CONTEXT, "Table_map", row_layouts.TABLE_MAP
    PRE_GA_WRITE_ROWS = 20, Purpose.ROWS, "Pre_ga_write_rows", log_layouts.OPAQUE
    PRE_GA_UPDATE_ROWS = 21, Purpose.ROWS, "Pre_ga_update_rows", log_layouts.OPAQUE
    PRE_GA_DELETE_ROWS = 22, Purpose.ROWS, "Pre_ga_delete_rows", log_layouts.OPAQUE
    WRITE_ROWS_V1 = 23, Purpose.ROWS, "Write_rows_v1", row_layouts.ROWS_V1
    UPDATE_ROWS_V1 = 24, Purpose.ROWS, "Update_rows_v1", row_layouts.UPDATE_ROWS_V1
    DELETE_ROWS_V1 = 25, Purpose.ROWS, "Delete_rows_v1", row_layouts.ROWS_V1
    INCIDENT = 26, Purpose.LOG, "Incident", log_layouts.INCIDENT
    HEARTBEAT = 27, Purpose.HEARTBEAT, "Heartbeat", log_layouts.HEARTBEAT
    IGNORABLE = 28, Purpose.NOTE, "Ignorable", log_layouts.IGNORABLE
    ROWS_QUERY = 29, Purpose.CONTEXT, "Rows_query", statement_layouts.ROWS_QUERY
    WRITE_ROWS = 30, Purpose.ROWS, "Write_rows", row_layouts.ROWS_V2
    UPDATE_ROWS = 31, Purpose.ROWS, "Update_rows", row_layouts.UPDATE_ROWS_V2
    DELETE_ROWS = 32, Purpose.ROWS, "Delete_rows", row_layouts.ROWS_V2
    GTID = 33, Purpose.GTID, "Gtid", gtid_layouts.GTID
    ANONYMOUS_GTID = 34, Purpose.GTID, "Anonymous_Gtid", gtid_layouts.GTID
    PREVIOUS_GTIDS = 35, Purpose.LOG, "Previous_gtids", gtid_layouts.PREVIOUS_GTIDS
    TRANSACTION_CONTEXT = 36, Purpose.ANNOUNCEMENT, "Transaction_context", group_layouts.TRANSACTION_CONTEXT
    VIEW_CHANGE = 37, Purpose.STATEMENT, "View_change", group_layouts.VIEW_CHANGE
    XA_PREPARE = 38, Purpose.COMMIT, "XA_prepare", transaction_layouts.XA_PREPARE
    PARTIAL_UPDATE_ROWS = 39, Purpose.ROWS, "Update_rows_partial", row_layouts.UPDATE_ROWS_V2
    TRANSACTION_PAYLOAD = 40, Purpose.PAYLOAD, "Transaction_payload", transaction_layouts.TRANSACTION_PAYLOAD
    HEARTBEAT_V2 = 41, Purpose.HEARTBEAT, "Heartbeat", log_layouts.HEARTBEAT_V2
    GTID_TAGGED = 42, Purpose.GTID, "Gtid_tagged_log_event", gtid_layouts.GTID_TAGGED
    LARGE_TRANSACTION_HEADER = 43, Purpose.ANNOUNCEMENT, None, transaction_layouts.LARGE_TRANSACTION_HEADER
    MARIADB_ANNOTATE_ROWS = 160, Purpose.CONTEXT, "Annotate_rows", mariadb_layouts.ANNOTATE_ROWS
    MARIADB_BINLOG_CHECKPOINT = 161, Purpose.LOG, "Binlog_checkpoint", mariadb_layouts.BINLOG_CHECKPOINT
    MARIADB_GTID = 162, Purpose.GTID, "Gtid", mariadb_layouts.GTID
    MARIADB_GTID_LIST = 163, Purpose.LOG, "Gtid_list", mariadb_layouts.GTID_LIST
    MARIADB_START_ENCRYPTION = 164, Purpose.LOG, "Start_encryption", mariadb_layouts.START_ENCRYPTION
    MARIADB_QUERY_COMPRESSED = 165, Purpose.STATEMENT, "Query_compressed", statement_layouts.MARIADB_QUERY_COMPRESSED
    MARIADB_WRITE_ROWS_COMPRESSED_V1 = 166, Purpose.ROWS, "Write_rows_compressed_v1", row_layouts.ROWS_COMPRESSED_V1
    MARIADB_UPDATE_ROWS_COMPRESSED_V1 = (
        167,
        Purpose.ROWS,
        "Update_rows_compressed_v1",
        row_layouts.UPDATE_ROWS_COMPRESSED_V1,
    )
    MARIADB_DELETE_ROWS_COMPRESSED_V1 = 168, Purpose.ROWS, "Delete_rows_compressed_v1", row_layouts.ROWS_COMPRESSED_V1
    MARIADB_WRITE_ROWS_COMPRESSED = 169, Purpose.ROWS, "Write_rows_compressed", row_layouts.ROWS_COMPRESSED
    MARIADB_UPDATE_ROWS_COMPRESSED = 170, Purpose.ROWS, "Update_rows_compressed", row_layouts.UPDATE_ROWS_COMPRESSED
    MARIADB_DELETE_ROWS_COMPRESSED = 171, Purpose.ROWS, "Delete_rows_compressed", row_layouts.ROWS_COMPRESSED
    MARIADB_PARTIAL_ROW_DATA = 172, Purpose.UNMODELLED, "Partial_row_data", mariadb_layouts.PARTIAL_ROW_DATA

    def __new__(cls, code: int, *facts: object) -> "EventType":
        """Return the type of a code."""
        self = int.__new__(cls, code)
        self._value_ = code
        return self

    def __init__(self, code: int, *facts: object) -> None:
        match facts:
            case (Purpose() as purpose, str() | None as listed, Layout() as layout):
                self.purpose, self.listed, self.layout = purpose, listed, layout
            case _:
                raise TypeError(
                    f"EventType.{self.name} has the facts {facts}: write what its events are for, the name "
                    f"under which servers list it and its layout: {self.name} = {code}, Purpose.NOTE, None, Layout()"
                )


def types_of(*purposes: Purpose) -> frozenset[EventType]:
    """Return the types whose events are for one of these purposes."""
    return frozenset(each for each in EventType if each.purpose in purposes)


#: The lowest of MariaDB's own type codes; MySQL has no type there.
MARIADB_TYPES_START: Final = 160
MARIADB_TYPES: Final = frozenset(each for each in EventType if each >= MARIADB_TYPES_START)

#: Rows events of one kind: what writes, updates and deletes, in this order. Those of 5.1's betas come first.
PRE_GA_ROWS: Final = (EventType.PRE_GA_WRITE_ROWS, EventType.PRE_GA_UPDATE_ROWS, EventType.PRE_GA_DELETE_ROWS)
ROWS_V1: Final = (EventType.WRITE_ROWS_V1, EventType.UPDATE_ROWS_V1, EventType.DELETE_ROWS_V1)
ROWS_V2: Final = (EventType.WRITE_ROWS, EventType.UPDATE_ROWS, EventType.DELETE_ROWS)
COMPRESSED_ROWS_V1: Final = (
    EventType.MARIADB_WRITE_ROWS_COMPRESSED_V1,
    EventType.MARIADB_UPDATE_ROWS_COMPRESSED_V1,
    EventType.MARIADB_DELETE_ROWS_COMPRESSED_V1,
)
COMPRESSED_ROWS: Final = (
    EventType.MARIADB_WRITE_ROWS_COMPRESSED,
    EventType.MARIADB_UPDATE_ROWS_COMPRESSED,
    EventType.MARIADB_DELETE_ROWS_COMPRESSED,
)
#: Every rows event, whatever its kind.
ROWS_TYPES: Final = types_of(Purpose.ROWS)
#: MySQL's Gtid events.
GTID_TYPES: Final = types_of(Purpose.GTID) - MARIADB_TYPES
#: The Gtid events of WL#7592, which have one layout; the tagged one came later.
PLAIN_GTID_TYPES: Final = (EventType.GTID, EventType.ANONYMOUS_GTID)
HEARTBEAT_TYPES: Final = types_of(Purpose.HEARTBEAT)
#: What a session sets for the statement after it.
VARIABLE_TYPES: Final = frozenset({EventType.INTVAR, EventType.RAND, EventType.USER_VAR})
#: The events that hold the text of a statement which is executed.
QUERY_TYPES: Final = frozenset({EventType.QUERY, EventType.EXECUTE_LOAD_QUERY, EventType.MARIADB_QUERY_COMPRESSED})
#: The types for which no server has a name.
UNLISTED_TYPES: Final = frozenset(each for each in EventType if each.listed is None)
#: The types that are in use: not 0, and not 28, which is only the base class of ignorable events.
KNOWN_TYPES: Final = frozenset(EventType) - {EventType.UNKNOWN, EventType.IGNORABLE}

_NAMES: Final = {int(each): each.name for each in EventType}


def type_name(code: int) -> str:
    """Return the name of an event type code, ``TYPE_<code>`` if it has none."""
    return _NAMES.get(code, f"TYPE_{code}")
