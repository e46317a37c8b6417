"""Shares: the parts of a run that processes of the kit do beside each other, and what comes out of each."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from conformance.engine.baseline import Baseline
from conformance.engine.discovery import discovered, numbers_by_default
from conformance.engine.events import PairFinished
from conformance.engine.failure import Counts, Failure, Sighting
from conformance.engine.patience import Patience
from conformance.engine.shrinking import Shrinker, cost_of_shrinking
from conformance.engine.tally import Tally
from conformance.engine.unused import Unused
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judges
from conformance.oracles.verdict import Verdict, by_finding
from conformance.protocol.roles.registry import role_of
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families, recorded

#: Cases of one family and profile that are still made when nothing more is asked: they show what is not known.
_UNASKED: Final = 5
#: More than the cases of any family.
_MOST: Final = sys.maxsize


@dataclass(slots=True)
class Discoveries:
    """What the cases of a run, or of a share of it, showed.

    Attributes:
        tally: The counts and verdicts.
        sightings: Signature of a finding and group of profiles -> the cases that showed it.
        unused: What was declared and not shown.
        stopped: Whether the run ends here: its time is up, nothing more is asked, or there is a first failure.
    """

    tally: Tally = field(default_factory=Tally)
    sightings: dict[tuple[str, str], Sighting] = field(default_factory=dict)
    unused: Unused = field(default_factory=Unused)
    stopped: bool = False

    def add(self, case: Case, verdicts: list[Verdict]) -> None:
        """Count one case and its verdicts."""
        self.tally.add(case, verdicts)
        for finding, failures in by_finding(verdicts).items():
            key = (finding, group_of(case.id.profile))
            self.sightings.setdefault(key, Sighting()).add(case, failures)

    def join(self, following: "Discoveries") -> None:
        """Add what the cases of the following share showed, as if they had been added here one by one."""
        self.tally.join(following.tally)
        for key, sighting in following.sightings.items():
            self.sightings.setdefault(key, Sighting()).join(sighting)
        self.unused.join(following.unused)
        self.stopped = self.stopped or following.stopped

    def fails(self, baseline: Baseline) -> bool:
        """Return whether there is a failure that a baseline does not have."""
        return any(baseline.reason(*key, seen.requirements) is None for key, seen in self.sightings.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all shares of a run have in common.

    Attributes:
        requirements: The glob that selects requirements.
        seed: The seed of the cases.
        deadline: The time of `time.monotonic` at which discovery ends, None if the number of cases limits it.
        ends_at_failure: The baseline, if the run ends at the first failure that it does not have.
    """

    requirements: str
    seed: int
    deadline: float | None = None
    ends_at_failure: Baseline | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What a process has to do shares with.

    Attributes:
        implementation: The started implementation.
        judges: Judge its answers.
        progress: Called after the cases of each profile.
        stopped: Returns whether the run has stopped, so that no result is needed any more.
    """

    implementation: Implementation
    judges: Judges
    progress: Callable[[PairFinished], None]
    stopped: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryShare:
    """Cases of one family in one role, under some profiles.

    Attributes:
        terms: What all shares of the run have in common.
        role: The role in which the questions are asked.
        family: The family.
        profiles: The profiles, in their order.
        of_run: Those of the run, among which the cases of the family are divided.
        first: The number of the first case under each profile.
        count: How many cases are made under each profile, None for those that every pair of classes needs.
    """

    terms: Terms
    role: str
    family: str
    profiles: tuple[str, ...]
    of_run: tuple[str, ...]
    first: int = 0
    count: int | None = None

    @property
    def waits(self) -> bool:
        """Whether the streams are served over a network."""
        return role_of(self.role).is_served

    @property
    def cost(self) -> int:
        """How many cases there are; each of a family of few takes long."""
        if families()[self.family].few:
            return _MOST
        return sum(len(self._numbers(each)) for each in self.profiles)

    def _numbers(self, profile: str) -> Sequence[int]:
        if self.count is None:
            return numbers_by_default(self.family, self.of_run, role=self.role)[profile]
        return range(self.first, self.first + self.count)

    def done(self, asking: Asking, patience: Patience) -> Discoveries:
        """Judge the cases, and return what they show.

        Args:
            asking: What this process has to do it with.
            patience: Ends the asking of an implementation that hangs.
        """
        terms, discoveries = self.terms, Discoveries()
        if self.first and patience.ends(self.role):
            # The first round has shown that the role is not asked any more.
            discoveries.stopped = patience.exhausted
            return discoveries
        shrinker = Shrinker(
            asking.implementation,
            asking.judges,
            terms.requirements,
            observe=discoveries.unused.observe,
            patience=patience,
        )
        for profile in self.profiles:
            before = discoveries.tally.cases
            numbers = self._numbers(profile)
            if patience.ends(self.role):
                numbers = numbers[:_UNASKED]
            for case in discovered(self.family, profile, role=self.role, seed=terms.seed, numbers=numbers):
                discoveries.add(case, shrinker.verdicts(case))
                if asking.stopped() or self._ends(patience, discoveries):
                    discoveries.stopped = True
                    return discoveries
            asking.progress(PairFinished(self.family, profile, discoveries.tally.cases - before))
        return discoveries

    def _ends(self, patience: Patience, discoveries: Discoveries) -> bool:
        terms = self.terms
        if terms.deadline is not None:
            if time.monotonic() > terms.deadline:
                return True
            if patience.exhausted and discoveries.tally.not_asked:
                return True
        return terms.ends_at_failure is not None and discoveries.fails(terms.ends_at_failure)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShrinkingShare:
    """One finding in one group of profiles, to be shrunk.

    Attributes:
        terms: What all shares of the run have in common.
        case: The case that showed it.
        verdict: Its verdict.
        counts: The cases that showed it.
        known: The reason in the baseline; a known failure is asked again, but not shrunk.
        elsewhere: The smallest case that shows the finding in another group, if it has been shrunk there.
        left: How many findings are left to shrink, this one included.
    """

    terms: Terms
    case: Case
    verdict: Verdict
    counts: Counts
    known: str | None
    elsewhere: Case | None
    left: int

    @property
    def role(self) -> str:
        """The role of the case."""
        return self.case.role

    @property
    def family(self) -> str:
        """The family of the case."""
        return self.case.id.family

    @property
    def waits(self) -> bool:
        """Whether the stream is served over a network."""
        return role_of(self.role).is_served

    @property
    def cost(self) -> int:
        """The rank of what each try costs."""
        return cost_of_shrinking(self.verdict.status)

    def done(self, asking: Asking, patience: Patience) -> Failure:
        """Return the failure with the smallest case that shows it.

        Args:
            asking: What this process has to do it with.
            patience: Ends the asking of an implementation that hangs.
        """
        shrinker = Shrinker(asking.implementation, asking.judges, self.terms.requirements, patience=patience)
        choices = None if self.known is not None else recorded(self.case.id).id.choices
        return shrinker.failure(
            self.case, self.verdict, self.counts, choices=choices, elsewhere=self.elsewhere, known=self.known
        )
