"""A table that a statement locks, with the current capability of its handler."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.models.decision.capability import Capability

#: The name of the engine of partitioned tables.
PARTITION: Final = "partition"


@dataclass(frozen=True, slots=True)
class LockedTable:
    """One locked table.

    Attributes:
        engine: Name of its engine in lower case, `PARTITION` for a partitioned table.
        capability: The flags of its handler. They belong to the opened table and not to the engine: two tables of one
            engine may differ (WL#3303, class handler).
        written: Whether it is locked for writing, a to-write table; otherwise for reading.
        self_logging: Whether its engine writes to the binary log itself.
        replicated: Whether its changes are logged; those of performance_schema are not.
    """

    engine: str
    capability: Capability
    written: bool = True
    self_logging: bool = False
    replicated: bool = True


def partitioned(parts: Sequence[LockedTable], *, written: bool = True) -> LockedTable:
    """Return the partitioned table over the given parts: it has a capability only if all of its parts have it.

    Raises:
        ValueError: There are no parts.
    """
    if not parts:
        raise ValueError("a partitioned table needs at least one part")
    return LockedTable(
        engine=PARTITION,
        capability=Capability.of_set(each.capability for each in parts),
        written=written,
        self_logging=any(each.self_logging for each in parts),
        replicated=all(each.replicated for each in parts),
    )


def locked_capability(tables: Iterable[LockedTable]) -> Capability:
    """Return RLC and SLC of all locked tables, those locked for reading included (WL#3303, mysql_lock_tables())."""
    return Capability.of_set(each.capability for each in tables)


def written_capability(tables: Iterable[LockedTable]) -> Capability:
    """Return RLC and SLC of the to-write tables alone, which decide in shipped servers."""
    return Capability.of_set(each.capability for each in tables if each.written)
