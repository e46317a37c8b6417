"""The oracles of the requirements that own fields of an answer: `specs/requirements/answers.toml`.

The judge looks for their differences itself, as they depend on what the other requirements account for.
"""

from collections.abc import Iterator
from typing import Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.oracle import Check, Oracle
from conformance.protocol.roles.registry import role_of
from conformance.specs.catalogue import EVERY_FIELD, Requirement, catalogue


def _examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
    raise AssertionError(f"{requirement} is judged by the differences that no other requirement accounts for")


def _shown_by(requirement: Requirement) -> frozenset[str]:
    """Return the fields of which one must be declared; an offset alone shows nothing."""
    fields = role_of(requirement.role).fields.keys()
    owned = fields if EVERY_FIELD in requirement.owns else fields & frozenset(requirement.owns)
    return frozenset(owned) - {"offset"}


#: Every owner, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = tuple(
    Oracle(each.id, _examine, any_of=_shown_by(each), owns=frozenset(each.owns))
    for each in catalogue().values()
    if each.owns
)
