"""Certification: judges an implementation by every requirement that a role, profiles and a glob select."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from conformance.engine.baseline import Baseline
from conformance.engine.crew import Alone, Crew
from conformance.engine.events import (
    Event,
    FailureFound,
    Listener,
    RunFinished,
    RunStarted,
    ShrinkingStarted,
)
from conformance.engine.failure import ROUNDS_OF_MET, Failure, Sighting, add_met
from conformance.engine.patience import Patience
from conformance.engine.selection import NothingToRun, Selection
from conformance.engine.share import Discoveries, DiscoveryShare, ShrinkingShare, Terms
from conformance.engine.shrinking import cost_of_shrinking, shown_again
from conformance.engine.tally import Tally
from conformance.engine.workers import Workers
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judges
from conformance.protocol.roles.registry import role_of
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families

__all__ = ["Budget", "Certification", "NothingToRun", "Selection"]

#: Cases of one family and profile in a round of a run that is limited by time.
ROUND: Final = 25


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
        implementation: The started implementation, or the workers that each ask one: the results are the same.
        spec: The implementation as the user named it.
        selections: What the run covers, one selection for each role.
        budget: The length of the run.
        seed: The seed of the generated cases.
        baseline: The known failures.
        listeners: Functions that are called with each event.
        limits: The limits of the implementation, which the commands that replay its failures repeat.
    """

    implementation: Implementation | Workers
    spec: str
    selections: Sequence[Selection] = (Selection(),)
    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    baseline: Baseline = field(default_factory=Baseline)
    listeners: Sequence[Listener] = ()
    limits: Limits = DEFAULT_LIMITS
    _discoveries: Discoveries = field(default_factory=Discoveries, init=False)

    @property
    def tally(self) -> Tally:
        """The counts so far."""
        return self._discoveries.tally

    def run(self) -> RunFinished:
        """Discover failures, shrink them, and return the end of the run.

        Raises:
            NothingToRun: The implementation does not have the role, or the selection is empty.
            CannotStart: A worker cannot start it.
            WorkerLost: A worker has ended.
        """
        crew: Crew = self.implementation if isinstance(self.implementation, Workers) else Alone(self.implementation)
        plan = [
            (selection.role, family, profile)
            for selection in self.selections
            for family, profile in selection.pairs(crew.declaration)
        ]
        self._emit(
            RunStarted(
                self.spec,
                crew.declaration,
                tuple(selection.role for selection in self.selections),
                [(family, profile) for _, family, profile in plan],
                self.selections[0].requirements,
                self.seed,
                None if self.budget.seconds else self.budget.examples,
                self.budget.seconds,
                self.limits,
            )
        )
        seconds = self.budget.seconds
        terms = Terms(
            requirements=self.selections[0].requirements,
            seed=self.seed,
            deadline=None if seconds is None else time.monotonic() + seconds,
            ends_at_failure=self.baseline if self.budget.first_failure else None,
        )
        patience = self._discover(crew, terms, plan)
        failures = self._shrink(crew, terms, patience)
        unused = self._discoveries.unused.names(crew.declaration)
        finished = replace(self.baseline.concluded(self.tally, failures), unused=unused)
        self._emit(finished)
        return finished

    def _discover(self, crew: Crew, terms: Terms, plan: Sequence[tuple[str, str, str]]) -> Patience:
        shares = self._discovery_shares(terms, plan)
        # In their order where there is no end of them, or where the first failure is wanted.
        in_order = terms.deadline is not None or terms.ends_at_failure is not None
        return crew.do(
            shares if in_order else list(shares),
            Patience.of_run(self.limits, self.budget.seconds, roles=len({role for role, _, _ in plan})),
            settle=self._settle_discoveries,
            progress=self._emit,
        )

    def _discovery_shares(self, terms: Terms, plan: Sequence[tuple[str, str, str]]) -> Iterator[DiscoveryShare]:
        profiles: dict[tuple[str, str], list[str]] = {}
        for role, family, profile in plan:
            profiles.setdefault((role, family), []).append(profile)
        number = 0
        while True:
            for (role, family), under in profiles.items():
                few = families()[family].few
                if number and few:
                    continue  # The first round has asked all its cases.
                count = self.budget.examples if terms.deadline is None else None if few else ROUND
                # What waits is divided further: several such shares are done beside each other.
                for together in [[each] for each in under] if role_of(role).is_served else [under]:
                    yield DiscoveryShare(
                        terms=terms,
                        role=role,
                        family=family,
                        profiles=tuple(together),
                        of_run=tuple(under),
                        first=number * ROUND,
                        count=count,
                    )
            if terms.deadline is None:
                return
            number += 1

    def _settle_discoveries(self, share: DiscoveryShare, discoveries: Discoveries | None) -> bool:
        """Add what a share showed; return whether the run stops."""
        assert discoveries is not None, "every share is needed"
        if not (self.budget.first_failure and self._discoveries.stopped):
            self._discoveries.join(discoveries)
        if self.budget.first_failure and self._discoveries.fails(self.baseline):
            self._discoveries.stopped = True
        return self._discoveries.stopped

    def _shrink(self, crew: Crew, terms: Terms, patience: Patience) -> list[Failure]:
        failures = _Failures(self, terms, Judges(crew.declaration))
        patience.begin_shrinking()
        for shares in failures.rounds():
            patience = crew.do(shares, patience, settle=failures.settle, needed=failures.needed)
        return failures.shrunk

    def _emit(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)


class _Failures:
    """The failures of a run while they are shrunk.

    Attributes:
        shrunk: Those that have been shrunk, in their order.
    """

    def __init__(self, certification: Certification, terms: Terms, judges: Judges) -> None:
        self.shrunk: list[Failure] = []
        self._emit = certification._emit
        self._baseline = certification.baseline
        self._sightings = certification._discoveries.sightings
        self._terms = terms
        self._judges = judges
        #: What shrinking met itself: (finding, group of profiles) -> the case that showed it.
        self._met: dict[tuple[str, str], Sighting] = {}
        #: Share -> how many failures have been looked at that do not show its finding.
        self._looked_at: dict[ShrinkingShare, int] = {}

    def rounds(self) -> Iterator[list[ShrinkingShare]]:
        """Yield the findings to be shrunk, round by round: each in one group of profiles first, then in the others.

        A case that shows a finding in one group mostly shows it in the others. What costs most time is last, as after
        it nothing may be asked. Trouble that only the search for smaller cases met is shrunk at the end.
        """
        rounds: dict[tuple[int, bool], list[tuple[str, str]]] = defaultdict(list)
        met: set[str] = set()
        for finding, group in sorted(self._sightings):
            _, verdict = self._sightings[finding, group].shown_by
            rounds[cost_of_shrinking(verdict.status), finding in met].append((finding, group))
            met.add(finding)
        for _, keys in sorted(rounds.items()):
            smallest = {each.finding: each.case for each in reversed(self.shrunk) if each.known is None}
            left = len(self._sightings) - len(self.shrunk)
            yield [self._share(key, smallest, left - number) for number, key in enumerate(keys)]
        done: set[tuple[str, str]] = set()
        for _ in range(ROUNDS_OF_MET):
            if not (keys := sorted(self._met.keys() - self._sightings.keys() - done)):
                return
            done.update(keys)
            yield [self._share(key, {}, len(keys) - number) for number, key in enumerate(keys)]

    def _share(self, key: tuple[str, str], smallest: Mapping[str, Case], left: int) -> ShrinkingShare:
        finding, group = key
        seen = self._sightings.get(key) or self._met[key]
        case, verdict = seen.shown_by
        return ShrinkingShare(
            terms=self._terms,
            case=case,
            verdict=verdict,
            counts=seen.counts,
            known=self._baseline.reason(finding, group, seen.requirements),
            elsewhere=smallest.get(finding),
            left=left,
        )

    def needed(self, share: ShrinkingShare) -> bool:
        """Return whether a finding must be shrunk: not if a failure that has been shrunk shows it too."""
        if share.known is not None:
            return True
        if share in self._looked_at:
            return self._shown_again(share, self.shrunk[self._looked_at[share] :]) is None
        looked_at = len(self.shrunk)
        if self._shown_again(share, self.shrunk) is not None:
            return False
        self._looked_at[share] = looked_at
        self._emit(ShrinkingStarted(share.verdict.finding, group_of(share.case.id.profile), share.left))
        return True

    def settle(self, share: ShrinkingShare, failure: Failure | None) -> bool:
        """Take a failure in its place; return False, as nothing stops the shrinking."""
        before = self.shrunk[self._looked_at.pop(share, 0) :]
        failure = failure or self._shown_again(share, before)
        assert failure is not None, "a share without a result was not needed"
        failure = add_met(self._met, failure)
        self.shrunk.append(failure)
        self._emit(FailureFound(failure))
        return False

    def _shown_again(self, share: ShrinkingShare, before: Sequence[Failure]) -> Failure | None:
        return shown_again(
            self._judges,
            self._terms.requirements,
            before,
            share.verdict,
            first_case=str(share.case.id),
            group=group_of(share.case.id.profile),
            counts=share.counts,
        )
