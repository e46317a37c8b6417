"""The summary of a run as one JSON document: what `--format json` prints, for programs that read no run record."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from conformance.specs.run_record import Count, Counts, FailureStatus, Result, Texts, TroubleStatus

#: Version of the document.
SCHEMA: Final = 1

#: ``nothing judged``: the run found no failure because it judged nothing, which is not the same as conforming.
Verdict = Literal["conforming", "not conforming", "cut off", "nothing judged"]


class FindingSummary(Struct, frozen=True):
    """One finding: the failures of one cause."""

    number: Annotated[Count, Meta(description="Its number in all reports of the run, from 1.")]
    signature: Annotated[str, Meta(description="The cause in a few words, the stable name of the finding.")]
    status: FailureStatus
    requirements: Annotated[Counts, Meta(description="Broken requirement -> cases.")]
    profiles: Annotated[Counts, Meta(description="Profile in which it was shown -> cases.")]
    groups: Annotated[Texts, Meta(description="The groups of profiles in which it was shown.")]
    cases: Annotated[Count, Meta(description="Cases that showed it.")]
    message: Annotated[str, Meta(description="What was expected and what came, in one sentence.")]
    case: Annotated[str, Meta(description="Id of the shrunk case.")]
    short_case: Annotated[str, Meta(description="The first characters of a hash of that id.")]
    replay: Annotated[str, Meta(description="The command line that shows it again.")]
    known: Annotated[str | None, Meta(description="The reason that the baseline gives, null where it is new.")]


class RequirementSummary(Struct, frozen=True):
    """One requirement, and what the run shows of it."""

    id: str
    worklog: str
    level: str
    role: str
    verdict: Result
    passed: Annotated[Count, Meta(description="Cases that passed.")]
    judged: Annotated[Count, Meta(description="Cases that were judged.")]


class RunSummary(Struct, frozen=True):
    """A run in one document; its record has every detail."""

    schema: Annotated[Literal[1], Meta(description="Version of the document.")]
    kit: Annotated[str, Meta(description="Version of binlog-conformance.")]
    extensions: Annotated[Texts, Meta(description="The installed extensions of the kit, packages with versions.")]
    implementation: Annotated[str, Meta(description="The name that it declares.")]
    version: Annotated[str, Meta(description="The version that it declares.")]
    spec: Annotated[str, Meta(description="The implementation as on the command line.")]
    started: Annotated[str, Meta(description="When the run started, in UTC.")]
    seed: int
    verdict: Verdict
    sentence: Annotated[str, Meta(description="A summary for readers who read no further.")]
    notes: Annotated[Texts, Meta(description="Other reasons of the verdict, such as stale entries of the baseline.")]
    cases: Annotated[Count, Meta(description="Cases of the run.")]
    troubles: Annotated[
        Mapping[TroubleStatus, Count], Meta(description="Crash, hang or protocol error -> cases; zeros left out.")
    ]
    verdicts: Annotated[Counts, Meta(description="Verdict -> requirements.")]
    findings: Annotated[tuple[FindingSummary, ...], Meta(description="The most important first.")]
    requirements: tuple[RequirementSummary, ...]
