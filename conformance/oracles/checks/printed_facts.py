"""A printed log and what is known about its events."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from conformance.binlog.status_variables import alter_phase, read_status_variables
from conformance.models.rendering.binlog_statement import statement_events
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_log import PrintedEvent, PrintedLog, printed_log

#: What is known about an event.
Fact = Mapping[str, Any]
#: The form of a question whose answer is rows, not a text.
ROWS_FORM: Final = "events"
#: The number of base64 characters by which an event is searched for.
_TRACE: Final = 40
#: The line before the first event of a log.
_BEGINNING: Final = "# at 4"


def bytes_of(value: Any) -> bytes:
    """Return bytes that a fact has as text, or as base64."""
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])


class Printed:
    """A printed log and the facts about its events.

    Args:
        alignment: The answer beside the expected one.
        log: What was printed of the log, or of all logs.
        number: Which of the logs that one call prints it is, from 0.
    """

    def __init__(self, alignment: Alignment, log: PrintedLog, number: int = 0) -> None:
        self.log = log
        self.settings = alignment.case.settings
        self.profile = alignment.case.id.profile
        entry = alignment.case.expected.events[0]
        self.facts: list[Fact] = list(entry["following"][number - 1] if number else entry["events"])
        self._number = number
        following: Sequence[str] = self.settings["following"]
        self._stream = base64.b64decode(following[number - 1]) if number else alignment.case.stream
        self._error = alignment.observation.error
        self._reports_offset = "error_at" in alignment.role.abilities

    @property
    def is_first(self) -> bool:
        """Whether it is the first of the logs that one call prints."""
        return not self._number

    @property
    def is_alone(self) -> bool:
        """Whether one call prints this log alone."""
        return not self.settings["following"]

    def ends_at(self, log_pos: int) -> int:
        """Return how many events have an end according to their headers."""
        return sum(fact["log_pos"] == log_pos for fact in self.facts)

    def event(self, fact: Fact) -> PrintedEvent | None:
        """Return the event as printed, None if it is not."""
        return self.log.event(fact["log_pos"])

    def begins_binlog_statement(self, fact: Fact) -> bool:
        """Return whether a BINLOG statement begins with an event, or looks as if it did."""
        return base64.b64encode(self.data(fact)).decode()[:_TRACE] in self.log.text

    def is_in_base64_alone(self, fact: Fact) -> bool:
        """Return whether a Query event, half of an ALTER TABLE of MariaDB, is in base64 or not printed at all."""
        variables = read_status_variables(bytes_of(fact["status_variables"]))
        return bool(alter_phase(variables)) and self.settings["base64_output"] != "auto"

    def is_reached(self, fact: Fact) -> bool:
        """Return whether the program reached an event; the refused one counts unless a refusal is tolerated."""
        if self._error is None:
            return True
        if self._number:
            # In which log the error is cannot be known from its place.
            return False
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

    def known_after(self, index: int) -> Iterator[Fact]:
        """Yield the facts after the one with a number, but for unknown ignorable events, which may be anywhere."""
        return (fact for fact in self.facts[index + 1 :] if fact["handled"] != "ignored")

    def next_known_header(self, event: PrintedEvent) -> int | None:
        """Return the number of the first header line after that of an event that is not of an unknown ignorable one.

        A program holds the lines of rows until their statement ends, and may print others at once.
        """
        unknown = (self.event(fact) for fact in self.facts if fact["handled"] == "ignored")
        return self.log.next_header(event.line, passing={each.line for each in unknown if each is not None})


def printed_of(alignment: Alignment) -> Printed | None:
    """Return what was printed, None if the question is about rows or the answer has no text."""
    seen = alignment.observed(0)
    if alignment.case.settings["form"] == ROWS_FORM or seen is None or not isinstance(seen.get("text"), str):
        return None
    return Printed(alignment, printed_log(seen["text"]))


def printed_logs_of(alignment: Alignment) -> list[Printed]:
    """Return what was printed of each log, of the first alone where that is not known.

    The first event of each but the first shows where its text begins.
    """
    first = printed_of(alignment)
    following = first.settings["following"] if first else ()
    if first is None or not following:
        return [first] if first else []
    lines = first.log.lines
    starts = [number for number, line in enumerate(lines) if line == _BEGINNING]
    if len(starts) != 1 + len(following):
        return [first]
    texts = ["\n".join(lines[start:end]) for start, end in pairwise((0, *starts[1:], len(lines)))]
    return [Printed(alignment, printed_log(text), number) for number, text in enumerate(texts)]


def name_of(alignment: Alignment, fact: Fact) -> str:
    """Return the name of an event and its offset."""
    return f"the {alignment.about.kind(fact)} event at offset {fact['offset']}"
