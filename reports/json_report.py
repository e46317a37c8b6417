"""JSON: the summary of a run as one document, described by ``specs/schemas/run-summary.schema.json``."""

import json

import msgspec

from conformance.reports.case_alias import case_alias
from conformance.reports.findings import Finding, findings_of
from conformance.reports.outcome import exercised, outcome
from conformance.reports.record import RunRecord
from conformance.specs.run_record import RequirementResult
from conformance.specs.run_summary import SCHEMA, FindingSummary, RequirementSummary, RunSummary


def finding_summary(finding: Finding) -> FindingSummary:
    """Return what a document has of a finding."""
    failure = finding.first
    return FindingSummary(
        number=finding.number,
        signature=finding.signature,
        status=finding.status,
        requirements=finding.requirements,
        profiles=finding.profiles,
        groups=tuple(finding.groups),
        cases=finding.cases,
        message=failure.message,
        case=failure.case,
        short_case=case_alias(failure.case),
        replay=failure.replay,
        known=finding.known,
    )


def _requirement(requirement: RequirementResult) -> RequirementSummary:
    passed, judged = exercised(requirement)
    return RequirementSummary(
        id=requirement.id,
        worklog=requirement.worklog,
        level=requirement.level,
        role=requirement.role,
        verdict=requirement.verdict,
        passed=passed,
        judged=judged,
    )


def run_summary(record: RunRecord) -> RunSummary:
    """Sum up a run in one document."""
    run, header = outcome(record), record.header
    return RunSummary(
        schema=SCHEMA,
        kit=header.kit,
        extensions=header.extensions,
        implementation=header.implementation.name,
        version=header.implementation.version,
        spec=header.implementation.spec,
        started=header.started,
        seed=header.seed,
        verdict=run.verdict,
        sentence=run.sentence,
        notes=run.notes,
        cases=run.cases,
        troubles=run.troubles,
        verdicts={name: number for name, number in run.counts.items() if number},
        findings=tuple(map(finding_summary, findings_of(record))),
        requirements=tuple(map(_requirement, record.requirements)),
    )


def json_text(document: msgspec.Struct) -> str:
    """Return a document as JSON of ASCII characters, which every encoding and terminal takes."""
    return json.dumps(msgspec.to_builtins(document), indent=1, allow_nan=False) + "\n"


def json_report(record: RunRecord) -> str:
    """Return the summary of a run as JSON."""
    return json_text(run_summary(record))
