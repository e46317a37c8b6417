"""The type of an option that names a profile."""

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from conformance.specs.profiles import PROFILES, profile_named

#: The values, for the help of an option.
PROFILES_HELP = ", ".join(PROFILES)

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    # Before Click 8.4 it takes no parameter.
    _Text = click.ParamType


class ProfileName(_Text):
    """The name of a profile or of a single release: ``mysql-8.0``, ``mysql-8.0.15``.

    Args:
        others: What the option takes besides.
    """

    name = "profile"

    def __init__(self, *others: str) -> None:
        self._others = others

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; what is not one is a usage error that lists what there is."""
        text = str(value)
        if text in self._others:
            return text
        try:
            return profile_named(text).name
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin as the word does."""
        return [CompletionItem(each) for each in (*self._others, *PROFILES) if each.startswith(incomplete)]
