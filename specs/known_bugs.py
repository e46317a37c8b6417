"""Known bugs of the field: what programs that read or write binary logs have had wrong, and what notices it."""

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated

from msgspec import Meta, Struct

from conformance.specs.catalogue import catalogue
from conformance.specs.conversion import converted

_NotEmpty = Annotated[str, Meta(min_length=1)]


class KnownBug(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bug in one of the roles of the kit; one that concerns several roles is there once for each."""

    link: Annotated[str, Meta(description="Where it was reported or fixed.", pattern="^https?://")]
    project: _NotEmpty
    defect: Annotated[str, Meta(description="What was wrong, in one sentence.", pattern="[.]$")]
    requirement: Annotated[
        str,
        Meta(description="The requirement that notices it at default settings.", pattern="^[A-Z0-9]+(-[A-Z0-9]+)+$"),
    ]
    fixed_in: Annotated[str, Meta(description="The first release without it, if known.")] = ""
    mutant: Annotated[str, Meta(description="The kit's mutant with a bug of this kind, if it has one.")] = ""

    @property
    def role(self) -> str:
        """The role in which it is noticed."""
        return catalogue()[self.requirement].role

    @property
    def name(self) -> str:
        """The project and what the link ends with: a number, or the beginning of a commit."""
        last = self.link.replace("=", "/").rpartition("/")[2][:10]
        return f"{self.project} {'#' if last.isdigit() else ''}{last}"


class KnownBugs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of known bugs."""

    bug: Annotated[tuple[KnownBug, ...], Meta(min_length=1)]


@cache
def known_bugs() -> tuple[KnownBug, ...]:
    """Return the bugs in the order of their roles in the file."""
    text = (resources.files("conformance.specs") / "known_bugs.toml").read_text(encoding="utf-8")
    return converted(tomllib.loads(text), KnownBugs).bug
