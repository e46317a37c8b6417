"""The registry of mutants: every requirement with an oracle has at least one, which the oracle catches.

A check that no mutant fails checks nothing.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from conformance.mutants.mutant import Mutant
from conformance.specs.catalogue import ROLES, catalogue
from conformance.specs.extensions import objects_of
from conformance.specs.suggestion import unknown


def mutants_of_kit() -> Iterator[Mutant]:
    """Yield every mutant that the kit's own modules list."""
    for name in (*ROLES, "resources", "answers"):
        yield from import_module(f"conformance.mutants.{name}").MUTANTS


@cache
def mutants() -> tuple[Mutant, ...]:
    """Return every mutant: those of the roles in their order, of resources, of owners of fields, of extensions."""
    every = {mutant.name: mutant for mutant in mutants_of_kit()}
    for extension, mutant in objects_of("mutants", Mutant):
        if mutant.requirement not in catalogue():
            extension.refuse(f"the mutant {mutant.name} breaks {mutant.requirement}, which is not in the catalogue")
        if mutant.name in every:
            extension.refuse(f"there is a mutant {mutant.name} already")
        every[mutant.name] = mutant
    return tuple(every.values())


def mutant_of(name: str) -> Mutant:
    """Return a mutant by its name.

    Raises:
        ValueError: There is no such mutant.
    """
    for mutant in mutants():
        if mutant.name == name:
            return mutant
    names = [each.name for each in mutants()]
    raise ValueError(unknown("mutant", name, names, plural="mutants", command="implementations --mutants"))
