"""Event type -> the name of the method that prints its events; None where they are printed as ignorable ones."""

from collections.abc import Mapping
from typing import Final

from conformance.binlog.event_types import (
    HEARTBEAT_TYPES,
    MARIADB_TYPES,
    PRE_GA_ROWS,
    UNLISTED_TYPES,
    EventType,
)
from conformance.binlog.rows.images import READABLE_ROWS_TYPES
from conformance.binlog.total_table import total

#: What `MysqlbinlogText` prints with.
MYSQL_METHODS: Final[Mapping[int, str | None]] = total(
    f"{__name__}.MYSQL_METHODS",
    EventType,
    {
        EventType.QUERY: "_query",
        EventType.STOP: "_stop",
        EventType.ROTATE: "_rotate",
        EventType.INTVAR: "_intvar",
        EventType.APPEND_BLOCK: "_load_block",
        EventType.DELETE_FILE: "_delete_file",
        EventType.RAND: "_rand",
        EventType.USER_VAR: "_user_var",
        EventType.FORMAT_DESCRIPTION: "_format_description",
        EventType.XID: "_xid",
        EventType.BEGIN_LOAD_QUERY: "_load_block",
        EventType.EXECUTE_LOAD_QUERY: "_execute_load_query",
        EventType.TABLE_MAP: "_table_map",
        EventType.INCIDENT: "_incident",
        EventType.ROWS_QUERY: "_rows_query",
        EventType.GTID: "_gtid",
        EventType.ANONYMOUS_GTID: "_gtid",
        EventType.GTID_TAGGED: "_gtid",
        EventType.PREVIOUS_GTIDS: "_previous_gtids",
        EventType.TRANSACTION_CONTEXT: "_transaction_context",
        EventType.VIEW_CHANGE: "_view_change",
        EventType.XA_PREPARE: "_xa_prepare",
        EventType.TRANSACTION_PAYLOAD: "_payload",
    },
    entry="the name of the method that prints it",
    rest={
        READABLE_ROWS_TYPES: "_rows_event",
        MARIADB_TYPES - READABLE_ROWS_TYPES: None,
        UNLISTED_TYPES | HEARTBEAT_TYPES | {EventType.IGNORABLE}: None,
        (EventType.START_V3, EventType.SLAVE, *PRE_GA_ROWS): None,
        (EventType.LOAD, EventType.CREATE_FILE, EventType.EXEC_LOAD, EventType.NEW_LOAD): None,
    },
)
#: What `MariadbBinlogText` prints with: its own methods for MariaDB's types.
MARIADB_METHODS: Final[Mapping[int, str | None]] = {
    **MYSQL_METHODS,
    **total(
        f"{__name__}.MARIADB_METHODS",
        MARIADB_TYPES,
        {
            EventType.MARIADB_ANNOTATE_ROWS: "_annotate",
            EventType.MARIADB_BINLOG_CHECKPOINT: "_checkpoint",
            EventType.MARIADB_GTID: "_mariadb_gtid",
            EventType.MARIADB_GTID_LIST: "_gtid_list",
            EventType.MARIADB_QUERY_COMPRESSED: "_query",
        },
        entry="the name of the method that prints it",
        rest={
            MARIADB_TYPES & READABLE_ROWS_TYPES: "_rows_event",
            (EventType.MARIADB_START_ENCRYPTION, EventType.MARIADB_PARTIAL_ROW_DATA): None,
        },
    ),
}
