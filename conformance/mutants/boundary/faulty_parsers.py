"""Boundary parsers with one fault each, for the mutants of the role `boundary`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.event_class import CONTEXT_CLASSES, EventClass, event_class
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import Kind, guessed_row, kind_of, standing_of
from conformance.models.boundary.transition_table import CELLS, Cell, StepOutcome
from conformance.models.boundary.type_table import Situation, TypeRow, type_row
from conformance.models.boundary.worklog_parser import ParserStep, WorklogParser

#: Boundary type -> the wrong type that a mutant uses instead.
OTHER_TYPES: Final = {
    BoundaryType.IGNORE_BOUNDARY: BoundaryType.SELF_CONTAINED,
    BoundaryType.SELF_CONTAINED: BoundaryType.INSIDE_TRANSACTION,
    BoundaryType.START_TRANSACTION: BoundaryType.SELF_CONTAINED,
    BoundaryType.INSIDE_TRANSACTION: BoundaryType.SELF_CONTAINED,
    BoundaryType.END_TRANSACTION: BoundaryType.INSIDE_TRANSACTION,
}

#: The most events inside a transaction that `ManyInside` accepts.
MOST_INSIDE: Final = 64


class OtherCell(WorklogParser):
    """A parser with the opposite outcome in one cell of the transition table."""

    def __init__(self, requirement: str) -> None:
        super().__init__()
        self._requirement = requirement

    def look_up(self, boundary_type: BoundaryType) -> Cell:
        """See `WorklogParser.look_up`."""
        cell = super().look_up(boundary_type)
        if cell.requirement != self._requirement:
            return cell
        return replace(cell, outcome=StepOutcome.ERR if cell.outcome is StepOutcome.OK else StepOutcome.OK)


class OtherType(WorklogParser):
    """A parser that guesses a wrong type by one row of the type table."""

    def __init__(self, requirement: str) -> None:
        super().__init__()
        self._requirement = requirement

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        row = super().guess(event)
        if row.requirement != self._requirement or event_class(event) is EventClass.EXECUTE_LOAD_QUERY:
            return row
        return replace(row, boundary_type=OTHER_TYPES[row.boundary_type])


class RemembersBegin(WorklogParser):
    """A parser that still knows after a reset that the open transaction had a BEGIN."""

    def reset(self) -> None:
        """See `WorklogParser.reset`."""
        begun = self.begun
        super().reset()
        self.begun = begun

    def take(self, used: Cell, event: FedEvent) -> None:
        """See `WorklogParser.take`."""
        super().take(used, event)
        self.begun = self.begun and self.within_transaction


class ForgetsMarkedBegin(WorklogParser):
    """A parser that reads whether a transaction has a BEGIN only from one without a marker."""

    def take(self, used: Cell, event: FedEvent) -> None:
        """See `WorklogParser.take`."""
        begun = self.begun
        super().take(used, event)
        if self.read_marker(event) is not BoundaryType.NOT_DEFINED:
            self.begun = self.begun and begun


class ContextStartsAgain(WorklogParser):
    """A parser that guesses an Intvar directly after a Gtid event to start a transaction."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        row = super().guess(event)
        starts = event.type == EventType.INTVAR and self.state is BoundaryType.START_TRANSACTION and not self.begun
        return replace(row, boundary_type=BoundaryType.START_TRANSACTION) if starts else row


class GuessesAlways(WorklogParser):
    """A parser that guesses the type although there is a marker."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        marker = self.read_marker(event)
        return replace(super().feed(event._replace(flags=MARKER_BITS.write(event.flags, 0))), marker=marker)


class GuessesArtificial(WorklogParser):
    """A parser that guesses the type of artificial events although there is a marker."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        marker = self.read_marker(event)
        fed = event._replace(flags=MARKER_BITS.write(event.flags, 0)) if event.artificial else event
        return replace(super().feed(fed), marker=marker)


class GuessesNothing(WorklogParser):
    """A parser that ignores events without a marker."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        if self.read_marker(event) is BoundaryType.NOT_DEFINED:
            return ParserStep(BoundaryType.NOT_DEFINED, BoundaryType.NOT_DEFINED, self.state, None, None)
        return super().feed(event)


class HeaderOnly(WorklogParser):
    """A parser that is not given statements."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        return guessed_row(event._replace(query=None), standing_of(self.state, self.begun))


class PrefixOfRollback(WorklogParser):
    """A parser that reads ROLLBACK TO as ROLLBACK."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        if event.query is not None and event.query.startswith(b"ROLLBACK"):
            return type_row(EventClass.QUERY, Situation.COMMIT_OR_ROLLBACK)
        return super().guess(event)


class OddReturns(WorklogParser):
    """A parser that knows ROLLBACK TO by one space between the words, and else reads the first word alone."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        words = (event.query or b"").upper().split()
        if words[:1] == [b"ROLLBACK"] and not (event.query or b"").upper().startswith(b"ROLLBACK TO "):
            return type_row(EventClass.QUERY, Situation.COMMIT_OR_ROLLBACK)
        return super().guess(event)


class WordsByPrefix(WorklogParser):
    """A parser to which a statement that begins with BEGIN or COMMIT is that word."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        word = next((each for each in (b"BEGIN", b"COMMIT") if (event.query or b"").startswith(each)), event.query)
        return super().guess(event._replace(query=word))


class LoadAlone(WorklogParser):
    """A parser to which Execute_load_query is always self-contained."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        if event_class(event) is EventClass.EXECUTE_LOAD_QUERY:
            return type_row(EventClass.LOG_EVENT, Situation.MADE)
        return super().guess(event)


class LoadWordsUnread(WorklogParser):
    """A parser that does not look for words in Execute_load_query."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        loads = event_class(event) is EventClass.EXECUTE_LOAD_QUERY
        return super().guess(event._replace(query=b"LOAD DATA") if loads else event)


class GtidsIgnored(WorklogParser):
    """A parser that ignores unmarked Gtid events."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        row = super().guess(event)
        gtid = event_class(event) is EventClass.GTID
        return replace(row, boundary_type=BoundaryType.IGNORE_BOUNDARY) if gtid else row


class XaPrepareAlone(WorklogParser):
    """A parser to which XA_prepare is self-contained."""

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        if event.type == EventType.XA_PREPARE:
            return type_row(EventClass.LOG_EVENT, Situation.MADE)
        return super().guess(event)


class OtherTypeIf(WorklogParser):
    """A parser that guesses another type of some events.

    Args:
        condition: Returns whether an event is one of them, with the parser before it.
        boundary_type: The type that it guesses.
    """

    def __init__(self, condition: Callable[[WorklogParser, FedEvent], bool], boundary_type: BoundaryType) -> None:
        super().__init__()
        self._condition, self._type = condition, boundary_type

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        row = super().guess(event)
        return replace(row, boundary_type=self._type) if self._condition(self, event) else row


class ForgetsContext(WorklogParser):
    """A parser to which a statement is self-contained if only context events come before it."""

    def __init__(self) -> None:
        super().__init__()
        self._after_context = False

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        row = super().guess(event)
        alone = row.situation is Situation.IMMEDIATE_IN_GROUP and self._after_context
        self._after_context = event_class(event) in CONTEXT_CLASSES
        return replace(row, boundary_type=BoundaryType.SELF_CONTAINED) if alone else row


class NotMixed(WorklogParser):
    """A parser that does not expect rows after a statement of the same transaction."""

    def __init__(self) -> None:
        super().__init__()
        self._statement = False

    def guess(self, event: FedEvent) -> TypeRow:
        """See `WorklogParser.guess`."""
        row = super().guess(event)
        its_class = event_class(event)
        if kind_of(event, its_class) is Kind.STATEMENT:
            self._statement = True
        elif not self.within_transaction:
            self._statement = False
        rows = its_class is EventClass.TABLE_MAP and self._statement and self.within_transaction
        return replace(row, boundary_type=BoundaryType.SELF_CONTAINED) if rows else row


class IgnoreIsSelf(WorklogParser):
    """A parser that takes the step of a self-contained event for events with Ignore Boundary."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        step = super().feed(event)
        if step.cell is not None:
            return step
        used = self.look_up(BoundaryType.SELF_CONTAINED)
        self.take(used, event)
        return replace(step, state=self.state, cell=used)


class EndIsUndefined(WorklogParser):
    """A parser that returns to Not Defined at the end of a transaction."""

    def take(self, used: Cell, event: FedEvent) -> None:
        """See `WorklogParser.take`."""
        super().take(used, event)
        if self.state is BoundaryType.END_TRANSACTION:
            self.reset()


class ThreeInside(WorklogParser):
    """A parser that accepts at most two successive events inside a transaction."""

    def __init__(self) -> None:
        super().__init__()
        self._inside = 0

    def look_up(self, boundary_type: BoundaryType) -> Cell:
        """See `WorklogParser.look_up`."""
        self._inside = self._inside + 1 if boundary_type is BoundaryType.INSIDE_TRANSACTION else 0
        cell = super().look_up(boundary_type)
        return replace(cell, outcome=StepOutcome.ERR) if self._inside > 2 else cell


class ManyInside(WorklogParser):
    """A parser that accepts at most as many successive events inside a transaction as fit in its buffer."""

    def __init__(self) -> None:
        super().__init__()
        self._inside = 0

    def look_up(self, boundary_type: BoundaryType) -> Cell:
        """See `WorklogParser.look_up`."""
        self._inside = self._inside + 1 if boundary_type is BoundaryType.INSIDE_TRANSACTION else 0
        cell = super().look_up(boundary_type)
        return replace(cell, outcome=StepOutcome.ERR) if self._inside > MOST_INSIDE else cell


class WarnsAtStart(WorklogParser):
    """A parser that warns about a stream that begins with a transaction."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        step = super().feed(event)
        begins = step.cell is CELLS[BoundaryType.NOT_DEFINED, BoundaryType.START_TRANSACTION]
        return replace(step, cell=replace(step.cell, outcome=StepOutcome.ERR)) if begins and step.cell else step


class WarnsOnce(WorklogParser):
    """A parser that warns about the first of several successive wrong steps only."""

    def __init__(self) -> None:
        super().__init__()
        self._warned = False

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        step = super().feed(event)
        if step.cell is None:
            return step
        before, self._warned = self._warned, step.warning is not None
        return replace(step, cell=None) if before and step.warning else step


class EmptyTransaction(WorklogParser):
    """A parser to which an empty transaction is wrong."""

    def look_up(self, boundary_type: BoundaryType) -> Cell:
        """See `WorklogParser.look_up`."""
        cell = super().look_up(boundary_type)
        empty = cell is CELLS[BoundaryType.START_TRANSACTION, BoundaryType.END_TRANSACTION]
        return replace(cell, outcome=StepOutcome.ERR) if empty else cell


class NoReset(WorklogParser):
    """A parser that a reset does not change; it still goes to Not Defined after a wrong step."""

    def reset(self) -> None:
        """Do nothing."""

    def take(self, used: Cell, event: FedEvent) -> None:
        """See `WorklogParser.take`."""
        super().take(used, event)
        if used.outcome is StepOutcome.ERR:
            super().reset()


class ResetToSelf(NoReset):
    """A parser that is in Self Contained after a reset."""

    def reset(self) -> None:
        """Go to Self Contained."""
        WorklogParser.reset(self)
        self.state = BoundaryType.SELF_CONTAINED

    def take(self, used: Cell, event: FedEvent) -> None:
        """See `WorklogParser.take`."""
        WorklogParser.take(self, used, event)
        if used.outcome is StepOutcome.ERR:
            WorklogParser.reset(self)


class MovesOnError(WorklogParser):
    """A parser that takes the type of the event after a wrong step."""

    def take(self, used: Cell, event: FedEvent) -> None:
        """See `WorklogParser.take`."""
        super().take(used, event)
        if used.outcome is StepOutcome.ERR:
            self.state = used.fed
