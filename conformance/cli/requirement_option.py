"""The option ``--requirement`` of the commands that judge: a glob over the ids of the catalogue."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from conformance.cli.names import REQUIREMENT

_Command = TypeVar("_Command", bound=Callable[..., Any])


def requirement_option(example: str) -> Callable[[_Command], _Command]:
    """Return the option, with an example of a glob for its help."""
    return click.option(
        "--requirement",
        default="*",
        metavar="GLOB",
        shell_complete=REQUIREMENT.shell_complete,
        help=f"Requirements to judge, such as '{example}'.",
    )
