"""Hypothesis as the engine of fuzzing: it makes cases of one family under one profile after another."""

from collections.abc import Callable
from zlib import crc32

from hypothesis import HealthCheck, Phase, given, seed, settings

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import DEFAULT_ROLE
from conformance.strategies.grammar.hypothesis_cases import cases, no_foreign_numbers


class _Ended(BaseException):
    """The discovery ends; Hypothesis would run a case again that raises an `Exception`.

    Attributes:
        error: What `visit` raised.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def discover(
    family: str,
    profile: str,
    *,
    role: str = DEFAULT_ROLE,
    examples: int,
    seed_value: int,
    visit: Callable[[Case], None],
) -> None:
    """Let Hypothesis make cases, and visit each; the same seed gives the same cases.

    Args:
        family: Name of the family.
        profile: Name of the profile.
        role: The role in which questions about its streams are asked.
        examples: How many cases to make at most.
        seed_value: The seed of the cases, besides family and profile.
        visit: Called with each case; an exception that it raises ends the discovery.
    """

    @seed(crc32(f"{family}/{profile}/{seed_value}".encode()))
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(family, profile, role=role))
    def visit_each(case: Case) -> None:
        try:
            visit(case)
        except Exception as error:
            raise _Ended(error) from error

    try:
        with no_foreign_numbers():
            visit_each()
    except _Ended as ended:
        raise ended.error from None
