"""A case: a stream, what is known of it, and the requirements that its events exercise."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from conformance.strategies.grammar.case_id import CaseId

#: In `Case.marks`: the requirement governs every event of the stream.
EVERY_EVENT: Final = -1


@dataclass(frozen=True, slots=True)
class Expected:
    """The observation of a conforming implementation.

    Attributes:
        events: The entries of its answer, with every field that can be reported; in the role `decode`, the events
            that it delivers.
        refused_at: Offset in bytes of the event that it refuses; None if it reads to the end.
        refused_kind: Why, one of `conformance.binlog.errors.ERROR_KINDS`.
        refused_code: The servers' number of the error; None if they have none.
        burden: What the event at `refused_at` claims or holds, far more than it should, in words; a reader may then
            read it as well, in any way, within the limits on memory and time. Empty if it must be refused.
        tolerated: Indices of events that may be cleanly refused as well as delivered.
        columns: Index of a rows event -> the column type codes of its table, in order.
        made_for: Index of an event, the one after the last for the refused one -> the requirement of level should or
            may to which whatever differs there is charged, as readers may fail it and be right otherwise.
        shipped_steps: In the role `boundary`, where servers ship a parser: for each event that parser's state
            before it and the event's type to it, as names of `ShippedState` and `ShippedType`. Answers do not have
            them.
    """

    events: tuple[Mapping[str, Any], ...]
    refused_at: int | None = None
    refused_kind: str = ""
    refused_code: int | None = None
    burden: str = ""
    tolerated: frozenset[int] = frozenset()
    columns: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    made_for: Mapping[int, str] = field(default_factory=dict)
    shipped_steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A question to an implementation, with what is known of the answer.

    Attributes:
        id: What it is made from.
        role: The role in which an implementation is asked.
        stream: The bytes, magic number included; empty in a role without streams.
        expected: What must be observed.
        marks: The requirements that the case exercises, each with the indices of the events that it governs; the
            index after the last event means the refused one, `EVERY_EVENT` means all.
        focus: The requirement that the case was made for; a crash or a hang is charged to it.
        settings: The rest of the question besides the stream, in JSON values.
        classes: Dimension -> the class that the case has; empty for a stored case.
    """

    id: CaseId
    role: str
    stream: bytes = field(repr=False)
    expected: Expected = field(repr=False)
    marks: Mapping[str, tuple[int, ...]] = field(repr=False)
    focus: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Let Hypothesis show a failing case by its id, from which it can be made again, not by every mark."""
        printer.text(f"<{self.id}, {len(self.stream)} bytes>")

    def with_id(self, case_id: CaseId) -> "Case":
        """Return the same case under another id."""
        return replace(self, id=case_id)
