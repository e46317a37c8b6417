"""Certification: judges an implementation by every requirement that a role, profiles and a glob select."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from conformance.engine.baseline import Baseline
from conformance.engine.discovery import discovered
from conformance.engine.events import (
    Event,
    FailureFound,
    Listener,
    PairFinished,
    RunFinished,
    RunStarted,
    ShrinkingStarted,
)
from conformance.engine.failure import Failure, Sighting
from conformance.engine.patience import Patience
from conformance.engine.selection import NothingToRun, Selection
from conformance.engine.shrinking import Shrinker
from conformance.engine.tally import Tally
from conformance.engine.unused import Unused
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judges
from conformance.oracles.verdict import by_finding
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families, recorded

__all__ = ["Budget", "Certification", "NothingToRun", "Selection"]

#: Cases of one family and profile in a round of a run that is limited by time.
ROUND = 25
#: Cases of one family and profile that are still made when nothing more is asked: they show what is not known.
_UNASKED = 5


class Stop(Exception):
    """The run ends here: time is up, or there is a first failure."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The length of a run.

    Attributes:
        examples: Cases for each family and profile; None for as many as its covering array needs.
        seconds: Seconds for the whole discovery instead: rounds of cases follow each other until time is up.
        first_failure: Whether it ends at the first failure.
    """

    examples: int | None = None
    seconds: float | None = None
    first_failure: bool = False


@dataclass(slots=True)
class Certification:
    """One run of one implementation.

    Args:
        implementation: The started implementation.
        spec: The implementation as the user named it.
        selections: What the run covers, one selection for each role.
        budget: The length of the run.
        seed: The seed of the generated cases.
        baseline: The known failures.
        listeners: Functions that are called with each event.
        limits: The limits of the implementation, which the commands that replay its failures repeat.
    """

    implementation: Implementation
    spec: str
    selections: Sequence[Selection] = (Selection(),)
    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    baseline: Baseline = field(default_factory=Baseline)
    listeners: Sequence[Listener] = ()
    limits: Limits = DEFAULT_LIMITS
    tally: Tally = field(default_factory=Tally, init=False)
    #: Signature of a finding and group of profiles -> the cases that showed it.
    _seen: dict[tuple[str, str], Sighting] = field(default_factory=dict, init=False)
    _shrinker: Shrinker = field(init=False)

    def run(self) -> RunFinished:
        """Discover failures, shrink them, and return the end of the run.

        Raises:
            NothingToRun: The implementation does not have the role, or the selection is empty.
        """
        declaration = self.implementation.declaration
        plan = [
            (selection.role, family, profile)
            for selection in self.selections
            for family, profile in selection.pairs(declaration)
        ]
        requirements = self.selections[0].requirements
        unused = Unused()
        self._shrinker = Shrinker(
            self.implementation,
            Judges(declaration),
            requirements,
            observe=unused.observe,
            patience=Patience.of_run(self.limits, self.budget.seconds),
        )
        self._emit(
            RunStarted(
                self.spec,
                declaration,
                tuple(selection.role for selection in self.selections),
                [(family, profile) for _, family, profile in plan],
                requirements,
                self.seed,
                None if self.budget.seconds else self.budget.examples,
                self.budget.seconds,
                self.limits,
            )
        )
        self._discover(plan)
        failures = self._shrink_all()
        finished = replace(self.baseline.concluded(self.tally, failures), unused=unused.names(declaration))
        self._emit(finished)
        return finished

    def _discover(self, plan: Sequence[tuple[str, str, str]]) -> None:
        deadline = None if self.budget.seconds is None else time.monotonic() + self.budget.seconds
        number = 0
        with suppress(Stop):
            while True:
                for role, family, profile in plan:
                    if number and families()[family].few:
                        continue  # The first round has asked all its cases.
                    before = self.tally.cases
                    for case in discovered(
                        family,
                        profile,
                        role=role,
                        seed=self.seed,
                        first=number * ROUND,
                        count=self._count(family, deadline),
                    ):
                        self._visit(case)
                        if deadline is not None and (time.monotonic() > deadline or self._has_given_up):
                            raise Stop
                    self._emit(PairFinished(family, profile, self.tally.cases - before))
                if deadline is None:
                    return
                number += 1

    def _count(self, family: str, deadline: float | None) -> int | None:
        """Return how many cases of a family are made under a profile in a round, None for its default number."""
        if self._shrinker.patience.exhausted:
            return _UNASKED
        if deadline is None:
            return self.budget.examples
        return None if families()[family].few else ROUND

    def _visit(self, case: Case) -> None:
        verdicts = self._shrinker.verdicts(case)
        self.tally.add(case, verdicts)
        for finding, failures in by_finding(verdicts).items():
            key = (finding, group_of(case.id.profile))
            self._seen.setdefault(key, Sighting()).add(case, failures)
        if self.budget.first_failure and self._unknown_failures():
            raise Stop

    @property
    def _has_given_up(self) -> bool:
        """Whether nothing more is asked, and a case shows it."""
        return self._shrinker.patience.exhausted and self.tally.not_asked > 0

    def _unknown_failures(self) -> bool:
        return any(self.baseline.reason(*key, seen.requirements) is None for key, seen in self._seen.items())

    def _shrink_all(self) -> list[Failure]:
        failures: list[Failure] = []
        for number, ((finding, group), seen) in enumerate(sorted(self._seen.items())):
            case, verdict = seen.shown_by
            known = self.baseline.reason(finding, group, seen.requirements)
            failure = None
            if known is None:
                failure = self._shrinker.shown_again(
                    failures, verdict, first_case=str(case.id), group=group, counts=seen.counts
                )
            if failure is None:
                if known is None:
                    self._emit(ShrinkingStarted(finding, group, left=len(self._seen) - number))
                # A known failure is not shrunk.
                choices = None if known is not None else recorded(case.id).id.choices
                failure = self._shrinker.failure(case, verdict, seen.counts, choices=choices, known=known)
            failures.append(failure)
            self._emit(FailureFound(failure))
        return failures

    def _emit(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)
