"""Discovery: the cases of one family under one profile, in the order of their numbers."""

from collections.abc import Iterator
from typing import Final

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import DEFAULT_ROLE, CaseId
from conformance.strategies.grammar.family import case_of, families

#: The fewest cases of a family under a profile: what is not in a dimension is drawn again in each.
FEWEST: Final = 24


def cases_by_default(family: str, profile: str, *, role: str = DEFAULT_ROLE) -> int:
    """Return how many cases of a family a run makes under a profile unless it is given a number.

    They are all rows of the family's covering array, so that every pair of classes is met that can be. A family of few
    cases has no others.
    """
    rows = len(families()[family].space(role).rows(profile))
    return rows if families()[family].few else max(rows, FEWEST)


def discovered(
    family: str, profile: str, *, role: str = DEFAULT_ROLE, seed: int, first: int = 0, count: int | None = None
) -> Iterator[Case]:
    """Yield cases of a family under a profile; the same seed gives the same cases.

    Args:
        family: Name of the family.
        profile: Name of the profile.
        role: The role in which questions about its streams are asked.
        seed: The seed of the cases, besides family and profile.
        first: The number of the first case, from 0.
        count: How many cases to make; None for those of the covering array, `FEWEST` at least.
    """
    end = first + (cases_by_default(family, profile, role=role) if count is None else count)
    for index in range(first, end):
        yield case_of(CaseId(family, profile, seed=seed, index=index, role=role))
