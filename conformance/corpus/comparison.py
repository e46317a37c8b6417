"""The comparison of two runs: what broke, what was fixed, what is new."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.reports.record import RunRecord
from conformance.specs.run_record import Failure

_BROKEN: Final = frozenset({"fail", "crash", "hang", "protocol-error"})

#: A requirement and a verdict, or the signature of a finding and a group of profiles.
Kind = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two runs.

    Attributes:
        broke: Requirements that held in the first run and not in the second: (requirement, verdict).
        fixed: Requirements that did not hold in the first run and do in the second: (requirement, former verdict).
        unreached: Requirements that were judged in the first run and not in the second: (requirement, former verdict).
        new: Findings in a group of profiles that only the second run has, except those that broke what held before.
        gone: Those that only the first run has, except those of requirements that now hold.
        differences: Other differences between the runs, which may be the reason of a change.
    """

    broke: tuple[Kind, ...]
    fixed: tuple[Kind, ...]
    unreached: tuple[Kind, ...]
    new: tuple[Failure, ...]
    gone: tuple[Failure, ...]
    differences: tuple[str, ...]

    @property
    def worse(self) -> bool:
        """Whether the second run shows anything that the first did not."""
        return bool(self.broke or self.new or self.unreached)


def compare_runs(first: RunRecord, second: RunRecord) -> Comparison:
    """Compare two runs."""
    before = {each.id: each.verdict for each in first.requirements}
    after = {each.id: each.verdict for each in second.requirements}
    both = [name for name in after if name in before]
    broke = [(name, after[name]) for name in both if after[name] in _BROKEN and before[name] not in _BROKEN]
    fixed = [(name, before[name]) for name in both if before[name] in _BROKEN and after[name] == "pass"]
    judged = _BROKEN | {"pass"}
    unreached = [
        (name, verdict) for name, verdict in before.items() if verdict in judged and after.get(name) not in judged
    ]
    failures = _kinds(first.failures), _kinds(second.failures)
    settled = {name for name, _ in (*broke, *fixed, *unreached)}
    return Comparison(
        broke=tuple(broke),
        fixed=tuple(fixed),
        unreached=tuple(unreached),
        new=_only(failures[1], failures[0], settled),
        gone=_only(failures[0], failures[1], settled),
        differences=tuple(_differences(first, second)),
    )


def _kinds(failures: Iterable[Failure]) -> dict[Kind, Failure]:
    return {(each.signature, each.group): each for each in failures}


def _only(here: Mapping[Kind, Failure], there: Mapping[Kind, Failure], settled: set[str]) -> tuple[Failure, ...]:
    return tuple(each for kind, each in here.items() if kind not in there and not settled.issuperset(each.requirements))


def _differences(first: RunRecord, second: RunRecord) -> Iterable[str]:
    facts = {
        "implementation": [
            f"{each.header.implementation.name} {each.header.implementation.version}" for each in (first, second)
        ],
        "kit": [each.header.kit for each in (first, second)],
        "seed": [str(each.header.seed) for each in (first, second)],
        "profiles": [", ".join(each.header.profiles) for each in (first, second)],
        "families": [f"{len(each.header.families)} families" for each in (first, second)],
        "requirements": [each.header.requirements for each in (first, second)],
        "cases": [f"{each.footer.cases:,}" if each.footer else "cut off" for each in (first, second)],
    }
    for name, (one, other) in facts.items():
        if one != other:
            yield f"{name}: {one} -> {other}"
