"""Heartbeats that a client delivers, as if they were events of a log."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.binlog.event_types import HEARTBEAT_TYPES
from conformance.oracles.alignment import Alignment
from conformance.oracles.counted import counted
from conformance.oracles.oracle import GOOD, Check

HEARTBEAT_DELIVERED: Final = "heartbeat delivered"


def is_heartbeat(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry of a client's answer is about a heartbeat."""
    return entry["type"] in HEARTBEAT_TYPES


def no_heartbeat(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that no entry is about a heartbeat."""
    events = alignment.observation.events
    seen = sum(is_heartbeat(events[place]) for place in alignment.phantoms)
    yield Check(HEARTBEAT_DELIVERED, f"{counted(seen, 'heartbeat')} delivered") if seen else GOOD
