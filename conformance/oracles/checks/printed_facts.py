"""A printed log and what is known about its events."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.models.rendering.binlog_statement import statement_events
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_log import PrintedEvent, PrintedLog, printed_log

#: What is known about an event.
Fact = Mapping[str, Any]
#: The form of a question whose answer is rows, not a text.
ROWS_FORM: Final = "events"


class Printed:
    """A printed log and the facts about its events."""

    def __init__(self, alignment: Alignment, log: PrintedLog) -> None:
        self.log = log
        self.settings = alignment.case.settings
        self.facts: list[Fact] = list(alignment.case.expected.events[0]["events"])
        self._stream = alignment.case.stream
        self._error = alignment.observation.error
        self._reports_offset = "error_at" in alignment.role.abilities

    def event(self, fact: Fact) -> PrintedEvent | None:
        """Return the event as printed, None if it is not."""
        return self.log.event(fact["log_pos"])

    def is_reached(self, fact: Fact) -> bool:
        """Return whether the program reached an event; the refused one counts unless a refusal is tolerated."""
        if self._error is None:
            return True
        if not self._reports_offset or self._error.at is None:
            return self.event(fact) is not None
        if fact["offset"] == self._error.at:
            return not fact["tolerated"]
        return bool(fact["offset"] < self._error.at)

    def is_read(self, fact: Fact) -> bool:
        """Return whether the program reached an event and did not refuse it."""
        refused = self._error is not None and self._reports_offset and self._error.at == fact["offset"]
        return self.is_reached(fact) and not refused

    def data(self, fact: Fact) -> bytes:
        """Return the event's bytes."""
        return self._stream[fact["offset"] : fact["offset"] + fact["length"]]

    def in_binlog_statements(self) -> list[bytes]:
        """Return the events in all BINLOG statements, in the order in which a server runs them.

        Raises:
            ValueError: A statement cannot be read.
        """
        return [event for events in statement_events(self.log.text) for event in events]

    def after(self, index: int) -> Fact | None:
        """Return the fact after the one with a number."""
        return self.facts[index + 1] if index + 1 < len(self.facts) else None


def printed_of(alignment: Alignment) -> Printed | None:
    """Return what was printed, None if the question is about rows or the answer has no text."""
    seen = alignment.observed(0)
    if alignment.case.settings["form"] == ROWS_FORM or seen is None or not isinstance(seen.get("text"), str):
        return None
    return Printed(alignment, printed_log(seen["text"]))


def name_of(alignment: Alignment, fact: Fact) -> str:
    """Return the name of an event and its offset."""
    return f"the {alignment.about.kind(fact)} event at offset {fact['offset']}"
