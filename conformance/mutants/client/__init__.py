"""The mutants of the role `client`: the reference client with one fault each."""

from typing import Final

from conformance.mutants.client import connections, events, positions, transactions
from conformance.mutants.mutant import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    *positions.MUTANTS,
    *transactions.MUTANTS,
    *events.MUTANTS,
    *connections.MUTANTS,
)
