"""Where a process ends is found by asking for beginnings of the stream, where that decides what is blamed for it."""

import sys
from itertools import count
from pathlib import Path

import pytest

from conformance.binlog.event_types import EventType
from conformance.engine.crash_places import with_place
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge, request_of
from conformance.specs.run_record import TROUBLE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

DOUBLE = Path(__file__).parents[1] / "doubles" / "ends_at_a_type.py"
#: No event has this type.
NONE = 200


def torn_case():
    """Return a case with a Query event after two others, which ends within an event."""
    for index in count():
        case = case_of(CaseId("truncated_streams", "mysql-8.0", seed=0, index=index, role="decode"))
        types = [event["type"] for event in case.expected.events]
        if case.expected.refused_kind == "truncated" and EventType.QUERY in types[2:]:
            return case


@pytest.fixture(scope="module")
def case():
    return torn_case()


def placed_and_judged(case, type_code):
    with ProcessImplementation([sys.executable, str(DOUBLE), str(type_code)]) as process:
        answer = process.ask(request_of(case))
        assert answer.last_at is None
        placed = with_place(case, answer, process)
        return placed, Judge(process.declaration.roles["decode"]).judge(case, placed)


def test_a_process_that_ends_before_the_fault_is_not_charged_with_the_fault(case):
    offsets = [event["offset"] for event in case.expected.events]
    first = next(index for index, event in enumerate(case.expected.events) if event["type"] == EventType.QUERY)
    placed, verdicts = placed_and_judged(case, int(EventType.QUERY))
    assert placed.last_at == offsets[first - 1]
    assert [each.requirement for each in verdicts if each.is_failure and each.charged] == [TROUBLE]


def test_a_process_that_ends_at_the_fault_is_charged_with_it(case):
    placed, verdicts = placed_and_judged(case, NONE)
    assert placed.last_at == case.expected.events[-1]["offset"]
    charged = [each.requirement for each in verdicts if each.is_failure and each.charged]
    assert charged == [case.focus]


def test_the_first_event_of_a_stream_has_none_before_it(case):
    placed, _ = placed_and_judged(case, int(EventType.FORMAT_DESCRIPTION))
    assert placed.last_at == 0
