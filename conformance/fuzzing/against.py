"""Two implementations against each other: both must give the same answers."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from conformance.engine.shrinking import SHRINK_SECONDS
from conformance.fuzzing.kept_cases import KeptCases
from conformance.fuzzing.rounds import Stop, discover_in_rounds
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import request_of
from conformance.oracles.oracle import shown
from conformance.protocol.observation import Observation, Trouble
from conformance.protocol.roles.registry import role_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import recorded
from conformance.strategies.grammar.shrinking import OutOfTries, shrink

#: Cases that shrinking one difference may try.
_TRIES: Final = 500


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which two implementations differ.

    Attributes:
        signature: The kind of difference, without numbers that vary.
        message: The two answers.
        case: The smallest case that shows it.
        count: Cases that showed it.
    """

    signature: str
    message: str
    case: Case
    count: int


@dataclass(slots=True)
class Against:
    """Asks two implementations the same questions.

    Attributes:
        left: One of them, which must be started.
        right: The other one, which must be started.
        role: The role of the cases.
        pairs: The (family, profile) pairs.
        seconds: How long to look for differences.
        seed: The seed of the cases.
        kept: The cases of the corpus.
        show_counts: Takes the number of cases and of differences, after each case.
        cases: How many cases were asked.
        compared: How many of them both answered, or only one did; not those that either declines.
    """

    left: Implementation
    right: Implementation
    role: str
    pairs: Sequence[tuple[str, str]]
    seconds: float
    seed: int
    kept: KeptCases
    show_counts: Callable[[int, int], None]
    cases: int = 0
    compared: int = 0
    _differences: dict[str, tuple[Case, int]] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def run(self) -> list[Difference]:
        """Return each kind of difference once, with the smallest case that shows it."""
        try:
            for case in self.kept.cases(self.role, list(self.pairs)):
                self._visit(case)
            plan = [(self.role, family, profile) for family, profile in self.pairs]
            discover_in_rounds(plan, seed_value=self.seed, visit=self._visit)
        except Stop:
            return list(self._shrunk())

    def _visit(self, case: Case) -> None:
        self.cases += 1
        difference = self.difference(case)
        if difference is not None:
            signature, _ = difference
            first, count = self._differences.get(signature, (case, 0))
            if not count:
                self.kept.keep(str(case.id))
            self._differences[signature] = first, count + 1
        self.show_counts(self.cases, len(self._differences))
        if time.monotonic() - self._began > self.seconds:
            raise Stop

    def _shrunk(self) -> Iterator[Difference]:
        for signature, (case, count) in sorted(self._differences.items()):
            smallest = case
            choices = recorded(case.id).id.choices
            if choices is not None:
                shows = partial(self._shows, signature, time.monotonic() + SHRINK_SECONDS)
                smallest = shrink(case, choices, shows, tries=_TRIES)
            difference = self.difference(smallest)
            yield Difference(signature, difference[1] if difference else "not seen again", smallest, count)

    def _shows(self, signature: str, deadline: float, case: Case) -> bool:
        if time.monotonic() > deadline:
            raise OutOfTries
        difference = self.difference(case)
        return difference is not None and difference[0] == signature

    def difference(self, case: Case) -> tuple[str, str] | None:
        """Return the first difference between the answers to a case: its signature, and a message with both."""
        left, right = (each.ask(request_of(case)) for each in (self.left, self.right))
        names = [each.declaration.name for each in (self.left, self.right)]
        self.compared += "unsupported" not in {each.status for each in (left, right) if isinstance(each, Trouble)}
        if isinstance(left, Trouble) or isinstance(right, Trouble):
            return _compare_troubles(left, right, names)
        roles = [each.declaration.roles[self.role].under(case.id.profile) for each in (self.left, self.right)]
        return _compare_answers(left, right, self.role, roles[0].fields & roles[1].fields, names)


def _compare_troubles(
    left: Observation | Trouble, right: Observation | Trouble, names: Sequence[str]
) -> tuple[str, str] | None:
    signatures = [each.signature if isinstance(each, Trouble) else "an answer" for each in (left, right)]
    kinds = [each.status if isinstance(each, Trouble) else "answer" for each in (left, right)]
    if kinds[0] == kinds[1] or "unsupported" in kinds:
        return None
    return f"{kinds[0]} against {kinds[1]}", f"{names[0]}: {signatures[0]}; {names[1]}: {signatures[1]}"


def _compare_answers(
    left: Observation, right: Observation, role: str, fields: frozenset[str], names: Sequence[str]
) -> tuple[str, str] | None:
    description = role_of(role)
    for index, (one, other) in enumerate(zip(left.events, right.events, strict=False)):
        for name in description.fields:
            if name in fields and one.get(name) != other.get(name):
                subject = f"{description.describe(one, index)}: {name}"
                return f"{name} of {description.kind(one)}", _both(subject, one.get(name), other.get(name), names)
    if len(left.events) != len(right.events):
        return "number of entries", _both("number of entries", len(left.events), len(right.events), names)
    if (left.error is None) != (right.error is None):
        messages = [None if each.error is None else each.error.message for each in (left, right)]
        return "one refuses", _both("error", messages[0], messages[1], names)
    return None


def _both(subject: str, left: Any, right: Any, names: Sequence[str]) -> str:
    return f"{subject} is {shown(left)} for {names[0]}, {shown(right)} for {names[1]}"
