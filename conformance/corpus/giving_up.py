"""Giving up: from which case on an implementation that hangs is not asked, which depends on the cases before it alone.

It is decided at a few numbers of cases, the same in every run: a run that is divided otherwise, or resumed, gives up at
the same case. No wave of planned cases extends beyond such a number.
"""

from collections.abc import Sequence
from typing import Final

from conformance.corpus.failing_cases import SHARD
from conformance.corpus.output import Wave
from conformance.engine.patience import Patience
from conformance.implementations.process.limits import Limits

#: The first such number of cases, and the factor between two.
_FIRST: Final = 2 * SHARD
_FACTOR: Final = 4


def next_decision(first: int) -> int:
    """Return the number after a case at which it is decided whether the further cases are asked."""
    number = _FIRST
    while number <= first:
        number *= _FACTOR
    return number


def is_asked(done: Sequence[Wave], first: int, limits: Limits) -> bool:
    """Return whether the cases of a wave are asked, as far as the committed waves show.

    Args:
        done: The committed waves.
        first: The first case of the wave.
        limits: The limits of the implementation.
    """
    decided = next_decision(first) // _FACTOR
    return not has_given_up([wave for wave in done if wave.end <= decided], limits)


def has_given_up(done: Sequence[Wave], limits: Limits) -> bool:
    """Return whether the implementation has hung too often in some waves.

    One that hangs in a few families is asked about all others: a long run is for these.
    """
    answered = sum(wave.answered for wave in done)
    most = limits.hangs if answered else Patience(limits).few
    return sum(wave.hangs for wave in done) >= most and sum(wave.unasked for wave in done) >= answered
