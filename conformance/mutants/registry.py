"""The registry of mutants: every requirement with an oracle has at least one, which the oracle catches.

A check that no mutant fails checks nothing.
"""

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from conformance.mutants.mutant import Mutant
from conformance.specs.catalogue import ROLES


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
    close = get_close_matches(name, [each.name for each in mutants()])
    hint = f"; similar names are {', '.join(close)}" if close else ""
    raise ValueError(f"{name!r} is not a valid mutant{hint}; `binlog-conformance implementations --mutants` lists them")
