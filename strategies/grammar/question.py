"""Questions: what an implementation is asked in a role, and what it must answer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from conformance.specs.catalogue import ROLES, governing
from conformance.strategies.grammar.case import Case, Expected
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.stream import StreamBuilder


@dataclass(frozen=True, slots=True)
class Question:
    """A question in one role.

    Attributes:
        expected: What must be answered.
        marks: The requirements that it exercises, each with the indices of the expected entries that it governs.
        settings: What the question says besides the stream, in values that JSON has.
        stream: The stream it is about.
    """

    expected: Expected
    marks: Mapping[str, Iterable[int]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    stream: bytes = field(default=b"", repr=False)

    def case(self, case_id: CaseId, focus: str) -> Case:
        """Return the finished case: marks of other roles, and of other profiles, are left out."""
        governs = governing(case_id.role, case_id.profile)
        marks = {each: tuple(indices) for each, indices in self.marks.items() if governs[each]}
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
    """Return what asks about a finished stream in a role.

    Raises:
        ValueError: Nothing is asked about streams in this role.
    """
    question: Callable[[StreamBuilder], Question] | None = None
    if role in ROLES:
        question = getattr(import_module(f"conformance.strategies.questions.{role}"), "question", None)
    if question is None:
        raise ValueError(f"no question about a stream is asked in the role {role!r}")
    return question
