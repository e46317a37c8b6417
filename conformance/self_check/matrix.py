"""The kill matrix: every mutant of a role under every trigger, filled wave by wave on all cores."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from multiprocessing import get_context
from typing import Final

from conformance.engine.selection import Selection
from conformance.reference.implementation import ReferenceImplementation
from conformance.self_check.cells import MutantCells, filled, forms_of, mutants_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

#: Cases of one family and profile that `certify` asks by default.
DEFAULT_CASES: Final = 50
#: The most rounds between two looks at what is settled.
_LONGEST_WAVE: Final = 50

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RoleMatrix:
    """The kill matrix of one role.

    Attributes:
        role: The role.
        cells: Mutant -> what is known of it.
        pairs: The pairs of family and profile, in the order in which they are asked.
        left_out: Mutant -> a bit for each trigger that the self-check does not cover.
        rounds: How many cases of each pair were asked.
        seconds: How long it took.
    """

    role: str
    cells: Mapping[str, MutantCells]
    pairs: Sequence[Pair]
    left_out: Mapping[str, int]
    rounds: int
    seconds: float

    def cases_until(self, order: tuple[int, int]) -> int:
        """Return how many cases are asked up to one, itself included."""
        number, pair = order
        return number * len(self.pairs) + pair + 1


def cases_of(
    role: str, pairs: Sequence[tuple[int, Pair]], *, rounds: tuple[int, int], seed: int, every: int
) -> Iterator[tuple[tuple[int, int], int, Case]]:
    """Yield the cases of some pairs in some rounds, each with its order and its number in the run."""
    for number in range(*rounds):
        for place, (family, profile) in pairs:
            case_id = CaseId(family, profile, seed=seed, index=number, role=role)
            yield (number, place), number * every + place, case_of(case_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a self-check covers.

    Attributes:
        mutants: Globs over the names of mutants; none for all.
        triggers: Globs over the names of triggers, in their forms; none for all.
        cases: Cases of each pair of family and profile, at most.
        seed: The seed of the cases.
        jobs: Processes; None means one for each core.
    """

    mutants: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    cases: int = DEFAULT_CASES
    seed: int = 0
    jobs: int | None = None

    def mutants_of(self, role: str) -> list[str]:
        """Return the names of a role's mutants that it covers."""
        return [each.name for each in mutants_of(role) if _matches(each.name, self.mutants)]

    def left_out(self, role: str) -> int:
        """Return a bit for each trigger that it does not cover."""
        forms = enumerate(forms_of(role))
        return sum(1 << index for index, form in forms if not _matches(form.name, self.triggers))

    def covers_nothing(self, role: str) -> bool:
        """Return whether it covers no trigger of a role."""
        return self.left_out(role) == (1 << len(forms_of(role))) - 1


def _matches(name: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(fnmatchcase(name, each) for each in globs)


def role_matrix(role: str, scope: Scope, *, deadline: float | None = None) -> RoleMatrix:
    """Return the kill matrix of a role.

    Args:
        role: The role.
        scope: What is covered.
        deadline: When to stop, on the monotonic clock; the wave that has begun is finished.
    """
    started = time.monotonic()
    pairs = tuple(Selection(role).pairs(ReferenceImplementation().declaration))
    cells = {name: MutantCells() for name in scope.mutants_of(role)}
    left_out = scope.left_out(role)
    rounds = 0
    with ProcessPoolExecutor(scope.jobs or os.cpu_count(), mp_context=get_context("fork")) as pool:
        for end in _waves(scope.cases):
            closed = {name: each.closed() | left_out for name, each in cells.items()}
            tasks = [
                pool.submit(_family, role, family, pairs, (rounds, end), scope.seed, closed)
                for family in dict.fromkeys(family for family, _ in pairs)
            ]
            for task in tasks:
                for name, seen in task.result().items():
                    cells[name].add(seen)
            rounds = end
            if deadline is not None and time.monotonic() > deadline:
                break
    seconds = time.monotonic() - started
    return RoleMatrix(role, cells, pairs, dict.fromkeys(cells, left_out), rounds, seconds)


def _waves(cases: int) -> Iterator[int]:
    """Yield the rounds up to which cases are asked before what is settled is left out."""
    end = 1
    while end < cases:
        yield end
        end = min(3 * end, end + _LONGEST_WAVE)
    yield cases


def _family(
    role: str, family: str, pairs: Sequence[Pair], rounds: tuple[int, int], seed: int, closed: Mapping[str, int]
) -> dict[str, MutantCells]:
    own = [(place, pair) for place, pair in enumerate(pairs) if pair[0] == family]
    return filled(role, cases_of(role, own, rounds=rounds, seed=seed, every=len(pairs)), closed)
