"""A printed log beside what is known of its events."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_log import PrintedEvent, PrintedLog, printed_log

#: What is known of an event.
Fact = Mapping[str, Any]
#: The form of a question that asks for rows and not for a text.
ROWS_FORM: Final = "events"


class Printed:
    """A printed log beside the facts of its events."""

    def __init__(self, alignment: Alignment, log: PrintedLog) -> None:
        self.log = log
        self.settings = alignment.case.settings
        self.facts: list[Fact] = list(alignment.case.expected.events[0]["events"])
        self._stream = alignment.case.stream
        self._error = alignment.observation.error
        self._tells_where = "error_at" in alignment.role.abilities

    def event(self, fact: Fact) -> PrintedEvent | None:
        """Return the event as it is printed, None where it is not."""
        return self.log.event(fact["log_pos"])

    def is_reached(self, fact: Fact) -> bool:
        """Tell whether the program came to an event; the one that it refused counts, unless a refusal is as good."""
        if self._error is None:
            return True
        if not self._tells_where or self._error.at is None:
            return self.event(fact) is not None
        if fact["offset"] == self._error.at:
            return not fact["tolerated"]
        return bool(fact["offset"] < self._error.at)

    def data(self, fact: Fact) -> bytes:
        """Return the event's bytes."""
        return self._stream[fact["offset"] : fact["offset"] + fact["length"]]

    def behind(self, index: int) -> Fact | None:
        """Return the fact behind that of a number."""
        return self.facts[index + 1] if index + 1 < len(self.facts) else None


def printed_of(alignment: Alignment) -> Printed | None:
    """Return what was printed, None where rows were asked for or no text came."""
    seen = alignment.observed(0)
    if alignment.case.settings["form"] == ROWS_FORM or seen is None or not isinstance(seen.get("text"), str):
        return None
    return Printed(alignment, printed_log(seen["text"]))


def name_of(alignment: Alignment, fact: Fact) -> str:
    """Return the words for an event."""
    return f"the {alignment.about.kind(fact)} event at offset {fact['offset']}"
