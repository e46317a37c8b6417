"""Verdicts: what one case shows of one requirement, and what no requirement accounts for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.oracles.cause import Cause
from conformance.specs.catalogue import matches
from conformance.specs.run_record import FAILURES, TROUBLES, UNEXPLAINED, Status, TroubleStatus


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one case shows of one requirement.

    Attributes:
        requirement: The requirement's id, `TROUBLE` or `UNEXPLAINED`.
        status: One of `conformance.specs.run_record.STATUSES`.
        signature: What the requirement's check found wrong, in a short text without numbers that vary. Empty for a
            pass.
        message: What was expected and what came.
        at: Offset in bytes of the event concerned.
        charged: Whether the failure is counted as one of this requirement. A crash is charged once; the other
            requirements that its case exercises were not judged there, and only count it.
        cause: Why it failed: failures with equal causes are one finding. Of a requirement that was blocked, or
            crashed without being charged: the cause of what ended the reading before its events.
        further: The failures of the same requirement on the same case for other causes.
        log: The number of the log that the offset is in, from 0, where an answer is several logs.
    """

    requirement: str
    status: Status
    signature: str = ""
    message: str = ""
    at: int | None = None
    charged: bool = True
    cause: Cause | None = None
    further: "tuple[Verdict, ...]" = ()
    log: int = 0

    @property
    def finding(self) -> str:
        """The signature of the finding that it is part of: the cause in words."""
        return self.signature if self.cause is None else self.cause.text

    @property
    def is_failure(self) -> bool:
        """Whether it is a failure of its own."""
        return self.charged and self.status in FAILURES


def trouble_of(verdicts: Iterable[Verdict]) -> TroubleStatus | None:
    """Return the trouble of a case, given the verdicts on it: None if there was an answer, or none was possible."""
    statuses = {verdict.status for verdict in verdicts if verdict.charged}
    return next((status for status in TROUBLES if status in statuses), None)


def failures_of(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    """Yield the failures among verdicts: of each requirement one for each cause."""
    for verdict in verdicts:
        if verdict.is_failure:
            yield verdict
            yield from verdict.further


def by_finding(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Return the failures of a case by the signatures of their findings."""
    findings: dict[str, list[Verdict]] = {}
    for failure in failures_of(verdicts):
        findings.setdefault(failure.finding, []).append(failure)
    return findings


def has_unexplained(verdicts: Iterable[Verdict]) -> bool:
    """Return whether the answer to a case has a difference that no requirement accounts for."""
    return any(verdict.requirement == UNEXPLAINED for verdict in verdicts)


def selected(verdicts: Iterable[Verdict], requirements: str) -> list[Verdict]:
    """Return the verdicts that a run reports: those of the selected requirements, and all that may not get lost.

    A crash, a hang or a broken protocol is never left out, whichever requirement it is charged to.

    Args:
        verdicts: The verdicts on one case.
        requirements: A glob over requirement ids, or several with commas between them.
    """
    if requirements == "*":
        return list(verdicts)
    return [
        verdict
        for verdict in verdicts
        if matches(verdict.requirement, requirements)
        or (verdict.is_failure and (verdict.status in TROUBLES or verdict.requirement == UNEXPLAINED))
    ]
