"""The roles that implementations can be asked, by name."""

from functools import cache
from importlib import import_module

from conformance.protocol.role import Role
from conformance.specs.catalogue import ROLES


def role_names() -> tuple[str, ...]:
    """Return the names of the roles that can be asked."""
    return ROLES


@cache
def role_of(name: str) -> Role:
    """Return a role by name.

    Raises:
        ValueError: It cannot be asked.
    """
    if name not in ROLES:
        raise ValueError(f"the role {name!r} cannot be asked; there are {', '.join(ROLES)}")
    role: Role = import_module(f"conformance.protocol.roles.{name}").ROLE
    return role
