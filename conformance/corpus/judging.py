"""Judging many cases of one implementation: generate or read, ask, judge, count."""

import fnmatch
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import TracebackType
from typing import Final, Self

from conformance.corpus.counts import UNREPEATED, Counts
from conformance.corpus.failing_cases import storable
from conformance.corpus.plan import Plan
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judge, Verdict, request_of
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.strategies.grammar.case import Case

#: Characters of a traceback that are kept.
_TRACEBACK: Final = 2000

NumberedCase = tuple[int, Case]


@dataclass(slots=True)
class Mishaps:
    """Errors that are no verdict on an implementation: the kit itself broke at a case.

    As a context manager it keeps any error from ending the run: the run goes on, and says at its end that it broke.

    Attributes:
        found: The case's id, the error, and where it was raised.
    """

    found: list[tuple[str, str, str]] = field(default_factory=list)
    case: str = ""

    def at(self, case: object) -> Self:
        """Say which case the following is about."""
        self.case = str(case)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        where = "".join(traceback.format_exception(kind, error, trace))
        self.found.append((self.case, storable(f"{type(error).__name__}: {error}"), storable(where[-_TRACEBACK:])))
        return True


def planned_cases(plan: Plan, first: int, end: int, *, mishaps: Mishaps) -> Iterator[NumberedCase]:
    """Yield the cases of a plan from the number `first` to before `end`, those left out that cannot be made."""
    for number in range(first, end):
        case = None
        with mishaps.at(plan.case_id(number)):
            case = plan.case(number)
        if case is not None:
            yield number, case


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Asks one implementation about many cases, and counts what the judge says.

    Attributes:
        implementation: The implementation, started.
        judge: Judges its answers.
        requirements: A glob over the ids of the requirements that count.
        window: How many questions may be under way.
        mishaps: Takes errors of the kit.
    """

    implementation: Implementation
    judge: Judge
    requirements: str = "*"
    window: int = 16
    mishaps: Mishaps = field(default_factory=Mishaps)

    def count(self, cases: Iterable[NumberedCase], counts: Counts) -> None:
        """Judge cases, in the order in which they come, and add them to the counts."""
        asked = self._asked(cases, counts)
        if isinstance(self.implementation, ProcessImplementation):
            answered = self._of_process(asked, counts)
        else:
            answered = self._in_process(asked, counts)
        for number, case, answer in answered:
            with self.mishaps.at(case.id):
                counts.add(number, case, self._wanted(self.judge.judge(case, answer)))

    def _asked(self, cases: Iterable[NumberedCase], counts: Counts) -> Iterator[NumberedCase]:
        """Yield the cases that have to be asked, and count the others."""
        for number, case in cases:
            declined = self.judge.declined(case)
            if declined:
                counts.add(number, case, self._wanted(declined))
            else:
                yield number, case

    def _wanted(self, verdicts: list[Verdict]) -> list[Verdict]:
        if self.requirements == "*":
            return verdicts
        return [each for each in verdicts if _matches(each.requirement, self.requirements)]

    def _of_process(
        self, cases: Iterable[NumberedCase], counts: Counts
    ) -> Iterator[tuple[int, Case, Observation | Trouble]]:
        under_way: deque[NumberedCase] = deque()

        def requests() -> Iterator[Request]:
            for number, case in cases:
                under_way.append((number, case))
                yield request_of(case)

        for answer in self.implementation.ask_many(requests(), window=self.window):
            number, case = under_way.popleft()
            yield number, case, self._repeated(case, answer, counts)

    def _repeated(self, case: Case, answer: Observation | Trouble, counts: Counts) -> Observation | Trouble:
        """Return what a new process answers where one ended or broke the protocol.

        A process may have been killed, or may have broken behind other questions, and which ones these are depends
        on how the work was divided. Only what a case does alone is a verdict on it; the rest is counted.
        """
        if not isinstance(answer, Trouble) or answer.status not in ("crash", "protocol-error"):
            return answer
        again = self.implementation.ask(request_of(case))
        if not isinstance(again, Trouble):
            counts.totals[UNREPEATED] += 1
        return again

    def _in_process(
        self, cases: Iterable[NumberedCase], counts: Counts
    ) -> Iterator[tuple[int, Case, Observation | Trouble]]:
        ask = self.implementation.ask
        for number, case in cases:
            answer: Observation | Trouble | None = None
            crash = Mishaps()
            with crash:
                answer = ask(request_of(case))
            if answer is None:
                # There is no process that could end, so an error takes the place of its exit status.
                _, error, where = crash.found[0]
                answer = Trouble("crash", error.partition(":")[0], where)
            yield number, case, answer


@cache
def _matches(requirement: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(requirement, pattern)
