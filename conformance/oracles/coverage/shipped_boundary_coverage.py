"""What a run in the role `boundary` exercised of the shipped parser: the cells of its state table."""

from collections.abc import Iterator, Mapping
from typing import Final

from conformance.models.boundary.shipped_tables import CELLS
from conformance.oracles.coverage.coverage_table import Cell, CoverageTable
from conformance.strategies.grammar.case import Case

#: The names of the state before an event and of the event's kind -> the cell.
_TEXTS: Final[Mapping[tuple[str, str], Cell]] = {
    (state.name, kind.name): (state.name, kind.name, "Err" if cell.error else "Ok")
    for (state, kind), cell in CELLS.items()
}


def _cells(case: Case) -> Iterator[Cell]:
    yield from map(_TEXTS.__getitem__, case.expected.shipped_steps)


#: What a corpus or a fuzzing run exercised.
SHIPPED_BOUNDARY_TABLES: Final = (
    CoverageTable(
        "cells of the shipped parser",
        ("state", "event", "outcome"),
        _cells,
        tuple(_TEXTS.values()),
        role="boundary",
    ),
)
