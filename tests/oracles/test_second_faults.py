"""A second fault in the events of one case is found, also where it breaks the same requirement as the first."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.mutants.controls import CONTROLS
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import by_finding, failures_of
from conformance.protocol.observation import Observation, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

REFERENCE = ReferenceImplementation()
JUDGE = Judge(REFERENCE.declaration.roles["decode"])


def failures(index, change):
    """Return the failures of the reference's answer to a case, changed event by event."""
    case = case_of(CaseId("every_event_type", "mysql-8.0", 1, index))
    answer = REFERENCE.ask(request_of(case))
    assert isinstance(answer, Observation)
    changed = replace(answer, events=tuple(change(dict(event)) for event in answer.events))
    return [*failures_of(JUDGE.judge(case, changed))]


def unknown(*types):
    """Return the change that events of some types are ignored."""
    return lambda event: {**event, "handled": "ignored"} if event["type"] in types else event


def test_each_type_of_a_case_that_is_not_known_is_a_finding_of_the_same_requirement():
    of_cases = [
        {each.finding for each in failures(index, unknown(EventType.USER_VAR, EventType.XID))} for index in range(4)
    ]
    assert {"USER_VAR not known", "XID not known"} in of_cases


def test_a_requirement_is_counted_once_however_many_causes_it_fails_for():
    case = case_of(CaseId("every_event_type", "mysql-8.0", 1, 0))
    answer = REFERENCE.ask(request_of(case))
    types = {event["type"] for event in answer.events}
    changed = replace(answer, events=tuple(unknown(*types)(event) for event in answer.events))
    verdicts = JUDGE.judge(case, changed)
    requirements = [each.requirement for each in verdicts]
    assert len(requirements) == len(set(requirements))
    (known,) = (each for each in verdicts if each.requirement == "FORMAT-TYPE-KNOWN")
    # A record holds a bounded number of them.
    assert 1 < 1 + len(known.further) <= 8
    assert {known.finding, *(each.finding for each in known.further)} <= set(by_finding(verdicts))


@pytest.mark.parametrize("status", ["crash", "hang"])
def test_trouble_has_one_cause(status):
    case = case_of(CaseId("transactions", "mysql-8.0", 1, 0))
    trouble = Trouble(status, "signal-SIGSEGV", "")
    assert len([*failures_of(JUDGE.judge(case, trouble))]) == 1


def test_a_fault_after_a_difference_that_is_free_is_blamed():
    """An applier may take the position of events of its own; what it has wrong after them counts all the same."""
    taken = next(each.answer for each in CONTROLS if each.name == "position-of-no-log")
    judge = Judge(REFERENCE.declaration.roles["apply"])
    answers = 0
    for index in range(20):
        case = case_of(CaseId("own_groups_applied", "mysql-8.0", seed=1, index=index, role="apply"))
        answer = taken(request_of(case))
        if answer.events == REFERENCE.ask(request_of(case)).events:
            continue
        *before, last = answer.events
        wrong = replace(answer, events=(*before, {**last, "relay_log_pos": last["relay_log_pos"] + 1}))
        assert [*failures_of(judge.judge(case, answer))] == []
        assert [each.requirement for each in failures_of(judge.judge(case, wrong))] == ["FORMAT-APPLY-POSITION"]
        answers += 1
    assert answers
