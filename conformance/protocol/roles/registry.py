"""The roles that implementations can be asked, by name."""

from functools import cache
from importlib import import_module
from typing import Final

from conformance.protocol.role import Role

#: Role -> the module that holds it as ``ROLE``. A role that is not here cannot be asked.
_MODULES: Final = {
    "decode": "conformance.protocol.roles.decode",
    "apply": "conformance.protocol.roles.apply",
    "relay": "conformance.protocol.roles.relay",
    "boundary": "conformance.protocol.roles.boundary",
    "decide": "conformance.protocol.roles.decide",
    "render": "conformance.protocol.roles.render",
    "filter": "conformance.protocol.roles.filter",
    "log": "conformance.protocol.roles.log",
}


def role_names() -> tuple[str, ...]:
    """Return the names of the roles that can be asked."""
    return tuple(_MODULES)


@cache
def role_of(name: str) -> Role:
    """Return a role by name.

    Raises:
        ValueError: It cannot be asked.
    """
    if name not in _MODULES:
        raise ValueError(f"the role {name!r} cannot be asked; there are {', '.join(_MODULES)}")
    role: Role = import_module(_MODULES[name]).ROLE
    return role
