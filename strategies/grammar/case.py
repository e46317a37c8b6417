"""A case: a stream, what is known of it, and which requirements it exercises where."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from conformance.strategies.grammar.case_id import CaseId

#: In `Case.marks`: the requirement governs every event of the stream.
EVERY_EVENT: Final = -1


@dataclass(frozen=True, slots=True)
class Expected:
    """The observation that a conforming implementation makes.

    Attributes:
        events: The entries of its answer with every field that can be reported: in the role `decode` the events
            that it delivers.
        refused_at: Offset in bytes of the event that it refuses; None where it reads to the end.
        refused_kind: Why, one of `conformance.binlog.errors.ERROR_KINDS`.
        refused_code: The number by which servers know the error; None where they have none.
        tolerated: Indices of events at which a clean refusal is as good as the delivery.
        columns: Index of a rows event -> the column type codes of its table, in their order.
        shipped_steps: In the role `boundary`, where servers ship a parser: for each event the state of that parser
            before it and what the event is to it, by the names of `ShippedState` and `ShippedType`. They are not asked
            for.
    """

    events: tuple[Mapping[str, Any], ...]
    refused_at: int | None = None
    refused_kind: str = ""
    refused_code: int | None = None
    tolerated: frozenset[int] = frozenset()
    columns: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    shipped_steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A question to an implementation, with what is known of the answer.

    Attributes:
        id: What it is made from.
        role: What an implementation is asked.
        stream: The bytes, magic number included; empty in a role that asks about no stream.
        expected: What must be observed.
        marks: The requirements that the case exercises, each with the indices of the events that it governs;
            the index behind the last event is the refused one, `EVERY_EVENT` stands for all.
        focus: The requirement that the case was made for; a crash or a hang is charged to it.
        settings: What the question says besides the stream, in values that JSON has.
    """

    id: CaseId
    role: str
    stream: bytes = field(repr=False)
    expected: Expected = field(repr=False)
    marks: Mapping[str, tuple[int, ...]] = field(repr=False)
    focus: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def with_id(self, case_id: CaseId) -> "Case":
        """Return the same case under another id."""
        return replace(self, id=case_id)
