"""Variants: which pairs of classes the cases of a run had, of those that their families declare."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Final

from conformance.specs.profiles import group_of
from conformance.specs.run_record import Variants
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.covering import Classes, Row, Space
from conformance.strategies.grammar.family import families

#: The most pairs that a record names of those that no case of a family had.
_NAMED: Final = 20


class MetVariants:
    """The classes that the cases of a run had.

    Args:
        triples: Whether triples of classes are counted too, which takes many cases to cover, and time to count.

    Attributes:
        rows: Family, role and profile -> the different rows of classes.
    """

    def __init__(self, *, triples: bool = False) -> None:
        self._triples = triples
        self.rows: dict[tuple[str, str, str], set[Classes]] = defaultdict(set)
        self._requirements: dict[str, dict[str, set[Classes]]] = defaultdict(partial(defaultdict, set))

    def add(self, case: Case) -> None:
        """Count the classes of a case, also for each requirement that it exercises."""
        if not case.classes:
            return
        row = self.add_row(case.id.family, case.role, case.id.profile, case.classes)
        for requirement in case.marks:
            self._requirements[requirement][case.id.family].add(row)

    def add_row(self, family: str, role: str, profile: str, classes: Row) -> Classes:
        """Count the classes of a case, and return them in their order."""
        row = tuple(sorted(classes.items()))
        self.rows[family, role, profile].add(row)
        return row

    def join(self, following: "MetVariants") -> None:
        """Count the classes that other cases had."""
        for key, rows in following.rows.items():
            self.rows[key] |= rows
        for requirement, by_family in following._requirements.items():
            for family, rows in by_family.items():
                self._requirements[requirement][family] |= rows

    def pairs_of(self, requirement: str) -> int:
        """Return how many different pairs of classes the cases had that exercised a requirement."""
        return sum(len(_sets(rows, 2)) for rows in self._requirements.get(requirement, {}).values())

    def by_family(self) -> Iterator[Variants]:
        """Yield for each family and role what was met of what is declared, in each group of the run's profiles."""
        profiles: dict[tuple[str, str], list[str]] = defaultdict(list)
        for family, role, profile in self.rows:
            profiles[family, role].append(profile)
        for (family, role), names in sorted(profiles.items()):
            space = families()[family].space(role)
            wanted: dict[str, set[Classes]] = defaultdict(set)
            met: dict[str, set[Classes]] = defaultdict(set)
            for profile in names:
                group = group_of(profile)
                wanted[group] |= _ordered(space.pairs(profile))
                met[group] |= _sets(self.rows[family, role, profile], 2)
            uncovered = [f"{_text(pair)} [{group}]" for group in wanted for pair in sorted(wanted[group] - met[group])]
            triples, possible_triples = self._counted_triples(space, role, names) if self._triples else (set(), set())
            uncovered += [f"{_text(each)} [any profile]" for each in sorted(possible_triples - triples)]
            yield Variants(
                family=family,
                role=role,
                dimensions={each.name: len(each.classes) for each in space.dimensions},
                pairs=sum(len(wanted[group] & met[group]) for group in wanted),
                possible=sum(map(len, wanted.values())),
                triples=len(triples & possible_triples),
                possible_triples=len(possible_triples),
                uncovered=tuple(uncovered[:_NAMED]),
                impossible=_impossible(space, names[0]),
            )

    def _counted_triples(self, space: Space, role: str, names: Sequence[str]) -> tuple[set[Classes], set[Classes]]:
        """Return the triples of classes that cases had under any profile, and those that can occur."""
        family = space.name.removesuffix(f" {role}")
        met = {each for profile in names for each in _sets(self.rows[family, role, profile], 3)}
        with_other_classes = {tuple(each.names(name) for each in space.dimensions): name for name in names}
        possible = (each for name in with_other_classes.values() for each in space.possible(name, 3))
        return met, _ordered(possible)


def _impossible(space: Space, profile: str) -> dict[str, str]:
    return {_text(classes): reason for classes, reason in space.impossible_sets(profile, 2)}


def _ordered(sets: Iterable[Classes]) -> set[Classes]:
    return {tuple(sorted(each)) for each in sets}


def _sets(rows: set[Classes], number: int) -> set[Classes]:
    return {each for row in rows for each in combinations(row, number)}


def _text(classes: Classes) -> str:
    return ", ".join(f"{name}: {value}" for name, value in classes)
