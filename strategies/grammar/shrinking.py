"""Shrinking: from a failing case to the smallest one that fails in the same way, by removing and simplifying choices.

Hypothesis shrinks the failures of its own engine, and could be given recorded choices too. But for most of them it
computes longer than it takes to make a case and ask about it: minutes for the failures of one parser, where these
passes take half a minute and end with cases of the same size.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import (
    Choice,
    FittingChooser,
    LoopIteration,
    RecordingChooser,
    TooManyQuestions,
)
from conformance.strategies.grammar.family import families, recorded

#: How many choices are removed after one that is made the simplest: those that it may have caused.
_FOLLOWING: Final = (1, 2, 3, 4, 6, 8)
#: The most work for one failure, in choices made and in kibibytes of the streams: half a minute or less. It is counted,
#: and not timed, so that the result is the same on every machine.
WORK: Final = 2_000_000


def shrink(
    case: Case, choices: Sequence[Choice], still_fails: Callable[[Case], bool], *, tries: int, work: int = WORK
) -> Case:
    """Return the simplest failing case that the search finds from a failing one.

    Args:
        case: The failing case.
        choices: The choices that made it.
        still_fails: Whether another case of the same family and profile fails in the same way. It may raise
            `OutOfTries` to end the search.
        tries: How many cases may be tried.
        work: How much work may be done: choices made, and kibibytes of the streams.
    """
    smallest = _Smallest(case, tuple(choices), still_fails, tries, work)
    with suppress(OutOfTries):
        if smallest.fails_again():
            _simplify_end(smallest)
            before: tuple[Choice, ...] = ()
            while before != smallest.choices:
                before = smallest.choices
                for make_smaller in _PASSES:
                    make_smaller(smallest)
    return smallest.case


def alike(case: Case, profile: str) -> Iterator[Case]:
    """Yield the cases like another under a profile: of its choices, then of its classes and else the simplest choices.

    A grammar that asks more or less under the profile takes the choices for other questions, but not the classes.

    Args:
        case: The other case.
        profile: Name of the profile; there are none if the family has no streams for it.
    """
    if profile not in families()[case.id.family].profiles_of(case.id.role):
        return
    under = CaseId(case.id.family, profile, choices=(), role=case.id.role)
    yield _made(under, recorded(case.id).id.choices or ()).case
    yield _made(under, (), row=case.classes).case


class OutOfTries(Exception):
    """No tries are left; the smallest case so far is the result."""


@dataclass(slots=True)
class _Smallest:
    """The smallest failing case so far.

    Attributes:
        case: That case.
        choices: The choices that make it.
        still_fails: Whether another case fails in the same way.
        tries: How many more may be tried.
        work: How much more work may be done.
        iterations: The iterations of the grammar's loops that can be removed.
        simplest: The simplest choices in the place of those of the case.
    """

    case: Case
    choices: tuple[Choice, ...]
    still_fails: Callable[[Case], bool]
    tries: int
    work: int
    iterations: Sequence[LoopIteration] = ()
    simplest: Sequence[Choice] = ()
    _tried: set[tuple[Choice | None, ...]] = field(default_factory=set)

    def fails_again(self) -> bool:
        """Return whether the first case fails again.

        Raises:
            OutOfTries: No tries are left.
        """
        made = _made(self.case.id, self.choices)
        self.iterations, self.simplest = made.iterations, made.simplest
        return self._fails(made.case)

    def replace_if_failing(self, first: int, end: int, *others: Choice | None) -> bool:
        """Replace a run of choices if the smaller case fails in the same way, and return whether it does.

        Args:
            first: The first choice of the run.
            end: The end of the run, not included.
            others: The choices in its place; None means the simplest answer to whatever is asked.

        Raises:
            OutOfTries: No tries are left.
        """
        if len(others) == end - first and all(
            choice == (simplest if other is None else other)
            for choice, simplest, other in zip(self.choices[first:], self.simplest[first:], others, strict=False)
        ):
            return False  # They are that already.
        wanted = (*self.choices[:first], *others, *self.choices[end:])
        if wanted in self._tried:
            return False
        self._tried.add(wanted)
        made = self._made(wanted)
        if made is None:
            return False
        choices = made.choices
        known = choices != wanted and choices in self._tried
        if known or _size(choices) >= _size(self.choices) or not self._fails(made.case):
            return False
        self.case, self.choices, self.iterations, self.simplest = made.case, choices, made.iterations, made.simplest
        return True

    def _made(self, wanted: tuple[Choice | None, ...]) -> "_Made | None":
        """Return the case that choices make, None if it has more of them than the smallest so far."""
        self.work -= len(self.choices)
        if self.work < 0:
            raise OutOfTries
        try:
            made = _made(self.case.id, wanted, most=len(self.choices))
        except TooManyQuestions:
            return None
        self.work -= len(made.case.stream) >> 10
        return made

    def _fails(self, case: Case) -> bool:
        if not self.tries:
            raise OutOfTries
        self.tries -= 1
        self._tried.add(case.id.choices or ())
        return self.still_fails(case)


class _Made(NamedTuple):
    """A case, and how the grammar made it.

    Attributes:
        case: The case.
        iterations: The iterations of loops that can be removed.
        simplest: The simplest choices in the place of its own.
    """

    case: Case
    iterations: Sequence[LoopIteration]
    simplest: Sequence[Choice]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices that make the case."""
        return self.case.id.choices or ()


def _made(
    known: CaseId,
    choices: Sequence[Choice | None],
    *,
    most: int | None = None,
    row: Mapping[str, str] | None = None,
) -> _Made:
    """Return the case that choices make where they fit, and of the classes of a row.

    Raises:
        TooManyQuestions: The grammar asks for more than `most` choices.
    """
    fitting = FittingChooser(choices, most=most, row=row)
    chooser = RecordingChooser(fitting)
    case = families()[known.family].build(chooser, known.profile, known)
    made = CaseId(known.family, known.profile, choices=tuple(chooser.choices), role=known.role)
    return _Made(case.with_id(made), chooser.iterations, fitting.simplest)


def _size(choices: Sequence[Choice]) -> tuple[int, list[tuple[int, bytes]]]:
    """Return the size by which choices are compared: their number first, then each of them."""
    return len(choices), [(len(each), each) if isinstance(each, bytes) else (abs(each), b"") for each in choices]


def _simplify_end(smallest: _Smallest) -> None:
    """Make every answer after some choice the simplest."""
    low, high = 0, len(smallest.choices)
    while low < high:
        middle = (low + high) // 2
        if smallest.replace_if_failing(middle, len(smallest.choices)):
            high = middle
        else:
            low = middle + 1


def _remove_iterations(smallest: _Smallest) -> None:
    """Remove loop iterations that the grammar does not require, the longest first."""
    left = sorted(smallest.iterations, key=_length)
    while left:
        iteration = left.pop()
        others = smallest.choices[iteration.end : iteration.loop_end]
        no_more = (None,) if iteration.full else ()
        if smallest.replace_if_failing(iteration.first, iteration.loop_end, *others, *no_more):
            left = sorted(smallest.iterations, key=_length)


def _length(iteration: LoopIteration) -> int:
    return iteration.end - iteration.first


def _remove_runs(smallest: _Smallest) -> None:
    """Remove runs of choices, the longest first, from the end."""
    length = len(smallest.choices) // 2
    while length:
        end = len(smallest.choices)
        while end >= length:
            smallest.replace_if_failing(end - length, end)
            end = min(end - length, len(smallest.choices))
        length //= 2


def _simplify_runs(smallest: _Smallest) -> None:
    """Make the answers of runs the simplest, the longest first, from the end."""
    length = len(smallest.choices) // 2
    while length:
        end = len(smallest.choices)
        while end > 0:
            first = max(end - length, 0)
            smallest.replace_if_failing(first, end, *[None] * (end - first))
            end = min(first, len(smallest.choices))
        length //= 2


def _lower(smallest: _Smallest) -> None:
    """Move each answer nearer to the simplest, from the end."""
    for index in reversed(range(len(smallest.choices))):
        if index >= len(smallest.choices):
            continue
        choice = smallest.choices[index]
        if isinstance(choice, bytes):
            for other in (bytes(len(choice)), choice[: len(choice) // 2], choice[:-1]):
                smallest.replace_if_failing(index, index + 1, other)
        else:
            _lower_number(smallest, index, choice)


def _lower_number(smallest: _Smallest, index: int, choice: int) -> None:
    sign = -1 if choice < 0 else 1
    low, high = 0, abs(choice)
    while high - low > 1:
        middle = (low + high) // 2
        if smallest.replace_if_failing(index, index + 1, sign * middle):
            high = middle
        else:
            low = middle


def _lower_and_remove(smallest: _Smallest) -> None:
    """Make an answer the simplest, and remove the choices that it may have caused."""
    for index in reversed(range(len(smallest.choices))):
        if index < len(smallest.choices) and smallest.choices[index]:
            any(smallest.replace_if_failing(index, index + 1 + count, None) for count in _FOLLOWING)


_PASSES: Final = (_remove_iterations, _remove_runs, _simplify_runs, _lower, _lower_and_remove)
