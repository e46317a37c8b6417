"""A case: a stream, what is known of it, and which requirements it exercises where."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from strategies.case_id import CaseId

#: In `Case.marks`: the requirement governs every event of the stream.
EVERY_EVENT: Final = -1


@dataclass(frozen=True, slots=True)
class Expected:
    """The observation that a conforming implementation makes.

    Attributes:
        events: The events it delivers, with every field that can be reported.
        refused_at: Offset in bytes of the event that it refuses; None where it reads to the end.
        refused_kind: Why, one of `conformance.binlog.errors.ERROR_KINDS`.
        tolerated: Indices of events at which a clean refusal is as good as the delivery.
        columns: Index of a rows event -> the column type codes of its table, in their order.
    """

    events: tuple[Mapping[str, Any], ...]
    refused_at: int | None = None
    refused_kind: str = ""
    tolerated: frozenset[int] = frozenset()
    columns: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """A stream under test.

    Attributes:
        id: What it is made from.
        role: What an implementation is asked.
        stream: The bytes, magic number included.
        expected: What must be observed.
        marks: The requirements that the case exercises, each with the indices of the events that it governs;
            the index behind the last event is the refused one, `EVERY_EVENT` stands for all.
        focus: The requirement that the case was made for; a crash or a hang is charged to it.
    """

    id: CaseId
    role: str
    stream: bytes = field(repr=False)
    expected: Expected = field(repr=False)
    marks: Mapping[str, tuple[int, ...]] = field(repr=False)
    focus: str

    def with_id(self, case_id: CaseId) -> "Case":
        """Return the same case under another id."""
        return replace(self, id=case_id)
