"""The outcome of a run: its verdict in words, its numbers, the state of each cell, the order of the failures."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from conformance.reports.record import RunRecord
from conformance.reports.status import BEYOND_THE_KIT, BROKEN, JUDGED, STATUSES, UNJUDGED
from conformance.specs.run_record import LEVELS, Failure, RequirementResult

#: ``nothing judged``: the run found no failure because it judged nothing, which is not the same as conforming.
Verdict = Literal["conforming", "not conforming", "cut off", "nothing judged"]

#: The worst first: the status of a cell that holds several.
_WORST: Final = ("crash", "hang", "fail", "protocol-error")


@dataclass(frozen=True, slots=True)
class Cell:
    """One requirement under one profile: its status, and the numbers of cases."""

    status: str
    passed: int
    judged: int
    unsupported: int


def cell(requirement: RequirementResult, profile: str) -> Cell | None:
    """Return the result of a requirement under a profile, None if it does not hold there."""
    if profile not in requirement.profiles and profile not in requirement.results:
        return None
    counts = requirement.results.get(profile, {})
    passed = counts.get("pass", 0)
    judged = sum(counts.get(status, 0) for status in JUDGED)
    unsupported = counts.get("unsupported", 0)
    if judged > passed:
        status = next(status for status in _WORST if counts.get(status, 0))
    elif passed:
        status = "pass"
    elif unsupported:
        status = "unsupported"
    elif requirement.verdict in BEYOND_THE_KIT:
        status = requirement.verdict
    else:
        status = "not-reached"
    return Cell(status, passed, judged, unsupported)


def exercised(requirement: RequirementResult) -> tuple[int, int]:
    """Return in how many cases a requirement passed, and in how many it was judged, under all profiles."""
    passed = sum(counts.get("pass", 0) for counts in requirement.results.values())
    judged = sum(counts.get(status, 0) for counts in requirement.results.values() for status in JUDGED)
    return passed, judged


def ranked(record: RunRecord) -> list[Failure]:
    """Return the failures, the most important first: new before known, must before should, frequent before rare."""
    levels = {requirement.id: requirement.level for requirement in record.requirements}

    def rank(failure: Failure) -> tuple[bool, int, int, int, str, str]:
        level = levels.get(failure.requirement, LEVELS[0])
        return (
            failure.known is not None,
            LEVELS.index(level),
            BROKEN.index(failure.status),
            -failure.count,
            failure.requirement,
            failure.signature,
        )

    return sorted(record.failures, key=rank)


def grouped(failures: Iterable[Failure]) -> list[list[Failure]]:
    """Return the failures in groups of one observation of one stream, which may break several requirements."""
    groups: dict[tuple[str, int | None, str], list[Failure]] = {}
    for failure in failures:
        groups.setdefault((failure.case, failure.at, failure.message), []).append(failure)
    return list(groups.values())


def failure_of(failures: Iterable[Failure], requirement: str, *, profile: str | None = None) -> Failure | None:
    """Return the first failure of a requirement, if possible one of the profile."""
    matches = [failure for failure in failures if failure.requirement == requirement]
    return next((failure for failure in matches if failure.profile == profile), matches[0] if matches else None)


def is_known(failures: Iterable[Failure], requirement: str) -> bool:
    """Return whether a requirement has failures and the baseline lists all of them."""
    known = [failure.known is not None for failure in failures if failure.requirement == requirement]
    return bool(known) and all(known)


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run.

    Attributes:
        verdict: Its verdict.
        counts: Verdict -> number of requirements, in the order of `STATUSES`, zeros included.
        judged: Requirements that were judged in some case.
        possible: Requirements that the kit can judge: all but those without an oracle and the untestable ones.
        sentence: A summary for readers who read no further.
        notes: Other reasons of the verdict: unexpected passes, stale baseline entries.
    """

    verdict: Verdict
    counts: dict[str, int]
    judged: int
    possible: int
    sentence: str
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The verdict, with the number of known failures that it accepts."""
        if self.verdict == "conforming" and self.broken:
            return f"conforming except for {_number(self.broken, 'known failure')}"
        return self.verdict

    @property
    def passed(self) -> int:
        """Requirements that hold."""
        return self.counts["pass"]

    @property
    def broken(self) -> int:
        """Requirements that do not hold."""
        return sum(self.counts[status] for status in BROKEN)


def _sentence(record: RunRecord, verdict: Verdict, counts: Mapping[str, int], broken: list[RequirementResult]) -> str:
    judged = sum(counts[status] for status in JUDGED)
    unjudged = sum(counts[status] for status in UNJUDGED)
    if verdict == "cut off":
        return (
            "The run did not finish. Below is what it had recorded by then; nothing is known about the rest. "
            "Run it again before you draw conclusions."
        )
    if not judged:
        return "No case judged any requirement, so nothing was shown: neither that it conforms nor that it does not."
    if not broken:
        holds = (
            "The one requirement that this run judged holds"
            if judged == 1
            else f"All {judged} judged requirements hold"
        )
        return f"{holds}; {unjudged} more {'was' if unjudged == 1 else 'were'} not judged." if unjudged else f"{holds}."
    known = sum(is_known(record.failures, requirement.id) for requirement in broken)
    if known == len(broken):
        return (
            f"{len(broken)} of the {_number(judged, 'requirement')} that this run judged do not hold; "
            "the baseline lists each of them, with a reason."
        )
    musts = sum(requirement.level == "must" for requirement in broken)
    kinds: Counter[str] = Counter(requirement.verdict for requirement in broken)
    how = ", ".join(f"{kinds[status]} {STATUSES[status].label}" for status in BROKEN if kinds[status])
    level = "all of them musts" if musts == len(broken) else f"{musts} of them {'a must' if musts == 1 else 'musts'}"
    text = f"It breaks {len(broken)} of the {_number(judged, 'requirement')} that this run judged, {level}: {how}."
    return text + (
        f" {known} of the {len(broken)} {'is' if known == 1 else 'are'} known, with a reason." if known else ""
    )


def outcome(record: RunRecord) -> Outcome:
    """Sum up a run."""
    numbers: Counter[str] = Counter(requirement.verdict for requirement in record.requirements)
    counts = {name: numbers[name] for name in STATUSES}
    judged = sum(counts[status] for status in JUDGED)
    possible = len(record.requirements) - sum(counts[status] for status in BEYOND_THE_KIT)
    footer = record.footer
    verdict: Verdict = "cut off"
    if footer is not None:
        verdict = ("conforming" if judged else "nothing judged") if footer.conforming else "not conforming"
    broken = [requirement for requirement in record.requirements if requirement.verdict in BROKEN]
    notes = []
    if footer is not None and footer.unexpected_passes:
        notes.append(
            "Requirements that pass although the baseline lists them (remove them from it): "
            + ", ".join(footer.unexpected_passes)
        )
    if footer is not None and footer.stale_baseline:
        notes.append("Baseline entries that match nothing: " + ", ".join(footer.stale_baseline))
    return Outcome(
        verdict=verdict,
        counts=counts,
        judged=judged,
        possible=possible,
        sentence=_sentence(record, verdict, counts, broken),
        notes=tuple(notes),
    )
