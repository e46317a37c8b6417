"""The findings of a run: the failures of one cause, whatever they break and wherever, the most important first."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from conformance.reports.outcome import number_of
from conformance.reports.record import RunRecord
from conformance.specs.profiles import PROFILE_GROUPS
from conformance.specs.run_record import (
    BESIDE_THE_CATALOGUE,
    LEVELS,
    TROUBLE,
    UNEXPLAINED,
    WEIGHTS,
    Failure,
    FailureStatus,
    RequirementResult,
)

#: The statuses of findings in the order of a list of them.
_FIRST: Final = ("crash", "hang", "protocol-error", "fail")
#: What may stand in the place of a requirement -> where it does.
_BESIDE: Final = {
    TROUBLE: "at streams that ask for nothing special there",
    UNEXPLAINED: "in answers with a difference that no requirement accounts for",
}
#: A requirement's id in the words of a cause.
_ID: Final = re.compile(r"\b(?:FORMAT|WL\d+)(?:-[A-Z0-9]+)+\b")
#: Words of a cause -> the requirement that it is about.
_MEANT: Final = tuple(
    (re.compile(words), requirement)
    for words, requirement in (
        ("longer post-header", "FORMAT-POST-HEADER-LENGTHS"),
        ("^earlier format description kept", "FORMAT-LATEST-GOVERNS"),
        ("^known event passed over for its ignorable flag", "WL4033-READ-KNOWN-FLAGGED"),
        ("^client: known event passed over for its ignorable flag", "WL4033-CLIENT-KNOWN-FLAGGED"),
        ("^GTID set with tags", "WL7592-PREVIOUS-GTIDS-SET-READ"),
        ("^table with VECTOR columns", "FORMAT-ROWS-VALUES-VECTOR"),
        ("^table with compressed columns", "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED"),
        (" not known$", "FORMAT-TYPE-KNOWN"),
    )
)
#: Requirement ids that a sentence lists.
_LISTED: Final = 12


@dataclass(frozen=True)
class Finding:
    """The failures of one cause.

    Attributes:
        number: Its number in all reports, from 1.
        failures: One for each group of profiles: new ones before known ones, frequent ones before rare ones.
        requirements: Broken requirement -> cases; musts first, and those first that it breaks in most cases.
        profiles: Profile in which it was shown -> cases, in the order of the run's profiles.
        hinders: How many other requirements were not judged in some of the cases because of it.
        rule: What must hold by the first of the broken requirements; empty if none is of the catalogue.
    """

    number: int
    failures: tuple[Failure, ...]
    requirements: Mapping[str, int]
    profiles: Mapping[str, int]
    hinders: int
    rule: str

    @property
    def first(self) -> Failure:
        """The failure that stands for all."""
        return self.failures[0]

    @property
    def signature(self) -> str:
        """The cause in a few words."""
        return self.first.signature

    @property
    def status(self) -> FailureStatus:
        """The status of its cases."""
        return self.first.status

    @cached_property
    def cases(self) -> int:
        """Cases that showed it."""
        return sum(failure.count for failure in self.failures)

    @property
    def known(self) -> str | None:
        """The reason of the baseline; None if it does not list it in every group of profiles."""
        return None if any(failure.known is None for failure in self.failures) else self.first.known

    def in_profile(self, profile: str) -> Failure:
        """Return the failure that was shown in a profile; the first one if none was."""
        return next((failure for failure in self.failures if profile in failure.profiles), self.first)

    @property
    def groups(self) -> list[str]:
        """The groups of profiles in which it was shown, the oldest servers first, and last those of a later kit."""
        order = {name: index for index, name in enumerate(PROFILE_GROUPS)}
        return sorted((failure.group for failure in self.failures), key=lambda group: order.get(group, len(order)))

    @property
    def extent(self) -> str:
        """How many requirements it breaks, in how many cases; the cases alone where it breaks none of the catalogue."""
        broken = len(self.requirements.keys() - BESIDE_THE_CATALOGUE.keys())
        cases = f"in {number_of(self.cases, 'case')}"
        return f"breaks {number_of(broken, 'requirement')} {cases}" if broken else cases

    @property
    def breaks(self) -> str:
        """The broken requirements, as far as a sentence can hold them."""
        return _listed(list(self.requirements))

    @property
    def broken(self) -> str:
        """Those of them that are of the catalogue; empty if none is."""
        return _listed([name for name in self.requirements if name not in _BESIDE])

    @property
    def beside(self) -> str:
        """Where it breaks no requirement of the catalogue, in words that go on a sentence; empty if it always does."""
        places = " and ".join(_BESIDE[name] for name in self.requirements if name in _BESIDE)
        return f"{'; also' if self.broken else ','} {places}" if places else ""

    @property
    def outline(self) -> str:
        """How many requirements it breaks, in how many cases, and which; in words where it breaks none."""
        return f"{self.extent}{': ' if self.broken else ''}{self.broken}{self.beside}"


def findings_of(record: RunRecord) -> list[Finding]:
    """Return the findings of a run, the most important first.

    New ones come before known ones; then crashes, hangs and broken protocols, by the number of cases; then those that
    break musts, by the number of requirements that they break or keep from being judged, and by the number of cases.
    """
    levels = {requirement.id: requirement.level for requirement in record.requirements}
    owners = {requirement.id for requirement in record.requirements if requirement.owns}
    hindered = Counter(signature for requirement in record.requirements for signature in requirement.obstacles)
    together: dict[str, list[Failure]] = {}
    for failure in record.failures:
        together.setdefault(failure.signature, []).append(failure)
    judged = record.judged
    findings = [
        _finding(record, alike, levels, judged, owners, hindered[signature]) for signature, alike in together.items()
    ]

    def rank(finding: Finding) -> tuple[bool, int, int, int, int, str]:
        level = min(_level(requirement, levels) for requirement in finding.requirements)
        breadth = len(finding.requirements) + finding.hinders
        # One crash leaves all that its case exercises unjudged, however rare it is.
        most, then = (breadth, finding.cases) if finding.status == "fail" else (finding.cases, breadth)
        return finding.known is not None, _FIRST.index(finding.status), level, -most, -then, finding.signature

    ranked = sorted(findings, key=rank)
    return [replace(each, number=number) for number, each in enumerate(ranked, 1)]


def _level(requirement: str, levels: Mapping[str, str]) -> int:
    # An id beside the catalogue has no level: it counts as a must.
    return LEVELS.index(levels.get(requirement, LEVELS[0]))


def _finding(
    record: RunRecord,
    failures: list[Failure],
    levels: Mapping[str, str],
    judged: Mapping[str, int],
    owners: Collection[str],
    hinders: int,
) -> Finding:
    requirements: Counter[str] = Counter()
    profiles = Counter(dict.fromkeys(record.header.profiles, 0))
    for failure in failures:
        requirements.update(failure.requirements)
        profiles.update(failure.profiles)

    cases = sum(failure.count for failure in failures)
    named = _named_by(failures[0].signature)

    def rank(requirement: str) -> tuple[int, bool, bool, float]:
        broken = requirements[requirement]
        # The one that best shows what is wrong breaks in most cases of the finding, and passes in few others.
        share = broken / max(judged.get(requirement, 0), broken, 1)
        weight = WEIGHTS[requirement in owners]
        return _level(requirement, levels), requirement not in named, 2 * broken < cases, -broken * share * weight

    # Those that are alike stay as the record has them: the closest to what is wrong first.
    order = sorted(requirements, key=rank)
    ranked = sorted(failures, key=lambda each: (each.known is not None, -each.count, each.group))
    shown = {profile: count for profile, count in profiles.items() if count}
    rule = next((each.text for each in record.requirements if each.id == order[0]), "")
    return Finding(0, tuple(ranked), {each: requirements[each] for each in order}, shown, hinders, rule)


def _named_by(signature: str) -> frozenset[str]:
    """Return the requirements that a cause is about: those that its words name, and those that its words mean."""
    meant = (requirement for pattern, requirement in _MEANT if pattern.search(signature))
    return frozenset((*_ID.findall(signature), *meant))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def finding_of(findings: Iterable[Finding], requirement: str, *, profile: str | None = None) -> Finding | None:
    """Return the first finding that breaks a requirement, if possible one that was shown in the profile."""
    matches = [finding for finding in findings if requirement in finding.requirements]
    own = [finding for finding in matches if profile in finding.profiles]
    return next(iter(own or matches), None)


def why_not_judged(requirement: RequirementResult, findings: Iterable[Finding]) -> str:
    """Return what kept a requirement from being judged, such as "not judged in 3 cases: see finding 2"; or nothing."""
    obstacles = sorted(
        (finding.number, requirement.obstacles[finding.signature])
        for finding in findings
        if finding.signature in requirement.obstacles
    )
    if not obstacles:
        return ""
    numbers = ", ".join(str(number) for number, _ in obstacles[:3]) + (", ..." if len(obstacles) > 3 else "")
    cases = sum(requirement.obstacles.values())
    return f"not judged in {number_of(cases, 'case')}: see finding{'' if len(obstacles) == 1 else 's'} {numbers}"
