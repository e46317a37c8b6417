"""What comes of judging a log: violations as they are met, and counts for each requirement."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from conformance.specs.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class Violation:
    """A requirement that a log breaks.

    Attributes:
        offset: Where the event stands that breaks it, in bytes from the start of the file.
        requirement: The requirement's id.
        found: What stands there.
        expected: What the requirement asks for.
    """

    offset: int
    requirement: str
    found: str
    expected: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth knowing that breaks no requirement; `offset` in bytes from the start of the file."""

    offset: int
    text: str


class Verdicts:
    """Counts what was judged, and passes each violation and note on at once: none is kept.

    Attributes:
        judged: How often each requirement was looked at.
        broken: How often each was found broken.

    Args:
        requirements: The ids that can be judged.
        tell: Takes each violation and note, in the order of the log.
    """

    def __init__(self, requirements: Collection[str], tell: Callable[[Violation | Note], None]) -> None:
        self.judged: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self._requirements = tuple(requirements)
        self._tell = tell
        self._holding: frozenset[str] = frozenset()

    def use_profile(self, profile: str) -> None:
        """Judge what comes by the requirements that hold under a profile."""
        entries = catalogue()
        self._holding = frozenset(each for each in self._requirements if profile in entries[each].profiles)

    def holds(self, requirement: str) -> bool:
        """Tell whether a requirement holds under the profile in use."""
        return requirement in self._holding

    def good(self, requirement: str, times: int = 1) -> None:
        """Count a requirement that was met."""
        if times and requirement in self._holding:
            self.judged[requirement] += times

    def bad(self, requirement: str, offset: int, found: str, expected: str) -> None:
        """Report a requirement that is broken at an offset; nothing happens where it does not hold."""
        if requirement in self._holding:
            self.judged[requirement] += 1
            self.broken[requirement] += 1
            self._tell(Violation(offset, requirement, found, expected))

    def note(self, offset: int, text: str) -> None:
        """Pass on what is worth knowing."""
        self._tell(Note(offset, text))
