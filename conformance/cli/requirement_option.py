"""The option ``--requirement`` of the commands that judge: globs over the ids of the catalogue."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from conformance.cli.names import REQUIREMENT

_Command = TypeVar("_Command", bound=Callable[..., Any])


def requirement_option(example: str) -> Callable[[_Command], _Command]:
    """Return the option, with an example of a glob for its help."""
    return click.option(
        "--requirement",
        multiple=True,
        metavar="GLOB",
        callback=_globs,
        shell_complete=REQUIREMENT.shell_complete,
        help=f"Requirements to judge, such as '{example}'; may be repeated.  [default: all]",
    )


def _globs(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> str:
    if "" in value:
        raise click.BadParameter("a glob that is empty", context, option)
    return ",".join(value) or "*"
