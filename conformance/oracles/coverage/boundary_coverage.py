"""What a run in the role `boundary` exercised: cells of the transition table, states, event types in them, lengths."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from conformance.binlog.event_types import type_name
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.transition_table import CELLS
from conformance.models.boundary.transition_table import Cell as TransitionCell
from conformance.oracles.coverage.coverage_table import Cell, CoverageTable
from conformance.strategies.grammar.case import Case

_CELL_OF: Final[Mapping[str, TransitionCell]] = {cell.requirement: cell for cell in CELLS.values()}
#: The states of a parser that only reports whether a transaction is open.
_WITHIN: Final = {"yes": "within a transaction", "no": "outside any transaction"}
#: The states of the worklog's parser, which is never in Ignore Boundary, and of the shipped parser.
_STATES: Final = (
    *(each.heading for each in BoundaryType if each is not BoundaryType.IGNORE_BOUNDARY),
    *_WITHIN.values(),
)


def _texts(cell: TransitionCell) -> Cell:
    return cell.before.heading, cell.fed.heading, cell.outcome.value


def _cells(case: Case) -> Iterator[Cell]:
    for requirement, indices in case.marks.items():
        if requirement in _CELL_OF:
            yield from (_texts(_CELL_OF[requirement]) for _ in indices)


def _state(entry: Mapping[str, Any]) -> str:
    return str(entry.get("state") or _WITHIN[entry["within_transaction"]])


def _states(case: Case) -> Iterator[Cell]:
    yield from ((_state(entry),) for entry in case.expected.events)


def _types_and_states(case: Case) -> Iterator[Cell]:
    yield from ((type_name(entry["type"]), _state(entry)) for entry in case.expected.events)


def _lengths(case: Case) -> Iterator[Cell]:
    events = len(case.expected.events)
    yield (f"up to {1 << max(events - 1, 0).bit_length()} events",)


_table: Final = partial(CoverageTable, role="boundary")
#: What a corpus or a fuzzing run exercised.
BOUNDARY_TABLES: Final = (
    _table("cells of the transition table", ("from", "to", "outcome"), _cells, tuple(map(_texts, CELLS.values()))),
    _table("states of the boundary parser", ("state",), _states, tuple((each,) for each in _STATES)),
    _table("event types and the states after them", ("event type", "state"), _types_and_states),
    _table("lengths of boundary sequences", ("events",), _lengths),
)
