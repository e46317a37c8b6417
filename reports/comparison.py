"""The comparison of two runs: what broke, what was fixed, which findings are new, gone or in both."""

from collections.abc import Iterable, Mapping

from conformance.reports.case_alias import case_alias
from conformance.reports.findings import findings_of
from conformance.reports.outcome import broken_requirements
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, JUDGED
from conformance.specs.run_comparison import (
    SCHEMA,
    ComparedFinding,
    ComparedRequirement,
    ComparedRun,
    RunComparison,
)
from conformance.specs.run_record import Failure, Result

#: The signature of a finding, and a group of profiles.
Kind = tuple[str, str]


def compare_runs(first: RunRecord, second: RunRecord, *, paths: tuple[str, str] = ("A", "B")) -> RunComparison:
    """Compare two runs: versions or implementations, nights, seeds.

    The second run is worse if it breaks a requirement that held, does not judge one that was judged, or has a finding
    in a group of profiles that the first does not have.

    Args:
        first: The run before.
        second: The run after.
        paths: Where their records are, as the user named them.
    """
    before: dict[str, Result] = {each.id: each.verdict for each in first.requirements}
    after: dict[str, Result] = {each.id: each.verdict for each in second.requirements}
    pairs = [ComparedRequirement(name, before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]
    both = [each for each in pairs if each.before in JUDGED and each.after in JUDGED]
    broke = tuple(each for each in both if each.before == "pass" and each.after in BROKEN)
    only_first = tuple(each for each in pairs if each.before in JUDGED and each.after not in JUDGED)
    failures = _by_kind(first), _by_kind(second)
    new = tuple(_finding(kind, *failures) for kind in failures[1] if kind not in failures[0])
    return RunComparison(
        schema=SCHEMA,
        first=_run(first, paths[0]),
        second=_run(second, paths[1]),
        worse=bool(broke or only_first or new),
        differences=tuple(_differences(first, second)),
        broke=broke,
        fixed=tuple(each for each in both if each.before in BROKEN and each.after == "pass"),
        only_first=only_first,
        only_second=tuple(each for each in pairs if each.before not in JUDGED and each.after in JUDGED),
        new=new,
        gone=tuple(_finding(kind, *failures) for kind in failures[0] if kind not in failures[1]),
        same=tuple(_finding(kind, *failures) for kind in failures[1] if kind in failures[0]),
    )


def run_name(run: ComparedRun) -> str:
    """Return the name by which a reader knows a run."""
    return f"{run.implementation} {run.version}"


def run_of(comparison: RunComparison, finding: ComparedFinding) -> ComparedRun:
    """Return the run whose example a finding has: the later one that has the finding."""
    return comparison.second if finding.after else comparison.first


def _by_kind(record: RunRecord) -> dict[Kind, Failure]:
    """Return the failures of a run by their kind, the most important finding first."""
    failures = (failure for finding in findings_of(record) for failure in finding.failures)
    return {(each.signature, each.group): each for each in failures}


def _run(record: RunRecord, path: str) -> ComparedRun:
    return ComparedRun(
        path=path,
        implementation=record.header.implementation.name,
        version=record.header.implementation.version,
        kit=record.header.kit,
        started=record.header.started,
        cases=record.footer.cases if record.footer else 0,
        passed=sum(each.verdict == "pass" for each in record.requirements),
        broken=len(broken_requirements(record)),
    )


def _finding(kind: Kind, first: Mapping[Kind, Failure], second: Mapping[Kind, Failure]) -> ComparedFinding:
    """Return a finding of one of two runs, or of both: then with the later example."""
    before, after = first.get(kind), second.get(kind)
    failure = after or first[kind]
    return ComparedFinding(
        signature=failure.signature,
        group=failure.group,
        status=failure.status,
        requirements=tuple(failure.requirements),
        before=before.count if before else 0,
        after=after.count if after else 0,
        message=failure.message,
        case=failure.case,
        short_case=case_alias(failure.case),
        replay=failure.replay,
    )


def _differences(first: RunRecord, second: RunRecord) -> Iterable[str]:
    facts = {
        "implementation": [
            f"{each.header.implementation.name} {each.header.implementation.version}" for each in (first, second)
        ],
        "kit": [each.header.kit for each in (first, second)],
        "seed": [str(each.header.seed) for each in (first, second)],
        "roles": [", ".join(each.header.roles) for each in (first, second)],
        "profiles": [", ".join(each.header.profiles) for each in (first, second)],
        "families": [f"{len(each.header.families)} families" for each in (first, second)],
        "requirements": [each.header.requirements for each in (first, second)],
        "cases": [f"{each.footer.cases:,}" if each.footer else "cut off" for each in (first, second)],
    }
    for name, (one, other) in facts.items():
        if one != other:
            yield f"{name}: {one} -> {other}"
