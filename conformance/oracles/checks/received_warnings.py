"""Receivers that keep the boundary parser of one connection in the next: what follows from it has one cause."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, Header
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.protocol.roles.relay import event_data

RESET: Final = "WL4162-RESET-RECEIVER-LOOP"
_NOT_RESET: Final = Cause("boundary parser kept", "a new connection", role="relay")


def of_kept_parser(alignment: Alignment) -> Cause | None:
    """Return the cause of warnings that differ, if all are right up to the beginning of the second connection."""
    if not alignment.case.settings.get("connections"):
        return None
    events = alignment.case.expected.events
    pairs = ((index, alignment.observed(index)) for index in range(alignment.count))
    differing = (index for index, seen in pairs if seen and seen.get("warning", "") != events[index]["warning"])
    first = next(differing, None)
    again = next((index for index, entry in enumerate(events) if _begins_connection(entry)), alignment.count)
    return _NOT_RESET if first is not None and first >= again else None


def _begins_connection(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is the artificial Rotate with which a source begins a further connection."""
    data = event_data(entry)
    if data is None:
        return False
    header = Header(*HEADER.unpack(data[:HEADER_BYTES]))
    return header.type == EventType.ROTATE and bool(header.flags & Flag.ARTIFICIAL)
