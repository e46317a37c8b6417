"""The event of a stream at which the process of an implementation ends.

A process that ends leaves no answer that could show it. So it is asked for beginnings of the stream, each up to the end
of an event, until it is known which event the shortest one has at its end with which it ends too.
"""

from dataclasses import replace

from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.registry import Implementation
from conformance.oracles.checks.common_refusals import MADE_FOR, feature_of
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Observation, Trouble
from conformance.strategies.grammar.case import Case


def with_place(case: Case, answer: Observation | Trouble, implementation: Implementation) -> Observation | Trouble:
    """Return an answer; a crash with the offset of the last event before it, where that decides what is blamed for it.

    Args:
        case: The case.
        answer: What the implementation answered.
        implementation: The implementation, which is asked for the beginnings.
    """
    if not isinstance(answer, Trouble) or not isinstance(implementation, ProcessImplementation):
        return answer
    if answer.status != "crash" or answer.last_at is not None or not _decides(case):
        return answer
    events = case.expected.events
    least, most = 1, len(events)
    if case.expected.refused_at is not None and not _ends_within(case, most, implementation):
        return replace(answer, last_at=events[-1]["offset"])
    if _ends_within(case, least, implementation):
        return replace(answer, last_at=0)  # One that always ends is not asked for more.
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if _ends_within(case, middle, implementation) else (middle, most)
    return replace(answer, last_at=events[least - 1]["offset"])


def _decides(case: Case) -> bool:
    """Return whether it makes a difference at which event a process ends: one is to be refused, or may not be known."""
    expected = case.expected
    if case.role != "decode" or not expected.events:
        return False
    made_for = not MADE_FOR.keys().isdisjoint(expected.made_for.values())
    has_feature = any(feature_of(expected, index) is not None for index in range(len(expected.events)))
    return expected.refused_at is not None or made_for or has_feature


def _ends_within(case: Case, count: int, implementation: ProcessImplementation) -> bool:
    """Return whether no answer comes either when the process is asked for the first events of the stream alone."""
    expected = case.expected
    end = expected.events[count]["offset"] if count < len(expected.events) else expected.refused_at
    beginning = replace(request_of(case), stream=case.stream[:end])
    answer = implementation.ask(beginning)
    return isinstance(answer, Trouble) and answer.status != "unsupported"
