"""The findings of all kept runs: one for each implementation and cause, with the versions that have it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.reports.findings import Finding, findings_of
from conformance.reports.kept_runs import KeptRun
from conformance.reports.site.links import finding_address


@dataclass(frozen=True, slots=True)
class KeptFinding:
    """A finding of an implementation.

    Attributes:
        name: The implementation.
        signature: The cause in a few words.
        versions: Version that has it -> the finding there, the oldest version first.
    """

    name: str
    signature: str
    versions: Mapping[str, Finding] = field(default_factory=dict)

    @property
    def shown(self) -> Finding:
        """The finding of the newest version that has it."""
        return list(self.versions.values())[-1]

    @property
    def address(self) -> str:
        """The address of its page, from the top of the site."""
        return finding_address(self.name, self.signature)


@dataclass(frozen=True, slots=True)
class Change:
    """What changed from one version of an implementation to the next.

    Attributes:
        before: The older version.
        after: The newer version.
        groups: In words how they changed -> the findings.
    """

    before: str
    after: str
    groups: Mapping[str, Sequence[KeptFinding]]

    @property
    def words(self) -> str:
        """How many findings changed in which way."""
        return ", ".join(f"{len(findings)} {words}" for words, findings in self.groups.items())


def change_between(before: KeptRun, after: KeptRun, findings: Iterable[KeptFinding]) -> Change:
    """Return what changed between two versions of an implementation, given its findings."""
    findings = list(findings)
    gone = [each for each in findings if before.version in each.versions and after.version not in each.versions]
    new = [each for each in findings if after.version in each.versions and before.version not in each.versions]
    return Change(before.version, after.version, {"no longer found": gone, "new": new})


def kept_findings(runs: Sequence[KeptRun]) -> list[KeptFinding]:
    """Return the findings of kept runs, implementation by implementation, the most important first."""
    by_key: dict[tuple[str, str], dict[str, Finding]] = {}
    for run in runs:
        for finding in findings_of(run.record):
            by_key.setdefault((run.name, finding.signature), {})[run.version] = finding
    findings = [KeptFinding(name, signature, versions) for (name, signature), versions in by_key.items()]
    return sorted(findings, key=lambda each: (each.name.lower(), each.shown.number, each.signature))


def of_requirement(findings: Iterable[KeptFinding], requirement: str) -> list[KeptFinding]:
    """Return the findings that break a requirement in any version."""
    return [each for each in findings if any(requirement in shown.requirements for shown in each.versions.values())]
