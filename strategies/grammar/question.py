"""Questions: what an implementation is asked in a role, and the answer it must give."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any

from conformance.specs.catalogue import ROLES, catalogue, governing, owners
from conformance.specs.extensions import extensions
from conformance.strategies.grammar.case import EVERY_EVENT, Case, Expected
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.stream import StreamBuilder


@dataclass(frozen=True, slots=True)
class Question:
    """A question in one role.

    Attributes:
        expected: The answer that must be given.
        marks: The requirements that it exercises, each with the indices of the expected entries that it governs.
        settings: The rest of the question besides the stream, in JSON values.
        stream: The stream that it is about.
    """

    expected: Expected
    marks: Mapping[str, Iterable[int]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    stream: bytes = field(default=b"", repr=False)

    def case(self, case_id: CaseId, focus: str) -> Case:
        """Return the finished case, without the marks of other roles and profiles."""
        governs = governing(case_id.role, case_id.profile)
        marks = {each: tuple(indices) for each, indices in self.marks.items() if governs[each]}
        made_for = self._made_for(marks)
        if made_for:
            marks = {each: _without_others(indices, each, made_for) for each, indices in self._spelled_out(marks)}
        # Every answer exercises the requirements that own its fields, unless it is a refusal alone.
        if self.expected.events or self.expected.refused_at is None:
            marks |= dict.fromkeys(owners(case_id.role, case_id.profile).values(), (EVERY_EVENT,))
        return Case(
            id=case_id,
            role=case_id.role,
            stream=self.stream,
            expected=replace(self.expected, made_for=made_for),
            marks={each: indices for each, indices in marks.items() if indices},
            focus=focus,
            settings=self.settings,
        )

    def _made_for(self, marks: Mapping[str, tuple[int, ...]]) -> dict[int, str]:
        """Return the events that are made for a should that governs the case, each with that requirement.

        The event to be refused is one of them if shoulds alone have it refused.
        """
        made_for = {index: each for index, each in self.expected.made_for.items() if each in marks}
        if self.expected.refused_at is not None:
            end = len(self.expected.events)
            refusing = [each for each, indices in marks.items() if end in indices]
            if refusing and all(catalogue()[each].level == "should" for each in refusing):
                made_for[end] = refusing[0]
        return made_for

    def _spelled_out(self, marks: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the marks with an index for each event, also of what governs every one."""
        every = range(len(self.expected.events))
        for requirement, indices in marks.items():
            rest = [index for index in indices if index not in every and index != EVERY_EVENT]
            yield requirement, (*every, *rest) if EVERY_EVENT in indices else indices


def _without_others(indices: tuple[int, ...], requirement: str, made_for: Mapping[int, str]) -> tuple[int, ...]:
    """Return the events that a requirement governs, without those that are made for another one."""
    return tuple(index for index in indices if made_for.get(index, requirement) == requirement)


@cache
def asker(role: str) -> Callable[[StreamBuilder], Question]:
    """Return the function that makes the question about a finished stream in a role.

    Raises:
        ValueError: The role has no questions about streams.
    """
    question: Callable[[StreamBuilder], Question] | None = getattr(_module(role), "question", None)
    if question is None:
        raise ValueError(f"the role {role!r} has no questions about streams")
    return question


def dimensions_of_questions(role: str) -> tuple[Dimension[Any], ...]:
    """Return the ways in which the questions about one stream vary in a role."""
    declared: tuple[Dimension[Any], ...] = getattr(_module(role), "DIMENSIONS", ())
    return declared


def _module(role: str) -> Any:
    """Return the module of the questions in a role, None if there is no such role."""
    if role in ROLES:
        return import_module(f"conformance.strategies.questions.{role}")
    return next(
        (each.module(each.extension.roles[role]) for each in extensions() if role in each.extension.roles), None
    )
