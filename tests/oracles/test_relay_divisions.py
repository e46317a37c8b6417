"""A replica begins another relay log when it likes: a receiver that does so elsewhere is blamed by nobody."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import framed_events
from conformance.oracles.checks.relay_divisions import with_expected_division
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.roles.relay import event_data
from conformance.reference.implementation import ReferenceImplementation
from tests.answered import answered_cases

REFERENCE = ReferenceImplementation()
JUDGE = Judge(REFERENCE.declaration.roles["relay"])


def offsets(case):
    """Return where the events of the source begin, in bytes."""
    lengths = [len(event) for event in framed_events(case.stream)]
    return [len(MAGIC) + sum(lengths[:number]) for number in range(len(lengths))]


def received_whole():
    """Yield some cases of which everything is received, each with what the reference answers."""
    for index, case, answer in answered_cases("relay", 2):
        if case.expected.refused_at is None and index % 2 == 0:
            yield case, answer


def flushed(case, every):
    """Return what the reference answers if it begins another relay log before each event that comes `every` times."""
    flushes = sorted({*(case.settings.get("flushes") or ()), *offsets(case)[2::every]})
    request = request_of(case)
    return REFERENCE.ask(replace(request, settings={**request.settings, "flushes": flushes}))


@pytest.mark.parametrize("every", [1, 3])
def test_relay_logs_in_other_places_are_free(every):
    more = 0
    for case, answer in received_whole():
        other = flushed(case, every)
        more += len({each["log"] for each in other.events}) > len({each["log"] for each in answer.events})
        blamed = [each for each in JUDGE.judge(case, other) if each.is_failure]
        assert blamed == [], (str(case.id), blamed[0].message)
    assert more > 100


def test_what_is_lost_between_two_relay_logs_is_named_alone():
    case = next(
        case
        for _, case, answer in answered_cases("relay", 2)
        if case.id.family == "rows_query_streams" and len(answer.events) > 8
    )
    other = flushed(case, 1)
    last = max(place for place, each in enumerate(other.events) if event_data(each)[4] == 16)
    torn = replace(other, events=other.events[:last] + other.events[last + 1 :])
    assert with_expected_division(case, torn) != torn
    (message,) = {each.message for each in JUDGE.judge(case, torn) if each.is_failure}
    assert message.startswith("The XID event, number ")


def is_own_rotate(case, entry):
    data = event_data(entry)
    return data[4] == EventType.ROTATE and data[5:9] == case.settings["server_id"].to_bytes(4, "little")


@pytest.mark.parametrize("every", [1, 4])
def test_a_relay_log_may_end_without_a_rotate_of_the_replica(every):
    less = 0
    for case, _ in received_whole():
        other = flushed(case, every)
        left = tuple(each for each in other.events if not is_own_rotate(case, each))
        less += len(left) < len(other.events)
        blamed = [each for each in JUDGE.judge(case, replace(other, events=left)) if each.is_failure]
        assert blamed == [], (str(case.id), blamed[0].message)
    assert less > 100


def test_a_relay_log_may_begin_after_the_last_event():
    ended = 0
    for case, answer in received_whole():
        other = flushed(case, 1)
        places = [place for place, each in enumerate(other.events) if is_own_rotate(case, each)]
        if not places or event_data(other.events[places[-1] + 2])[4] != EventType.PREVIOUS_GTIDS:
            continue
        last = answer.events[-1]["log"]
        beginning = [{**each, "log": last + 1} for each in other.events[places[-1] : places[-1] + 3]]
        beginning[0]["log"] = last
        ended += 1
        more = replace(answer, events=(*answer.events, *beginning))
        blamed = [each for each in JUDGE.judge(case, more) if each.is_failure]
        assert blamed == [], (str(case.id), blamed[0].message)
    assert ended > 50
