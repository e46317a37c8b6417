"""SARIF 2.1.0 (OASIS): one result for each finding in a group of profiles, one rule for each broken requirement."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from conformance.reports.case_alias import case_alias
from conformance.reports.findings import Finding, findings_of
from conformance.reports.foreign_text import elided, one_line
from conformance.reports.outcome import outcome
from conformance.reports.record import RunRecord
from conformance.reports.worklog_address import worklog_address
from conformance.specs.run_record import BESIDE_THE_CATALOGUE, Failure, RequirementResult

VERSION: Final = "2.1.0"
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: Level of a requirement -> level of a result.
_LEVELS: Final = {"must": "error", "should": "warning", "may": "note"}
_MESSAGE_CHARACTERS: Final = 1_000
#: The line of the first failure in a run record; the header is in the first line of the file.
_FIRST_FAILURE: Final = 2

Entry = dict[str, Any]


def _text(text: str) -> str:
    return one_line(elided(text, _MESSAGE_CHARACTERS))


def _rule(name: str, requirement: RequirementResult | None) -> Entry:
    """Return the rule of a requirement, or of what is beside the catalogue."""
    if requirement is None:
        text = BESIDE_THE_CATALOGUE.get(name, name)
        return {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": "error"}}
    rule: Entry = {
        "id": name,
        "shortDescription": {"text": requirement.text},
        "fullDescription": {"text": f"{requirement.text} ({requirement.worklog}, section {requirement.section})"},
        "defaultConfiguration": {"level": _LEVELS[requirement.level]},
        "properties": {"tags": [requirement.worklog, requirement.role, requirement.level]},
    }
    if requirement.interpretation:
        rule["help"] = {"text": requirement.interpretation}
    address = worklog_address(requirement)
    if address:
        rule["helpUri"] = address
    return rule


def _fingerprint(failure: Failure) -> str:
    """Return what stays the same as long as a finding does: its cause and its group of profiles."""
    return sha256(f"{failure.signature}\n{failure.group}".encode("utf-8", "surrogatepass")).hexdigest()


def _result(finding: Finding, failure: Failure, *, rule: int, level: str, place: str, line: int) -> Entry:
    message = (
        f"{_text(failure.signature)} (in {failure.group}, {failure.count:,} cases, it breaks {finding.breaks}). "
        f"{_text(failure.message)}\nCase {case_alias(failure.case)}; reproduce it with: {one_line(failure.replay)}"
    )
    result: Entry = {
        "ruleId": failure.requirement,
        "ruleIndex": rule,
        "level": level,
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": place}, "region": {"startLine": line}},
                "logicalLocations": [{"fullyQualifiedName": failure.case, "kind": "case"}],
            }
        ],
        "partialFingerprints": {"finding/v1": _fingerprint(failure)},
        "occurrenceCount": max(failure.count, 1),
        "properties": {
            "finding": finding.number,
            "status": failure.status,
            "requirements": dict(failure.requirements),
            "profiles": dict(failure.profiles),
            "case": failure.case,
            "replay": failure.replay,
        },
    }
    if failure.known is not None:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": _text(failure.known)}]
    return result


def _results(record: RunRecord, rules: dict[str, int], levels: dict[str, str], place: str) -> Iterable[Entry]:
    lines = {id(failure): number for number, failure in enumerate(record.failures, _FIRST_FAILURE)}
    for finding in findings_of(record):
        for failure in finding.failures:
            yield _result(
                finding,
                failure,
                rule=rules[failure.requirement],
                level=levels[failure.requirement],
                place=place,
                line=lines[id(failure)],
            )


def sarif_report(record: RunRecord, *, place: str = "run.jsonl") -> str:
    """Return a run as SARIF 2.1.0.

    A binary log has no line of a source file that is wrong, so each result is located at its line of the run record.

    Args:
        record: The run.
        place: The run record's path, relative to the root of what is analysed, with slashes.
    """
    requirements = {each.id: each for each in record.requirements}
    names = sorted({failure.requirement for failure in record.failures})
    rules = [_rule(name, requirements.get(name)) for name in names]
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}
    numbers = {name: number for number, name in enumerate(names)}
    summary = outcome(record)
    notes = [f"{summary.headline}: {summary.sentence}", *summary.notes]
    run: Entry = {
        "tool": {"driver": {"name": "binlog-conformance", "version": record.header.kit, "rules": rules}},
        "automationDetails": {"id": f"binlog-conformance/{one_line(record.header.implementation.name)}/"},
        "invocations": [
            {
                "executionSuccessful": record.footer is not None,
                "startTimeUtc": record.header.started,
                "toolExecutionNotifications": [{"level": "note", "message": {"text": _text(note)}} for note in notes],
            }
        ],
        "results": list(_results(record, numbers, levels, place)),
        "columnKind": "unicodeCodePoints",
    }
    log = {"$schema": _SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(log, indent=1, allow_nan=False) + "\n"
