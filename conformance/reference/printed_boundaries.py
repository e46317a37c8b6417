"""The boundaries that a printing program of WL#4162 shows and checks."""

from conformance.binlog.event import Event
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.rendering.printer_version import PrinterVersion


class PrintedBoundaries:
    """Tracks boundaries in the printed logs with the worklog's parser; see `BoundaryWatch`.

    Args:
        parser: The parser; a new one if None.
    """

    def __init__(self, parser: WorklogParser | None = None) -> None:
        self._parser = parser or WorklogParser()

    def start_log(self) -> None:
        """Reset the parser."""
        self._parser.reset()

    def heading(self, event: Event) -> str:
        """Return the name of the boundary type that an event's flags hold."""
        return MARKER_BITS.read(event.header.flags).heading

    def feed(self, event: Event) -> str | None:
        """Feed an event to the parser, and return its warning."""
        return self._parser.feed(FedEvent.of(event)).warning


def boundaries_of(version: PrinterVersion) -> PrintedBoundaries | None:
    """Return the tracker of boundaries, None for a version that does not show them."""
    return PrintedBoundaries() if version.boundary_types else None
