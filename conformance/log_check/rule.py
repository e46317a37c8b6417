"""The interface of the checker's rules."""

from collections.abc import Callable, Collection
from typing import Protocol

from conformance.log_check.log_event import Log, LogEvent, Place
from conformance.log_check.verdicts import Verdicts

#: A rule's `judge`.
Judge = Callable[[LogEvent, Log, Verdicts], None]


class Rule(Protocol):
    """Judges the events of one log against some requirements, in memory that does not grow with the log."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """The ids of the requirements that it judges."""

    @property
    def codes(self) -> Collection[int] | None:
        """The event type codes that it judges; None for all."""

    @property
    def places(self) -> Collection[Place] | None:
        """The places of the events that it judges, besides those that contradict earlier ones; None for all."""

    @property
    def inside_payloads(self) -> bool:
        """Whether it judges the events inside Transaction_payload events too."""

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event."""
