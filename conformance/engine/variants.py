"""Variants: which pairs of classes the cases of a run had, of those that their families declare."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from conformance.specs.run_record import Variants
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.covering import Classes, Space, sets_of
from conformance.strategies.grammar.family import families

#: The most pairs that a record names of those that no case of a family had.
_NAMED: Final = 20


class MetVariants:
    """The classes that the cases of a run had.

    Attributes:
        rows: Family, role and profile -> the different rows of classes.
    """

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str, str], set[Classes]] = defaultdict(set)
        self._requirements: dict[str, dict[str, set[Classes]]] = defaultdict(lambda: defaultdict(set))

    def add(self, case: Case) -> None:
        """Count the classes of a case, also for each requirement that it exercises."""
        if not case.classes:
            return
        row = tuple(sorted(case.classes.items()))
        self.rows[case.id.family, case.role, case.id.profile].add(row)
        for requirement in case.marks:
            self._requirements[requirement][case.id.family].add(row)

    def pairs_of(self, requirement: str) -> int:
        """Return how many different pairs of classes the cases had that exercised a requirement."""
        return sum(len(_pairs(rows)) for rows in self._requirements.get(requirement, {}).values())

    def by_family(self) -> Iterator[Variants]:
        """Yield for each family and role what was met of what is declared, over all profiles of the run."""
        profiles: dict[tuple[str, str], list[str]] = defaultdict(list)
        for family, role, profile in self.rows:
            profiles[family, role].append(profile)
        for (family, role), names in sorted(profiles.items()):
            space = families()[family].space(role)
            wanted = {profile: _ordered(space.pairs(profile)) for profile in names}
            met = {profile: _pairs(self.rows[family, role, profile]) for profile in names}
            uncovered = [
                f"{_text(pair)} [{profile}]" for profile in names for pair in sorted(wanted[profile] - met[profile])
            ]
            yield Variants(
                family=family,
                role=role,
                dimensions={each.name: len(each.classes) for each in space.dimensions},
                pairs=sum(len(wanted[profile] & met[profile]) for profile in names),
                possible=sum(map(len, wanted.values())),
                uncovered=tuple(uncovered[:_NAMED]),
                impossible=_impossible(space, names[0]),
            )


def _impossible(space: Space, profile: str) -> dict[str, str]:
    return {_text(classes): reason for classes, reason in space.impossible_sets(profile, 2)}


def _ordered(pairs: frozenset[Classes]) -> set[Classes]:
    return {tuple(sorted(pair)) for pair in pairs}


def _pairs(rows: set[Classes]) -> set[Classes]:
    return {pair for row in rows for pair in sets_of(dict(row), 2)}


def _text(classes: Classes) -> str:
    return ", ".join(f"{name}: {value}" for name, value in classes)
