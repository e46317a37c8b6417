"""Judging the bytes of a log."""

from io import BytesIO

from conformance.log_check.log_checker import CheckedLog, LogChecker
from conformance.log_check.verdicts import Note, Violation


def judge(data: bytes, *, profile: str | None = None, rows: bool = False, name: str = "bin.000001"):
    """Return the result of judging a log: the checked log, its violations and its notes."""
    findings: list[Violation | Note] = []
    checker = LogChecker(name, profile=profile, rows=rows, report=findings.append)
    checked: CheckedLog = checker.check(BytesIO(bytes(data)))
    violations = [each for each in findings if isinstance(each, Violation)]
    return checked, violations, [each for each in findings if isinstance(each, Note)]


def places(violations: list[Violation]) -> list[tuple[int, str]]:
    return [(each.offset, each.requirement) for each in violations]
