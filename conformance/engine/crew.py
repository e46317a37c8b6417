"""The crew of a run: who does its shares, this process alone or several beside each other."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from conformance.engine.events import PairFinished
from conformance.engine.patience import Patience
from conformance.engine.share import Asking
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judges
from conformance.protocol.observation import Declaration

_ResultT_co = TypeVar("_ResultT_co", covariant=True)


class Share(Protocol[_ResultT_co]):
    """A part of a run that one process does, in one role."""

    @property
    def role(self) -> str:
        """The role in which it asks."""

    @property
    def family(self) -> str:
        """The family of its cases."""

    @property
    def waits(self) -> bool:
        """Whether its answers mostly wait for a network, so that a core does several such shares beside each other."""

    @property
    def cost(self) -> int:
        """A rank of the time that it takes: several processes begin with what costs most."""

    def done(self, asking: Asking, patience: Patience) -> _ResultT_co:
        """Do it, and return the result."""


ShareT = TypeVar("ShareT", bound=Share[Any])


class Crew(Protocol):
    """Does the shares of a run."""

    @property
    def declaration(self) -> Declaration:
        """What the implementation declares."""

    def do(
        self,
        shares: Iterable[ShareT],
        patience: Patience,
        *,
        settle: Callable[[ShareT, Any], bool],
        needed: Callable[[ShareT], bool] = lambda share: True,
        progress: Callable[[PairFinished], None] = lambda event: None,
    ) -> Patience:
        """Do shares, as if one process did them one after the other; return the patience that is left.

        Args:
            shares: The shares, in their order; several processes begin those of a sequence by their cost.
            patience: The patience with which the first begins.
            settle: Called with each share and its result, None if it was not needed, in the order of the shares;
                returns whether the run stops.
            needed: Called before a share is begun, when some before it are settled, and again when all are; if it
                returns False, the share is settled without a result.
            progress: Called as a share goes on.
        """


class Alone:
    """Does the shares one after the other, in this process.

    Args:
        implementation: The started implementation.
    """

    def __init__(self, implementation: Implementation) -> None:
        self._implementation = implementation
        self._judges = Judges(implementation.declaration)

    @property
    def declaration(self) -> Declaration:
        """What the implementation declares."""
        return self._implementation.declaration

    def do(
        self,
        shares: Iterable[ShareT],
        patience: Patience,
        *,
        settle: Callable[[ShareT, Any], bool],
        needed: Callable[[ShareT], bool] = lambda share: True,
        progress: Callable[[PairFinished], None] = lambda event: None,
    ) -> Patience:
        """Do shares, as `Crew.do`."""
        asking = Asking(implementation=self._implementation, judges=self._judges, progress=progress)
        for share in shares:
            if settle(share, share.done(asking, patience) if needed(share) else None):
                break
        return patience
