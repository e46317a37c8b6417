"""Discovery: Hypothesis makes the cases of one family under one profile."""

from collections.abc import Callable
from zlib import crc32

from hypothesis import HealthCheck, Phase, given, seed, settings

from strategies.case import Case
from strategies.hypothesis_cases import cases, no_foreign_numbers


def discover(family: str, profile: str, *, examples: int, seed_value: int, visit: Callable[[Case], None]) -> None:
    """Let Hypothesis make cases, and visit each; the same cases for the same seed.

    Args:
        family: Name of the family.
        profile: Name of the profile.
        examples: How many cases to make at most.
        seed_value: What the cases depend on, besides family and profile.
        visit: Takes each case; what it raises ends the discovery.
    """

    @seed(crc32(f"{family}/{profile}/{seed_value}".encode()))
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(family, profile))
    def visit_each(case: Case) -> None:
        visit(case)

    with no_foreign_numbers():
        visit_each()
