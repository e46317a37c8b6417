"""Every oracle, by the requirement it judges."""

from functools import cache

from conformance.oracles import decode
from conformance.oracles.oracle import Oracle
from specs.catalogue import catalogue


@cache
def oracles() -> dict[str, Oracle]:
    """Return the oracles by requirement id.

    Raises:
        ValueError: An oracle names a requirement that the catalogue does not have, or there are two for one.
    """
    found: dict[str, Oracle] = {}
    for oracle in decode.ORACLES:
        if oracle.requirement not in catalogue():
            raise ValueError(f"an oracle judges {oracle.requirement}, which is not in the catalogue")
        if oracle.requirement in found:
            raise ValueError(f"there are two oracles for {oracle.requirement}")
        found[oracle.requirement] = oracle
    return found
