"""The option ``--limit`` of the commands that read logs: how large one event may be."""

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final, TypeVar

import click

from conformance.binlog.limits import Limits, limits_in_force

_Command = TypeVar("_Command", bound=Callable[..., Any])
#: Name of a limit as users write it -> its field.
_NAMES: Final = {each.name.replace("_", "-"): each for each in fields(Limits)}
_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30}
_NUMBER: Final = re.compile(r"(\d{1,15})([KMG]?)", re.IGNORECASE)


def limit_option(command: _Command) -> _Command:
    """Add the option to a command, which then runs with these limits in force."""
    shown = "; ".join(f"{name}, {each.metadata['meaning']} [{each.default}]" for name, each in _NAMES.items())
    return click.option(
        "--limit",
        multiple=True,
        metavar="NAME=NUMBER",
        expose_value=False,
        is_eager=True,
        callback=_use,
        help=f"Read larger events; may be repeated. A number may end with K, M or G. {shown}.",
    )(command)


def _use(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> None:
    chosen: dict[str, int] = {}
    for value in values:
        name, _, number = value.partition("=")
        match = _NUMBER.fullmatch(number)
        if name not in _NAMES or match is None or not int(match[1]):
            message = f"{value!r} is not a valid limit: write {' or '.join(_NAMES)}, =, and an integer from 1"
            raise click.BadParameter(message, ctx, param)
        chosen[_NAMES[name].name] = int(match[1]) << _UNITS[match[2].upper()]
    ctx.with_resource(limits_in_force(Limits(**chosen)))
