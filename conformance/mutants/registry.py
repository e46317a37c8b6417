"""The registry of mutants: every requirement with an oracle has at least one, which the oracle catches.

A check that no mutant fails checks nothing.
"""

from functools import cache
from importlib import import_module

from conformance.mutants.mutant import Mutant
from conformance.specs.catalogue import ROLES
from conformance.specs.suggestion import unknown


@cache
def mutants() -> tuple[Mutant, ...]:
    """Return every mutant: those of the roles in their order, of resources, and of the owners of fields."""
    modules = (import_module(f"conformance.mutants.{name}") for name in (*ROLES, "resources", "answers"))
    return tuple(mutant for module in modules for mutant in module.MUTANTS)


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
