"""Hypothesis strategies over the grammar, for discovery and for a parser's own tests."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from conformance.specs.suggestion import unknown
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import DEFAULT_ROLE, CaseId
from conformance.strategies.grammar.chooser import Choice, Chooser
from conformance.strategies.grammar.dimension import Number
from conformance.strategies.grammar.family import Family, families


class DrawingChooser(Chooser):
    """Lets Hypothesis answer, and records the answers.

    Args:
        draw: The function that `hypothesis.strategies.composite` passes.
    """

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        super().__init__()
        self._draw = draw
        self.choices: list[Choice] = []

    def _integer(self, low: int, high: int) -> int:
        answer: int = self._draw(st.integers(low, high))
        self.choices.append(answer)
        return answer

    def _octets(self, low: int, high: int) -> bytes:
        answer: bytes = self._draw(st.binary(min_size=low, max_size=high))
        self.choices.append(answer)
        return answer

    def _count(self, number: Number, names: Sequence[str]) -> int:
        # Hypothesis refuses examples of very many choices.
        light = [each for each in names if each not in number.heavy] or names
        low, high = number.classes[self._draw(st.sampled_from(light))]
        drawn: int = self._draw(st.integers(low, high))
        return drawn

    def _one_more(self, done: int, wanted: int | None) -> bool:
        answer = super()._one_more(done, wanted)
        self.choices.append(int(answer))
        return answer


def cases(family: str, profile: str, *, role: str = DEFAULT_ROLE) -> st.SearchStrategy[Case]:
    """Return the Hypothesis strategy of a family's cases under a profile.

    Args:
        family: Name of the family.
        profile: Name of the profile.
        role: The role of the cases.

    Raises:
        ValueError: There is no such family, or it has no streams under the profile or no questions in the role.
    """
    known = families()
    if family not in known:
        raise ValueError(unknown("family", family, known, plural="families", command="families"))
    if profile not in known[family].profiles:
        raise ValueError(f"the family {family} has no streams for {profile}")
    if role not in known[family].focus:
        raise ValueError(f"the family {family} has no questions in the role {role!r}")
    return _cases(known[family], profile, role)


@st.composite
def _cases(draw: Callable[[Any], Any], family: Family, profile: str, role: str) -> Case:
    chooser = DrawingChooser(draw)
    case = family.build(chooser, profile, CaseId(family.name, profile, choices=(), role=role))
    return case.with_id(CaseId(family.name, profile, choices=tuple(chooser.choices), role=role))


@contextmanager
def no_foreign_numbers() -> Iterator[None]:
    """Keep Hypothesis from drawing numbers that it finds in the source of the modules around it.

    With them the cases of a seed would depend on who imports the kit.
    """
    own_cache: LRUCache[Any, Any] = LRUCache(1024)
    with (
        patch.object(providers, "_get_local_constants", Constants),
        patch.object(providers, "CONSTANTS_CACHE", own_cache),
    ):
        yield
