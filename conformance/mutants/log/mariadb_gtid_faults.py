"""Servers of MariaDB that write the Gtid event of a group at another place."""

from collections.abc import Iterator
from dataclasses import replace

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.scenario import Scenario


def gtid_second(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Write the Gtid event of each group of MariaDB after the group's first event."""
    first, *others = unit.events
    if first.type == EventType.MARIADB_GTID:
        others.insert(1, first)
        yield replace(unit, events=tuple(others))
    else:
        yield unit


def is_alone(log: PlannedLog, unit: Unit, event: LoggedEvent) -> bool:
    """Return whether an event is MariaDB's Gtid event of a statement outside a transaction."""
    return event.type == EventType.MARIADB_GTID and bool(event.fields["mariadb_gtid_flags"] & STANDALONE)
