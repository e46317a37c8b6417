"""What differs between the expected answer and the observed one: event by event, field by field."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from conformance.reports.foreign_text import value_text
from conformance.specs.run_record import Answer

#: Fields that every implementation reports, declared or not.
_ALWAYS: Final = frozenset({"offset", "type"})
_ABSENT: Final = object()

#: ``missing``: expected, not reported; ``undeclared``: expected, and the implementation never reports it;
#: ``unexpected``: it belongs to an event that should not be there.
FieldState = Literal["same", "different", "missing", "undeclared", "unexpected"]
#: ``missing``: expected, not there; ``unexpected``: there, not expected.
EventState = Literal["same", "different", "missing", "unexpected"]


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One field of an event, expected and observed; `observed` is None where it was not reported."""

    name: str
    state: FieldState
    expected: Any
    observed: Any


@dataclass(frozen=True, slots=True)
class EventDifference:
    """One event, expected and observed; `offset` is None where the implementation gave none."""

    offset: int | None
    type: Any
    state: EventState
    fields: tuple[FieldDifference, ...]

    def names(self, state: FieldState) -> tuple[str, ...]:
        """Return the names of the fields in one state."""
        return tuple(field.name for field in self.fields if field.state == state)


def _identical(left: Any, right: Any) -> bool:
    # 1 == True == 1.0 in Python; to whoever reads the answer they are three things.
    try:
        return type(left) is type(right) and bool(left == right)
    except RecursionError:
        return False


def _fields(
    expected: Mapping[str, Any], observed: Mapping[str, Any], declared: Collection[str] | None
) -> tuple[FieldDifference, ...]:
    fields = []
    for name, value in expected.items():
        got = observed.get(name, _ABSENT)
        state: FieldState
        if got is _ABSENT and value is None:
            # Expected is that the event has no such field.
            state = "same"
        elif got is not _ABSENT:
            state = "same" if _identical(value, got) else "different"
        elif declared is None or name in declared or name in _ALWAYS:
            state = "missing"
        else:
            state = "undeclared"
        fields.append(FieldDifference(name, state, value, None if got is _ABSENT else got))
    return tuple(fields)


def _offset(event: Mapping[str, Any]) -> int | None:
    offset = event.get("offset")
    return offset if isinstance(offset, int) and not isinstance(offset, bool) else None


def differences(
    expected: Answer, observed: Answer, *, declared: Collection[str] | None = None
) -> list[EventDifference]:
    """Return the events of both answers, aligned by their offsets, in the order of the stream.

    Where what is expected has no offsets, the longest stretches of one type that both answers have are aligned.

    Args:
        expected: The right answer.
        observed: What the implementation answered.
        declared: The fields that it reports at all; None means each one that is expected.
    """
    if expected.events and not any("offset" in event for event in expected.events):
        return _in_sequence(expected.events, observed.events, declared)
    waiting: dict[int, list[Mapping[str, Any]]] = {}
    for event in expected.events:
        waiting.setdefault(_offset(event) or 0, []).append(event)
    found: list[EventDifference] = []
    for event in observed.events:
        offset = _offset(event)
        partners = [] if offset is None else waiting.get(offset, [])
        if not partners:
            extra = tuple(FieldDifference(name, "unexpected", None, value) for name, value in event.items())
            found.append(EventDifference(offset, event.get("type"), "unexpected", extra))
            continue
        partner = partners.pop(0)
        fields = _fields(partner, event, declared)
        differs = any(field.state in ("different", "missing") for field in fields)
        found.append(EventDifference(offset, partner.get("type"), "different" if differs else "same", fields))
    for offset, events in waiting.items():
        found += (
            EventDifference(offset, event.get("type"), "missing", _fields(event, {}, declared)) for event in events
        )
    # Where the implementation told no offset, nobody knows the place: behind all others.
    return sorted(found, key=lambda each: (each.offset is None, each.offset or 0))


def _in_sequence(
    expected: Sequence[Mapping[str, Any]], observed: Sequence[Mapping[str, Any]], declared: Collection[str] | None
) -> list[EventDifference]:
    wanted_kinds, seen_kinds = ([value_text(event.get("type")) for event in events] for events in (expected, observed))
    found: list[EventDifference] = []
    steps = SequenceMatcher(None, wanted_kinds, seen_kinds, autojunk=False).get_opcodes()
    for action, start, end, begin, finish in steps:
        pairs = zip(expected[start:end], observed[begin:finish], strict=True) if action == "equal" else ()
        for wanted, seen in pairs:
            fields = _fields(wanted, seen, declared)
            differs = any(field.state in ("different", "missing") for field in fields)
            found.append(EventDifference(None, wanted.get("type"), "different" if differs else "same", fields))
        if action == "equal":
            continue
        for event in expected[start:end]:
            found.append(EventDifference(None, event.get("type"), "missing", _fields(event, {}, declared)))
        for event in observed[begin:finish]:
            extra = tuple(FieldDifference(name, "unexpected", None, value) for name, value in event.items())
            found.append(EventDifference(_offset(event), event.get("type"), "unexpected", extra))
    return found


def _common_prefix(left: str, right: str) -> int:
    length = min(len(left), len(right))
    return next((at for at in range(length) if left[at] != right[at]), length)


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Two texts cut where they part: what they begin with, what each has of its own, what they end with."""

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
    told = (
        f"{states[state]} {one if states[state] == 1 else many}"
        for state, (one, many) in words.items()
        if states[state]
    )
    return ", ".join(told) or "no events"
