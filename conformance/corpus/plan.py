"""The plan: which case has which number."""

from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Annotated, Final

from msgspec import Meta

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import DEFAULT_ROLE, CaseId
from conformance.strategies.grammar.family import case_of

#: Cases that tell how many events a case has, before any is judged.
_SAMPLE: Final = 2000

#: The part of the way to a number of events that is planned by the sample alone.
_BY_SAMPLE: Final = 0.95
#: What is added to the rest of the way, so that it is the last one.
_MARGIN: Final = 1.02


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbering of the cases: case N is FAMILY/PROFILE/SEED/(N div pairs) of the pair (N mod pairs).

    The sequence has no end, and is the same on every machine. The pairs take turns, so that every stretch of numbers
    holds all of them alike: stretches of one length take one time, and each prefix of the sequence is a fair corpus of
    its own.
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
        """Return how many cases hold about so many expected events, by a sample from the start of the sequence.

        Raises:
            ValueError: No case of the sample holds any.
        """
        size, found = _sample(self)
        if not found:
            raise ValueError("the streams of these families hold no events that can be counted; say how many cases")
        return ceil(events * size / found)


@cache
def _sample(plan: Plan) -> tuple[int, int]:
    """Return how many cases a sample has, and how many events they hold."""
    size = ceil(_SAMPLE / len(plan.pairs)) * len(plan.pairs)
    return size, sum(len(plan.case(number).expected.events) for number in range(size))


@dataclass(frozen=True, slots=True)
class Size:
    """How much of the plan: exactly one of the three is not null."""

    cases: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="So many cases.")] = None
    events: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="As few cases as hold at least so many expected events, or a few more."),
    ] = None
    seconds: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="As many cases as are done in this time; a wave that has begun is finished."),
    ] = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.cases, self.events, self.seconds)) != 1:
            raise ValueError("say how many cases, or how many events, or how much time")

    def goal(self, plan: Plan, *, cases: int, events: int) -> int | None:
        """Return the number of cases to go on to, None where that is not known.

        It depends on the sums at the last goal only, never on how the cases were divided.

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
            # Not all the way by the sample: the sums there tell better how far it still is.
            return cases + plan.cases_with(ceil(self.events * _BY_SAMPLE))
        return cases + ceil((self.events - events) * cases / events * _MARGIN)
