"""The progress of a run on a terminal."""

import time
from typing import Final, Self

from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.spinner import Spinner
from rich.text import Text

from conformance.engine.events import (
    Event,
    FailureFound,
    FuzzingProgressed,
    PairFinished,
    RunFinished,
    RunStarted,
    ShrinkingStarted,
)
from conformance.reports.styled_console import styled_console

#: Seconds between two lines if there is no terminal.
_LINE_SECONDS: Final = 60.0


class Progress:
    """A listener that shows how far a run is, if standard error is a terminal."""

    def __init__(self) -> None:
        console = styled_console(error=True)
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
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
        """Remove the bar from the screen."""
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
                text = f"shrinking {event.finding[:60]}"
                self._bar.update(self._task, total=None, description=f"{text}, {event.left} left")
            case FailureFound() | RunFinished() | FuzzingProgressed():
                self._bar.refresh()


class FuzzingProgress:
    """A listener that shows what a fuzzing run has reached.

    A terminal shows one line that changes, anything else a line a minute.
    """

    def __init__(self) -> None:
        self._console = styled_console(error=True)
        self._line = Live(
            Spinner("dots", Text("starting")),
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._began = self._printed = time.monotonic()

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._line.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the line from the screen."""
        self._line.stop()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        match event:
            case FuzzingProgressed():
                tables = ", ".join(f"{name} {_cells(*cells)}" for name, cells in event.reached.items())
                rate = event.cases / max(event.seconds, 0.001)
                counts = f"{event.seconds:.0f} s, {event.cases:,} cases ({rate:,.0f}/s), {event.findings} findings"
                self._show(f"{counts}; {tables}" if tables else counts)
            case ShrinkingStarted():
                self._show(f"shrinking {event.finding[:60]}, {event.left} left")
            case _:
                return

    def show_counts(self, cases: int, findings: int) -> None:
        """Show how many cases there were, and how many findings."""
        self._show(f"{cases:,} cases, {findings} findings")

    def _show(self, text: str) -> None:
        if self._console.is_terminal:
            self._line.update(Spinner("dots", Text(text)))
        elif time.monotonic() - self._printed > _LINE_SECONDS:
            self._printed = time.monotonic()
            self._console.print(Text(text), soft_wrap=True)


def _cells(reached: int, every: int | None) -> str:
    return f"{reached}" if every is None else f"{reached}/{every}"
