"""The mutants of the role `send`: the model of a sender with one fault each."""

from typing import Final

from conformance.mutants.mutant import Mutant
from conformance.mutants.send import gtids, logged_events, made_events, positions

MUTANTS: Final[tuple[Mutant, ...]] = (
    *logged_events.MUTANTS,
    *positions.MUTANTS,
    *gtids.MUTANTS,
    *made_events.MUTANTS,
)
