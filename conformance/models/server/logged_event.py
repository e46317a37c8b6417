"""Planned events with their fields, and planned logs with their events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event that has no place in a log yet.

    Attributes:
        type: Event type code.
        fields: The fields after the common header by name; in a Gtid event, without those that depend on its place.
        flags: The flags word, without a boundary marker.
        rows: The images of a rows event: (before, after), None for a missing one.
        generated: Whether the server wrote the statement's text itself.
        statement: Index of the statement that it is logged for if the end of another one wrote it; else None.
    """

    type: EventType
    fields: Mapping[str, Any]
    flags: int = 0
    rows: tuple[tuple[Any, Any], ...] = ()
    generated: bool = False
    statement: int | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """Events that belong together: one transaction, or one event outside any.

    Attributes:
        events: The events, a Gtid event first.
        statement: Index of the statement with which they were written; None for those of the server's first start.
        transaction: Whether they are a transaction.
        timestamp: Seconds since 1970.
    """

    events: tuple[LoggedEvent, ...]
    statement: int | None
    transaction: bool
    timestamp: int


@dataclass(slots=True, eq=False)
class PlannedLog:
    """One binary log.

    Attributes:
        name: Its file name.
        number: The number in its name, from 1.
        format: Its format description.
        server_id: Id of the server.
        boundary_markers: Whether its events are marked.
        units: Its contents, the format description first.
        transactions: The number of its transactions, whose sequence numbers count from 1.
        previous_gtids: The set of its Previous_gtids event; None without one.
        gtid_mode: The server's gtid_mode when the log was begun.
    """

    name: str
    number: int
    format: FormatDescription
    server_id: int
    boundary_markers: bool
    units: list[Unit] = field(default_factory=list)
    transactions: int = 0
    previous_gtids: GtidSet | None = None
    gtid_mode: str = "OFF"

    @property
    def events(self) -> list[LoggedEvent]:
        """Its events, in order."""
        return [event for unit in self.units for event in unit.events]
