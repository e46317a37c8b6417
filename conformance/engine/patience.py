"""Patience: how long a run goes on asking an implementation that does not answer."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from conformance.implementations.process.child import CLOSED_OUTPUT, EXIT_SECONDS
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.protocol.observation import Observation, Trouble
from conformance.specs.run_record import NOT_ASKED, WITHOUT_ANSWERS
from conformance.strategies.grammar.case import Case

#: The part of all hangs that a run allows in one family, or to an implementation without an answer.
_PART: Final = 0.4
#: The part of its time that a run of a given length may spend on hangs.
_PART_OF_TIME: Final = 0.1


@dataclass(slots=True)
class Patience:
    """Counts the hangs of one implementation, and ends the asking of a family, or all of it.

    A hang counts as one. A crash or a broken protocol, which may also cost time, counts as the part of the time limit
    for one answer that it took.

    Attributes:
        limits: The time limit for one answer, and the number of hangs after which nothing more is asked.
        counts_time: Whether the time of other trouble counts; results then depend on the machine. If not, only a closed
            output counts, which takes a fixed time.
    """

    limits: Limits = DEFAULT_LIMITS
    counts_time: bool = True
    _hangs: int = 0
    _other: float = 0.0
    #: Hangs that shrinking may add to those of the run.
    _of_shrinking: float = 0.0
    _of_family: dict[tuple[str, str], float] = field(default_factory=dict)
    _has_answered: bool = False
    #: Whether an answer is assumed, in a part of a run that begins before those before it have ended.
    _assumes_answer: bool = False

    @classmethod
    def of_run(cls, limits: Limits, seconds: float | None) -> "Patience":
        """Return the patience of a run: one of a given length allows as many hangs as take a tenth of it, if more.

        Args:
            limits: The limits of the implementation.
            seconds: The length of the run, None where the number of cases is given.
        """
        in_time = int((seconds or 0) * _PART_OF_TIME / limits.seconds)
        return cls(replace(limits, hangs=max(limits.hangs, in_time)))

    def end(self) -> None:
        """Ask nothing more: too much time has passed without an answer before."""
        self._hangs = max(self._hangs, self.limits.hangs)

    def begin_shrinking(self) -> None:
        """Forget the time of other trouble, and allow at least as many more hangs as to a family.

        Failures that have nothing to do with the hangs are shrunk too.
        """
        self._other = 0.0
        self._of_shrinking = max(self._hangs + self.few - self.limits.hangs, 0)

    def copied(self, *, assuming_answer: bool = False) -> "Patience":
        """Return a copy, for a part of the run that another process does.

        Args:
            assuming_answer: Whether the parts before it have not ended yet, and are assumed to bring an answer.
        """
        assumes = assuming_answer and not self._has_answered
        return replace(self, _of_family=dict(self._of_family), _assumes_answer=assumes)

    def after(self, begun: "Patience", ended: "Patience") -> "Patience | None":
        """Return the patience after a part of the run that was done beside the parts before it, whose patience this is.

        Args:
            begun: A copy with which the part began; nobody has changed it.
            ended: The copy with which it ended.

        Returns:
            None if the part would have gone another way after those before it: it has asked too much, or too little.
        """
        if begun == self:
            return ended
        hangs, other = ended._hangs - begun._hangs, ended._other - begun._other
        of_family = {key: cost for key, cost in ended._of_family.items() if cost != begun._of_family.get(key)}
        after = replace(
            self,
            _hangs=self._hangs + hangs,
            _other=self._other + other,
            _of_family=self._of_family | of_family,
            _has_answered=self._has_answered or ended._has_answered,
        )
        if begun.exhausted or self.exhausted or after.exhausted:
            return None
        return None if begun._assumes_answer and not self._has_answered and of_family else after

    @property
    def few(self) -> float:
        """Hangs after which a family is not asked any more, and an implementation that has answered nothing."""
        return max(self.limits.hangs * _PART, 1)

    @property
    def has_waited(self) -> bool:
        """Whether the implementation has hung so far."""
        return self._spent >= 1

    @property
    def exhausted(self) -> bool:
        """Whether nothing more is asked."""
        return self._spent >= (self.limits.hangs + self._of_shrinking if self._has_an_answer else self.few)

    @property
    def _has_an_answer(self) -> bool:
        return self._has_answered or self._assumes_answer

    @property
    def _spent(self) -> float:
        return self._hangs + self._other

    def refusal(self, case: Case) -> Trouble | None:
        """Return what takes the place of an answer if a case is not asked, because of trouble before it."""
        if self.exhausted:
            where = "in all" if self._has_an_answer else "before its first answer"
            return not_asked(self._spent, where)
        hangs = self._of_family.get(_key(case), 0)
        return not_asked(hangs, f"in the family {case.id.family}") if hangs >= self.few else None

    def answer(self, case: Case, ask: Callable[[], Observation | Trouble]) -> Observation | Trouble:
        """Ask about a case and return the answer; take note of what it cost if there is none."""
        began = time.monotonic()
        answer = ask()
        self.note(case, answer, time.monotonic() - began)
        return answer

    def note(self, case: Case, answer: Observation | Trouble, seconds: float = 0.0) -> None:
        """Take note of the answer to a case, and of the seconds that it took."""
        if not isinstance(answer, Trouble) or answer.status == "unsupported":
            self._has_answered = True
            return
        if not self.counts_time:
            seconds = EXIT_SECONDS if answer.signature == CLOSED_OUTPUT else 0.0
        if answer.status == "hang":
            cost = 1.0
            self._hangs += 1
        else:
            cost = min(seconds / self.limits.seconds, 1.0)
            self._other += cost
        self._of_family[_key(case)] = self._of_family.get(_key(case), 0) + cost


def not_asked(hangs: float, where: str) -> Trouble:
    """Return what takes the place of an answer after trouble that took the time of so many hangs."""
    words = f"not asked: {WITHOUT_ANSWERS} (that of {hangs:.0f} hangs {where}; --hangs raises the limit)"
    return Trouble(NOT_ASKED, WITHOUT_ANSWERS, words)


def _key(case: Case) -> tuple[str, str]:
    return case.role, case.id.family
