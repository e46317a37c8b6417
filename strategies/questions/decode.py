"""Questions in the role `decode`: which events are in a stream, and what they hold."""

from typing import Any, Final

from conformance.models.replica.reader_state import ReaderState
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder


def _with_state(stream: StreamBuilder) -> tuple[dict[str, Any], ...]:
    """Return the expected events, each with what is certain of the reader's own state after it."""
    reader = ReaderState()
    events = []
    for index, event in enumerate(stream.expected_events):
        if index in stream.made_for:
            reader.lose_track()
        events.append({**event, **reader.after(event)})
    return tuple(events)


#: The requirement on the events before one that cannot be read.
_BEFORE_FAULT: Final = "FORMAT-EVENTS-BEFORE-FAULT"


def question(stream: StreamBuilder) -> Question:
    """Return the question which events a reader delivers of a stream: those that were planned, up to a refused one."""
    return Question(
        expected=Expected(
            events=_with_state(stream),
            refused_at=stream.refused_at,
            refused_kind=stream.refused_kind,
            burden=stream.burden,
            tolerated=frozenset(stream.tolerated),
            columns=stream.columns,
            made_for=stream.made_for,
        ),
        marks=_marks(stream),
        stream=bytes(stream.bytes),
    )


def _marks(stream: StreamBuilder) -> dict[str, list[int]]:
    """Return the marks of a stream, and that of what comes before an event that cannot be read."""
    before = len(stream.expected_events)
    if stream.refused_at is None or not before:
        return stream.marks
    return {**stream.marks, _BEFORE_FAULT: list(range(before))}
