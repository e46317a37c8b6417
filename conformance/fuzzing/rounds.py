"""Rounds: the cases that fuzzing makes until its time is up, first those with pairs of variants not seen before."""

from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from conformance.engine.discovery import discovered
from conformance.fuzzing.hypothesis_engine import discover
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.family import families

#: Cases of one family and profile in a round.
_CASES: Final = 10


class Stop(Exception):
    """The search ends here: its time is up, nothing more is asked, or there is a first failure."""


def discover_in_rounds(
    plan: Sequence[tuple[str, str, str]], *, seed_value: int, visit: Callable[[Case], None]
) -> NoReturn:
    """Make cases until `visit` raises an exception.

    First come the rows of all covering arrays, which have every pair of variants that can occur. Then rounds with drawn
    rows, for the triples, take turns with rounds of Hypothesis, which looks for what no dimension names.

    Args:
        plan: Role, family and profile of each pair to take cases from.
        seed_value: The seed of the cases, besides role, family, profile and round.
        visit: Called with each case.
    """
    longest = max(len(families()[family].space(role).rows(profile)) for role, family, profile in plan)
    number = 0
    while True:
        first = number * _CASES
        for role, family, profile in plan:
            rows = len(families()[family].space(role).rows(profile))
            if number and first >= rows and first < longest:
                continue  # Other families have pairs that no case had yet.
            for case in discovered(family, profile, role=role, seed=seed_value, numbers=range(first, first + _CASES)):
                visit(case)
        number += 1
        if number * _CASES >= longest:
            for role, family, profile in plan:
                round_seed = seed_value + (number << 32)
                discover(family, profile, role=role, examples=_CASES, seed_value=round_seed, visit=visit)
