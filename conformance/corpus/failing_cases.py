"""Failing cases: how many there are of each finding, what they break, and the first of each."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from conformance.oracles.verdict import Verdict, by_finding
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case_id import CaseId

#: Cases in a shard. Limits apply to each shard, and the borders of shards do not depend on how work is divided,
#: so the kept cases do not depend on it either.
SHARD: Final = 500
#: Findings that a shard distinguishes.
_FINDINGS: Final = 300
#: The signature of all findings beyond these.
MORE_FINDINGS: Final = "(more findings than are distinguished)"
#: Characters of a message that are kept.
_MESSAGE: Final = 500
#: What a sum of a cluster counts, besides its cases: those that break a requirement, those of a profile.
CASES: Final = "cases"
REQUIREMENT: Final = "requirement"
PROFILE: Final = "profile"


@dataclass(frozen=True, slots=True, order=True)
class FailingCase:
    """A case that broke a requirement.

    Attributes:
        number: Its number in the plan.
        signature: The finding that it shows.
        group: The group of profiles.
        requirement: The requirement that it broke.
        status: One of `conformance.specs.run_record.FAILURES`.
        case: Its id.
        message: What was expected and what was answered, or the end of the standard error.
    """

    number: int
    signature: str
    group: str
    requirement: str
    status: str
    case: str
    message: str


def storable(text: str, *, limit: int = _MESSAGE) -> str:
    """Return a text that UTF-8 can encode, cut at `limit` characters: implementations may send anything."""
    return text[:limit].encode("utf-8", "backslashreplace").decode()


@dataclass(slots=True)
class FailingCases:
    """The failing cases of some shards.

    Attributes:
        counts: (signature, group, what is counted, name of it) -> cases.
        obstacles: (requirement, signature) -> cases in which that finding kept it from being judged.
        kept: The first case of each finding, group and requirement in each shard.
    """

    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    obstacles: Counter[tuple[str, str]] = field(default_factory=Counter)
    kept: list[FailingCase] = field(default_factory=list)
    _shard: int = -1
    _seen: set[tuple[str, str, str]] = field(default_factory=set)
    _signatures: set[str] = field(default_factory=set)

    def add(self, number: int, case: CaseId, verdicts: Collection[Verdict]) -> None:
        """Count the failures of a case; call it in the order of the cases' numbers."""
        if number // SHARD != self._shard:
            self._shard = number // SHARD
            self._seen.clear()
            self._signatures.clear()
        for finding, failures in by_finding(verdicts).items():
            signature, group = self._distinguished(finding), group_of(case.profile)
            self.counts[signature, group, CASES, ""] += 1
            self.counts[signature, group, PROFILE, case.profile] += 1
            for verdict in failures:
                self.counts[signature, group, REQUIREMENT, verdict.requirement] += 1
                self._keep(number, signature, group, str(case), verdict)
        for verdict in verdicts:
            if not verdict.charged:
                self.obstacles[verdict.requirement, self._distinguished(verdict.finding)] += 1

    def _distinguished(self, finding: str) -> str:
        signature = storable(finding)
        if signature not in self._signatures and len(self._signatures) >= _FINDINGS:
            return MORE_FINDINGS
        self._signatures.add(signature)
        return signature

    def _keep(self, number: int, signature: str, group: str, case: str, verdict: Verdict) -> None:
        kind = (signature, group, verdict.requirement)
        if kind not in self._seen:
            self._seen.add(kind)
            message = storable(verdict.message)
            self.kept.append(FailingCase(number, signature, group, verdict.requirement, verdict.status, case, message))

    def __iter__(self) -> Iterator[FailingCase]:
        return iter(self.kept)
