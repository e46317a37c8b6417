"""A console of Rich for texts with the kit's own styles.

It is apart from `standard_streams`, which every command needs, since Rich takes longer to import than all the rest.
"""

import sys
from collections.abc import Iterable
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from conformance.reports.standard_streams import escaped

#: The fewest columns that texts are wrapped to: a terminal without a size yet reports none.
_LEAST_COLUMNS: Final = 40


class _StyledConsole(Console):
    """A console that styles text, and writes no other control character than its own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of what is printed, escaped."""
        for segment in super().render(renderable, options):
            # A control is rich's own: it moves the cursor. Texts never are.
            yield segment if segment.control else Segment(escaped(segment.text), segment.style)


def styled_console(*, error: bool = False) -> Console:
    """Return a console for texts with the kit's own styles; text is never read as markup.

    Args:
        error: Whether it is standard error, not standard output.
    """
    stream = sys.stderr if error else sys.stdout
    console = _StyledConsole(file=getattr(stream, "styled", stream), markup=False, emoji=False, highlight=False)
    if console.width < _LEAST_COLUMNS:
        console.width = _LEAST_COLUMNS
    return console
