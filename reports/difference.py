"""The differences between the expected answer and the observed one: event by event, field by field."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from conformance.reports.foreign_text import value_text
from conformance.specs.run_record import DECLINED, Answer

#: The field that every implementation reports, declared or not.
_ALWAYS: Final = "offset"
_ABSENT: Final = object()

#: ``missing``: expected, not reported; ``undeclared``: expected, but the implementation never reports it;
#: ``unexpected``: part of an event that should not be there.
FieldState = Literal["same", "different", "missing", "undeclared", "unexpected"]
#: ``missing``: expected, not there; ``unexpected``: there, not expected.
EventState = Literal["same", "different", "missing", "unexpected"]


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One field of an event, expected and observed; `observed` is None if it was not reported."""

    name: str
    state: FieldState
    expected: Any
    observed: Any


@dataclass(frozen=True, slots=True)
class EventDifference:
    """One event, expected and observed; `offset` is None if the implementation reported none."""

    offset: int | None
    type: Any
    state: EventState
    fields: tuple[FieldDifference, ...]

    def names(self, state: FieldState) -> tuple[str, ...]:
        """Return the names of the fields in one state."""
        return tuple(field.name for field in self.fields if field.state == state)


def _identical(left: Any, right: Any) -> bool:
    # 1 == True == 1.0 in Python, but in an answer they are three different values.
    try:
        return type(left) is type(right) and bool(left == right)
    except RecursionError:
        return False


def _fields(
    expected: Mapping[str, Any], observed: Mapping[str, Any], declared: Collection[str] | None
) -> tuple[FieldDifference, ...]:
    fields = []
    for name, value in expected.items():
        reported = observed.get(name, _ABSENT)
        state: FieldState
        if reported is _ABSENT and value is None:
            # The event is expected to have no such field.
            state = "same"
        elif reported is not _ABSENT:
            state = "same" if _identical(value, reported) else "different"
        elif declared is None or name in declared or name == _ALWAYS:
            state = "missing"
        else:
            state = "undeclared"
        fields.append(FieldDifference(name, state, value, None if reported is _ABSENT else reported))
    return tuple(fields)


def _offset(event: Mapping[str, Any]) -> int | None:
    offset = event.get("offset")
    return offset if isinstance(offset, int) and not isinstance(offset, bool) else None


def differences(
    expected: Answer, observed: Answer, *, declared: Collection[str] | None = None
) -> list[EventDifference]:
    """Return the events of both answers, aligned by their offsets, in the order of the stream.

    If the expected events have no offsets, the answers are aligned by the longest sequences of types that they share.

    Args:
        expected: The right answer.
        observed: What the implementation answered.
        declared: The fields that it reports; None means every expected field.
    """
    if expected.events and not any("offset" in event for event in expected.events):
        return _in_sequence(expected.events, observed.events, declared)
    waiting: dict[int, list[Mapping[str, Any]]] = {}
    for event in expected.events:
        waiting.setdefault(_offset(event) or 0, []).append(event)
    aligned: list[EventDifference] = []
    for event in observed.events:
        offset = _offset(event)
        partners = [] if offset is None else waiting.get(offset, [])
        if not partners:
            extra = tuple(FieldDifference(name, "unexpected", None, value) for name, value in event.items())
            aligned.append(EventDifference(offset, event.get("type"), "unexpected", extra))
            continue
        partner = partners.pop(0)
        fields = _fields(partner, event, declared)
        differs = any(field.state in ("different", "missing") for field in fields)
        aligned.append(EventDifference(offset, partner.get("type"), "different" if differs else "same", fields))
    for offset, events in waiting.items():
        aligned += (
            EventDifference(offset, event.get("type"), "missing", _fields(event, {}, declared)) for event in events
        )
    # Events without an offset come last, as their place is not known.
    return sorted(aligned, key=lambda each: (each.offset is None, each.offset or 0))


def _in_sequence(
    expected: Sequence[Mapping[str, Any]], observed: Sequence[Mapping[str, Any]], declared: Collection[str] | None
) -> list[EventDifference]:
    expected_types, observed_types = (
        [value_text(event.get("type")) for event in events] for events in (expected, observed)
    )
    aligned: list[EventDifference] = []
    steps = SequenceMatcher(None, expected_types, observed_types, autojunk=False).get_opcodes()
    for action, start, end, begin, finish in steps:
        pairs = zip(expected[start:end], observed[begin:finish], strict=True) if action == "equal" else ()
        for wanted, reported in pairs:
            if DECLINED in reported:
                continue  # What is not answered is not compared.
            fields = _fields(wanted, reported, declared)
            differs = any(field.state in ("different", "missing") for field in fields)
            aligned.append(EventDifference(None, wanted.get("type"), "different" if differs else "same", fields))
        if action == "equal":
            continue
        for event in expected[start:end]:
            aligned.append(EventDifference(None, event.get("type"), "missing", _fields(event, {}, declared)))
        for event in observed[begin:finish]:
            extra = tuple(FieldDifference(name, "unexpected", None, value) for name, value in event.items())
            aligned.append(EventDifference(_offset(event), event.get("type"), "unexpected", extra))
    return aligned


def _common_prefix(left: str, right: str) -> int:
    length = min(len(left), len(right))
    return next((at for at in range(length) if left[at] != right[at]), length)


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Two texts: their common beginning, the part in which they differ, and their common end."""

    head: str
    expected: str
    observed: str
    tail: str


def text_difference(expected: str, observed: str) -> TextDifference:
    """Return where two texts differ, as one piece."""
    head = _common_prefix(expected, observed)
    left, right = expected[head:], observed[head:]
    tail = _common_prefix(left[::-1], right[::-1])
    return TextDifference(
        expected[:head],
        left[: len(left) - tail],
        right[: len(right) - tail],
        left[len(left) - tail :],
    )


def summary(events: Collection[EventDifference]) -> str:
    """Return how many events differ, in words."""
    states = Counter(event.state for event in events)
    words: dict[EventState, tuple[str, str]] = {
        "different": ("differs", "differ"),
        "missing": ("is missing", "are missing"),
        "unexpected": ("should not be there", "should not be there"),
        "same": ("agrees", "agree"),
    }
    phrases = (
        f"{states[state]} {one if states[state] == 1 else many}"
        for state, (one, many) in words.items()
        if states[state]
    )
    return ", ".join(phrases) or "no events"
