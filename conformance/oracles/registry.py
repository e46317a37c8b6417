"""The registry of oracles, by the requirement they judge, and of coverage tables, by role."""

from functools import cache
from importlib import import_module
from typing import Any

from conformance.oracles.coverage.coverage_table import CoverageTable
from conformance.oracles.oracle import Oracle, owner
from conformance.specs.catalogue import ROLES, catalogue


def _module(role: str) -> Any:
    """Return the module of a role's oracles, with ``ORACLES`` and ``COVERAGE_TABLES``."""
    return import_module(f"conformance.oracles.{role}")


@cache
def oracles() -> dict[str, Oracle]:
    """Return the oracles by requirement id.

    Raises:
        ValueError: An oracle names a requirement that the catalogue does not have, or there are two for one.
    """
    by_requirement: dict[str, Oracle] = {}
    for oracle in (each for role in ROLES for each in _module(role).ORACLES):
        if oracle.requirement not in catalogue():
            raise ValueError(f"an oracle judges {oracle.requirement}, which is not in the catalogue")
        if oracle.requirement in by_requirement:
            raise ValueError(f"there are two oracles for {oracle.requirement}")
        by_requirement[oracle.requirement] = oracle
    by_requirement |= {id_: owner(entry) for id_, entry in catalogue().items() if entry.owns}
    return by_requirement


@cache
def coverage_tables_of(role: str) -> tuple[CoverageTable, ...]:
    """Return the tables that count what the cases of a role exercise; some roles have none."""
    tables: tuple[CoverageTable, ...] = getattr(_module(role), "COVERAGE_TABLES", ())
    return tables
