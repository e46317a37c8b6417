"""Failing cases: how many there are of each kind, and the first of each."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from conformance.oracles.verdict import Verdict
from conformance.strategies.grammar.case_id import CaseId

#: Cases in a shard. Limits apply to each shard, and the borders of shards do not depend on how work is divided,
#: so the kept cases do not depend on it either.
SHARD: Final = 500
#: Failing cases that a shard keeps of each (requirement, signature).
_KEPT: Final = 1
#: Signatures that a shard distinguishes for each requirement.
_SIGNATURES: Final = 100
#: The signature of all failures beyond these.
MORE_SIGNATURES: Final = "(more signatures than are distinguished)"
#: Characters of a message that are kept.
_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True, order=True)
class FailingCase:
    """A case that broke a requirement.

    Attributes:
        number: Its number in the plan.
        requirement: The requirement that it broke.
        signature: The kind of failure.
        status: One of `conformance.specs.run_record.FAILURES`.
        case: Its id.
        message: What was expected and what was answered, or the end of the standard error.
    """

    number: int
    requirement: str
    signature: str
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
        counts: (requirement, signature) -> cases.
        kept: The first of each kind in each shard.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    kept: list[FailingCase] = field(default_factory=list)
    _shard: int = -1
    _in_shard: Counter[tuple[str, str]] = field(default_factory=Counter)
    _signatures: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, case: CaseId, verdict: Verdict) -> None:
        """Count a failing case; call it in the order of the cases' numbers."""
        if number // SHARD != self._shard:
            self._shard = number // SHARD
            self._in_shard.clear()
            self._signatures.clear()
        key = (verdict.requirement, storable(verdict.signature))
        if key not in self._in_shard:
            if self._signatures[verdict.requirement] >= _SIGNATURES:
                key = (verdict.requirement, MORE_SIGNATURES)
            else:
                self._signatures[verdict.requirement] += 1
        self.counts[key] += 1
        self._in_shard[key] += 1
        if self._in_shard[key] <= _KEPT:
            self.kept.append(FailingCase(number, *key, verdict.status, str(case), storable(verdict.message)))

    def __iter__(self) -> Iterator[FailingCase]:
        return iter(self.kept)
