"""The mutants of the shipped boundary parser; under the profile `worklog` they have no fault."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser, ShippedStep
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS, ShippedType, ShippedVersion
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.boundary import observe


class _ResetByError(ShippedParser):
    """A parser that is outside any transaction after an error."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.error:
            self.reset()
        return step


class _Accepts(ShippedParser):
    """A parser that accepts some events in every state.

    Args:
        version: The version of the parser.
        condition: Returns whether an event is one of them, with the right step at it.
    """

    def __init__(self, version: ShippedVersion, condition: Callable[[FedEvent, ShippedStep], bool]) -> None:
        super().__init__(version)
        self._condition = condition

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        return replace(step, error=False, warning=None) if self._condition(event, step) else step


class _PlaceNotNamed(ShippedParser):
    """A parser whose warnings do not name the place of the event."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.warning is None:
            return step
        text = step.warning.text.partition(" in an event stream")[0]
        return replace(step, warning=replace(step.warning, text=text))


class _EndsAtStop(ShippedParser):
    """A parser to which self-contained events end a transaction."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.shipped_type is ShippedType.IGNORE and not event.ignorable:
            self.reset()
        return step


class _IgnoresIncidents(ShippedParser):
    """A parser whose state does not change at an Incident."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.shipped_type is ShippedType.INCIDENT:
            self.state = step.before
        return step


class _CountsInOneByte(ShippedParser):
    """A parser that is outside after 256 events of a transaction: it counts them in one byte."""

    def __init__(self, version: ShippedVersion) -> None:
        super().__init__(version)
        self._inside = 0

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        self._inside = (self._inside + 1) % 256 if self.within_transaction else 0
        if self.within_transaction and not self._inside:
            self.reset()
        return replace(step, state=self.state)


class _ReadsReturns(ShippedParser):
    """A parser that sees ROLLBACK TO with any space and comments between the words."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        if event.query is not None and _RETURN.match(event.query):
            event = event._replace(query=b"ROLLBACK TO a")
        return super().feed(event)


class _EndsAtXaCommit(ShippedParser):
    """A parser to which XA COMMIT is what XA ROLLBACK is."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        if event.query is not None:
            event = event._replace(query=event.query.replace(b"XA COMMIT", b"XA ROLLBACK"))
        return super().feed(event)


class _TakesForStatement(ShippedParser):
    """A parser to which the words of XA that begin a text are those of another statement."""

    def __init__(self, version: ShippedVersion, words: bytes) -> None:
        super().__init__(version)
        self._words = words

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        is_taken = (event.query or b"").upper().startswith(self._words)
        return super().feed(event._replace(query=b"SELECT 1") if is_taken else event)


class _ReadsEmptyAs(ShippedParser):
    """A parser to which a Query without text is another statement."""

    def __init__(self, version: ShippedVersion, text: bytes) -> None:
        super().__init__(version)
        self._text = text

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        return super().feed(event._replace(query=self._text) if event.query == b"" else event)


#: A return to a savepoint, as SQL reads it.
_SPACE: Final = rb"(?:\s|/\*.*?\*/|--\s[^\n]*\n)"
_RETURN: Final = re.compile(rb"ROLLBACK(?:%b+WORK)?%b+TO\b" % (_SPACE, _SPACE), re.IGNORECASE | re.DOTALL)


def answer_with(make: Callable[[ShippedVersion], ShippedParser]) -> Callable[[Request], Observation]:
    """Return the answer of a shipped parser with a fault; under `worklog`, that of the right one."""

    def answer(request: Request) -> Observation:
        version = SHIPPED_VERSIONS[request.profile]
        return observe(request, WorklogParser() if version is None else make(version))

    return answer


def _mutant(name: str, rule: str, text: str, make: Callable[[ShippedVersion], ShippedParser]) -> Mutant:
    return Mutant(name, f"FORMAT-SHIPPED-BOUNDARY-{rule}", text, answer=answer_with(make))


#: Every mutant of shipped parsers, in the order of the catalogue.
SHIPPED_BOUNDARY_MUTANTS: Final[tuple[Mutant, ...]] = (
    _mutant(
        "second-gtid-accepted",
        "ERROR-TOLD",
        "a second Gtid event within a transaction is accepted",
        lambda version: _Accepts(version, lambda event, step: step.shipped_type is ShippedType.GTID),
    ),
    _mutant(
        "xa-prepare-accepted-outside",
        "ERROR-TOLD",
        "an Xa_prepare event is accepted outside a transaction, an Xid event is not",
        lambda version: _Accepts(version, lambda event, step: event.type == EventType.XA_PREPARE),
    ),
    _mutant(
        "second-tagged-gtid-accepted",
        "ERROR-TOLD",
        "a Gtid_tagged event is accepted within a transaction, a Gtid event is not",
        lambda version: _Accepts(version, lambda event, step: event.type == EventType.GTID_TAGGED),
    ),
    _mutant("reset-by-error", "GOES-ON", "after an error the parser is outside any transaction", _ResetByError),
    _mutant("place-not-named", "WARNING-TEXT", "the warning does not name the place of the event", _PlaceNotNamed),
    _mutant("stop-ends-transaction", "IGNORED-WITHIN", "a Stop or Rotate within a transaction ends it", _EndsAtStop),
    _mutant("incident-ignored", "INCIDENT", "an Incident within a transaction leaves it open", _IgnoresIncidents),
    Mutant(
        "shipped-counts-in-one-byte",
        "WL4162-STREAM-MIDDLE-KNOWN",
        "after 256 events of a transaction a shipped parser is outside",
        answer=answer_with(_CountsInOneByte),
    ),
    _mutant("xa-commit-ends", "ERROR-TOLD", "XA COMMIT ends a transaction, as XA ROLLBACK does", _EndsAtXaCommit),
    _mutant(
        "xa-rollback-is-a-statement",
        "ERROR-TOLD",
        "XA ROLLBACK is another statement",
        lambda version: _TakesForStatement(version, b"XA ROLLBACK"),
    ),
    _mutant(
        "xa-start-is-a-statement",
        "ERROR-TOLD",
        "XA START is another statement",
        lambda version: _TakesForStatement(version, b"XA START"),
    ),
    _mutant(
        "xa-start-of-a-text-is-a-statement",
        "ERROR-TOLD",
        "XA START with a name that is written as a text is another statement",
        lambda version: _TakesForStatement(version, b"XA START '"),
    ),
    _mutant("returns-in-any-space", "ERROR-TOLD", "ROLLBACK and TO may have any space between them", _ReadsReturns),
    _mutant(
        "empty-query-is-a-statement",
        "ERROR-TOLD",
        "a Query without text is a statement",
        lambda version: _ReadsEmptyAs(version, b"SELECT 1"),
    ),
    _mutant(
        "empty-query-begins",
        "ERROR-TOLD",
        "a Query without text counts as BEGIN: no byte of it differs",
        lambda version: _ReadsEmptyAs(version, b"BEGIN"),
    ),
)
