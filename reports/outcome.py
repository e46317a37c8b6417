"""The outcome of a run: its verdict in words, its numbers, the state of each cell, the order of the failures."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.reports.record import RunRecord
from conformance.reports.status import BEYOND_THE_KIT, BROKEN, JUDGED, STATUSES, TROUBLES, UNJUDGED
from conformance.specs.run_record import NOT_ASKED, WITHOUT_ANSWERS, Failure, RequirementResult, Status, TroubleStatus
from conformance.specs.run_summary import Verdict

#: The worst first: the status of a cell that holds several.
_WORST: Final = ("fail", "crash", "hang", "protocol-error")
#: Statuses of a case that show whether a requirement holds.
_SHOWN: Final = ("pass", "fail")


def charged(record: RunRecord) -> set[str]:
    """Return the requirements that findings break; one whose cases crash because of another is not among them."""
    return {requirement for failure in record.failures for requirement in failure.requirements}


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
    elif counts.get(NOT_ASKED, 0):
        status = NOT_ASKED
    elif passed:
        status = "pass"
    elif counts.get("blocked", 0):
        status = "blocked"
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


def without_answer(requirement: RequirementResult) -> str:
    """Return how many of a requirement's cases have no answer, such as "3 of 9 crashed"; nothing if all have one."""
    counts: Counter[Status] = Counter()
    for results in requirement.results.values():
        counts.update(results)
    return trouble_text(counts)


def trouble_text(counts: Mapping[Status, int]) -> str:
    """Return how many cases of a requirement crashed, hung or broke the protocol, of those with or without an answer.

    Args:
        counts: Cases by status.
    """
    cases = sum(counts.get(status, 0) for status in JUDGED)
    texts = [f"{counts[status]:,} of {cases:,} {word}" for status, word in TROUBLES.items() if counts.get(status)]
    if counts.get(NOT_ASKED):
        texts.append(f"{counts[NOT_ASKED]:,} not asked")
    return ", ".join(texts)


def is_known(failures: Collection[Failure], requirement: RequirementResult) -> bool:
    """Return whether the baseline lists all failures of a requirement, or all crashes at its cases if it has none."""
    if requirement.verdict not in BROKEN:
        return False
    own = [failure for failure in failures if requirement.id in failure.requirements]
    blamed = own or [failure for failure in failures if failure.status in TROUBLES]
    return bool(blamed) and all(failure.known is not None for failure in blamed)


def number_of(number: int, noun: str, of_all: str = "") -> str:
    """Return a number with its noun, such as "1 case", "2,000 cases" or "2 of 2,000 cases"."""
    return f"{number:,}{of_all} {noun}" if number == 1 and not of_all else f"{number:,}{of_all} {noun}s"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run.

    Attributes:
        verdict: Its verdict.
        counts: Verdict -> number of requirements, in the order of `STATUSES`, zeros included.
        troubles: Crash, hang or protocol error -> number of cases, zeros left out.
        unexplained: Cases whose answer differs in a way that no requirement accounts for.
        broken: Requirements that findings break; one whose cases crash because of another is not among them.
        cases: Cases of the run, as far as they are known.
        findings: Different causes of its failures.
        new: Those that the baseline does not list in every group of profiles.
        possible: Requirements that the kit can judge: all but those without an oracle and the untestable ones.
        sentence: A summary for readers who read no further.
        notes: Other reasons of the verdict: unexpected passes, stale baseline entries.
    """

    verdict: Verdict
    counts: dict[str, int]
    troubles: dict[TroubleStatus, int]
    unexplained: int
    broken: int
    cases: int
    findings: int
    new: int
    possible: int
    sentence: str
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The verdict, with the number of known failures that it accepts."""
        if self.verdict == "conforming" and self.findings:
            return f"conforming except for {number_of(self.findings, 'known finding')}"
        return self.verdict

    @property
    def passed(self) -> int:
        """Requirements that hold."""
        return self.counts["pass"]


def broken_requirements(record: RunRecord) -> list[RequirementResult]:
    """Return the requirements that findings break, in the order of the record."""
    names = charged(record)
    return [each for each in record.requirements if each.verdict in BROKEN and each.id in names]


def _sentence(record: RunRecord, verdict: Verdict, counts: Mapping[str, int]) -> str:
    """Return what the requirements came to."""
    if verdict == "cut off":
        return (
            "The run did not finish. Below is what it had recorded by then; nothing is known about the rest. "
            "Run it again before you draw conclusions."
        )
    broken = broken_requirements(record)
    unanswered = sum(each.verdict in BROKEN for each in record.requirements) - len(broken)
    judged = len(broken) + counts["pass"]
    if not judged and not unanswered:
        return "No case judged any requirement, so nothing was shown: neither that it conforms nor that it does not."
    sentences = [_of_judged(record, broken, judged, sum(counts[status] for status in UNJUDGED))] if judged else []
    if unanswered:
        sentences.append(
            f"{number_of(unanswered, 'requirement')} {'is' if unanswered == 1 else 'are'} not shown to hold: "
            "some of the cases have no answer."
        )
    return " ".join(sentences)


def _of_judged(record: RunRecord, broken: Collection[RequirementResult], judged: int, unjudged: int) -> str:
    """Return how many of the judged requirements are broken.

    Args:
        record: The run.
        broken: The requirements with failures of their own.
        judged: How many requirements were judged in all of their cases, or are broken.
        unjudged: How many were judged in none.
    """
    if not broken:
        holds = (
            "The one requirement that this run judged holds"
            if judged == 1
            else f"All {judged} judged requirements hold"
        )
        return f"{holds}; {unjudged} more {'was' if unjudged == 1 else 'were'} not judged." if unjudged else f"{holds}."
    known = sum(is_known(record.failures, requirement) for requirement in broken)
    if known == len(broken):
        return (
            f"{len(broken)} of the {number_of(judged, 'requirement')} that this run judged do not hold; "
            "the baseline lists each of them, with a reason."
        )
    musts = sum(requirement.level == "must" for requirement in broken)
    level = "all of them musts" if musts == len(broken) else f"{musts} of them {'a must' if musts == 1 else 'musts'}"
    text = f"It breaks {len(broken)} of the {number_of(judged, 'requirement')} that this run judged, {level}."
    findings = len({failure.signature for failure in record.failures})
    text += f" That is {number_of(findings, 'finding')}{'' if findings == 1 else ', one for each cause'}."
    return text + (
        f" {known} of the {len(broken)} {'is' if known == 1 else 'are'} known, with a reason." if known else ""
    )


def _troubles(record: RunRecord) -> dict[TroubleStatus, int]:
    """Return how many cases crashed, hung or broke the protocol, each counted once, zeros left out."""
    counted: Mapping[TroubleStatus, int] = record.footer.troubles if record.footer is not None else {}
    if not counted:
        # A run that was cut off, or a record of an older kit: there each failure has the number of its cases.
        counted = {
            status: sum(failure.count for failure in record.failures if failure.status == status) for status in TROUBLES
        }
    return {status: counted[status] for status in TROUBLES if counted.get(status)}


def _first_sentence(troubles: Mapping[TroubleStatus, int], cases: int) -> str:
    """Return the crashes in a sentence, which comes before everything else."""
    of_all = f" of {cases:,}" if cases else ""
    words = [f"{TROUBLES[status]} in {number_of(number, 'case', of_all)}" for status, number in troubles.items()]
    return f"It {', '.join(words)}. " if words else ""


def _verdict(record: RunRecord) -> Verdict:
    footer = record.footer
    if footer is None:
        return "cut off"
    if not footer.conforming:
        return "not conforming"
    shown = any(
        counts.get(status) for each in record.requirements for counts in each.results.values() for status in _SHOWN
    )
    return "conforming" if shown else "nothing judged"


def _notes(record: RunRecord, troubles: Mapping[TroubleStatus, int]) -> Iterator[str]:
    footer = record.footer
    if footer is None:
        return
    if footer.not_asked:
        yield (
            f"{number_of(footer.not_asked, 'case', f' of {footer.cases:,}')} not asked: {WITHOUT_ANSWERS}. "
            "--hangs sets how much may pass; nothing is known about these cases."
        )
    if troubles and footer.conforming:
        yield "The baseline lists each crash, hang and broken protocol, with a reason; these cases judge nothing."
    if footer.unexplained:
        yield (
            f"In {number_of(footer.unexplained, 'case')} the answer differs in a way that no requirement accounts for: "
            "a gap in the kit's catalogue, please report it."
        )
    if footer.unexpected_passes:
        yield (
            "Findings that do not occur any more although the baseline lists them (remove them from it): "
            + ", ".join(footer.unexpected_passes)
        )
    for role, names in footer.unused.items():
        yield f"Declared in the role {role} and never reported, so perhaps not by the parser: {', '.join(names)}"
    if footer.stale_baseline:
        yield "Baseline entries that match nothing: " + ", ".join(footer.stale_baseline)


def outcome(record: RunRecord) -> Outcome:
    """Sum up a run."""
    numbers: Counter[str] = Counter(requirement.verdict for requirement in record.requirements)
    counts = {name: numbers[name] for name in STATUSES}
    verdict = _verdict(record)
    troubles = _troubles(record)
    cases = record.footer.cases if record.footer is not None else 0
    return Outcome(
        verdict=verdict,
        counts=counts,
        troubles=troubles,
        unexplained=record.footer.unexplained if record.footer is not None else 0,
        broken=len(broken_requirements(record)),
        cases=cases,
        findings=len({failure.signature for failure in record.failures}),
        new=len({failure.signature for failure in record.failures if failure.known is None}),
        possible=len(record.requirements) - sum(counts[status] for status in BEYOND_THE_KIT),
        sentence=_first_sentence(troubles, cases) + _sentence(record, verdict, counts),
        notes=tuple(_notes(record, troubles)),
    )
