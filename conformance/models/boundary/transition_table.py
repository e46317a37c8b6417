"""The worklog's transition table: the parser's type and the type of an event -> whether the step is right.

Source: WL#4162, High-Level Specification, Transaction Boundary Parser Transition Table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from conformance.binlog.total_table import total
from conformance.models.boundary.boundary_type import BoundaryType


class StepOutcome(Enum):
    """The two words of the table's cells."""

    OK = "Ok"
    ERR = "Err"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the table.

    Attributes:
        before: The parser's type, the table's column.
        fed: The type of the event, the table's row.
        outcome: Whether the step is right.
        requirement: Id of the requirement for the cell.
    """

    before: BoundaryType
    fed: BoundaryType
    outcome: StepOutcome
    requirement: str

    @property
    def warning(self) -> str | None:
        """The warning for a wrong step, worded as the worklog's format string; None for a right one."""
        if self.outcome is StepOutcome.OK:
            return None
        return f"Unable to change boundary parser from {self.before.heading} to {self.fed.heading}."

    @property
    def after(self) -> BoundaryType:
        """The parser's type after the event: a wrong step resets the parser."""
        return self.fed if self.outcome is StepOutcome.OK else BoundaryType.NOT_DEFINED


#: The columns of the table: every type that a parser can have as its state.
COLUMNS: Final = tuple(each for each in BoundaryType if each is not BoundaryType.IGNORE_BOUNDARY)
#: The rows of the table that have cells; rows 0 and 1 are footnotes: the type of an event without a marker
#: is guessed, and an event to be ignored leaves the parser unchanged.
ROWS: Final = COLUMNS[1:]

#: To -> the outcome for each column, in the order of `COLUMNS`.
_OUTCOMES: Final[Mapping[BoundaryType, str]] = total(
    f"{__name__}._OUTCOMES",
    ROWS,
    {
        BoundaryType.SELF_CONTAINED: "Ok Ok Err Err Ok",
        BoundaryType.START_TRANSACTION: "Ok Ok Err Err Ok",
        BoundaryType.INSIDE_TRANSACTION: "Err Err Ok Ok Err",
        BoundaryType.END_TRANSACTION: "Err Err Ok Ok Err",
    },
    entry="the outcome for each column",
)
#: The name of each type in the ids of the cells.
_IN_IDS: Final[Mapping[BoundaryType, str]] = total(
    f"{__name__}._IN_IDS",
    COLUMNS,
    {
        BoundaryType.NOT_DEFINED: "UNDEFINED",
        BoundaryType.SELF_CONTAINED: "SELF",
        BoundaryType.START_TRANSACTION: "START",
        BoundaryType.INSIDE_TRANSACTION: "INSIDE",
        BoundaryType.END_TRANSACTION: "END",
    },
    entry="what the catalogue calls it",
)


def _cells() -> Iterator[Cell]:
    for fed, row in _OUTCOMES.items():
        for before, word in zip(COLUMNS, row.split(), strict=True):
            yield Cell(before, fed, StepOutcome(word), f"WL4162-TT-{_IN_IDS[before]}-{_IN_IDS[fed]}")


#: The twenty cells by column and row.
CELLS: Final[Mapping[tuple[BoundaryType, BoundaryType], Cell]] = {(each.before, each.fed): each for each in _cells()}


def cell(before: BoundaryType, fed: BoundaryType) -> Cell:
    """Return the cell for a parser of the type `before` and an event of the type `fed`.

    Raises:
        ValueError: The table has no such cell: a parser is never of the type Ignore Boundary, and an event of the
            types Not Defined and Ignore Boundary has none.
    """
    if (before, fed) not in CELLS:
        raise ValueError(f"the transition table has no cell from {before.heading} to {fed.heading}")
    return CELLS[before, fed]
