"""The mutants of the boundary parser that servers ship; under the worklog's profile they are right."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser, ShippedStep
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS, ShippedType, ShippedVersion
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.boundary import observe


class _StartsAnew(ShippedParser):
    """A parser that is outside of all transactions after an error."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.error:
            self.reset()
        return step


class _Silent(ShippedParser):
    """A parser that takes a second Gtid event within a transaction."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        return replace(step, error=False, warning=None) if step.shipped_type is ShippedType.GTID else step


class _OtherPlace(ShippedParser):
    """A parser whose warnings do not say where the event stands."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.warning is None:
            return step
        text = step.warning.text.partition(" in an event stream")[0]
        return replace(step, warning=replace(step.warning, text=text))


class _EndsAtStop(ShippedParser):
    """A parser to which events that stand on their own end a transaction."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.shipped_type is ShippedType.IGNORE and not event.ignorable:
            self.reset()
        return step


class _BearsIncidents(ShippedParser):
    """A parser that stays where it is at an Incident."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        step = super().feed(event)
        if step.shipped_type is ShippedType.INCIDENT:
            self.state = step.before
        return step


def _answer(make: Callable[[ShippedVersion], ShippedParser]) -> Callable[[Request], Observation]:
    def answer(request: Request) -> Observation:
        version = SHIPPED_VERSIONS.get(request.profile)
        return observe(request, WorklogParser() if version is None else make(version))

    return answer


def _mutant(name: str, rule: str, text: str, make: Callable[[ShippedVersion], ShippedParser]) -> Mutant:
    return Mutant(name, f"FORMAT-SHIPPED-BOUNDARY-{rule}", text, answer=_answer(make))


#: Every mutant of shipped parsers, in the order of the catalogue.
SHIPPED_BOUNDARY_MUTANTS: Final[tuple[Mutant, ...]] = (
    _mutant("second-gtid-taken", "ERROR-TOLD", "a second Gtid event within a transaction is no error", _Silent),
    _mutant("starts-anew", "GOES-ON", "after an error the parser is outside of all transactions", _StartsAnew),
    _mutant("place-not-told", "WARNING-TEXT", "the warning does not say where the event stands", _OtherPlace),
    _mutant("stop-ends", "IGNORED-WITHIN", "a Stop or Rotate within a transaction ends it", _EndsAtStop),
    _mutant("incident-borne", "INCIDENT", "an Incident within a transaction leaves it open", _BearsIncidents),
)
