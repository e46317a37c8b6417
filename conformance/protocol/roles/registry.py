"""The roles that implementations can declare, by name."""

from functools import cache
from importlib import import_module
from typing import TypeVar

from conformance.protocol.role import Role
from conformance.specs.catalogue import ROLES, roles
from conformance.specs.extensions import extensions

Part = TypeVar("Part")


def role_names() -> tuple[str, ...]:
    """Return the names of all roles."""
    return roles()


@cache
def role_of(name: str) -> Role:
    """Return a role by name.

    Raises:
        ValueError: There is no such role.
    """
    if name in ROLES:
        role: Role = import_module(f"conformance.protocol.roles.{name}").ROLE
        return role
    return part_of_role(name, "ROLE", Role)


def part_of_role(name: str, part: str, kind: type[Part]) -> Part:
    """Return what the module of an extension's role has under a name.

    Raises:
        ValueError: There is no such role.
        conformance.specs.extensions.BrokenExtension: The module has nothing of that name, or something else.
    """
    for extension in extensions():
        if name in extension.extension.roles:
            module = extension.module(extension.extension.roles[name])
            made = getattr(module, part, None)
            if not isinstance(made, kind):
                extension.refuse(f"{module.__name__} has no {part}, which the module of a role needs")
            return made
    raise ValueError(f"{name!r} is not a valid role: write one of {', '.join(roles())}")
