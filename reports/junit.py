"""JUnit XML: one test case for each requirement under each profile, for build servers that show test results."""

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from conformance.reports.foreign_text import elided, one_line, visible
from conformance.reports.outcome import Cell, cell, failure_of, outcome, ranked, trouble_text, without_answer
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, STATUSES, TROUBLES
from conformance.specs.run_record import BESIDE_THE_CATALOGUE, Failure, RequirementResult

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


def _fail(case: ElementTree.Element, result: Cell, requirement: RequirementResult, failure: Failure | None) -> None:
    numbers = f"{result.judged - result.passed} of {result.judged} cases"
    unanswered = without_answer(requirement)
    about = [f"{requirement.worklog}, section {requirement.section}", numbers, *([unanswered] if unanswered else [])]
    _problem(case, failure.status if failure else result.status, requirement.text, about, failure)


def _problem(case: ElementTree.Element, status: str, text: str, about: Sequence[str], failure: Failure | None) -> None:
    kind = "error" if status in TROUBLES else "failure"
    message = f"{STATUSES[status].label}: {about[1]}" if failure is None else failure.message
    problem = ElementTree.SubElement(case, kind, type=status, message=_line(message))
    lines = [text, *about]
    if failure is not None:
        lines += [
            f"{failure.count:,} case{'' if failure.count == 1 else 's'}",
            f"Smallest stream: {failure.case}, {len(failure.stream_bytes)} bytes",
            *([failure.departure_note] if failure.departure else []),
            f"Reproduce: {failure.replay}",
            failure.detail,
        ]
    problem.text = _xml("\n".join(lines), _DETAIL_CHARACTERS)


def _test_case(
    suite: ElementTree.Element, requirement: RequirementResult, profile: str, result: Cell, failures: Sequence[Failure]
) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=_line(f"{requirement.worklog}.{requirement.id}"), name=_line(profile), time="0"
    )
    if result.status not in BROKEN:
        if result.status != "pass":
            _skip(case, _reason(requirement, result))
        return
    # Failures are ranked, new ones first, so that a known one does not hide a new one.
    failure = failure_of(failures, requirement.id, profile=profile)
    if failure is not None and failure.known is not None:
        _skip(case, f"known failure: {failure.known}")
    elif failure is None and result.status in TROUBLES:
        # The crash itself is a test case of its own; here nothing was judged at its cases, so this is not a pass.
        _skip(case, f"{STATUSES[result.status].label}: {trouble_text(requirement.results[profile])}")
    else:
        _fail(case, result, requirement, failure)


def _beside_the_catalogue(root: ElementTree.Element, record: RunRecord, failures: Sequence[Failure]) -> None:
    """Add the failures of no requirement: crashes first, and a test case that passes where there are none."""
    suite = ElementTree.Element("testsuite", name="beside the catalogue", timestamp=_line(record.header.started))
    for name, meaning in BESIDE_THE_CATALOGUE.items():
        own = [failure for failure in failures if failure.requirement == name]
        for failure in own:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=_line(failure.signature), time="0")
            if failure.known is not None:
                _skip(case, f"known failure: {failure.known}")
            else:
                _problem(case, failure.status, meaning, [], failure)
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
        ("seed", str(record.header.seed)),
        *((f"cases that {TROUBLES[status]}", str(number)) for status, number in outcome(record).troubles.items()),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=_line(value))
    return properties


def _count(element: ElementTree.Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))


def junit_report(record: RunRecord) -> str:
    """Return the report of a run as JUnit XML, one suite for each worklog.

    A broken requirement is a failure, or an error if there was no answer to judge; known failures and requirements
    that were not judged are skipped with the reason, in particular those with a crash at some of their cases. Crashes
    have a suite of their own, the first. A run that was cut off is an error of its own.
    """
    root = ElementTree.Element("testsuites", name="binlog-conformance")
    failures = ranked(record)
    _beside_the_catalogue(root, record, failures)
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
                    _test_case(suite, requirement, profile, result, failures)
    _run_suite(root, record)
    for suite in root:
        _count(suite)
    _count(root)
    if record.footer is not None:
        root.set("time", f"{record.footer.elapsed:.3f}")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
