"""The transaction boundary parser of WL#4162.

Source: WL#4162, High-Level Specification and rpl_slave.cc M3: a wrong step gives a warning and resets the parser.
"""

from dataclasses import dataclass
from typing import Final

from conformance.models.boundary.boundary_type import MARKER_BITS, WITHIN_TRANSACTION, BoundaryType, MarkerBits
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import guessed_row, is_begin, standing_of
from conformance.models.boundary.transition_table import Cell, StepOutcome, cell
from conformance.models.boundary.type_table import TypeRow

_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY


@dataclass(frozen=True, slots=True)
class ParserStep:
    """What the parser did with one event.

    Attributes:
        marker: The boundary type that was read; Not Defined if the event has no marker.
        boundary_type: The boundary type that the parser used: the marker, or the guess if there is none.
        state: The parser's type after the event.
        cell: The cell of the transition table that was used; None for an event that is ignored.
        guess: The row of the type table that gave the guess; None for a marked event.
    """

    marker: BoundaryType
    boundary_type: BoundaryType
    state: BoundaryType
    cell: Cell | None
    guess: TypeRow | None

    @property
    def warning(self) -> str | None:
        """The warning that the step gives, None if it is right."""
        return self.cell.warning if self.cell else None


class WorklogParser:
    """Parses one stream of events; a new stream needs a reset.

    Attributes:
        state: The parser's type.
        begun: Whether the open transaction has a BEGIN, which only the guess needs.
    """

    def __init__(self, *, bits: MarkerBits = MARKER_BITS) -> None:
        self._bits = bits
        self.state = BoundaryType.NOT_DEFINED
        self.begun = False

    @property
    def within_transaction(self) -> bool:
        """Whether the stream is within a transaction."""
        return self.state in WITHIN_TRANSACTION

    def reset(self) -> None:
        """Return to the state Not Defined, for another stream."""
        self.state = BoundaryType.NOT_DEFINED
        self.begun = False

    def feed(self, event: FedEvent) -> ParserStep:
        """Take the next event of the stream, and return the step."""
        marker = self.read_marker(event)
        guess = self.guess(event) if marker is BoundaryType.NOT_DEFINED else None
        boundary_type = guess.boundary_type if guess else marker
        used = None if boundary_type is _IGNORE else self.look_up(boundary_type)
        if used is not None:
            self.take(used, event)
        return ParserStep(marker, boundary_type, self.state, used, guess)

    def read_marker(self, event: FedEvent) -> BoundaryType:
        """Return the boundary type that the header of an event holds."""
        return self._bits.read(event.flags)

    def guess(self, event: FedEvent) -> TypeRow:
        """Return the row of the type table that applies to an event without a marker."""
        return guessed_row(event, standing_of(self.state, self.begun))

    def look_up(self, boundary_type: BoundaryType) -> Cell:
        """Return the cell of the transition table for an event of a type."""
        return cell(self.state, boundary_type)

    def take(self, used: Cell, event: FedEvent) -> None:
        """Apply a cell; a wrong step resets the parser."""
        if used.outcome is StepOutcome.ERR:
            self.reset()
            return
        self.state = used.after
        self.begun = self.within_transaction and (is_begin(event) or self.begun)
