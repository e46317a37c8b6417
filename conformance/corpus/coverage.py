"""Coverage: what the streams of a corpus held, as tables of cells that are counted for each profile."""

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final, Protocol

from conformance import oracles
from conformance.binlog.event_types import type_name
from conformance.binlog.flags import flag_names
from strategies.case import Case

#: What a table is counted by: the texts of its columns.
Cell = tuple[str, ...]

#: The name by which a module of oracles hands over tables of its own.
TABLES_OF_A_MODULE: Final = "COVERAGE_TABLES"


class CoverageTable(Protocol):
    """A table of what cases exercise; a module of oracles names its own in ``COVERAGE_TABLES``."""

    @property
    def name(self) -> str:
        """What it shows, such as ``boundary cells``."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What the texts of a cell mean."""

    @property
    def cells(self) -> Callable[[Case], Iterable[Cell]]:
        """Returns the cells that a case exercises, one as often as it does."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of coverage: its name, its columns, and which cells a case exercises."""

    name: str
    columns: tuple[str, ...]
    cells: Callable[[Case], Iterable[Cell]]


@cache
def _type_and_flags(type_code: int, flags: int) -> Cell:
    return type_name(type_code), flag_names(flags)


def _event_types_and_flags(case: Case) -> Iterable[Cell]:
    return [_type_and_flags(event["type"], event["flags"]) for event in case.expected.events]


#: Positions of a refused event: the first index of each bucket.
_POSITIONS: Final = (0, 1, 2, 3, 5, 9, 17, 33)


@cache
def position(index: int) -> str:
    """Return the bucket of positions that an event's index falls into."""
    for first, following in zip(_POSITIONS, (*_POSITIONS[1:], None), strict=True):
        if following is None:
            return f"{first}+"
        if index < following:
            return str(first) if following == first + 1 else f"{first}-{following - 1}"
    raise AssertionError("the last bucket has no end")


def _faults_and_positions(case: Case) -> Iterable[Cell]:
    if case.expected.refused_at is None:
        return ()
    return ((case.id.family, case.expected.refused_kind, position(len(case.expected.events))),)


#: Event types with their flags.
EVENT_TYPES: Final = Table("event types and flags", ("event type", "flags"), _event_types_and_flags)
#: Families.
FAMILIES: Final = Table("families", ("family",), lambda case: ((case.id.family,),))
#: Refused events: which family, why, and how many events stand before it.
FAULTS: Final = Table("faults and positions", ("family", "fault", "events before it"), _faults_and_positions)


@cache
def coverage_tables() -> tuple[CoverageTable, ...]:
    """Return every table: those of all corpora, and those that modules of oracles name."""
    tables: list[CoverageTable] = [EVENT_TYPES, FAMILIES, FAULTS]
    for module in sorted(each.name for each in pkgutil.iter_modules(oracles.__path__, f"{oracles.__name__}.")):
        tables += getattr(import_module(module), TABLES_OF_A_MODULE, ())
    return tuple(tables)
