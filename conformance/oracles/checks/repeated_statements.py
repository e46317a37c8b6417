"""Statements that a decider is asked about more than once: what it answers may not depend on those before.

A decision that differs from that on the same statement follows from something kept in between, whatever it is: such an
answer does not show whether any other requirement is broken.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.oracle import Check, Oracle

#: The cause of all that is wrong in such an answer.
OTHERWISE: Final = Cause("differs from that on the same statement before", "decision", role="decide")


@lru_cache(maxsize=1)
def repeated(alignment: Alignment) -> Mapping[int, int]:
    """Return the indices of the statements that were there before, each with that of the first."""
    first: dict[str, int] = {}
    before: dict[int, int] = {}
    for index, statement in enumerate(alignment.case.settings["statements"]):
        if (other := first.setdefault(repr(statement), index)) != index:
            before[index] = other
    return before


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def answered_otherwise(alignment: Alignment) -> tuple[int, int] | None:
    """Return the indices of a statement and of its repetition with another decision; None if there is none.

    An answer that lacks entries, or has too many, shows nothing of it.
    """
    if len(alignment.observation.events) != alignment.count:
        return None
    pairs = ((other, index) for index, other in repeated(alignment).items())
    return next((pair for pair in pairs if _differ(alignment, *pair)), None)


def _differ(alignment: Alignment, first: int, second: int) -> bool:
    one, other = (_answer(alignment, index) for index in (first, second))
    return one is not None and other is not None and one != other


def _answer(alignment: Alignment, index: int) -> Mapping[str, Any] | None:
    return None if index in alignment.declined else alignment.observed(index)


def unless_otherwise(oracle: Oracle) -> Oracle:
    """Return an oracle without a check where the answer depends on something that is kept between statements."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if answered_otherwise(alignment) is None:
            yield from oracle.examine(alignment, requirement)

    return replace(oracle, examine=examine)
