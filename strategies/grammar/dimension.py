"""Dimensions: the ways in which the streams of a family vary, each with its classes.

What is in one class is alike for every implementation that one can think of; what differs has a class of its own.
So "every variant" can be counted: classes, pairs of them and triples.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any, Final, Generic, TypeVar

from conformance.specs.versions import EVERY_PROFILE, Profiles

Value = TypeVar("Value")

#: Other dimension -> those of its classes with which a dimension is asked.
When = Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Dimension(Generic[Value]):
    """One way in which streams vary.

    Attributes:
        name: Its name, in the words of the field; one name for one thing in a family.
        classes: The name of each class -> what the grammar takes for it; the first is the simplest.
        when: The dimension is asked only in streams in which these others have one of these classes; every dimension
            that it names is asked before it, or else decided before.
        profiles: Class -> the profiles that have it, where not all do.
        heavy: Classes whose streams are large or slow: a run covers each of them once, not in pairs, and no stream has
            more than one.
    """

    name: str
    classes: Mapping[str, Value]
    when: When = field(default_factory=dict)
    profiles: Mapping[str, Profiles] = field(default_factory=dict)
    heavy: Sequence[str] = ()

    def __post_init__(self) -> None:
        if "." in self.name:
            raise ValueError(f"the dimension {self.name!r} has a dot in its name, which covertable takes for a path")
        if not self.classes:
            raise ValueError(f"the dimension {self.name!r} has no classes")
        unknown = [each for each in (*self.profiles, *self.heavy) if each not in self.classes]
        if unknown:
            raise ValueError(f"the dimension {self.name!r} does not have the classes {', '.join(unknown)}")

    def names(self, profile: str) -> tuple[str, ...]:
        """Return the names of the classes that a profile has, heavy ones last.

        So the numbers of the others are the same where a stream may have no more heavy ones.
        """
        return _names(self, profile)


@cache
def _names(dimension: "Dimension[Any]", profile: str) -> tuple[str, ...]:
    names = [each for each in dimension.classes if profile in dimension.profiles.get(each, EVERY_PROFILE)]
    return tuple(sorted(names, key=lambda each: each in dimension.heavy))


#: The numbers up to this one have a class each.
_FEW: Final = 3


class Number(Dimension[tuple[int, int]]):
    """A dimension whose classes are numbers of iterations of a loop; its classes are the fewest and the most of each.

    Args:
        name: See `Dimension`.
        fewest: The smallest number, its simplest class.
        few: The numbers up to this one have a class each.
        many: The fewest and the most of the class ``many``; None if there is no such class.
        heavy: Whether ``many`` is heavy.
        huge: The fewest and the most of the class ``huge``, which is always heavy; None if there is no such class.
        when: See `Dimension`.
    """

    def __init__(
        self,
        name: str,
        *,
        fewest: int = 1,
        few: int = _FEW,
        many: tuple[int, int] | None = None,
        heavy: bool = True,
        huge: tuple[int, int] | None = None,
        when: When | None = None,
    ) -> None:
        classes = {str(each): (each, each) for each in range(fewest, few + 1)}
        most = few
        for word, numbers in (("many", many), ("huge", huge)):
            if numbers is not None:
                if numbers[0] <= most:
                    raise ValueError(f"the dimension {name!r} has {numbers[0]} in two classes")
                classes[word], most = numbers, numbers[1]
        large = [each for each in ("many", "huge") if each in classes and (heavy or each == "huge")]
        super().__init__(name, classes, when or {}, heavy=large)

    @property
    def fewest(self) -> int:
        """The smallest number of iterations."""
        return min(low for low, _ in self.classes.values())

    @property
    def most(self) -> int:
        """The largest number of iterations."""
        return max(high for _, high in self.classes.values())

    def class_of(self, number: int) -> str:
        """Return the class of a number of iterations; a number between two classes belongs to the lower one."""
        return [name for name, (low, _) in self.classes.items() if low <= number][-1]


@dataclass(frozen=True)
class Impossible:
    """Classes that no stream has together.

    Attributes:
        classes: Dimension -> its classes.
        reason: Why, in a sentence that the report shows.
    """

    classes: When
    reason: str


def sizes(
    name: str,
    *borders: int,
    most: int,
    fewest: int = 0,
    heavy_from: int = 1 << 16,
    when: When | None = None,
) -> Dimension[int]:
    """Return a dimension of sizes: the fewest, one more, and the numbers below, at and above each border.

    Args:
        name: See `Dimension`.
        borders: The first number of each encoding, such as 251 for a length-encoded integer.
        most: The largest size.
        fewest: The smallest size.
        heavy_from: Sizes from here on are heavy.
        when: See `Dimension`.
    """
    numbers = {fewest, fewest + 1, most, *(border + step for border in borders for step in (-1, 0, 1))}
    classes = {str(each): each for each in sorted(numbers) if fewest <= each <= most}
    return Dimension(name, classes, when or {}, heavy=[each for each in classes if int(each) >= heavy_from])


def bits(name: str, values: Iterable[int], *, when: When | None = None) -> Dimension[int]:
    """Return a dimension of flags: none of them, each bit alone, two neighbours, and all.

    Args:
        name: See `Dimension`.
        values: The value of each bit.
        when: See `Dimension`.
    """
    each = tuple(values)
    classes = {"none": 0} | {f"0x{bit:04x}": bit for bit in each}
    pairs = list(combinations(each, 2))
    if len(each) > 2:
        # Two bits at a time matter where one hides the other: the lowest two, the highest two, the outermost two.
        for pair in (pairs[0], pairs[-1], (each[0], each[-1])):
            classes[f"0x{sum(pair):04x}"] = sum(pair)
    if len(each) > 1:
        classes["all"] = sum(each)
    return Dimension(name, classes, when or {})


def choices(
    name: str, options: Iterable[Value], *, text: Callable[[Value], str] = str, when: When | None = None
) -> Dimension[Value]:
    """Return a dimension with one class for each of some values.

    Args:
        name: See `Dimension`.
        options: The values, the simplest first.
        text: Returns the name of a value's class.
        when: See `Dimension`.
    """
    return Dimension(name, {text(each): each for each in options}, when or {})


def yes_or_no(name: str, *, when: When | None = None) -> Dimension[bool]:
    """Return a dimension of two classes, ``no`` and ``yes``."""
    return Dimension(name, {"no": False, "yes": True}, when or {})
