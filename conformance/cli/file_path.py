"""The type of options and arguments whose values are paths."""

from pathlib import Path
from typing import Any

import click


class FilePath(click.Path):
    """A path, which is not empty: an empty one would be the current folder, where nobody asked for files.

    It is what a script passes on of a variable that is not set.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; an empty one is a usage error."""
        if not str(value) or (isinstance(value, Path) and value == Path()):
            self.fail("a path that is empty", param, ctx)
        return super().convert(value, param, ctx)
