"""The interface through which printing uses the model of WL#4162."""

from typing import Protocol

from conformance.binlog.event import Event


class BoundaryWatch(Protocol):
    """Tracks transaction boundaries in the logs that are printed."""

    def start_log(self) -> None:
        """Start another log."""

    def heading(self, event: Event) -> str:
        """Return the name of the boundary type that an event's flags hold."""

    def feed(self, event: Event) -> str | None:
        """Take the next event, and return the warning that it gives."""
