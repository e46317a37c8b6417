"""The progress of a corpus run, on standard error: a live line on a terminal, or else a line from time to time."""

import time
from collections import Counter
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from conformance.corpus.waves import Snapshot
from conformance.reports.styled_console import styled_console

#: Seconds between two lines if there is no terminal.
_PERIOD: Final = 30.0
#: Requirements that are listed with their failures.
_LISTED: Final = 5


class CorpusProgress:
    """A watch that shows how far a run is.

    Args:
        console: Where to write; standard error when None.
        period: Seconds between two lines if there is no terminal.
    """

    def __init__(self, *, console: Console | None = None, period: float = _PERIOD) -> None:
        self._console = console or styled_console(error=True)
        self._period = period
        self._last = time.monotonic()
        self._live = Live(
            console=self._console, transient=True, refresh_per_second=4, redirect_stdout=False, redirect_stderr=False
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the line from the screen."""
        self._live.stop()

    def __call__(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        if self._console.is_terminal:
            self._live.update(_drawn(snapshot))
        elif time.monotonic() - self._last >= self._period:
            self._last = time.monotonic()
            self._console.print(Text(progress_line(snapshot)), soft_wrap=True)


def progress_line(snapshot: Snapshot) -> str:
    """Return a snapshot as one line."""
    cases = f"{snapshot.cases:,}" + (f" of {snapshot.goal:,}" if snapshot.goal is not None else "")
    line = f"{cases} cases, {snapshot.events:,} events, {snapshot.rate:,.0f} events/s"
    line += f", {snapshot.reached} requirements reached"
    if snapshot.failures:
        line += f"; failing: {_failures(snapshot.failures)}"
    return line


def _failures(failures: Counter[str]) -> str:
    listed = [f"{requirement} {count:,}" for requirement, count in failures.most_common(_LISTED)]
    more = len(failures) - len(listed)
    return ", ".join(listed) + (f" and {more} more requirements" if more else "")


def _drawn(snapshot: Snapshot) -> Group:
    bar = ProgressBar(total=snapshot.goal, completed=snapshot.cases, pulse=snapshot.goal is None)
    return Group(Text(progress_line(snapshot)), bar, Text(snapshot.stage, style="dim"))
