"""Judging many cases of one implementation: generate or read, ask, judge, count."""

import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from conformance.corpus.counts import UNREPEATED, Counts
from conformance.corpus.failing_cases import storable
from conformance.corpus.plan import Plan
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import Verdict, selected
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.strategies.grammar.case import Case

#: Characters of a traceback that are kept.
_TRACEBACK: Final = 2000

NumberedCase = tuple[int, Case]


@dataclass(slots=True)
class KitErrors:
    """Errors of the kit at some cases, which are not verdicts on an implementation.

    As a context manager it records an error instead of ending the run; the run reports the errors at its end.

    Attributes:
        entries: The case's id, the error, and where it was raised.
        case: The id of the current case.
    """

    entries: list[tuple[str, str, str]] = field(default_factory=list)
    case: str = ""

    def at(self, case: object) -> Self:
        """Set the case that the next errors are about."""
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
        self.entries.append((self.case, storable(f"{type(error).__name__}: {error}"), storable(where[-_TRACEBACK:])))
        return True


def planned_cases(plan: Plan, first: int, end: int, *, kit_errors: KitErrors) -> Iterator[NumberedCase]:
    """Yield the cases of a plan from the number `first` to before `end`, except those that cannot be made."""
    for number in range(first, end):
        case = None
        with kit_errors.at(plan.case_id(number)):
            case = plan.case(number)
        if case is not None:
            yield number, case


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Asks one implementation about many cases, and counts the verdicts.

    Attributes:
        implementation: The implementation, which must be started.
        judge: Judges its answers.
        requirements: A glob over the ids of the requirements that count.
        window: How many questions may wait for an answer.
        kit_errors: Takes errors of the kit.
    """

    implementation: Implementation
    judge: Judge
    requirements: str = "*"
    window: int = 16
    kit_errors: KitErrors = field(default_factory=KitErrors)

    def count(self, cases: Iterable[NumberedCase], counts: Counts) -> None:
        """Judge cases, in the given order, and add them to the counts."""
        questions = self._not_declined(cases, counts)
        if isinstance(self.implementation, ProcessImplementation):
            answers = self._ask_process(questions, counts)
        else:
            answers = self._ask_in_process(questions)
        for number, case, answer in answers:
            with self.kit_errors.at(case.id):
                counts.add(number, case, self._selected(self.judge.judge(case, answer)))

    def _not_declined(self, cases: Iterable[NumberedCase], counts: Counts) -> Iterator[NumberedCase]:
        """Yield the cases that have to be asked, and count the others."""
        for number, case in cases:
            declined = self.judge.declined(case)
            if declined:
                counts.add(number, case, self._selected(declined))
            else:
                yield number, case

    def _selected(self, verdicts: list[Verdict]) -> list[Verdict]:
        return selected(verdicts, self.requirements)

    def _ask_process(
        self, cases: Iterable[NumberedCase], counts: Counts
    ) -> Iterator[tuple[int, Case, Observation | Trouble]]:
        open_questions: deque[NumberedCase] = deque()

        def requests() -> Iterator[Request]:
            for number, case in cases:
                open_questions.append((number, case))
                yield request_of(case)

        for answer in self.implementation.ask_many(requests(), window=self.window):
            number, case = open_questions.popleft()
            yield number, case, self._ask_again(case, answer, counts)

    def _ask_again(self, case: Case, answer: Observation | Trouble, counts: Counts) -> Observation | Trouble:
        """Return the answer, or that of a new process if one ended or broke the protocol.

        A process may have been killed, or may have failed because of earlier questions, which depend on how the work
        was divided. Only a failure that a case causes alone is a verdict on it; the others are counted.
        """
        if not isinstance(answer, Trouble) or answer.status not in ("crash", "protocol-error"):
            return answer
        again = self.implementation.ask(request_of(case))
        if not isinstance(again, Trouble):
            counts.totals[UNREPEATED] += 1
        return again

    def _ask_in_process(self, cases: Iterable[NumberedCase]) -> Iterator[tuple[int, Case, Observation | Trouble]]:
        ask = self.implementation.ask
        for number, case in cases:
            answer: Observation | Trouble | None = None
            crash = KitErrors()
            with crash:
                answer = ask(request_of(case))
            if answer is None:
                # There is no process that could end, so an error takes the place of its exit status.
                _, error, where = crash.entries[0]
                answer = Trouble("crash", error.partition(":")[0], where)
            yield number, case, answer
