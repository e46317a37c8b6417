"""Discovery: the cases of one family, under one profile or shared by several, in the order of their numbers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final

from conformance.specs.profiles import group_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import DEFAULT_ROLE, CaseId
from conformance.strategies.grammar.family import case_of, families

#: The fewest cases of a family in a group of profiles: what is not in a dimension is drawn again in each.
FEWEST: Final = 24


@cache
def numbers_by_default(
    family: str, profiles: tuple[str, ...], *, role: str = DEFAULT_ROLE
) -> Mapping[str, Sequence[int]]:
    """Return the numbers of the cases that a run makes of a family unless it is given how many, for each profile.

    The profiles of a group share the rows of the family's covering array: in every group every pair of classes is met
    that can be, and under every profile every class. A family of few cases has all its rows under each profile.

    Args:
        family: Name of the family.
        profiles: The profiles of the run under which the family has cases.
        role: The role in which questions about its streams are asked.
    """
    space = families()[family].space(role)
    if families()[family].few:
        return {each: range(len(space.rows(each))) for each in profiles}
    numbers: dict[str, Sequence[int]] = {}
    for sharing in _groups(profiles):
        fewest = -(-FEWEST // len(sharing))
        numbers |= {each: _completed(rows, fewest) for each, rows in space.shared_rows(sharing).items()}
    return numbers


def _groups(profiles: Iterable[str]) -> Iterable[tuple[str, ...]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for each in profiles:
        groups[group_of(each)].append(each)
    return map(tuple, groups.values())


def _completed(numbers: Sequence[int], fewest: int) -> Sequence[int]:
    """Return some numbers, with the lowest others if they are too few."""
    others = (each for each in range(fewest) if each not in numbers)
    return sorted((*numbers, *islice(others, max(fewest - len(numbers), 0))))


def cases_by_default(family: str, profile: str, *, role: str = DEFAULT_ROLE) -> int:
    """Return how many cases of a family a run makes under a profile alone, unless it is given a number."""
    return len(numbers_by_default(family, (profile,), role=role)[profile])


def discovered(
    family: str, profile: str, *, role: str = DEFAULT_ROLE, seed: int, numbers: Iterable[int] | None = None
) -> Iterator[Case]:
    """Yield cases of a family under a profile; the same seed gives the same cases.

    Args:
        family: Name of the family.
        profile: Name of the profile.
        role: The role in which questions about its streams are asked.
        seed: The seed of the cases, besides family and profile.
        numbers: The numbers of the cases, from 0; None for those of a run under this profile alone.
    """
    for index in numbers_by_default(family, (profile,), role=role)[profile] if numbers is None else numbers:
        yield case_of(CaseId(family, profile, seed=seed, index=index, role=role))
