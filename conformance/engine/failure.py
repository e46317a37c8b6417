"""A failure: one finding in one group of profiles, with the smallest case that shows it."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Observation, Trouble
from conformance.specs.catalogue import catalogue
from conformance.specs.run_record import LEVELS, WEIGHTS
from conformance.strategies.grammar.case import Case

#: How often what the search for smaller cases met is shrunk in turn: one that meets more meets mostly the same.
ROUNDS_OF_MET: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How often a finding was shown in one group of profiles.

    Attributes:
        cases: Cases that showed it.
        requirements: Requirement -> cases in which it was broken.
        profiles: Profile -> cases.
    """

    cases: int
    requirements: Mapping[str, int]
    profiles: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Failure:
    """All failures of one cause in one group of profiles.

    Attributes:
        verdict: The verdict of the shrunk case on the first of the requirements.
        case: The shrunk case.
        answer: The implementation's answer to it, or what is kept of it.
        first_case: Id of the case of the run that was shrunk.
        group: The group of profiles, one of `conformance.specs.profiles.PROFILE_GROUPS`.
        counts: The cases of the run that showed it.
        known: The reason in the baseline, None if the baseline does not have it.
        left_out: How many events of the answer are not kept.
        is_whole: Whether the answer is kept whole, so that it can be judged again.
        met: Other trouble that the search for the smallest case met: a case of each finding, with its verdict.
    """

    verdict: Verdict
    case: Case
    answer: Observation | Trouble
    first_case: str
    group: str
    counts: Counts
    known: str | None = None
    left_out: int = 0
    is_whole: bool = True
    met: tuple[tuple[Case, Verdict], ...] = ()

    @property
    def finding(self) -> str:
        """The signature of the finding."""
        return self.verdict.finding


@dataclass(slots=True)
class Sighting:
    """The failing cases of one finding in one group of profiles, while a run goes on.

    Attributes:
        cases: How many there are.
        requirements: Requirement -> how many of them break it.
        profiles: Profile -> how many of them are of it.
        smallest: Requirement -> the smallest case that breaks it, with the verdict; shrinking starts with it.
    """

    cases: int = 0
    requirements: Counter[str] = field(default_factory=Counter)
    profiles: Counter[str] = field(default_factory=Counter)
    smallest: dict[str, tuple[Case, Verdict]] = field(default_factory=dict)

    def add(self, case: Case, verdicts: Collection[Verdict]) -> None:
        """Count a case with its verdicts, all of one finding."""
        self.cases += 1
        self.profiles[case.id.profile] += 1
        for verdict in verdicts:
            self.requirements[verdict.requirement] += 1
            before = self.smallest.get(verdict.requirement)
            if before is None or _size(case) < _size(before[0]):
                self.smallest[verdict.requirement] = case, verdict

    def join(self, following: "Sighting") -> None:
        """Count the failing cases of the cases that follow."""
        self.cases += following.cases
        self.profiles.update(following.profiles)
        self.requirements.update(following.requirements)
        for requirement, (case, verdict) in following.smallest.items():
            before = self.smallest.get(requirement)
            if before is None or _size(case) < _size(before[0]):
                self.smallest[requirement] = case, verdict

    @property
    def shown_by(self) -> tuple[Case, Verdict]:
        """The case that stands for all, with its verdict: the smallest that breaks the most important requirement."""
        return self.smallest[most_important(self.requirements)]

    @property
    def counts(self) -> Counts:
        """The numbers, as they are now."""
        return Counts(cases=self.cases, requirements=dict(self.requirements), profiles=dict(self.profiles))


def add_met(met: dict[tuple[str, str], Sighting], failure: Failure) -> Failure:
    """Add the trouble that shrinking a failure met, where it is new; return the failure without it.

    Args:
        met: (finding, group of profiles) -> the case that showed it first.
        failure: The failure.
    """
    for case, verdict in failure.met:
        key = verdict.finding, failure.group
        if key not in met:
            met[key] = Sighting()
            met[key].add(case, [verdict])
    return replace(failure, met=())


def _size(case: Case) -> int:
    """Return a measure of a case: the bytes of its stream, or the characters of its settings if it has none."""
    return len(case.stream) or len(str(case.settings))


def most_important(requirements: Mapping[str, int]) -> str:
    """Return the requirement that stands for several: `TROUBLE`, else the must that is broken most often.

    The cases of one that is blamed for what no other accounts for count less: `WEIGHTS`. Of several that are alike it
    is the first: the judge has those first that are closest to what is wrong.

    Args:
        requirements: Requirement -> how many cases break it.
    """

    def rank(requirement: str) -> tuple[int, float]:
        entry = catalogue().get(requirement)
        # A crash at a stream that asks for nothing special comes first.
        level = -1 if entry is None else LEVELS.index(entry.level)
        owns = entry is not None and bool(entry.owns)
        return level, -requirements[requirement] * WEIGHTS[owns]

    return min(requirements, key=rank)
