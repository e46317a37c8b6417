"""The roles that implementations can declare, by name."""

from functools import cache
from importlib import import_module

from conformance.protocol.role import Role
from conformance.specs.catalogue import ROLES


def role_names() -> tuple[str, ...]:
    """Return the names of all roles."""
    return ROLES


@cache
def role_of(name: str) -> Role:
    """Return a role by name.

    Raises:
        ValueError: There is no such role.
    """
    if name not in ROLES:
        raise ValueError(f"{name!r} is not a valid role: write one of {', '.join(ROLES)}")
    role: Role = import_module(f"conformance.protocol.roles.{name}").ROLE
    return role
