"""The plan: the number of each case."""

from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Annotated, Final

from msgspec import Meta

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import DEFAULT_ROLE, CaseId
from conformance.strategies.grammar.family import case_of

#: Cases from which the events of a case are estimated, before any is judged.
_SAMPLE: Final = 2000

#: The part of a number of events that is planned from the sample alone.
_BY_SAMPLE: Final = 0.95
#: The factor on the estimate of the remaining cases, so that they suffice.
_MARGIN: Final = 1.02


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbering of the cases: case N is FAMILY/PROFILE/SEED/(N div pairs) of the pair (N mod pairs).

    The sequence is endless, and the same on every machine. The pairs take turns, so that every stretch of numbers holds
    all of them equally: stretches of the same length take the same time, and each prefix of the sequence is a balanced
    corpus of its own.
    """

    pairs: Annotated[tuple[tuple[str, str], ...], Meta(min_length=1, description="Families and profiles, in order.")]
    seed: Annotated[int, Meta(ge=0, description="What the cases depend on besides.")] = 0
    role: Annotated[str, Meta(description="The role of the questions.")] = DEFAULT_ROLE

    def case_id(self, number: int) -> CaseId:
        """Return the id of the case with a number, from 0."""
        index, place = divmod(number, len(self.pairs))
        family, profile = self.pairs[place]
        return CaseId(family, profile, seed=self.seed, index=index, role=self.role)

    def case(self, number: int) -> Case:
        """Return the case with a number, from 0."""
        return case_of(self.case_id(number))

    def cases_with(self, events: int) -> int:
        """Return how many cases hold about `events` expected events, from a sample at the start of the sequence.

        Raises:
            ValueError: No case of the sample holds any event.
        """
        cases, sampled_events = _sample(self)
        if not sampled_events:
            raise ValueError("the streams of these families hold no events to count; give the number of cases")
        return ceil(events * cases / sampled_events)


@cache
def _sample(plan: Plan) -> tuple[int, int]:
    """Return how many cases a sample has, and how many events they hold."""
    size = ceil(_SAMPLE / len(plan.pairs)) * len(plan.pairs)
    return size, sum(len(plan.case(number).expected.events) for number in range(size))


@dataclass(frozen=True, slots=True)
class Size:
    """How much of the plan: exactly one of the three is not null."""

    cases: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="This number of cases.")] = None
    events: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="The cases that hold at least this many expected events, or a few more."),
    ] = None
    seconds: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="As many cases as fit in this time; a wave that was begun is finished."),
    ] = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.cases, self.events, self.seconds)) != 1:
            raise ValueError("give one of the number of cases, the number of events and the time")

    def goal(self, plan: Plan, *, cases: int, events: int) -> int | None:
        """Return the number of cases to continue to, None if that is not known.

        It depends only on the sums at the last goal, never on how the cases were divided.

        Args:
            plan: The sequence of cases.
            cases: Cases up to the last goal, 0 at the start.
            events: Expected events up to there.
        """
        if self.seconds is not None:
            return None
        if self.cases is not None:
            return self.cases
        assert self.events is not None, "one of the three is given"
        if events >= self.events:
            return cases
        if not events:
            # Not to the end by the sample: the sums at the next goal give a better estimate of the rest.
            return cases + plan.cases_with(ceil(self.events * _BY_SAMPLE))
        return cases + ceil((self.events - events) * cases / events * _MARGIN)
