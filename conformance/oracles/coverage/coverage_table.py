"""Tables of coverage: what cases exercise, counted in cells."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.strategies.grammar.case import Case

#: One cell of a table: the texts of its columns.
Cell = tuple[str, ...]


def _everywhere(cell: Cell, profile: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class CoverageTable:
    """A table of what cases exercise; a module of oracles names its own in ``COVERAGE_TABLES``.

    Attributes:
        name: What it shows, such as ``cells of the transition table``.
        columns: What the texts of a cell mean.
        cells: Returns the cells that a case exercises, each as many times as it does.
        every: All cells, so that those not exercised can be listed; empty if they cannot be listed.
        occurs: Whether a cell can occur under a profile, as far as that is known.
        role: The role whose cases exercise it; None for every role.
    """

    name: str
    columns: tuple[str, ...]
    cells: Callable[[Case], Iterable[Cell]]
    every: tuple[Cell, ...] = ()
    role: str | None = None
    occurs: Callable[[Cell, str], bool] = _everywhere
