"""The rows of ``SHOW BINLOG EVENTS``.

Sources: WL#4033, SHOW BINLOG EVENTS OUTPUT; what MySQL 5.5.9 to 9.7.4 and MariaDB 10.1.23 to 11.8.6 list for their
own logs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_info import event_info, listed_name
from conformance.binlog.event_types import EventType
from conformance.binlog.transaction_payload import inner_events
from conformance.models.rendering.printer_version import PrinterVersion

#: The columns, as the server heads them.
COLUMNS: Final = ("Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info")

_PREFIX: Final = "# "
_VERSION_1: Final = "_v1"
#: The replacements of the ``mysql`` client for characters that would break a line or a column.
_ESCAPES: Final = str.maketrans({"\n": "\\n", "\t": "\\t", "\\": "\\\\", "\0": "\\0"})


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row.

    Attributes:
        log_name: The log.
        pos: Offset of the event, in bytes from the start of the log; inside a payload, that of the payload's end.
        event_type: The name that the server lists for the type.
        server_id: Id of the server that logged the event.
        end_log_pos: The end of the event, from its header or that of its payload.
        info: Its content; None if this kit does not know the server's words.
    """

    log_name: str
    pos: int
    event_type: str
    server_id: int
    end_log_pos: int
    info: str | None

    def line(self) -> str:
        """Return the row as the ``mysql`` client prints it in batch mode."""
        info = "" if self.info is None else self.info.translate(_ESCAPES)
        cells = (self.log_name, self.pos, self.event_type, self.server_id, self.end_log_pos, info)
        return "\t".join(map(str, cells))


def show_binlog_events(log_name: str, events: Iterable[Event], version: PrinterVersion) -> Iterator[EventRow]:
    """Yield the rows of a log, those of the events inside a payload after the payload's.

    Args:
        log_name: The log's name.
        events: Its events.
        version: The server that lists them.

    Raises:
        BinlogError: An event cannot be read; the rows before it were yielded.
        MalformedBody: The body of an event contradicts its layout.
    """
    for event in events:
        yield _row(log_name, event, event.offset, event.header.log_pos, version)
        if event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD:
            for inner in inner_events(event):
                yield _row(log_name, inner, event.end, event.header.log_pos, version)


def _row(log_name: str, event: Event, pos: int, end: int, version: PrinterVersion) -> EventRow:
    code = event.format.type_code(event.header.type)
    skipped = not event.recognised and code != EventType.IGNORABLE
    name = version.listing.unknown_type if skipped else listed_name(code, version.listing)
    if not version.versioned_rows and not version.is_mariadb:
        name = name.removesuffix(_VERSION_1)
    info = event_info(event, version.listing)
    if code == EventType.ROWS_QUERY and event.recognised and version.stored_prefix and info is not None:
        info = _PREFIX + info.removeprefix(_PREFIX).removeprefix(_PREFIX)
    return EventRow(log_name, pos, name, event.header.server_id, end, info)
