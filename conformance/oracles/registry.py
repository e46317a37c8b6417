"""The registry of oracles, by the requirement they judge, and of coverage tables, by role."""

from functools import cache
from importlib import import_module
from typing import Any, Final

from conformance.oracles.coverage.coverage_table import CoverageTable
from conformance.oracles.oracle import Oracle
from conformance.specs.catalogue import ROLES, catalogue

#: The module of the oracles that own fields, in all roles.
_OWNERS: Final = "owners"


def _module(name: str) -> Any:
    """Return the module of a role's oracles, with ``ORACLES`` and ``COVERAGE_TABLES``, or that of the owners."""
    return import_module(f"conformance.oracles.{name}")


@cache
def oracles() -> dict[str, Oracle]:
    """Return the oracles by requirement id.

    Raises:
        ValueError: An oracle names a requirement that the catalogue does not have, or there are two for one.
    """
    by_requirement: dict[str, Oracle] = {}
    for oracle in (each for name in (*ROLES, _OWNERS) for each in _module(name).ORACLES):
        if oracle.requirement not in catalogue():
            raise ValueError(f"an oracle judges {oracle.requirement}, which is not in the catalogue")
        if oracle.requirement in by_requirement:
            raise ValueError(f"there are two oracles for {oracle.requirement}")
        by_requirement[oracle.requirement] = oracle
    return by_requirement


@cache
def coverage_tables_of(role: str) -> tuple[CoverageTable, ...]:
    """Return the tables that count what the cases of a role exercise; some roles have none."""
    tables: tuple[CoverageTable, ...] = getattr(_module(role), "COVERAGE_TABLES", ())
    return tables
