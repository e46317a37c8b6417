"""JUnit XML: one test case for each requirement under each profile, for build servers that show test results."""

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from conformance.reports.case_alias import case_alias
from conformance.reports.findings import Finding, findings_of, why_not_judged
from conformance.reports.foreign_text import elided, one_line, visible
from conformance.reports.outcome import Cell, cell, outcome, trouble_text
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, STATUSES, TROUBLES
from conformance.specs.run_record import BESIDE_THE_CATALOGUE, WITHOUT_ANSWERS, RequirementResult

_MESSAGE_CHARACTERS: Final = 1_000
_DETAIL_CHARACTERS: Final = 8_000
#: Characters that XML does not allow; `visible` already replaces them, but the file must be XML in any case.
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml(text: str, limit: int) -> str:
    return _FORBIDDEN.sub("", visible(elided(text, limit)))


def _line(text: str) -> str:
    return _FORBIDDEN.sub("", one_line(elided(text, _MESSAGE_CHARACTERS)))


def _skip(case: ElementTree.Element, message: str) -> None:
    ElementTree.SubElement(case, "skipped", message=_line(message))


def _reason(requirement: RequirementResult, result: Cell) -> str:
    meaning = STATUSES[result.status].meaning
    if result.status == "untestable" and requirement.untestable:
        meaning = requirement.untestable
    return f"{STATUSES[result.status].label}: {meaning}"


def _problem(case: ElementTree.Element, status: str, about: Sequence[str], finding: Finding, profile: str = "") -> None:
    kind = "error" if status in TROUBLES else "failure"
    failure = finding.in_profile(profile)
    problem = ElementTree.SubElement(case, kind, type=status, message=_line(failure.message))
    lines = [
        *about,
        f"Finding {finding.number}: {finding.signature}",
        f"{finding.cases:,} case{'' if finding.cases == 1 else 's'}; it breaks {finding.breaks}",
        f"Smallest stream: case {case_alias(failure.case)}, {len(failure.stream_bytes)} bytes",
        *([failure.departure_note] if failure.departure else []),
        f"Reproduce: {failure.replay}",
        failure.detail,
    ]
    problem.text = _xml("\n".join(lines), _DETAIL_CHARACTERS)


def _name_findings(case: ElementTree.Element, findings: Sequence[Finding]) -> None:
    """Name in a test case's properties the findings that it is about."""
    if findings:
        properties = ElementTree.SubElement(case, "properties")
        for finding in findings:
            ElementTree.SubElement(properties, "property", name="finding", value=_line(finding.signature))


def _test_case(
    suite: ElementTree.Element, requirement: RequirementResult, profile: str, result: Cell, findings: Sequence[Finding]
) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=_line(f"{requirement.worklog}.{requirement.id}"), name=_line(profile), time="0"
    )
    if result.status == "pass":
        return
    broken_by = [each for each in findings if requirement.id in each.requirements and profile in each.profiles]
    obstacles = [each for each in findings if each.signature in requirement.obstacles and profile in each.profiles]
    _name_findings(case, broken_by or obstacles)
    if result.status not in BROKEN:
        reason = why_not_judged(requirement, findings) if result.status == "blocked" else ""
        _skip(case, reason or _reason(requirement, result))
        return
    # A failure of the requirement itself, or a crash that it is not charged with.
    blamed = broken_by or obstacles or [each for each in findings if requirement.id in each.requirements]
    # New findings come first, so that a known one does not hide a new one.
    known = blamed[0].in_profile(profile).known if blamed else None
    about = [
        requirement.text,
        f"{requirement.worklog}, section {requirement.section}",
        f"{result.judged - result.passed} of {result.judged} cases",
        trouble_text(requirement.results[profile]),
    ]
    if known is not None:
        _skip(case, f"known failure: {known}")
    elif blamed:
        _problem(case, result.status, [line for line in about if line], blamed[0], profile)
    else:
        # A record that was cut off has no failure for it.
        kind = "error" if result.status in TROUBLES else "failure"
        message = f"{STATUSES[result.status].label}: {about[2]}"
        ElementTree.SubElement(case, kind, type=result.status, message=_line(message))


def _beside_the_catalogue(root: ElementTree.Element, record: RunRecord, findings: Sequence[Finding]) -> None:
    """Add the findings of no requirement: crashes first, and a test case that passes where there are none."""
    suite = ElementTree.Element("testsuite", name="beside the catalogue", timestamp=_line(record.header.started))
    for name, meaning in BESIDE_THE_CATALOGUE.items():
        own = [finding for finding in findings if name in finding.requirements]
        for finding in own:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=_line(finding.signature), time="0")
            _name_findings(case, [finding])
            if finding.known is not None:
                _skip(case, f"known failure: {finding.known}")
            else:
                _problem(case, finding.status, [meaning], finding)
        if not own and record.footer is not None and record.footer.cases:
            ElementTree.SubElement(suite, "testcase", classname=name, name="none", time="0")
    if len(suite):
        suite.insert(0, _properties(record))
        root.append(suite)


def _run_case(suite: ElementTree.Element, name: str, problem: str, kind: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname="run", name=_line(name), time="0")
    ElementTree.SubElement(case, kind, type="run", message=_line(problem))


def _run_suite(root: ElementTree.Element, record: RunRecord) -> None:
    """Add the errors of the run as a whole, which no requirement would show."""
    suite = ElementTree.Element("testsuite", name="run")
    footer = record.footer
    if footer is None:
        _run_case(suite, "the run is finished", "the run was cut off: its record has no footer", "error")
    else:
        if footer.not_asked:
            unasked = f"{footer.not_asked:,} cases were not asked: {WITHOUT_ANSWERS}"
            _run_case(suite, "every case was asked", unasked, "error")
        for name in footer.unexpected_passes:
            _run_case(suite, f"baseline {name}", "it passes, but the baseline lists it as a known failure", "failure")
        for name in footer.stale_baseline:
            _run_case(suite, f"baseline {name}", "the baseline lists it, but nothing in this run matches it", "failure")
    if len(suite):
        root.append(suite)


def _properties(record: RunRecord) -> ElementTree.Element:
    implementation = record.header.implementation
    properties = ElementTree.Element("properties")
    for name, value in (
        ("implementation", f"{implementation.name} {implementation.version}"),
        ("spec", implementation.spec),
        ("kit", record.header.kit),
        *(("extension", each) for each in record.header.extensions),
        ("seed", str(record.header.seed)),
        ("findings", str(outcome(record).findings)),
        *((f"cases that {TROUBLES[status]}", str(number)) for status, number in outcome(record).troubles.items()),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=_line(value))
    return properties


def _count(element: ElementTree.Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))


def junit_report(record: RunRecord) -> str:
    """Return the report of a run as JUnit XML, one suite for each worklog.

    A broken requirement is a failure; one with a crash at some of its cases is an error, whoever is charged with the
    crash. Known failures and requirements that were not judged are skipped with the reason. The properties of a test
    case name its findings. Crashes have a suite of their own, the first. A run that was cut off is an error of its own.
    """
    root = ElementTree.Element("testsuites", name="binlog-conformance")
    findings = findings_of(record)
    _beside_the_catalogue(root, record, findings)
    for worklog in dict.fromkeys(requirement.worklog for requirement in record.requirements):
        suite = ElementTree.SubElement(root, "testsuite", name=_line(worklog), timestamp=_line(record.header.started))
        suite.append(_properties(record))
        for requirement in record.requirements:
            if requirement.worklog != worklog:
                continue
            cells = {profile: cell(requirement, profile) for profile in record.header.profiles}
            if not any(cells.values()):
                # Without a test case, nobody would see that it was not tested.
                cells = {"no profile of this run": Cell("not-reached", 0, 0, 0)}
            for profile, result in cells.items():
                if result is not None:
                    _test_case(suite, requirement, profile, result, findings)
    _run_suite(root, record)
    for suite in root:
        _count(suite)
    _count(root)
    if record.footer is not None:
        root.set("time", f"{record.footer.elapsed:.3f}")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
