"""Facts about the events of a stream for a boundary parser, from which their requirements follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, WITHIN_TRANSACTION, BoundaryType
from conformance.models.boundary.event_class import EventClass, event_class
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import Kind, Standing, guessed_row, kind_of, standing_of
from conformance.models.boundary.open_readings import OpenReadings, ParserState
from conformance.models.boundary.shipped_parser import ShippedStep
from conformance.models.boundary.transition_table import StepOutcome
from conformance.models.boundary.type_table import TypeRow
from conformance.models.boundary.worklog_parser import ParserStep, WorklogParser

#: Where in its body a format description has the post-header length of Query events.
_QUERY_LENGTH_AT: Final = 57 + EventType.QUERY - 1


@dataclass(frozen=True, slots=True)
class Fact:
    """One event in its context.

    Attributes:
        fed: What is fed of the event.
        step: The step of the worklog's parser on it.
        entry: The entry that an answer must have for it.
        shipped: The step on it of the parser that its servers ship; None under the worklog's profile.
        before: The parser's type before it.
        standing: The progress of the transaction before it.
        row: The row of the type table by which its type is guessed, even if the event has a marker.
        within: Whether the worklog's parser is within a transaction after it.
        stream: Number of the stream it is in: each reset begins another one.
        first: Whether it is the first event of its stream that takes part.
        opening: Whether it is the first event of its stream.
        without_reset: The parser's step if there had been no reset before its stream; None elsewhere.
        remembered: The parser's step if resets did not forget whether a transaction had a BEGIN.
        after_error: Whether the last event before it that takes part was a wrong step.
        opened_by: Type code of the event that opened the transaction it belongs to; None outside one.
        uncertain: Whether a parser with another reading, where the worklog leaves one open, takes another step at the
            event.
        certain_within: Whether every such parser is within a transaction after the event exactly where this one is.
        extended: Whether Query events have the layout of WL#40.
    """

    fed: FedEvent
    step: ParserStep
    entry: Mapping[str, Any]
    shipped: ShippedStep | None
    before: BoundaryType
    standing: Standing
    row: TypeRow
    within: bool
    stream: int
    first: bool
    opening: bool
    without_reset: ParserStep | None
    remembered: ParserStep
    after_error: bool
    opened_by: int | None
    uncertain: bool
    certain_within: bool
    extended: bool

    @property
    def marked(self) -> bool:
        """Whether the event has a marker."""
        return self.step.marker is not BoundaryType.NOT_DEFINED

    @property
    def spare(self) -> bool:
        """Whether its marker is one of the spare values, for which nothing is required."""
        return MARKER_BITS.stored(self.fed.flags) in SPARE_VALUES

    @property
    def error(self) -> bool:
        """Whether it is a wrong step."""
        return self.step.cell is not None and self.step.cell.outcome is StepOutcome.ERR

    @property
    def accepted(self) -> bool:
        """Whether it is a right step."""
        return self.step.cell is not None and self.step.cell.outcome is StepOutcome.OK

    @property
    def type(self) -> BoundaryType:
        """The boundary type that the parser works with."""
        return self.step.boundary_type

    @property
    def event_class(self) -> EventClass:
        """The class of the event."""
        return event_class(self.fed)

    @property
    def kind(self) -> Kind:
        """The kind of event, on which its row depends."""
        return kind_of(self.fed, self.event_class)


class FactFinder:
    """Follows a stream with the worklog's parser."""

    def __init__(self) -> None:
        self._extended = False
        self._parser = WorklogParser()
        #: The parser as it would be without the last reset: it is fed the first event after that.
        self._unreset: WorklogParser | None = None
        #: The parser as it would be if resets did not forget whether a transaction had a BEGIN.
        self._remembering = WorklogParser()
        self._stream = 0
        self._opening = True
        self._first = True
        self._after_error = False
        self._opened_by: int | None = None
        self._readings = OpenReadings()

    def reset(self) -> None:
        """Begin another stream."""
        self._unreset, self._parser = self._parser, WorklogParser()
        self._remembering.state = BoundaryType.NOT_DEFINED
        self._stream += 1
        self._opening = self._first = True
        self._after_error = False
        self._readings.reset()
        self._opened_by = None

    def describe_format(self, body: bytes) -> None:
        """Read the body of a format description."""
        self._extended = body[_QUERY_LENGTH_AT] == EXTENDED_QUERY_POST_HEADER

    def fact(self, fed: FedEvent, entry: Mapping[str, Any], shipped: ShippedStep | None) -> Fact:
        """Return the fact about the next event."""
        parser = self._parser
        before, begun = parser.state, parser.begun
        standing = standing_of(before, begun)
        step = parser.feed(fed)
        taking_part = step.cell is not None
        if taking_part and step.boundary_type is BoundaryType.START_TRANSACTION:
            self._opened_by = fed.type
        within = parser.within_transaction
        uncertain = self._is_open(fed, (before, begun), step)
        without_reset = None
        if self._unreset is not None and taking_part:
            without_reset, self._unreset = self._unreset.feed(fed), None
        fact = Fact(
            fed=fed,
            step=step,
            entry=entry,
            shipped=shipped,
            before=before,
            standing=standing,
            row=guessed_row(fed, standing),
            within=within,
            stream=self._stream,
            first=self._first,
            opening=self._opening,
            without_reset=without_reset,
            remembered=self._remembering.feed(fed),
            after_error=self._after_error,
            opened_by=self._opened_by,
            uncertain=uncertain,
            certain_within=all((state in WITHIN_TRANSACTION) == within for state, _ in self._readings.states),
            extended=self._extended,
        )
        self._opening = False
        if taking_part:
            self._first = False
            self._after_error = fact.error
        if not parser.within_transaction:
            self._opened_by = None
        return fact

    def _is_open(self, fed: FedEvent, before: ParserState, step: ParserStep) -> bool:
        """Return whether a parser with another reading is elsewhere before an event, or takes another step at it."""
        elsewhere, others = self._readings.states != (before,), self._readings.feed(fed)
        return elsewhere or any(
            (other.boundary_type, other.state, other.warning) != (step.boundary_type, step.state, step.warning)
            for other in others
        )
