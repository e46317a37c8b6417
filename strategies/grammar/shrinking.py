"""Shrinking: from a failing case to the smallest one that fails alike, by taking choices out and making them simpler.

Hypothesis shrinks what its own engine found, and could be handed recorded choices too. It thinks about most of them
for longer than a case takes to make and to ask about: minutes for the failures of one parser, where these passes take
half a minute and end with cases of the same size.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import Choice, FittingChooser, RecordingChooser, Turn
from conformance.strategies.grammar.family import families

#: How many choices are taken out behind one that is made the simplest: what it may have asked for.
_BEHIND: Final = (1, 2, 3, 4, 6, 8)


def shrink(case: Case, choices: Sequence[Choice], still_fails: Callable[[Case], bool], *, tries: int) -> Case:
    """Return the simplest case that is found from a failing one.

    Args:
        case: The failing case.
        choices: The choices that made it.
        still_fails: Whether another case of the same family and profile fails in the same way. It may raise
            `OutOfTries` to end the search.
        tries: How many cases may be tried.
    """
    smallest = _Smallest(case, tuple(choices), still_fails, tries)
    with suppress(OutOfTries):
        if smallest.fails_again():
            _cut(smallest)
            before: tuple[Choice, ...] = ()
            while before != smallest.choices:
                before = smallest.choices
                for make_smaller in _PASSES:
                    make_smaller(smallest)
    return smallest.case


class OutOfTries(Exception):
    """No tries are left; the smallest case so far is what was found."""


@dataclass(slots=True)
class _Smallest:
    """The smallest failing case so far.

    Attributes:
        case: That case.
        choices: The choices that make it.
        still_fails: Whether another case fails in the same way.
        tries: How many may still be tried.
        turns: The turns of the grammar's loops that could be missing.
    """

    case: Case
    choices: tuple[Choice, ...]
    still_fails: Callable[[Case], bool]
    tries: int
    turns: list[Turn] = field(default_factory=list)
    _tried: set[tuple[Choice, ...]] = field(default_factory=set)

    def fails_again(self) -> bool:
        """Tell whether the first case fails once more.

        Raises:
            OutOfTries: No tries are left.
        """
        case, self.turns = self._made(self.choices)
        return self._fails(case)

    def replaced(self, first: int, end: int, *others: Choice | None) -> bool:
        """Tell whether a smaller case fails alike, and take it: one with others for the choices of a run.

        Args:
            first: The first choice of the run.
            end: The end of the run, not included.
            others: What stands in its place, None for the simplest answer to whatever is asked.

        Raises:
            OutOfTries: No tries are left.
        """
        case, turns = self._made((*self.choices[:first], *others, *self.choices[end:]))
        choices = case.id.choices or ()
        if choices in self._tried or _size(choices) >= _size(self.choices) or not self._fails(case):
            return False
        self.case, self.choices, self.turns = case, choices, turns
        return True

    def _made(self, choices: Sequence[Choice | None]) -> tuple[Case, list[Turn]]:
        known = self.case.id
        chooser = RecordingChooser(FittingChooser(choices))
        case = families()[known.family].build(chooser, known.profile, known)
        made = CaseId(known.family, known.profile, choices=tuple(chooser.choices), role=known.role)
        return case.with_id(made), chooser.turns

    def _fails(self, case: Case) -> bool:
        if not self.tries:
            raise OutOfTries
        self.tries -= 1
        self._tried.add(case.id.choices or ())
        return self.still_fails(case)


def _size(choices: Sequence[Choice]) -> tuple[int, list[tuple[int, bytes]]]:
    """Return what makes choices larger than others: their number first, then each of them."""
    return len(choices), [(len(each), each) if isinstance(each, bytes) else (abs(each), b"") for each in choices]


def _cut(smallest: _Smallest) -> None:
    """Let every answer behind some choice be the simplest."""
    low, high = 0, len(smallest.choices)
    while low < high:
        middle = (low + high) // 2
        if smallest.replaced(middle, len(smallest.choices)):
            high = middle
        else:
            low = middle + 1


def _take_out_turns(smallest: _Smallest) -> None:
    """Take out what the grammar made once more than it had to, the longest first."""
    left = sorted(smallest.turns, key=_length)
    while left:
        turn = left.pop()
        others = smallest.choices[turn.end : turn.loop_end]
        no_more = (None,) if turn.full else ()
        if smallest.replaced(turn.first, turn.loop_end, *others, *no_more):
            left = sorted(smallest.turns, key=_length)


def _length(turn: Turn) -> int:
    return turn.end - turn.first


def _take_out_runs(smallest: _Smallest) -> None:
    """Take out runs of choices, the longest first, from the end."""
    length = len(smallest.choices) // 2
    while length:
        end = len(smallest.choices)
        while end >= length:
            smallest.replaced(end - length, end)
            end = min(end - length, len(smallest.choices))
        length //= 2


def _simplify_runs(smallest: _Smallest) -> None:
    """Let the answers of runs be the simplest, the longest first, from the end."""
    length = len(smallest.choices) // 2
    while length:
        end = len(smallest.choices)
        while end > 0:
            first = max(end - length, 0)
            smallest.replaced(first, end, *[None] * (end - first))
            end = min(first, len(smallest.choices))
        length //= 2


def _lower(smallest: _Smallest) -> None:
    """Let each answer be nearer to the simplest, from the end."""
    for index in reversed(range(len(smallest.choices))):
        if index >= len(smallest.choices):
            continue
        choice = smallest.choices[index]
        if isinstance(choice, bytes):
            for other in (bytes(len(choice)), choice[: len(choice) // 2], choice[:-1]):
                smallest.replaced(index, index + 1, other)
        else:
            _lower_number(smallest, index, choice)


def _lower_number(smallest: _Smallest, index: int, choice: int) -> None:
    sign = -1 if choice < 0 else 1
    low, high = 0, abs(choice)
    while high - low > 1:
        middle = (low + high) // 2
        if smallest.replaced(index, index + 1, sign * middle):
            high = middle
        else:
            low = middle


def _lower_and_take_out(smallest: _Smallest) -> None:
    """Let an answer be the simplest, and take out what it may have asked for."""
    for index in reversed(range(len(smallest.choices))):
        if index < len(smallest.choices) and smallest.choices[index]:
            any(smallest.replaced(index, index + 1 + behind, None) for behind in _BEHIND)


_PASSES: Final = (_take_out_turns, _take_out_runs, _simplify_runs, _lower, _lower_and_take_out)
