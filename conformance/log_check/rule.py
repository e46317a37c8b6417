"""What a rule of the checker is."""

from collections.abc import Collection
from typing import Protocol

from conformance.log_check.log_event import Log, LogEvent
from conformance.log_check.verdicts import Verdicts


class Rule(Protocol):
    """Judges the events of one log by some requirements, with a memory that does not grow with the log."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """The ids that it judges."""

    @property
    def codes(self) -> Collection[int] | None:
        """The event type codes that it wants to see; None for all."""

    @property
    def inside_payloads(self) -> bool:
        """Whether it judges the events inside Transaction_payload events too."""

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event."""
