"""Questions in the role `decode`: which events are in a stream, and what they hold."""

from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder


def question(stream: StreamBuilder) -> Question:
    """Return the question which events a reader delivers of a stream: those that were planned, up to a refused one."""
    return Question(
        expected=Expected(
            events=stream.expected_events,
            refused_at=stream.refused_at,
            refused_kind=stream.refused_kind,
            tolerated=frozenset(stream.tolerated),
            columns=stream.columns,
            made_for=stream.made_for,
        ),
        marks=stream.marks,
        stream=bytes(stream.bytes),
    )
