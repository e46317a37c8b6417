"""Every oracle, by the requirement it judges."""

from functools import cache
from importlib import import_module
from typing import Final

from conformance.oracles.oracle import Oracle
from conformance.specs.catalogue import catalogue

#: The modules that hold oracles, as ``ORACLES``: one for each role.
_MODULES: Final = (
    "conformance.oracles.decode",
    "conformance.oracles.boundary",
    "conformance.oracles.apply",
    "conformance.oracles.relay",
    "conformance.oracles.decide",
    "conformance.oracles.filter",
    "conformance.oracles.render",
    "conformance.oracles.log",
)


@cache
def oracles() -> dict[str, Oracle]:
    """Return the oracles by requirement id.

    Raises:
        ValueError: An oracle names a requirement that the catalogue does not have, or there are two for one.
    """
    found: dict[str, Oracle] = {}
    for oracle in (each for module in _MODULES for each in import_module(module).ORACLES):
        if oracle.requirement not in catalogue():
            raise ValueError(f"an oracle judges {oracle.requirement}, which is not in the catalogue")
        if oracle.requirement in found:
            raise ValueError(f"there are two oracles for {oracle.requirement}")
        found[oracle.requirement] = oracle
    return found
