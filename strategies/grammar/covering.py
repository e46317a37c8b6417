"""Covering arrays: few rows of classes in which all pairs of classes occur together that can.

A covering array is made by the library covertable when the code is regenerated (`tox -e regenerate`) and kept in a
file beside this module: a case is a function of its id, so its row must not depend on the version of a library, and a
run need not wait for it.
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import combinations, product
from typing import Any, Final

from msgspec import Struct

from conformance.specs.conversion import Malformed, converted, parsed_json
from conformance.specs.extensions import BrokenExtension, extensions
from conformance.strategies.grammar.dimension import Dimension, Impossible

#: Dimension -> class: one class for each dimension that a stream is asked.
Row = Mapping[str, str]
#: Some classes, each with its dimension, in the order of the dimensions.
Classes = tuple[tuple[str, str], ...]

#: The file with the arrays, by family and role.
FILE: Final = "covering_arrays.json"
#: In a row of an array: the dimension is not asked.
_ABSENT: Final = ""
#: A stream after those of the array has a heavy class once in this many times.
_HEAVY_ONE_IN: Final = 24


@dataclass(frozen=True, eq=False)
class Space:
    """The dimensions of a family's cases in one role.

    Attributes:
        name: Family and role.
        dimensions: In the order in which they are decided: a dimension comes after those of its `when`.
        impossible: Classes that do not occur together.
    """

    name: str
    dimensions: tuple[Dimension[Any], ...]
    impossible: tuple[Impossible, ...] = ()

    def __post_init__(self) -> None:
        known: dict[str, Dimension[Any]] = {}
        for each in self.dimensions:
            if each.name in known:
                raise ValueError(f"{self.name} has two dimensions {each.name!r}")
            self._check(each.when, known, f"the dimension {each.name!r}")
            known[each.name] = each
        for group in self.impossible:
            self._check(group.classes, known, "what is impossible")

    def _check(self, named: Mapping[str, Sequence[str]], known: Mapping[str, Dimension[Any]], what: str) -> None:
        for name, classes in named.items():
            if name not in known:
                raise ValueError(f"{self.name}: {what} names the dimension {name!r}, which is not declared before")
            for each in classes:
                if each not in known[name].classes:
                    raise ValueError(f"{self.name}: {what} names the class {each!r}, which {name!r} does not have")

    def is_asked(self, dimension: Dimension[Any], row: Row) -> bool:
        """Return whether a dimension is asked in a stream whose earlier dimensions have these classes."""
        return all(row.get(other) in classes for other, classes in dimension.when.items())

    def reason_against(self, row: Row) -> str | None:
        """Return why no stream has these classes together; None if one may have them."""
        for each in self.impossible:
            if all(row.get(name) in classes for name, classes in each.classes.items()):
                return each.reason
        return None

    @property
    def fingerprint(self) -> str:
        """A text that changes with whatever the array depends on."""
        parts = [(each.name, tuple(each.classes), sorted(each.when.items()), each.heavy) for each in self.dimensions]
        whole = repr((parts, [sorted(each.classes.items()) for each in self.impossible]))
        return blake2b(whole.encode(), digest_size=6).hexdigest()

    @cached_property
    def array(self) -> tuple[Row, ...]:
        """The rows: together they have every pair of classes that are not heavy, and each heavy class once."""
        return tuple(self._unpacked(each) for each in self.packed_array)

    @cached_property
    def packed_array(self) -> list[str]:
        """The rows as the file has them, each with the indices of its classes; the library makes what is not there."""
        kept = _arrays().get(self.name)
        return kept["rows"] if kept is not None and kept["space"] == self.fingerprint else self._made()

    def rows(self, profile: str) -> tuple[Row, ...]:
        """Return the rows that a profile needs: those with a pair that no row before has, with the classes it has."""
        return _rows(self, profile)

    def shared_rows(self, profiles: Sequence[str]) -> dict[str, list[int]]:
        """Return for each profile the places of the rows that it needs, where several share the work.

        Together they have every pair of classes that one of them has, and each has every class that it has.
        """
        shared: dict[str, list[int]] = {each: [] for each in profiles}
        met: set[Classes] = set()
        classes = {each: set[Classes]() for each in profiles}
        rows = {each: self.rows(each) for each in profiles}
        for place in range(max(map(len, rows.values()), default=0)):
            # In turns, so that none has all of what only one needs to have.
            first = place % len(profiles)
            for each in (*profiles[first:], *profiles[:first]):
                if place >= len(rows[each]):
                    continue
                alone, pairs = (set(sets_of(rows[each][place], number)) for number in (1, 2))
                if not (alone <= classes[each] and pairs <= met):
                    shared[each].append(place)
                    classes[each] |= alone
                    met |= pairs
        return shared

    def pairs(self, profile: str) -> frozenset[Classes]:
        """Return the pairs of classes that the rows of a profile have: all that occur, heavy classes aside.

        A heavy class is in the pairs of its one row only.
        """
        return _pairs(self, profile)

    def row(self, profile: str, *, index: int, key: str) -> Row:
        """Return the classes that the case with an index has; after the rows of the array they are drawn.

        Args:
            profile: The profile of the case.
            index: The number of the case, from 0.
            key: The only thing, with the row, on which what is drawn depends.
        """
        rows = self.rows(profile)
        return self._completed(rows[index] if index < len(rows) else {}, profile, key)

    def _completed(self, begun: Row, profile: str, key: str) -> Row:
        """Return a row in which every dimension that is asked has a class of the profile."""
        draw = random.Random(int.from_bytes(blake2b(f"{key}/classes".encode(), digest_size=16).digest(), "little"))
        row: dict[str, str] = {}
        has_heavy = any(begun.get(each.name) in each.heavy for each in self.dimensions)
        for each in self.dimensions:
            names = each.names(profile)
            if not names or not self.is_asked(each, row):
                continue
            chosen = begun.get(each.name)
            if chosen not in names or self.reason_against({**row, each.name: chosen}) is not None:
                light = [name for name in names if name not in each.heavy]
                heavy = [] if has_heavy or begun or draw.randrange(_HEAVY_ONE_IN) else each.heavy
                possible = [
                    name for name in (heavy or light or names) if self.reason_against({**row, each.name: name}) is None
                ]
                chosen = draw.choice(possible or names)
                has_heavy |= chosen in each.heavy
            row[each.name] = chosen
        return row

    def possible(self, profile: str, number: int) -> Iterator[Classes]:
        """Yield all sets of that many classes, of different dimensions, that a stream of a profile can have together.

        Heavy classes are yielded alone, if `number` is 1.
        """
        whole = (row for row in self.rows(profile) if self._is_whole(row, profile))
        shown = {classes for row in whole for classes in sets_of(row, number)}
        for dimensions in combinations(self.dimensions, number):
            names = [
                [name for name in each.names(profile) if number == 1 or name not in each.heavy] for each in dimensions
            ]
            for chosen in product(*names):
                classes = tuple(zip((each.name for each in dimensions), chosen, strict=True))
                if classes in shown or self._occurs(dict(classes), profile):
                    yield classes

    def impossible_sets(self, profile: str, number: int) -> Iterator[tuple[Classes, str]]:
        """Yield the sets of classes that a declared impossibility rules out, each with its reason."""
        for dimensions in combinations(self.dimensions, number):
            for chosen in product(*(each.names(profile) for each in dimensions)):
                classes = tuple(zip((each.name for each in dimensions), chosen, strict=True))
                reason = self.reason_against(dict(classes))
                if reason is not None:
                    yield classes, reason

    def _is_whole(self, row: Row, profile: str) -> bool:
        """Return whether a row has a class of every dimension that is asked, and of no other, so that it occurs."""
        present = {each.name for each in self.dimensions if each.names(profile) and self.is_asked(each, row)}
        return row.keys() == present and self.reason_against(row) is None

    def _occurs(self, wanted: Row, profile: str) -> bool:
        """Return whether some stream has these classes together: the others can be chosen so that all are asked."""
        if not self._conditional.intersection(wanted):
            return True
        return self._row_with(wanted, {each.name: each.names(profile) for each in self.dimensions}) is not None

    def _row_with(self, wanted: Row, names: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
        """Return the simplest row that has some classes, None if there is none.

        Args:
            wanted: The classes.
            names: Dimension -> the classes that it may have, the simplest first.
        """
        begun: list[dict[str, str]] = [{}]
        while begun:
            row = begun.pop()
            at = len(row)
            if at == len(self.dimensions):
                return {name: value for name, value in row.items() if value != _ABSENT}
            dimension = self.dimensions[at]
            if not names[dimension.name] or not self.is_asked(dimension, row):
                options: Sequence[str] = () if dimension.name in wanted else (_ABSENT,)
            elif dimension.name in wanted:
                options = [name for name in names[dimension.name] if name == wanted[dimension.name]]
            else:
                options = names[dimension.name] if dimension.name in self._deciding else names[dimension.name][:1]
            extended = [{**row, dimension.name: name} for name in options]
            begun += [each for each in reversed(extended) if self.reason_against(each) is None]
        return None

    @cached_property
    def _conditional(self) -> frozenset[str]:
        """The dimensions that are not asked in every stream, or whose classes exclude others."""
        excluding = (name for each in self.impossible for name in each.classes)
        return frozenset((*(each.name for each in self.dimensions if each.when), *excluding))

    @cached_property
    def _deciding(self) -> frozenset[str]:
        """The dimensions on which others depend."""
        return frozenset(
            name
            for names in (*(each.when for each in self.dimensions), *(each.classes for each in self.impossible))
            for name in names
        )

    def _made(self) -> list[str]:
        """Return the rows of the array as the library makes them, then a row for each heavy class."""
        light = {
            each.name: [name for name in each.classes if name not in each.heavy] or list(each.classes)[:1]
            for each in self.dimensions
        }
        rows = list(_covering(self, light))
        for each in self.dimensions:
            for heavy in each.heavy:
                row = self._row_with({each.name: heavy}, light | {each.name: [heavy]})
                if row is not None:
                    rows.append(row)
        return [" ".join(self._index(each, row.get(each.name)) for each in self.dimensions) for row in rows]

    @staticmethod
    def _index(dimension: Dimension[Any], name: str | None) -> str:
        return "-" if not name else str(list(dimension.classes).index(name))

    def _unpacked(self, packed: str) -> Row:
        return {
            each.name: list(each.classes)[int(index)]
            for each, index in zip(self.dimensions, packed.split(), strict=True)
            if index != "-"
        }


def _covering(space: Space, light: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """Yield the rows of a covering array of pairs, without heavy classes."""
    if len(space.dimensions) < 2:
        for each in space.dimensions:
            yield from ({each.name: name} for name in light[each.name])
        return
    # Only the regeneration needs the library.
    try:
        from covertable import make
    except ImportError as error:
        raise BrokenExtension(
            f"there is no covering array of {space.name}: pip install covertable, or keep what "
            "`binlog-conformance families --arrays` prints in the file that the extension names as covering_arrays"
        ) from error

    factors = {each.name: [*light[each.name], *([_ABSENT] if each.when else [])] for each in space.dimensions}
    for row in make(factors, strength=2, constraints=[*_constraints(space)]):
        yield {name: value for name, value in row.items() if value != _ABSENT}


def _constraints(space: Space) -> Iterator[dict[str, Any]]:
    """Yield the conditions that every row meets, in the form of the library."""

    def has(name: str, classes: Sequence[str]) -> dict[str, Any]:
        return {"operator": "in", "left": name, "values": list(classes)}

    for each in space.dimensions:
        if each.when:
            condition_holds = {"operator": "and", "conditions": [has(*condition) for condition in each.when.items()]}
            absent = has(each.name, [_ABSENT])
            yield {
                "operator": "or",
                "conditions": [
                    {"operator": "and", "conditions": [condition_holds, {"operator": "not", "condition": absent}]},
                    {"operator": "and", "conditions": [{"operator": "not", "condition": condition_holds}, absent]},
                ],
            }
    for group in space.impossible:
        together = {"operator": "and", "conditions": [has(*condition) for condition in group.classes.items()]}
        yield {"operator": "not", "condition": together}


@cache
def _rows(space: Space, profile: str) -> tuple[Row, ...]:
    kept: list[Row] = []
    met: set[Classes] = set()
    names = {each.name: each.names(profile) for each in space.dimensions}
    # What every stream of the profile has.
    given = {name: classes[0] for name, classes in names.items() if len(classes) == 1}
    for row in space.array:
        there: dict[str, str] = {}
        for name, value in row.items():
            if value in names[name] and space.reason_against({**given, **there, name: value}) is None:
                there[name] = value
        new = {*sets_of(there, 1), *sets_of(there, 2)} - met
        if new:
            met |= new
            kept.append(there)
    return tuple(kept)


@cache
def _pairs(space: Space, profile: str) -> frozenset[Classes]:
    return frozenset(pair for row in _rows(space, profile) for pair in sets_of(row, 2))


def sets_of(row: Row, number: int) -> Iterator[Classes]:
    """Yield all sets of that many classes of a row, in the order of its dimensions."""
    return combinations(row.items(), number)


def arrays_text(spaces: Iterable[Space]) -> str:
    """Return the covering arrays of spaces, one row a line, for the file that keeps them."""
    arrays = {each.name: {"space": each.fingerprint, "rows": each.packed_array} for each in spaces if each.dimensions}
    return json.dumps(arrays, indent=0, ensure_ascii=False) + "\n"


@cache
def _arrays() -> dict[str, Any]:
    """Return the arrays of the file, by the name of the space."""
    arrays: dict[str, Any] = json.loads((files(__package__) / FILE).read_text("utf-8"))
    for extension in extensions():
        name = extension.extension.covering_arrays
        if name:
            kept = extension.guarded(partial(_kept_by, extension.file(name)))
            # An extension keeps those of its own families, and changes none of the kit's.
            arrays = kept | arrays
    return arrays


class _Kept(Struct, frozen=True):
    """An array as a file has it."""

    space: str
    rows: list[str]


def _kept_by(file: Traversable) -> dict[str, Any]:
    text = file.read_text("utf-8") if file.is_file() else ""
    if not text.strip():
        # Not written yet, or emptied by the shell whose command is about to write it.
        return {}
    try:
        kept: dict[str, Any] = parsed_json(text)
        converted(kept, dict[str, _Kept])
    except Malformed as error:
        raise Malformed(f"{file.name}: {error}") from error
    return kept
