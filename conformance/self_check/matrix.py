"""The kill matrix: every mutant of a role under every trigger, filled wave by wave on all cores."""

import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import count, islice
from typing import Final

from conformance.engine.discovery import discovered, numbers_by_default
from conformance.engine.process_pool import cores, process_pool
from conformance.engine.selection import Selection
from conformance.reference.implementation import ReferenceImplementation
from conformance.self_check.cells import MutantCells, filled, forms_of, mutants_of
from conformance.strategies.grammar.case import Case

#: The most rounds between two looks at what is settled, and the number of the first ones that are waves of their own.
_LONGEST_WAVE: Final = 50
_SINGLE: Final = 4
#: Families that are asked while the result of an earlier one is not known.
_AHEAD: Final = 3

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RoleMatrix:
    """The kill matrix of one role.

    Attributes:
        role: The role.
        cells: Mutant -> what is known of it.
        pairs: The pairs of family and profile, in the order in which they are asked.
        counts: How many cases of each pair were asked: first those that `certify` asks by default.
        defaults: How many `certify` asks of each pair by default.
        left_out: Mutant -> a bit for each trigger that the self-check does not cover.
        seconds: How long it took.
    """

    role: str
    cells: Mapping[str, MutantCells]
    pairs: Sequence[Pair]
    counts: Sequence[int]
    defaults: Sequence[int]
    left_out: Mapping[str, int]
    seconds: float

    def cases_until(self, order: tuple[int, int]) -> int:
        """Return how many cases are asked up to one, itself included: one of each pair, then the next of each."""
        number, pair = order
        here = sum(of_pair > number for of_pair in self.counts[: pair + 1])
        return sum(min(of_pair, number) for of_pair in self.counts) + here

    def is_of_default(self, order: tuple[int, int]) -> bool:
        """Return whether `certify` asks a case by default."""
        number, pair = order
        return number < self.defaults[pair]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a self-check covers.

    Attributes:
        mutants: Globs over the names of mutants; none for all.
        triggers: Globs over the names of triggers, in their forms; none for all.
        cases: Cases of each pair of family and profile, at most; None for as many as `certify` asks by default.
        seed: The seed of the cases.
        jobs: Processes; None means one for each core.
    """

    mutants: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    cases: int | None = None
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
    numbers = _numbers(role, pairs)
    defaults = [len(each) for each in numbers]
    wanted = defaults if scope.cases is None else [scope.cases] * len(pairs)
    counts = [0] * len(pairs)
    with process_pool(scope.jobs or cores()) as pool:
        for end in _waves(max(wanted)):
            before, counts = counts, [min(end, most) for most in wanted]
            work = _by_family(pairs, list(map(_between, numbers, before, counts)))
            _fill(pool, cells, role, scope.seed, left_out, work, one_by_one=end - min(before) == 1)
            if deadline is not None and time.monotonic() > deadline:
                break
    seconds = time.monotonic() - started
    return RoleMatrix(role, cells, pairs, counts, defaults, dict.fromkeys(cells, left_out), seconds)


def _fill(
    pool: ProcessPoolExecutor,
    cells: Mapping[str, MutantCells],
    role: str,
    seed: int,
    left_out: int,
    work: Iterable[Sequence["_Places"]],
    *,
    one_by_one: bool,
) -> None:
    """Fill cells with what the work of a wave shows.

    In a wave of one case for each pair, what an earlier family settles is not asked in a later one: its kill is the
    earlier one.
    """
    running: deque[Future[dict[str, MutantCells]]] = deque()
    closed = {name: each.closed() | left_out for name, each in cells.items()}
    for places in work:
        while one_by_one and len(running) > _AHEAD:
            _add(cells, running.popleft().result())
            closed = {name: each.closed() | left_out for name, each in cells.items()}
        running.append(pool.submit(_filled, role, seed, places, closed))
    for task in running:
        _add(cells, task.result())


def _add(cells: Mapping[str, MutantCells], others: Mapping[str, MutantCells]) -> None:
    for name, other in others.items():
        cells[name].add(other)


def _waves(cases: int) -> Iterator[int]:
    """Yield the numbers of cases up to which is asked before what is settled is left out."""
    end = 1
    while end < cases:
        yield end
        end = end + 1 if end < _SINGLE else min(2 * end, end + _LONGEST_WAVE)
    yield cases


@dataclass(frozen=True, slots=True)
class _Places:
    """The cases of one pair that a worker asks.

    Attributes:
        place: The pair's place among all pairs.
        pair: Family and profile.
        numbers: The numbers of the cases, each after its round.
        step: How many pairs there are.
    """

    place: int
    pair: Pair
    numbers: Sequence[tuple[int, int]]
    step: int


def _numbers(role: str, pairs: Sequence[Pair]) -> list[Sequence[int]]:
    """Return the numbers of the cases of each pair that `certify` asks by default."""
    profiles: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for family, profile in pairs:
        profiles[family] += (profile,)
    return [numbers_by_default(family, profiles[family], role=role)[profile] for family, profile in pairs]


def _between(by_default: Sequence[int], first: int, end: int) -> list[tuple[int, int]]:
    """Return the rounds from `first` to `end`, each with the number of its case: those by default, then the others."""
    others = (each for each in count() if each not in by_default)
    later = islice(others, max(first - len(by_default), 0), max(end - len(by_default), 0))
    return list(zip(range(first, end), (*by_default[first:end], *later), strict=True))


def _by_family(pairs: Sequence[Pair], numbers: Sequence[Sequence[tuple[int, int]]]) -> list[list[_Places]]:
    """Return the work of a wave, one list for each family that has any."""
    work: dict[str, list[_Places]] = defaultdict(list)
    for place, (pair, of_pair) in enumerate(zip(pairs, numbers, strict=True)):
        if of_pair:
            work[pair[0]].append(_Places(place, pair, of_pair, len(pairs)))
    return list(work.values())


def cases_of(role: str, seed: int, places: Sequence[_Places]) -> Iterator[tuple[tuple[int, int], int, Case]]:
    """Yield the cases of some pairs, each with its order and its number in the run."""
    for each in places:
        family, profile = each.pair
        cases = discovered(family, profile, role=role, seed=seed, numbers=[number for _, number in each.numbers])
        for (turn, _), case in zip(each.numbers, cases, strict=True):
            yield (turn, each.place), turn * each.step + each.place, case


def _filled(role: str, seed: int, places: Sequence[_Places], closed: Mapping[str, int]) -> dict[str, MutantCells]:
    return filled(role, cases_of(role, seed, places), closed)
