"""Writes planned logs as bytes: fields that depend on an event's place are filled in, and every event is framed."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.writer import frame, write_body
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.server.boundary_marking import boundaries_of
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit

#: Microseconds in a second.
_MICROSECONDS: Final = 1_000_000


def log_bytes(log: PlannedLog, *, mark: Callable[[Unit], Sequence[int]] = boundaries_of) -> bytes:
    """Return a binary log, magic number included.

    Args:
        log: The log.
        mark: Returns the boundary type of each event of a unit, for a server that marks boundaries.
    """
    return _LogWriter(log, mark).write()


class _LogWriter:
    def __init__(self, log: PlannedLog, mark: Callable[[Unit], Sequence[int]]) -> None:
        self._log = log
        self._mark = mark
        self._bytes = bytearray(MAGIC)
        self._sequence = 0
        self._tail = CHECKSUM_BYTES if log.format.checksum_bytes else 0

    def write(self) -> bytes:
        for unit in self._log.units:
            self._unit(unit)
        return bytes(self._bytes)

    def _unit(self, unit: Unit) -> None:
        markers = [0] * len(unit.events)
        if self._log.boundary_markers:
            markers = [MARKER_BITS.write(0, each) for each in self._mark(unit)]
        bodies = [self._body(event) for event in unit.events]
        if unit.events[0].type in GTID_TYPES:
            self._sequence += 1
            after = sum(HEADER_BYTES + len(body) + self._tail for body in bodies[1:])
            bodies[0] = self._gtid_body(unit, after)
        for event, body, marker in zip(unit.events, bodies, markers, strict=True):
            self._append(event, body, event.flags | marker, unit.timestamp)

    def _body(self, event: LoggedEvent) -> bytes:
        if event.type == EventType.FORMAT_DESCRIPTION:
            return self._log.format.body()
        if event.type in GTID_TYPES:
            return b""
        return write_body(event.type, event.fields, self._log.format)

    def _gtid_body(self, unit: Unit, after: int) -> bytes:
        """Return the body of a Gtid event; `after` is the length in bytes of its transaction after it."""
        event = unit.events[0]
        fields: dict[str, Any] = dict(event.fields)
        if event.type == EventType.GTID_TAGGED or "logical_timestamp_typecode" in fields:
            # Each transaction waits for the one before it: nothing here runs in parallel.
            fields |= {"last_committed": self._sequence - 1, "sequence_number": self._sequence}
        version = _version_number(self._log.format)
        if version < 80000:
            return write_body(event.type, fields, self._log.format)
        fields |= {
            "immediate_commit_timestamp": unit.timestamp * _MICROSECONDS,
            "immediate_server_version": version,
            "transaction_length": 0,
        }
        # The length counts its own event, whose size depends on the width of the length.
        while True:
            body = write_body(event.type, fields, self._log.format)
            length = HEADER_BYTES + len(body) + self._tail + after
            if length == fields["transaction_length"]:
                return body
            fields["transaction_length"] = length

    def _append(self, event: LoggedEvent, body: bytes, flags: int, timestamp: int) -> None:
        described = event.type == EventType.FORMAT_DESCRIPTION and self._log.format.checksum_algorithm is not None
        framed = frame(
            event.type,
            body,
            offset=len(self._bytes),
            checksummed=bool(self._tail) or described,
            timestamp=timestamp,
            server_id=self._log.server_id,
            flags=flags,
        )
        self._bytes += framed


def _version_number(described: FormatDescription) -> int:
    """Return a MySQL server's version as in Gtid events, such as 80043."""
    digits = [int(part) for part in described.server_version.split("-")[0].split(".")]
    return digits[0] * 10000 + digits[1] * 100 + digits[2]
