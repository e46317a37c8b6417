"""The registry of oracles, by the requirement they judge, and of coverage tables and freedoms, by role."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.coverage.coverage_table import CoverageTable
from conformance.oracles.differences import Difference
from conformance.oracles.oracle import Oracle
from conformance.specs.catalogue import ROLES, catalogue
from conformance.specs.extensions import objects_of

if TYPE_CHECKING:
    from conformance.oracles.freedoms import Freedom

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
    for extension, oracle in objects_of("oracles", Oracle):
        if oracle.requirement not in catalogue():
            extension.refuse(f"an oracle judges {oracle.requirement}, which is not in the catalogue")
        if oracle.requirement in by_requirement:
            extension.refuse(f"there is an oracle for {oracle.requirement} already")
        by_requirement[oracle.requirement] = oracle
    return by_requirement


@cache
def coverage_tables_of(role: str) -> tuple[CoverageTable, ...]:
    """Return the tables that count what the cases of a role exercise; some roles have none."""
    tables: tuple[CoverageTable, ...] = getattr(_module(role), "COVERAGE_TABLES", ()) if role in ROLES else ()
    return tables


@cache
def freedoms_of(role: str) -> "tuple[Freedom, ...]":
    """Return what is free in a role."""
    every: tuple[Freedom, ...] = _module("freedoms").FREE
    return tuple(each for each in every if each.role == role)


def freedom_of(alignment: Alignment, difference: Difference) -> "Freedom | None":
    """Return the freedom that covers a difference; None if a requirement must account for it."""
    of_role = freedoms_of(alignment.case.role)
    return next((each for each in of_role if each.covers(alignment, difference)), None)
