"""The progress of a run on a terminal."""

import sys
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from conformance.engine.events import Event, FailureFound, PairFinished, RunFinished, RunStarted, ShrinkingStarted


class Progress:
    """A listener that shows how far a run is, on standard error; silent where that is no terminal."""

    def __init__(self) -> None:
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)
        self._pairs = 0
        self._cases = 0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the bar off the screen."""
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        match event:
            case RunStarted():
                self._pairs = len(event.plan)
                self._bar.update(self._task, total=self._pairs, completed=0, description="discovering")
            case PairFinished():
                self._cases += event.cases
                text = f"{self._cases} cases, now {event.family} {event.profile}"
                self._bar.update(self._task, advance=1, description=text)
            case ShrinkingStarted():
                text = f"shrinking {event.requirement}"
                self._bar.update(self._task, total=None, description=f"{text}, {event.left} left")
            case FailureFound() | RunFinished():
                self._bar.refresh()
