"""Coverage: what the streams of a corpus hold, as tables of cells that are counted for each profile."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.flags import flag_names
from conformance.binlog.servers import READER_RULES
from conformance.oracles.coverage.coverage_table import Cell, CoverageTable
from conformance.oracles.registry import coverage_tables_of
from conformance.specs.catalogue import roles
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families


@cache
def _type_and_flags(type_code: int, flags: int) -> Cell:
    return type_name(type_code), flag_names(flags)


def _event_types_and_flags(case: Case) -> Iterable[Cell]:
    return [_type_and_flags(event["type"], event["flags"]) for event in case.expected.events if "flags" in event]


#: The first position of a refused event in each bucket.
_POSITIONS: Final = (0, 1, 2, 3, 5, 9, 17, 33)


@cache
def position(index: int) -> str:
    """Return the bucket of positions that contains an event's index."""
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


def _server_has_type(cell: Cell, profile: str) -> bool:
    code = EventType.__members__.get(cell[0])
    return code is None or code in READER_RULES[profile].known


def _family_has_profile(cell: Cell, profile: str) -> bool:
    family = families().get(cell[0])
    return family is None or profile in family.profiles


#: Event types with their flags.
EVENT_TYPES: Final = CoverageTable(
    "event types and flags", ("event type", "flags"), _event_types_and_flags, occurs=_server_has_type
)
#: Families.
FAMILIES: Final = CoverageTable("families", ("family",), lambda case: ((case.id.family,),), occurs=_family_has_profile)
#: Refused events: the family, the kind of fault, and the number of events before it.
FAULTS: Final = CoverageTable(
    "faults and positions",
    ("family", "fault", "events before it"),
    _faults_and_positions,
    occurs=_family_has_profile,
)


@cache
def coverage_tables(role: str | None = None) -> tuple[CoverageTable, ...]:
    """Return every table, or those that the cases of one role can exercise."""
    return (EVENT_TYPES, FAMILIES, FAULTS, *tables_of_oracles(role))


@cache
def tables_of_oracles(role: str | None = None) -> tuple[CoverageTable, ...]:
    """Return the tables of the oracles of every role, or of one."""
    return tuple(table for each in (roles() if role is None else (role,)) for table in coverage_tables_of(each))


def cell_text(cell: Cell) -> str:
    """Return a cell as one text, for a report."""
    return " / ".join(cell)
