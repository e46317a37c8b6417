"""Patience: how long a run goes on asking an implementation that does not answer."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from conformance.implementations.process.child import CLOSED_OUTPUT, EXIT_SECONDS
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.specs.run_record import NOT_ASKED, WITHOUT_ANSWERS
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId

_Key = TypeVar("_Key", str, tuple[str, str])

#: The part of all hangs that a run allows in one family, or to an implementation without an answer.
_PART: Final = 0.4
#: The part of the time limit for one answer that is left to an implementation that has hung a few times, and to one
#: that has hung as often in all as it may in one role.
_AFTER_FEW: Final = 0.2
_AFTER_MANY: Final = 0.1
#: The least part that is left where a client loses its connection: before it connects again, it may wait for seconds.
_OF_RECONNECTS: Final = 0.5
#: A stream of more bytes may need the whole time.
_LARGE: Final = 1 << 20
#: The part of its time that a run of a given length may spend on hangs.
_PART_OF_TIME: Final = 0.1


@dataclass(slots=True)
class Patience:
    """Counts the hangs of one implementation, and ends the asking of a family, of a role, or of all.

    A hang counts as one. A crash or a broken protocol, which may also cost time, counts as the part of the time limit
    for one answer that it took. Each role has its own count: what hangs in one is asked in the others, which end after
    fewer hangs once one has ended. After a few hangs, in whatever roles, an answer is waited for a fifth of the
    time, and after more for a tenth: what takes longer than that mostly never ends, and a user waits for each.

    Attributes:
        limits: The time limit for one answer, and the number of hangs after which a role is not asked any more.
        roles: The number of roles of the run: nothing more is asked once it has ended in so many.
        counts_time: Whether the time of other trouble counts; results then depend on the machine. If not, only a closed
            output counts, which takes a fixed time.
    """

    limits: Limits = DEFAULT_LIMITS
    roles: int = 1
    counts_time: bool = True
    #: Role -> the hangs, and the time of other trouble as a number of hangs.
    _hangs: dict[str, float] = field(default_factory=dict)
    _other: dict[str, float] = field(default_factory=dict)
    #: Role -> hangs that shrinking may add to those of the run.
    _of_shrinking: dict[str, float] = field(default_factory=dict)
    _of_family: dict[tuple[str, str], float] = field(default_factory=dict)
    _has_answered: bool = False
    #: Whether an answer is assumed, in a part of a run that begins before those before it have ended.
    _assumes_answer: bool = False
    _ended: bool = False
    #: Case -> time limit and hang that was waited for, so that it need not be if this part of a run is done again.
    _waited_for: dict[CaseId, tuple[float, Trouble]] = field(default_factory=dict, compare=False)
    #: Those of the first time, where this part is done again.
    _known: dict[CaseId, tuple[float, Trouble]] = field(default_factory=dict, compare=False)

    @classmethod
    def of_run(cls, limits: Limits, seconds: float | None, roles: int = 1) -> "Patience":
        """Return the patience of a run: one of a given length allows as many hangs as take a tenth of it, if more.

        Args:
            limits: The limits of the implementation.
            seconds: The length of the run, None where the number of cases is given.
            roles: The number of roles, which share that tenth.
        """
        in_time = int((seconds or 0) * _PART_OF_TIME / limits.seconds / roles)
        return cls(replace(limits, hangs=max(limits.hangs, in_time)), roles)

    def end(self) -> None:
        """Ask nothing more: too much time has passed without an answer before."""
        self._ended = True

    def begin_shrinking(self) -> None:
        """Forget the time of other trouble, and allow more hangs: a few in a role, one in each if several have ended.

        Failures that have nothing to do with the hangs are shrunk too.
        """
        self._other = {}
        more = 1 if len(self._ended_roles()) > 1 else self.few
        limit = self._limit()
        self._of_shrinking = {role: max(hangs + more - limit, 0) for role, hangs in self._hangs.items()}

    def copied(self, *, assuming_answer: bool = False, again: "Patience | None" = None) -> "Patience":
        """Return a copy, for a part of the run that another process does.

        Args:
            assuming_answer: Whether the parts before it have not ended yet, and are assumed to bring an answer; not if
                they are not asked any more.
            again: The copy with which the part ended when it was done before: its hangs are not waited for again.
        """
        assumes = assuming_answer and not self._has_answered and not self.exhausted
        return replace(
            self,
            _hangs=dict(self._hangs),
            _other=dict(self._other),
            _of_family=dict(self._of_family),
            _assumes_answer=assumes,
            _waited_for={},
            _known={} if again is None else again._known | again._waited_for,
        )

    def after(self, role: str, family: str, begun: "Patience", ended: "Patience") -> "Patience | None":
        """Return the patience after a part of the run that was done beside the parts before it, whose patience this is.

        Args:
            role: The role of the part.
            family: Its family.
            begun: A copy with which the part began; nobody has changed it.
            ended: The copy with which it ended.

        Returns:
            None if the part would have gone another way after those before it: it has asked too much, or too little.
        """
        if begun == self:
            return ended
        after = replace(
            self,
            _hangs=_sum(self._hangs, begun._hangs, ended._hangs),
            _other=_sum(self._other, begun._other, ended._other),
            _of_family=_sum(self._of_family, begun._of_family, ended._of_family),
            _has_answered=self._has_answered or ended._has_answered,
            _waited_for={},
            _known={},
        )
        if len({(each.ends(role), each.exhausted) for each in (begun, self, after)}) > 1:
            return None
        key = role, family
        beside = begun._of_family.get(key, 0) != self._of_family.get(key, 0)
        if beside and len({each._ends_family(key) for each in (begun, self, after)}) > 1:
            return None
        hung = ended._hung() - begun._hung()
        if begun._parts(hung) != self._parts(hung):
            return None
        had_trouble = ended._of_family != begun._of_family
        return None if begun._assumes_answer and not self._has_answered and had_trouble else after

    @property
    def few(self) -> float:
        """Hangs after which a family is not asked any more, and an implementation that has answered nothing."""
        return max(self.limits.hangs * _PART, 1)

    def seconds(self, request: Request) -> float:
        """Return the time limit for the answer to a request in seconds, infinite where it is the usual one.

        What is measured and what is large may take the whole time, a client that loses its connection half of it.
        """
        (part,) = self._parts(1)
        if part == 1 or request.is_measured or len(request.stream) > _LARGE:
            return math.inf
        return self.limits.seconds * max(part, _OF_RECONNECTS if request.loses_connection else part)

    def _hung(self) -> int:
        return round(sum(self._hangs.values()))

    def _parts(self, number: int) -> list[float]:
        """Return the parts of the time limit that the next answers would have, if all of them hung."""
        hung, few, many = self._hung(), math.ceil(self.few), self.limits.hangs
        return [
            1.0 if each < few else _AFTER_FEW if each < many else _AFTER_MANY for each in range(hung, hung + number)
        ]

    def hangs_since(self, begun: "Patience", role: str) -> float:
        """Return how often the implementation has hung in a role since it was as at the beginning of a part."""
        return self._hangs.get(role, 0) - begun._hangs.get(role, 0)

    @property
    def has_answered(self) -> bool:
        """Whether the implementation has answered so far."""
        return self._has_answered

    @property
    def has_waited(self) -> bool:
        """Whether the implementation has hung so far."""
        return self._spent_in_all() >= 1

    @property
    def exhausted(self) -> bool:
        """Whether nothing more is asked, in any role."""
        ended = self._ended_roles()
        return None in ended or len(ended) >= self.roles

    def ends(self, role: str) -> bool:
        """Return whether nothing more is asked in a role."""
        return not self._ended_roles().isdisjoint({role, None})

    def _ended_roles(self) -> frozenset[str | None]:
        """Return the roles that are not asked any more; None stands for all there are."""
        limit = self._limit()
        ended: set[str | None] = {
            role
            for role in self._hangs.keys() | self._other.keys()
            if self._spent(role) >= limit + self._of_shrinking.get(role, 0)
        }
        never_answers = not (self._has_answered or self._assumes_answer) and self._spent_in_all() >= self.few
        return frozenset(ended | {None} if self._ended or never_answers else ended)

    def _limit(self) -> float:
        """Return the hangs after which a role ends: few if another has used up all that a role may have."""
        has_ended = any(self._spent(role) >= self.limits.hangs for role in self._hangs.keys() | self._other.keys())
        return self.few if has_ended else self.limits.hangs

    def _spent(self, role: str) -> float:
        return self._hangs.get(role, 0) + self._other.get(role, 0.0)

    def _spent_in_all(self) -> float:
        return sum(self._hangs.values()) + sum(self._other.values())

    def refusal(self, case: Case) -> Trouble | None:
        """Return what takes the place of an answer if a case is not asked, because of trouble before it."""
        ended = self._ended_roles()
        if None in ended:
            where = "in all" if self._ended else "before its first answer"
            return not_asked(self.limits.hangs if self._ended else self._spent_in_all(), where)
        if case.role in ended:
            return not_asked(self._spent(case.role), f"in the role {case.role}")
        if self._ends_family(_key(case)):
            return not_asked(self._of_family[_key(case)], f"in the family {case.id.family}")
        return None

    def _ends_family(self, key: tuple[str, str]) -> bool:
        return self._of_family.get(key, 0) >= self.few

    def answer(
        self, case: Case, request: Request, ask: Callable[[Request], Observation | Trouble]
    ) -> Observation | Trouble:
        """Ask about a case within the time limit and return the answer; take note of what it cost if there is none."""
        limit = self.seconds(request)
        began = time.monotonic()
        answer = self._known_hang(case, limit) or ask(replace(request, seconds=limit))
        self.note(case, answer, time.monotonic() - began)
        if isinstance(answer, Trouble) and answer.status == "hang":
            self._waited_for[case.id] = limit, answer
        return answer

    def _known_hang(self, case: Case, limit: float) -> Trouble | None:
        """Return the hang of a case that was waited for before, for that long or longer."""
        waited, hang = self._known.get(case.id, (0.0, None))
        if hang is None or waited == limit:
            return hang
        return hang.within(min(limit, self.limits.seconds)) if waited > limit else None

    def note(self, case: Case, answer: Observation | Trouble, seconds: float = 0.0) -> None:
        """Take note of the answer to a case, and of the seconds that it took."""
        if not isinstance(answer, Trouble) or answer.status == "unsupported":
            self._has_answered = True
            return
        if not self.counts_time:
            seconds = EXIT_SECONDS if answer.signature == CLOSED_OUTPUT else 0.0
        if answer.status == "hang":
            cost = 1.0
            self._hangs[case.role] = self._hangs.get(case.role, 0) + 1
        else:
            cost = min(seconds / self.limits.seconds, 1.0)
            self._other[case.role] = self._other.get(case.role, 0.0) + cost
        self._of_family[_key(case)] = self._of_family.get(_key(case), 0) + cost


def not_asked(hangs: float, where: str) -> Trouble:
    """Return what takes the place of an answer after trouble that took the time of so many hangs."""
    words = f"not asked: {WITHOUT_ANSWERS} (that of {hangs:.0f} hangs {where}; --hangs raises the limit)"
    return Trouble(NOT_ASKED, WITHOUT_ANSWERS, words)


def _key(case: Case) -> tuple[str, str]:
    return case.role, case.id.family


def _sum(before: dict[_Key, float], begun: dict[_Key, float], ended: dict[_Key, float]) -> dict[_Key, float]:
    """Return numbers by role or family, with what a part of the run added between its beginning and its end."""
    return before | {key: before.get(key, 0) + number - begun.get(key, 0) for key, number in ended.items()}
