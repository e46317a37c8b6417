"""Judging many cases of one implementation: generate or read, ask, judge, count."""

import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from types import TracebackType
from typing import Final, Self

from conformance.corpus.counts import ANSWERED, UNREPEATED, Counts
from conformance.corpus.failing_cases import storable
from conformance.corpus.plan import Plan
from conformance.engine.crash_places import with_place
from conformance.engine.patience import Patience, not_asked
from conformance.engine.shrinking import KILLED
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.registry import Implementation
from conformance.oracles.cause import Cause
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import Verdict, selected
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.specs.run_record import TROUBLE
from conformance.strategies.grammar.case import Case

#: Characters of a traceback that are kept.
_TRACEBACK: Final = 2000

NumberedCase = tuple[int, Case]
#: A case with its number and its answer, and the verdicts on what came before the answer.
_Answered = tuple[int, Case, Observation | Trouble, list[Verdict]]


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
        limits: How often the implementation may hang in one shard.
        asks: Whether anything is asked; not if too much time has passed without an answer in the run.
    """

    implementation: Implementation
    judge: Judge
    requirements: str = "*"
    window: int = 16
    kit_errors: KitErrors = field(default_factory=KitErrors)
    limits: Limits = DEFAULT_LIMITS
    asks: bool = True

    def count(self, cases: Iterable[NumberedCase], counts: Counts) -> None:
        """Judge cases, in the given order, and add them to the counts."""
        questions = self._not_declined(cases, counts)
        answers: Iterator[_Answered]
        if not self.asks:
            answers = ((number, case, not_asked(self.limits.hangs, "in this run"), []) for number, case in questions)
        elif isinstance(self.implementation, ProcessImplementation):
            answers = self._ask_process(self.implementation, questions, counts)
        else:
            answers = self._ask_in_process(questions)
        for number, case, answer, lost in answers:
            with self.kit_errors.at(case.id):
                verdicts = [*self.judge.judge(case, answer), *lost]
                counts.totals[ANSWERED] += not isinstance(answer, Trouble)
                counts.add(number, case, self._selected(verdicts))

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
        self, process: ProcessImplementation, cases: Iterator[NumberedCase], counts: Counts
    ) -> Iterator[_Answered]:
        """Yield the answers of a process, asked ahead until it hangs, from then on one by one, and only so often."""
        open_questions: deque[NumberedCase] = deque()
        # Of each shard alone, so that it does not matter how the shards are divided among tasks.
        patience = Patience(self.limits, counts_time=False)

        def requests() -> Iterator[Request]:
            for number, case in cases:
                open_questions.append((number, case))
                yield request_of(case)

        with closing(process.ask_many(requests(), window=self.window)) as answers:
            for answer in answers:
                number, case = open_questions.popleft()
                patience.note(case, answer)
                yield number, case, *self._settled(case, answer, counts)
                if patience.has_waited:
                    break
        for number, case in chain(open_questions, cases):
            refusal = patience.refusal(case)
            if refusal is not None:
                yield number, case, refusal, []
                continue
            answer = process.ask(request_of(case))
            patience.note(case, answer)
            yield number, case, *self._settled(case, answer, counts)

    def _settled(
        self, case: Case, answer: Observation | Trouble, counts: Counts
    ) -> tuple[Observation | Trouble, list[Verdict]]:
        """Return the answer that is judged, and the verdict on what ended a process if a new one answers."""
        again = self._ask_again(case, answer)
        if again is answer or isinstance(again, Trouble):
            return with_place(case, again, self.implementation), []
        assert isinstance(answer, Trouble), "only trouble is asked again"
        if answer.signature == KILLED:
            counts.totals[UNREPEATED] += 1
            return again, []
        return again, [_not_again(answer)]

    def _ask_again(self, case: Case, answer: Observation | Trouble) -> Observation | Trouble:
        """Return the answer, or that of a new process if one ended or broke the protocol.

        A process may have failed because of earlier questions, which depend on how the work was divided: the answer of
        a new process is judged, and what ended the first one is a failure of its own.
        """
        if not isinstance(answer, Trouble) or answer.status not in ("crash", "protocol-error"):
            return answer
        return self.implementation.ask(request_of(case))

    def _ask_in_process(self, cases: Iterable[NumberedCase]) -> Iterator[_Answered]:
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
            yield number, case, answer, []


def _not_again(trouble: Trouble) -> Verdict:
    """Return the verdict on trouble that did not come again when the case was asked alone."""
    cause = Cause(f"{trouble.status} that does not come again", reason=trouble.signature)
    message = f"{cause.text}, when a new process is asked about this case alone: {trouble.detail}"
    return Verdict(TROUBLE, trouble.status, trouble.signature, message, cause=cause)
