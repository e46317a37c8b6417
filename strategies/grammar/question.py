"""Questions: what an implementation is asked in a role, and the answer it must give."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from conformance.specs.catalogue import ROLES, governing, owners
from conformance.strategies.grammar.case import EVERY_EVENT, Case, Expected
from conformance.strategies.grammar.case_id import CaseId
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
        # Every answer exercises the requirements that own its fields.
        marks |= dict.fromkeys(owners(case_id.role, case_id.profile).values(), (EVERY_EVENT,))
        return Case(
            id=case_id,
            role=case_id.role,
            stream=self.stream,
            expected=self.expected,
            marks=marks,
            focus=focus,
            settings=self.settings,
        )


@cache
def asker(role: str) -> Callable[[StreamBuilder], Question]:
    """Return the function that makes the question about a finished stream in a role.

    Raises:
        ValueError: The role has no questions about streams.
    """
    question: Callable[[StreamBuilder], Question] | None = None
    if role in ROLES:
        question = getattr(import_module(f"conformance.strategies.questions.{role}"), "question", None)
    if question is None:
        raise ValueError(f"the role {role!r} has no questions about streams")
    return question
