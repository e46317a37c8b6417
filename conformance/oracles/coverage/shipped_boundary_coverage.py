"""What a run in the role `boundary` reached of the parser that servers ship: the cells of its table of states."""

from collections.abc import Iterator, Mapping
from typing import Final

from conformance.models.boundary.shipped_tables import CELLS
from conformance.oracles.coverage.coverage_table import Cell, CoverageTable
from conformance.strategies.grammar.case import Case

#: Names of the state before an event and of what the event is -> the cell.
_TEXTS: Final[Mapping[tuple[str, str], Cell]] = {
    (state.name, kind.name): (state.name, kind.name, "Err" if cell.error else "Ok")
    for (state, kind), cell in CELLS.items()
}


def _cells(case: Case) -> Iterator[Cell]:
    yield from map(_TEXTS.__getitem__, case.expected.shipped_steps)


#: What a corpus, or a night of fuzzing, reached.
SHIPPED_BOUNDARY_TABLES: Final = (
    CoverageTable(
        "cells of the parser that servers ship",
        ("state", "event", "outcome"),
        _cells,
        tuple(_TEXTS.values()),
        role="boundary",
    ),
)
