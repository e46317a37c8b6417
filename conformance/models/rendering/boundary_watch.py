"""Who tells the boundaries of what is printed: WL#4162 has its own model, which printing only asks."""

from typing import Protocol

from conformance.binlog.event import Event


class BoundaryWatch(Protocol):
    """Follows the logs that are printed."""

    def start_log(self) -> None:
        """Take note that another log begins."""

    def heading(self, event: Event) -> str:
        """Return the name of the boundary type that an event's flags hold."""

    def feed(self, event: Event) -> str | None:
        """Take the next event that is read, and return the warning that it gives."""
