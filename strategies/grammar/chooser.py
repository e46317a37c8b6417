"""Choosers, which answer the grammar's questions.

A stream builder asks a chooser, never Hypothesis or `random` itself, so the same grammar is driven by Hypothesis for
discovery, by a seeded generator for corpora, and by recorded choices for replay and shrinking.
A question that has only one answer is answered without a choice, by every chooser alike.
"""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from conformance.strategies.grammar.dimension import Dimension, Impossible, Number

Option = TypeVar("Option")

#: One answer: an integer, or a byte string.
Choice = int | bytes


class Chooser(ABC):
    """Answers the questions of the grammar: a class of a dimension, an integer in a range, yes or no, bytes.

    Attributes:
        met: Dimension -> its class where it was first asked.
        impossible: Classes that no stream of the family has together.
    """

    def __init__(self) -> None:
        self.met: dict[str, str] = {}
        self.impossible: Sequence[Impossible] = ()

    def vary(self, dimension: Dimension[Option], profile: str) -> Option:
        """Return what the grammar takes for a class of a dimension, one that a profile has."""
        names = dimension.names(profile)
        if dimension.name in self.met:
            # One heavy class in a stream is enough.
            names = tuple(each for each in names if each not in dimension.heavy) or names
        elif self.impossible:
            names = self._possible(dimension, names)
        name = names[self._class(dimension, names) if len(names) > 1 else 0]
        if self._counts(dimension):
            self.met.setdefault(dimension.name, name)
        return dimension.classes[name]

    def several_of(self, number: Number, profile: str) -> Iterator[int]:
        """Yield 0, 1, 2, ... as many times as a class of a dimension of numbers has it.

        What is recorded is whether there is one more, so that shrinking can remove a single iteration.
        """
        names = number.names(profile)
        if number.name in self.met:
            names = tuple(each for each in names if each not in number.heavy)
        wanted = self._count(number, names)
        done = 0
        while done < number.most and (done < number.fewest or self._one_more(done, wanted)):
            yield done
            done += 1
        if self._counts(number):
            self.met.setdefault(number.name, number.class_of(done))

    def _counts(self, dimension: Dimension[Any]) -> bool:
        """Return whether the asking is the one that the dimension declares.

        What a loop adds may be asked about a later addition although the first, which the row has, is another. The
        number of a loop's iterations is met only after it.
        """
        return all(self.met.get(name, classes[0]) in classes for name, classes in dimension.when.items())

    def _possible(self, dimension: Dimension[Any], names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the classes that can be together with those met so far."""
        excluded: set[str] = set()
        for each in self.impossible:
            if all(self.met.get(name) in classes for name, classes in each.classes.items() if name != dimension.name):
                excluded.update(each.classes.get(dimension.name, ()))
        return tuple(each for each in names if each not in excluded) or names

    def _class(self, dimension: Dimension[Any], names: Sequence[str]) -> int:
        """Return the index of one of the classes of a dimension."""
        return self._integer(0, len(names) - 1)

    def _count(self, number: Number, names: Sequence[str]) -> int | None:
        """Return a number of iterations in one of some classes; None if each iteration is asked for."""
        return None

    def _one_more(self, done: int, wanted: int | None) -> bool:
        """Return whether there is one more iteration after some."""
        return bool(self._integer(0, 1)) if wanted is None else done < wanted

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low if low == high else self._integer(low, high)

    def one_of(self, options: Sequence[Option]) -> Option:
        """Return one of `options`; the first is the simplest."""
        last = len(options) - 1
        return options[self._integer(0, last) if last else 0]

    def yes(self, one_in: int = 2) -> bool:
        """Return True once in `one_in` times; False is the simpler answer."""
        last = one_in - 1
        return not last or self._integer(0, last) == last

    def several(self, low: int, high: int, *, end_in: int = 2) -> Iterator[int]:
        """Yield 0, 1, 2, ... from `low` to `high` times, asking before each whether there is one more.

        If the number were chosen beforehand, shrinking could not remove the choices of a single iteration.

        Args:
            low: The fewest iterations.
            high: The most iterations.
            end_in: The loop ends once in this many times.
        """
        for number in range(high):
            if number >= low and not self._integer(0, end_in - 1):
                return
            yield number

    def octets(self, low: int, high: int) -> bytes:
        """Return from `low` to `high` bytes, `high` included."""
        return b"" if high == 0 else self._octets(low, high)

    @abstractmethod
    def _integer(self, low: int, high: int) -> int: ...

    @abstractmethod
    def _octets(self, low: int, high: int) -> bytes: ...


class SeededChooser(Chooser):
    """Answers at random, the same for the same key and row on every machine and every run.

    Args:
        key: The only thing besides the row on which the answers depend.
        row: Dimension -> the class that it has where it is first asked in the stream.
    """

    def __init__(self, key: str, row: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._row = dict(row or {})
        seed = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=16).digest(), "little")
        self._bits = random.Random(seed).getrandbits

    def _integer(self, low: int, high: int) -> int:
        span = high - low + 1
        word = self._bits(67)
        if span > 255 and not word & 7:
            # Bugs live at the edges of wide ranges: one answer in eight is one of the four outermost.
            return (low, low + 1, high - 1, high)[word >> 65]
        return low + ((word >> 3) * span >> 64)

    def _octets(self, low: int, high: int) -> bytes:
        size = self._integer(low, high)
        return self._bits(8 * size).to_bytes(size, "little") if size else b""

    def _class(self, dimension: Dimension[Any], names: Sequence[str]) -> int:
        wanted = self._row.pop(dimension.name, None)
        if wanted is not None and wanted in names:
            return names.index(wanted)
        light = [index for index, each in enumerate(names) if each not in dimension.heavy]
        return light[self._integer(0, len(light) - 1) if len(light) > 1 else 0] if light else 0

    def _count(self, number: Number, names: Sequence[str]) -> int:
        return self._integer(*number.classes[names[self._class(number, names)]])


class BytesChooser(Chooser):
    """Takes its answers from a byte string, as fuzzers make them; after its end every answer is the simplest.

    Args:
        data: The bytes. Any bytes make a case: the grammar refuses none.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = data
        self._at = 0

    def _integer(self, low: int, high: int) -> int:
        span = high - low + 1
        size = (span - 1).bit_length() + 7 >> 3
        taken = self._take(size)
        return low + int.from_bytes(taken, "little") % span if len(taken) == size else low

    def _octets(self, low: int, high: int) -> bytes:
        size = self._integer(low, high)
        return self._take(size).ljust(size, b"\0")

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        self._at += len(taken)
        return taken


class FittingChooser(Chooser):
    """Repeats recorded answers as long as they fit; where they do not, the answer is the simplest.

    So recorded answers make a case even after some of them have been removed.

    Args:
        choices: The recorded answers; None means the simplest.
        most: How many questions are answered; None for any number.
        row: Dimension -> the class that it has where it is first asked in the stream, whatever was recorded.

    Attributes:
        simplest: The simplest answer to each question so far.

    Raises:
        TooManyQuestions: The grammar asks for more than `most`.
    """

    def __init__(
        self, choices: Sequence[Choice | None], *, most: int | None = None, row: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._left = iter(choices)
        self._most = most
        self._row = dict(row or {})
        self.simplest: list[Choice] = []

    def _class(self, dimension: Dimension[Any], names: Sequence[str]) -> int:
        wanted = self._row.pop(dimension.name, None)
        return names.index(wanted) if wanted in names else super()._class(dimension, names)

    def _count(self, number: Number, names: Sequence[str]) -> int | None:
        if self._row.get(number.name) not in names:
            return super()._count(number, names)
        return number.classes[self._row.pop(number.name)][0]

    def _integer(self, low: int, high: int) -> int:
        answer = self._next(low)
        return answer if isinstance(answer, int) and low <= answer <= high else low

    def _octets(self, low: int, high: int) -> bytes:
        answer = self._next(bytes(low))
        return answer if isinstance(answer, bytes) and low <= len(answer) <= high else bytes(low)

    def _next(self, simplest: Choice) -> Choice | None:
        if len(self.simplest) == self._most:
            raise TooManyQuestions
        self.simplest.append(simplest)
        return next(self._left, None)


class TooManyQuestions(Exception):
    """The grammar asks for more choices than are wanted."""


class LoopIteration(NamedTuple):
    """Where the choices of one iteration of `several` are among all choices; removing them removes the iteration.

    Attributes:
        first: Index of its first choice.
        end: The end of its choices, not included; the question whether there is one more is part of them if another
            iteration follows.
        loop_end: The end of the last iteration's choices.
        full: Whether there could be no more iterations. With one less, a question is asked at `loop_end` that was not
            asked before.
    """

    first: int
    end: int
    loop_end: int
    full: bool


class RecordingChooser(Chooser):
    """Passes another chooser's answers on, and records them.

    Attributes:
        choices: The answers so far.
        iterations: The loop iterations that can be removed.
    """

    def __init__(self, chooser: Chooser) -> None:
        super().__init__()
        self._chooser = chooser
        self.choices: list[Choice] = []
        self.iterations: list[LoopIteration] = []

    def several(self, low: int, high: int, *, end_in: int = 2) -> Iterator[int]:
        """See `Chooser`."""
        yield from self._recorded(super().several(low, high, end_in=end_in), low, high)

    def several_of(self, number: Number, profile: str) -> Iterator[int]:
        """See `Chooser`."""
        yield from self._recorded(super().several_of(number, profile), number.fewest, number.most)

    def _recorded(self, iterations: Iterator[int], low: int, high: int) -> Iterator[int]:
        """Yield the iterations of a loop, and record which choices belong to which."""
        starts: list[int] = []
        for number in iterations:
            starts.append(len(self.choices))
            yield number
        full = len(starts) == high
        end = len(self.choices) - (not full)
        if len(starts) > low:
            # The question about the next iteration is removed too; a required iteration has no such question.
            self.iterations += (LoopIteration(first, after, end, full) for first, after in pairwise(starts))
            self.iterations.append(LoopIteration(starts[-1] - 1, end, end, full))

    def _integer(self, low: int, high: int) -> int:
        answer = self._chooser.integer(low, high)
        self.choices.append(answer)
        return answer

    def _class(self, dimension: Dimension[Any], names: Sequence[str]) -> int:
        answer = self._chooser._class(dimension, names)
        self.choices.append(answer)
        return answer

    def _count(self, number: Number, names: Sequence[str]) -> int | None:
        return self._chooser._count(number, names)

    def _one_more(self, done: int, wanted: int | None) -> bool:
        answer = self._chooser._one_more(done, wanted)
        self.choices.append(int(answer))
        return answer

    def _octets(self, low: int, high: int) -> bytes:
        answer = self._chooser.octets(low, high)
        self.choices.append(answer)
        return answer


class ReplayingChooser(Chooser):
    """Repeats recorded answers.

    Raises:
        ValueError: The grammar asks a question that the recorded answer does not fit: another version of the kit
            recorded the answers.
    """

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._choices = list(choices)
        self._next = 0

    def _integer(self, low: int, high: int) -> int:
        answer = self._take()
        if not isinstance(answer, int) or not low <= answer <= high:
            raise ValueError(f"choice {self._next} is {answer!r}, the grammar asks for {low} to {high}")
        return answer

    def _octets(self, low: int, high: int) -> bytes:
        answer = self._take()
        if not isinstance(answer, bytes) or not low <= len(answer) <= high:
            raise ValueError(f"choice {self._next} is {answer!r}, the grammar asks for {low} to {high} bytes")
        return answer

    def _take(self) -> Choice:
        if self._next >= len(self._choices):
            raise ValueError(f"the grammar asks for more than the {len(self._choices)} recorded choices")
        self._next += 1
        return self._choices[self._next - 1]
