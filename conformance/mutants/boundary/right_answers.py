"""Right answers of boundary parsers that differ from the reference's, as an interpretation or a freedom allows."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES, BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.open_readings import Reading
from conformance.models.boundary.step_entry import WITHOUT_TEXT
from conformance.models.boundary.worklog_parser import ParserStep, WorklogParser
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.boundary import observe
from conformance.reference.implementation import ReferenceImplementation

Entry = Mapping[str, Any]
Answer = Callable[[Request], Observation | Trouble]

_REFERENCE: Final = ReferenceImplementation()


def _is_spare(event: FedEvent) -> bool:
    return MARKER_BITS.stored(event.flags) in SPARE_VALUES


class PassesOverSpare(WorklogParser):
    """A parser that passes over events with a spare marker."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        if _is_spare(event):
            event = event._replace(flags=MARKER_BITS.write(event.flags, BoundaryType.IGNORE_BOUNDARY))
        return super().feed(event)


class ResetsAtSpare(PassesOverSpare):
    """A parser that also begins again there."""

    def feed(self, event: FedEvent) -> ParserStep:
        """See `WorklogParser.feed`."""
        step = super().feed(event)
        if _is_spare(event):
            self.reset()
        return step


class _Reads(WorklogParser):
    """A parser with another reading of some events."""

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self._reading = reading

    def feed(self, event: FedEvent) -> ParserStep:
        return super().feed(self._reading(event) or event)


def parsed_by(parser: Callable[[], WorklogParser]) -> Answer:
    """Return the answers with another parser of WL#4162."""
    return lambda request: observe(request, parser()) if request.profile == "worklog" else _REFERENCE.ask(request)


def read_as(reading: Reading) -> Answer:
    """Return the answers of a parser of WL#4162 with another reading of some events."""
    return parsed_by(lambda: _Reads(reading))


def has_spare_marker(request: Request, entry: Entry) -> bool:
    """Return whether an event has a marker that WL#4162 keeps for later."""
    header = request.stream[entry["offset"] : entry["offset"] + HEADER_BYTES]
    return request.profile == "worklog" and MARKER_BITS.stored(HEADER.unpack(header)[5]) in SPARE_VALUES


def in_own_words(request: Request, entry: Entry) -> Entry:
    """Return an entry with a text of the parser's own where a server's parser fails without one."""
    return {**entry, "warning": "unexpected event"} if entry["warning"] == WITHOUT_TEXT else entry
