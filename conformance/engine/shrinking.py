"""Shrinking: from a case that failed to the smallest one that fails in the same way."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from conformance.engine.failure import Counts, Failure
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judge, Judges, request_of
from conformance.oracles.verdict import Verdict, selected
from conformance.protocol.observation import Observation, Trouble
from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.chooser import Choice
from conformance.strategies.grammar.shrinking import OutOfTries, shrink

#: How a process ends that the system or its administrator kills: it does not do that itself.
KILLED: Final = "signal-SIGKILL"
#: How many cases the shrinking of one failure may try, by their result: each hang takes its whole time limit.
SHRINK_TRIES = {"fail": 1000, "crash": 200, "protocol-error": 200, "hang": 12}
#: Seconds for shrinking one failure: most take one, but each answer may come just before its time limit.
SHRINK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Shrinker:
    """Shrinks the failures of one implementation.

    Attributes:
        implementation: The started implementation.
        judge: Judges its answers.
        requirements: A glob over the ids of the requirements that count.
        seconds: Time for one failure; the smallest case so far is then the result.
        observe: Called with each case of the run that is asked, and its answer.
    """

    implementation: Implementation
    judge: Judge | Judges
    requirements: str = "*"
    seconds: float = SHRINK_SECONDS
    observe: Callable[[Case, Observation | Trouble], None] = lambda case, answer: None

    def verdicts(self, case: Case) -> list[Verdict]:
        """Return the verdicts on one case, of the selected requirements."""
        declined = self.judge.declined(case)
        if declined:
            return self._selected(declined)
        answer = self._ask(case)
        self.observe(case, answer)
        return self._judged(case, answer)

    def still_fails(self, case: Case, requirement: str, finding: str) -> bool:
        """Return whether a case breaks a requirement by the cause of one finding."""
        return self.matching(case, self._ask_again_if_killed(case), requirement, finding) is not None

    def failure(
        self,
        case: Case,
        verdict: Verdict,
        counts: Counts,
        *,
        choices: Sequence[Choice] | None,
        known: str | None = None,
    ) -> Failure:
        """Return a failure, with the smallest case that shows it.

        Args:
            case: The case that showed it first.
            verdict: The verdict of that case.
            counts: The cases that showed it.
            choices: The choices that made the case; None keeps the case as it is.
            known: The reason that the baseline gives.
        """
        requirement, finding = verdict.requirement, verdict.finding
        smallest = case
        if choices is not None:
            smallest = shrink(
                case,
                choices,
                self._limited(requirement, finding),
                tries=SHRINK_TRIES["fail"],
            )
        answer = self._ask_again_if_killed(smallest)
        seen = self.matching(smallest, answer, requirement, finding)
        if seen is None:
            note = f"{verdict.message} (seen in discovery, but not when asked again)"
            seen = replace(verdict, message=note)
        return Failure(seen, smallest, answer, str(case.id), group_of(case.id.profile), counts, known)

    def _limited(self, requirement: str, finding: str) -> Callable[[Case], bool]:
        """Return `still_fails` with limits on its time and on the cases that may hang, crash or fail."""
        left = dict(SHRINK_TRIES)
        deadline = time.monotonic() + self.seconds

        def still_fails(case: Case) -> bool:
            if not all(left.values()) or time.monotonic() > deadline:
                raise OutOfTries
            answer = self._ask_again_if_killed(case)
            left[answer.status if isinstance(answer, Trouble) and answer.status in left else "fail"] -= 1
            return self.matching(case, answer, requirement, finding) is not None

        return still_fails

    def shown_again(
        self, before: Sequence[Failure], verdict: Verdict, *, first_case: str, group: str, counts: Counts
    ) -> Failure | None:
        """Return the failure on a case that was shrunk for another finding, the smallest that shows this one too.

        Args:
            before: The failures that have been shrunk.
            verdict: The verdict of the case that showed this one first.
            first_case: Id of that case.
            group: The group of profiles; a case of another one may fail for another reason.
            counts: The cases that showed it.
        """
        shrunk = [failure for failure in before if failure.known is None and failure.group == group]
        for failure in sorted(shrunk, key=lambda failure: len(failure.case.stream)):
            seen = self.matching(failure.case, failure.answer, verdict.requirement, verdict.finding)
            if seen is not None:
                return Failure(seen, failure.case, failure.answer, first_case, group, counts)
        return None

    def _ask(self, case: Case) -> Observation | Trouble:
        return self.implementation.ask(request_of(case))

    def _ask_again_if_killed(self, case: Case) -> Observation | Trouble:
        """Return the answer to a case that failed before; if the process is killed, that of a new one.

        Whoever kills a process from outside must not end the search; one that kills itself does it again.
        """
        answer = self._ask(case)
        killed = isinstance(answer, Trouble) and answer.signature == KILLED
        return self._ask(case) if killed else answer

    def _judged(self, case: Case, answer: Observation | Trouble) -> list[Verdict]:
        return self._selected(self.judge.judge(case, answer))

    def _selected(self, verdicts: list[Verdict]) -> list[Verdict]:
        return selected(verdicts, self.requirements)

    def matching(self, case: Case, answer: Observation | Trouble, requirement: str, finding: str) -> Verdict | None:
        """Return the verdict that an answer breaks a requirement by the cause of a finding, None if it does not."""
        wanted = (requirement, finding)
        verdicts = self._judged(case, answer)
        return next((each for each in verdicts if each.charged and (each.requirement, each.finding) == wanted), None)
