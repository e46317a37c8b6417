"""Tables of coverage: what cases exercise, counted by cells."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.strategies.grammar.case import Case

#: What a table is counted by: the texts of its columns.
Cell = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CoverageTable:
    """A table of what cases exercise; a module of oracles names its own in ``COVERAGE_TABLES``.

    Attributes:
        name: What it shows, such as ``cells of the transition table``.
        columns: What the texts of a cell mean.
        cells: Returns the cells that a case exercises, one as often as it does.
        every: The cells that there are, so that what was not reached is seen; empty where there is no end to them.
        role: The role whose cases exercise it; None for every role.
    """

    name: str
    columns: tuple[str, ...]
    cells: Callable[[Case], Iterable[Cell]]
    every: tuple[Cell, ...] = ()
    role: str | None = None
