"""The types of options and arguments whose values are names: a mistyped one is answered with similar ones."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from conformance.specs.catalogue import ROLES, catalogue, roles
from conformance.specs.suggestion import unknown

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    # Before Click 8.4 it takes no parameter.
    _Text = click.ParamType


class Name(_Text):
    """One of the names that there are of a kind.

    Args:
        kind: What it names: ``family``.
        plural: What they name: ``families``.
        names: Returns the names; called only for a value, as it may take time.
        command: The command that lists them, empty if none does.
    """

    def __init__(self, kind: str, plural: str, names: Callable[[], Iterable[str]], command: str = "") -> None:
        self.name = kind
        self._plural = plural
        self._names = names
        self._command = command

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; one that does not exist is a usage error that suggests others."""
        text, names = str(value), list(self._names())
        if text not in names:
            self.fail(unknown(self.name, text, names, plural=self._plural, command=self._command), param, ctx)
        return text

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin as the word does."""
        return [CompletionItem(each) for each in self._names() if each.startswith(incomplete)]


def _families() -> Iterable[str]:
    from conformance.strategies.grammar.family import families

    return families()


def _implementations() -> Iterable[str]:
    from conformance.implementations.registry import catalogue as implementations

    return [each.name for each in implementations()]


class Implementation(_Text):
    """An implementation as the user names it; the registry checks it."""

    name = "implementation"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin as the word does."""
        return [CompletionItem(each) for each in _implementations() if each.startswith(incomplete)]


ROLE = Name("role", "roles", roles)
FAMILY = Name("family", "families", _families, "families")
REQUIREMENT = Name("requirement", "ids", catalogue, "requirements")
IMPLEMENTATION = Implementation()
#: The values, for the help of an option.
ROLES_HELP = ", ".join(ROLES)
