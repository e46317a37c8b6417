"""The fields of the protocol that the library reports of an event."""

from collections.abc import Callable
from typing import Any

from asyncmy.replication import events, row_events
from values import base64_of, noted, rows_of

Source = str | Callable[[Any], Any]

#: Every class of events that the library has, requested by name, as its default leaves some of them out.
EVENT_CLASSES = [
    each
    for module in (events, row_events)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, events.BinLogEvent)
]
_ROWS: dict[str, Source] = {"table_id": "table_id", "rows_flags": "flags", "rows": rows_of}
_STATEMENT: dict[str, Source] = {
    "thread_id": "slave_proxy_id",
    "exec_time": "execution_time",
    "error_code": "error_code",
}
#: Class -> field of the protocol -> attribute of the library, or what makes the field of the event.
OF_CLASS: dict[type, dict[str, Source]] = {
    events.QueryEvent: {
        **_STATEMENT,
        "database": lambda event: event.schema.decode("utf-8", "replace"),
        "query": "query",
        "status_variables": lambda event: base64_of(event.status_vars),
    },
    events.RotateEvent: {"next_position": "position", "next_file": "next_binlog"},
    events.XidEvent: {"xid": "xid"},
    events.GtidEvent: {"gtid": "gtid", "gtid_flags": lambda event: int(event.commit_flag)},
    events.HeartbeatLogEvent: {"log_name": "ident"},
    events.BeginLoadQueryEvent: {"file_id": "file_id", "block_data": lambda event: noted(event.block_data)},
    events.ExecuteLoadQueryEvent: {
        **_STATEMENT,
        "file_id": "file_id",
        "file_name_start": "start_pos",
        "file_name_end": "end_pos",
        "duplicate_handling": "dup_handling_flags",
    },
    events.IntvarEvent: {"intvar_type": "type", "intvar_value": "value"},
    row_events.TableMapEvent: {
        "table_id": "table_id",
        "database": "schema",
        "table": "table_name",
        "column_count": "column_count",
    },
    row_events.WriteRowsEvent: _ROWS,
    row_events.UpdateRowsEvent: _ROWS,
    row_events.DeleteRowsEvent: _ROWS,
}
_EVERY_EVENT = ("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled", "position")
NAMES = sorted({*_EVERY_EVENT, *(field for fields in OF_CLASS.values() for field in fields)})


def reported(event: Any, offset: int) -> dict[str, Any]:
    """Return an event in the notation of the protocol."""
    header = event.packet
    fields = {
        "offset": offset,
        "type": event.event_type,
        "timestamp": event.timestamp,
        "server_id": header.server_id,
        "length": header.event_size,
        "log_pos": header.log_pos,
        "flags": header.flags,
        "handled": "ignored" if isinstance(event, events.NotImplementedEvent) else "known",
    }
    for field, source in OF_CLASS.get(type(event), {}).items():
        fields[field] = getattr(event, source) if isinstance(source, str) else source(event)
    return fields
