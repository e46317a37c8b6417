"""The comparison of two runs as one JSON document, as `compare --format json` prints it."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from conformance.specs.run_record import Count, FailureStatus, Result, Texts

#: Version of the document.
SCHEMA: Final = 1


class ComparedRun(Struct, frozen=True):
    """One of the two runs."""

    path: Annotated[str, Meta(description="Where its record is, as on the command line.")]
    implementation: str
    version: str
    kit: Annotated[str, Meta(description="Version of binlog-conformance.")]
    started: Annotated[str, Meta(description="When it started, in UTC.")]
    cases: Count
    passed: Annotated[Count, Meta(description="Requirements that hold.")]
    broken: Annotated[Count, Meta(description="Requirements that findings break.")]


class ComparedRequirement(Struct, frozen=True):
    """A requirement whose verdicts differ; null where a run did not select it."""

    id: str
    before: Result | None
    after: Result | None


class ComparedFinding(Struct, frozen=True):
    """A finding in one group of profiles."""

    signature: str
    group: str
    status: FailureStatus
    requirements: Texts
    before: Annotated[Count, Meta(description="Cases of the first run that showed it.")]
    after: Annotated[Count, Meta(description="Cases of the second run that showed it.")]
    message: str
    case: Annotated[str, Meta(description="Id of the shrunk case.")]
    short_case: Annotated[str, Meta(description="The first characters of a hash of that id.")]
    replay: str


class RunComparison(Struct, frozen=True):
    """What changed from the first run to the second."""

    schema: Annotated[Literal[1], Meta(description="Version of the document.")]
    first: ComparedRun
    second: ComparedRun
    worse: Annotated[bool, Meta(description="Whether the second run shows a failure or a gap that the first does not.")]
    differences: Annotated[Texts, Meta(description="Other differences of the runs, possible reasons of a change.")]
    broke: Annotated[tuple[ComparedRequirement, ...], Meta(description="Broken in the second run, not in the first.")]
    fixed: Annotated[tuple[ComparedRequirement, ...], Meta(description="Broken in the first run, hold in the second.")]
    only_first: Annotated[tuple[ComparedRequirement, ...], Meta(description="Judged in the first run only.")]
    only_second: Annotated[tuple[ComparedRequirement, ...], Meta(description="Judged in the second run only.")]
    new: Annotated[tuple[ComparedFinding, ...], Meta(description="Findings of the second run only.")]
    gone: Annotated[tuple[ComparedFinding, ...], Meta(description="Findings of the first run only.")]
    same: Annotated[tuple[ComparedFinding, ...], Meta(description="Findings of both runs.")]
