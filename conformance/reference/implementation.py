"""The reference implementation: the kit's own reader and models, which answer like any other implementation."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Self

from conformance import __version__
from conformance.protocol.observation import (
    ABILITIES,
    Declaration,
    Observation,
    Request,
    RoleDeclaration,
    Trouble,
)
from conformance.protocol.role import Role
from conformance.protocol.roles.registry import part_of_role, role_names, role_of
from conformance.specs.catalogue import ROLES
from conformance.specs.versions import EVERY_PROFILE


@cache
def _answer_in(role: str) -> Callable[[Request], Observation | Trouble]:
    """Return the function that answers in a role."""
    if role in ROLES:
        answer: Callable[[Request], Observation | Trouble] = import_module(f"conformance.reference.{role}").answer
        return answer
    return part_of_role(role, "answer", FunctionType)


def _declared(role: Role) -> RoleDeclaration:
    return RoleDeclaration(fields=frozenset(role.fields), abilities=frozenset(ABILITIES), profiles=EVERY_PROFILE)


class ReferenceImplementation:
    """The kit's own reader and models, in this process.

    Attributes:
        declaration: What it declares: every role, field, ability and profile.
    """

    def __init__(self) -> None:
        self.declaration = Declaration(
            name="reference",
            version=__version__,
            language="Python",
            roles={name: _declared(role_of(name)) for name in role_names()},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        return None

    def start(self) -> Declaration:
        """Return the declaration; there is no process to start."""
        return self.declaration

    def stop(self) -> None:
        """Do nothing: there is no process to stop."""

    def ask(self, request: Request) -> Observation | Trouble:
        """Return what the reader reports of a stream, or what the model of another role answers."""
        return _answer_in(request.role)(request)

    def ask_many(self, requests: Iterable[Request], window: int = 1) -> Iterator[Observation | Trouble]:
        """Yield the answers to many requests, in their order."""
        for request in requests:
            yield self.ask(request)
