"""The result of judging a log: violations as they are found, and counts for each requirement."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from conformance.specs.catalogue import catalogue

#: The role of the requirements on what a replica writes to its relay log.
_RELAY: Final = "relay"
#: What a whole log keeps under every profile, although readers of some pass over it.
_OF_EVERY_LOG: Final = frozenset({"FORMAT-TRUNCATED-HEADER"})
#: Violations of one requirement that are shown for one log; the rest are counted.
SHOWN_OF_ONE: Final = 20


@dataclass(frozen=True, slots=True)
class Violation:
    """A requirement that a log breaks.

    Attributes:
        offset: Where the event is that breaks it, in bytes from the start of the file.
        requirement: The requirement's id.
        actual: What is there.
        expected: What the requirement asks for.
    """

    offset: int
    requirement: str
    actual: str
    expected: str


@dataclass(frozen=True, slots=True)
class Note:
    """A fact worth knowing that breaks no requirement; `offset` in bytes from the start of the file."""

    offset: int
    text: str


def nobody(finding: object) -> None:
    """Take a finding, or how far a log was read, and do nothing."""


class Verdicts:
    """Counts what was judged, and reports each violation and note at once: none is kept.

    Attributes:
        broken: How often each requirement was broken.

    Args:
        requirements: The ids that can be judged.
        report: Takes each violation and note, in the order of the log.
    """

    def __init__(self, requirements: Collection[str], report: Callable[[Violation | Note], None]) -> None:
        #: Requirement that holds -> how often it was judged under the profile in use.
        self._counts: dict[str, int] = {}
        self._before: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self._requirements = tuple(requirements)
        self._report = report

    @property
    def judged(self) -> Counter[str]:
        """How often each requirement was judged; only those that were."""
        return self._before + Counter(self._counts)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process gets: the counts, and not who takes the findings."""
        return {**self.__dict__, "_report": nobody}

    def report_to(self, report: Callable[[Violation | Note], None]) -> None:
        """Report what comes next to another taker."""
        self._report = report

    def begin_counts(self) -> None:
        """Count from here on only."""
        self._counts = dict.fromkeys(self._counts, 0)
        self._before, self.broken = Counter(), Counter()

    def join(self, before: "Verdicts") -> None:
        """Add the counts of the part of the log before this one."""
        self._before = before.judged + self._before
        self.broken = before.broken + self.broken

    def use_profile(self, profile: str, *, source: str = "") -> None:
        """Judge the next events against the requirements that hold under a profile.

        Args:
            profile: The profile of the server that wrote the log.
            source: In a relay log, the profile of the server that logged the events: a replica need not copy what its
                source must log, so those hold that hold under both, but for what the replica does itself.
        """
        entries = catalogue()
        holding = {each for each in self._requirements if profile in entries[each].holds}
        if source:
            holding = {each for each in holding if entries[each].role == _RELAY or source in entries[each].holds}
        holding |= _OF_EVERY_LOG.intersection(self._requirements)
        self._before = self.judged
        self._counts = dict.fromkeys(holding, 0)

    def holds(self, requirement: str) -> bool:
        """Return whether a requirement holds under the profile in use."""
        return requirement in self._counts

    def good(self, requirement: str, times: int = 1) -> None:
        """Count a requirement that was met."""
        if requirement in self._counts:
            self._counts[requirement] += times

    def bad(self, requirement: str, offset: int, actual: str, expected: str) -> None:
        """Report a requirement that is broken at an offset, if it holds under the profile in use."""
        if requirement in self._counts:
            self._counts[requirement] += 1
            self.broken[requirement] += 1
            self._report(Violation(offset, requirement, actual, expected))

    def note(self, offset: int, text: str) -> None:
        """Report a fact that breaks no requirement."""
        self._report(Note(offset, text))
