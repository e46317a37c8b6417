"""Shrinking: from a case that failed to the smallest one that fails in the same way."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from conformance.engine.crash_places import with_place
from conformance.engine.failure import Counts, Failure
from conformance.engine.kept_answer import kept_answer
from conformance.engine.patience import Patience
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judge, Judges, request_of
from conformance.oracles.verdict import Verdict, failures_of, selected
from conformance.protocol.observation import Observation, Trouble
from conformance.specs.profiles import group_of
from conformance.specs.run_record import NOT_ASKED, TROUBLES, WITHOUT_ANSWERS
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import Choice
from conformance.strategies.grammar.shrinking import OutOfTries, alike, shrink

#: How a process ends that the system or its administrator kills: it does not do that itself.
KILLED: Final = "signal-SIGKILL"
#: How many cases the shrinking of one failure may try, by their result: each hang takes its whole time limit.
SHRINK_TRIES = {"fail": 1000, "crash": 200, "protocol-error": 200, "hang": 12}
#: Seconds that slow answers may take while one failure is shrunk: each may come just before its time limit.
SHRINK_SECONDS = 30.0
#: An answer that takes no more seconds is not slow, so that a busy machine does not change what comes out. Those over a
#: network are slow.
_PROMPT: Final = 0.02


def cost_of_shrinking(status: str) -> int:
    """Return the rank of a failure by what each case that shows it costs: little, the start of a process, a hang."""
    return 2 if status == "hang" else int(status in TROUBLES)


@dataclass(frozen=True, slots=True)
class Shrinker:
    """Shrinks the failures of one implementation.

    Attributes:
        implementation: The started implementation.
        judge: Judges its answers.
        requirements: A glob over the ids of the requirements that count.
        seconds: Time for slow answers to the tries of one failure; the smallest case so far is then the result.
        observe: Called with each case of the run that is asked, and its answer.
        patience: Ends the asking of an implementation that hangs.
    """

    implementation: Implementation
    judge: Judge | Judges
    requirements: str = "*"
    seconds: float = SHRINK_SECONDS
    observe: Callable[[Case, Observation | Trouble], None] = lambda case, answer: None
    patience: Patience = field(default_factory=Patience)

    def verdicts(self, case: Case) -> list[Verdict]:
        """Return the verdicts on one case, of the selected requirements."""
        declined = self.judge.declined(case)
        if declined:
            return selected(declined, self.requirements)
        refusal = self.patience.refusal(case)
        if refusal is not None:
            return self._judged(case, refusal)
        answer = self.ask(case)
        self.observe(case, answer)
        return self._judged(case, answer)

    def still_fails(self, case: Case, requirement: str, finding: str) -> bool:
        """Return whether a case breaks a requirement by the cause of one finding."""
        return self.matching(case, self.ask_again_if_killed(case), requirement, finding) is not None

    def failure(
        self,
        case: Case,
        verdict: Verdict,
        counts: Counts,
        *,
        choices: Sequence[Choice] | None,
        elsewhere: Case | None = None,
        known: str | None = None,
    ) -> Failure:
        """Return a failure, with the smallest case that shows it.

        Args:
            case: The case that showed it first.
            verdict: The verdict of that case.
            counts: The cases that showed it.
            choices: The choices that made the case; None keeps the case as it is.
            elsewhere: The smallest case that shows the finding in another group of profiles. If one like it shows it in
                this group too, that is the result, as what is searched for would be of that size.
            known: The reason that the baseline gives.
        """
        requirement, finding = verdict.requirement, verdict.finding
        smallest, answer, seen = case, None, None
        met: tuple[tuple[Case, Verdict], ...] = ()
        if choices is not None:
            tries = _Tries(self, requirement, finding)
            smallest = _shown_by(tries, case, elsewhere) or _smallest(tries, case, choices)
            answer, met = tries.answers.get(smallest.id), tuple(tries.met.values())
            if smallest.id.choices == tuple(choices):
                smallest = case  # Its own id is shorter.
        costs_time = verdict.status == "hang" or self.patience.ends(case.role)
        if answer is None and verdict.status in TROUBLES and costs_time:
            # The next answer would only take its time again.
            words = verdict.message.removeprefix(f"{verdict.signature}: ")
            answer, seen = Trouble(verdict.status, verdict.signature, words), verdict
        if answer is None:
            answer = self.ask_again_if_killed(smallest)
        seen = seen or self.matching(smallest, answer, requirement, finding)
        if seen is None:
            unasked = isinstance(answer, Trouble) and answer.status == NOT_ASKED
            note = f"not asked again: {WITHOUT_ANSWERS}" if unasked else "seen in discovery, but not when asked again"
            seen = replace(verdict, message=f"{verdict.message} ({note})")
        kept, left_out = kept_answer(answer)
        group, is_whole = group_of(case.id.profile), kept is answer
        return Failure(seen, smallest, kept, str(case.id), group, counts, known, left_out, is_whole, met)

    def ask(self, case: Case) -> Observation | Trouble:
        """Return the answer to a case; what stands for it once too much time has passed without one."""
        if self.patience.ends(case.role) and (refusal := self.patience.refusal(case)) is not None:
            return refusal
        answer = self.patience.answer(case, request_of(case), self.implementation.ask)
        return with_place(case, answer, self.implementation)

    def ask_again_if_killed(self, case: Case) -> Observation | Trouble:
        """Return the answer to a case that failed before; if the process is killed, that of a new one.

        Whoever kills a process from outside must not end the search; one that kills itself does it again.
        """
        answer = self.ask(case)
        killed = isinstance(answer, Trouble) and answer.signature == KILLED
        return self.ask(case) if killed else answer

    def _judged(self, case: Case, answer: Observation | Trouble) -> list[Verdict]:
        return selected(self.judge.judge(case, answer), self.requirements)

    def matching(self, case: Case, answer: Observation | Trouble, requirement: str, finding: str) -> Verdict | None:
        """Return the verdict that an answer breaks a requirement by the cause of a finding, None if it does not."""
        return matching(self.judge, self.requirements, case, answer, (requirement, finding))


def _shown_by(tries: "_Tries", case: Case, elsewhere: Case | None) -> Case | None:
    """Return a case like one elsewhere, under the profile of a case, that shows the failure; None if there is none."""
    if elsewhere is None:
        return None
    with suppress(OutOfTries):
        for like in alike(elsewhere, case.id.profile):
            if len(like.stream) <= len(case.stream) and tries.still_fails(like):
                return like
    return None


def _smallest(tries: "_Tries", case: Case, choices: Sequence[Choice]) -> Case:
    first = case.with_id(replace(case.id, seed=None, index=None, choices=tuple(choices)))
    return shrink(first, choices, tries.still_fails, tries=SHRINK_TRIES["fail"])


def matching(
    judge: Judge | Judges,
    requirements: str,
    case: Case,
    answer: Observation | Trouble,
    wanted: tuple[str, str],
) -> Verdict | None:
    """Return the verdict that an answer breaks a requirement by the cause of a finding, None if it does not.

    Args:
        judge: Judges the answer.
        requirements: A glob over the ids of the requirements that count.
        case: The case.
        answer: The answer to it.
        wanted: The requirement, and the signature of the finding.
    """
    failures = failures_of(selected(judge.judge(case, answer), requirements))
    return next((each for each in failures if (each.requirement, each.finding) == wanted), None)


def shown_again(
    judge: Judge | Judges,
    requirements: str,
    before: Sequence[Failure],
    verdict: Verdict,
    *,
    first_case: str,
    group: str,
    counts: Counts,
) -> Failure | None:
    """Return the failure on a case that was shrunk for another finding, the smallest that shows this one too.

    Args:
        judge: Judges the answers.
        requirements: A glob over the ids of the requirements that count.
        before: The failures that have been shrunk.
        verdict: The verdict of the case that showed this one first.
        first_case: Id of that case.
        group: The group of profiles; a case of another one may fail for another reason.
        counts: The cases that showed it.
    """
    shrunk = [failure for failure in before if failure.known is None and failure.group == group and failure.is_whole]
    for failure in sorted(shrunk, key=lambda failure: len(failure.case.stream)):
        seen = matching(judge, requirements, failure.case, failure.answer, (verdict.requirement, verdict.finding))
        if seen is not None:
            return Failure(seen, failure.case, failure.answer, first_case, group, counts)
    return None


class _Tries:
    """Tries smaller cases of one failure, with limits on slow answers and on the cases that may hang, crash or fail.

    Attributes:
        answers: The answer to the first case, and to the last that failed in the same way.
        met: Finding -> the smallest case that showed it, with its verdict, where it is trouble and another finding.
    """

    def __init__(self, shrinker: Shrinker, requirement: str, finding: str) -> None:
        self._shrinker = shrinker
        self._wanted = requirement, finding
        self._left = dict(SHRINK_TRIES)
        self._seconds = shrinker.seconds
        self.answers: dict[CaseId, Observation | Trouble] = {}
        self.met: dict[str, tuple[Case, Verdict]] = {}

    def still_fails(self, case: Case) -> bool:
        """Return whether a case fails in the same way.

        Raises:
            OutOfTries: A limit is reached.
        """
        if not all(self._left.values()) or self._seconds < 0 or self._shrinker.patience.ends(case.role):
            raise OutOfTries
        began = time.monotonic()
        answer = self._shrinker.ask_again_if_killed(case)
        self._seconds -= max(time.monotonic() - began - _PROMPT, 0.0)
        self._left[answer.status if isinstance(answer, Trouble) and answer.status in self._left else "fail"] -= 1
        fails = self._shrinker.matching(case, answer, *self._wanted) is not None
        if fails:
            self.answers.clear()
        if fails or not self.answers:
            self.answers[case.id] = answer
        if not fails and isinstance(answer, Trouble) and answer.status in TROUBLES:
            self._meet(case, answer)
        return fails

    def _meet(self, case: Case, trouble: Trouble) -> None:
        """Keep trouble that is another finding: it must not be lost, although no case of the run showed it."""
        verdict = next(failures_of(self._shrinker.judge.judge(case, trouble)))
        before = self.met.get(verdict.finding)
        if verdict.finding != self._wanted[1] and (before is None or len(case.stream) < len(before[0].stream)):
            self.met[verdict.finding] = case, verdict
