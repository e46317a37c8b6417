"""Two faults at once that do not follow from each other: the requirement of each is blamed."""

from dataclasses import replace

from conformance.binlog.event_types import EventType
from conformance.oracles.judge import Judge, request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.first_case import first_case

REFERENCE = ReferenceImplementation()


def answered(family, profile, role, has):
    """The first case of a family that has something, and the reference's answer."""
    case = case_of(CaseId.parse(first_case(family, profile, has, role=role)))
    return case, REFERENCE.ask(request_of(case))


def blamed(case, answer):
    judge = Judge(REFERENCE.declaration.roles[case.role])
    return {each.requirement for each in judge.judge(case, answer) if each.is_failure}


def has_xid_and_no_cut(case):
    types = [each["type"] for each in case.expected.events]
    is_asked = "FORMAT-CLIENT-HEARTBEAT" in case.marks
    return EventType.XID in types and is_asked and not case.settings["source"]["cuts"]


def with_heartbeat(answer):
    """The answer of a client that delivers a heartbeat, as most do, after its first event."""
    first, *others = answer.events
    return replace(answer, events=(first, {**first, "type": int(EventType.HEARTBEAT)}, *others))


def test_a_client_that_delivers_heartbeats_is_blamed_for_events_that_it_loses():
    case, right = answered("sent_logs", "mysql-8.0", "client", has_xid_and_no_cut)
    lossy = replace(right, events=tuple(each for each in right.events if each["type"] != EventType.XID))
    (lost,) = blamed(case, lossy) - {"FORMAT-CLIENT-POSITION"}
    assert {"FORMAT-CLIENT-HEARTBEAT", lost} <= blamed(case, with_heartbeat(lossy))


def test_a_client_that_would_resume_elsewhere_is_blamed_for_wrong_fields():
    case, right = answered("sent_logs", "mysql-8.0", "client", has_xid_and_no_cut)
    wrong = [
        {**each, "resume_pos": each["resume_pos"] + 1} | ({"flags": each["flags"] ^ 1} if each["type"] == 16 else {})
        for each in right.events
    ]
    assert {"FORMAT-CLIENT-POSITION", "FORMAT-CLIENT-EVENT"} <= blamed(case, replace(right, events=tuple(wrong)))


def has_query_and_no_warning(case):
    entries = case.expected.events
    own = any(bytes.fromhex(each["data"])[4] == EventType.QUERY for each in entries)
    return own and not any(each["warning"] for each in entries)


def test_a_receiver_that_changes_events_is_blamed_for_its_warnings():
    case, right = answered("flushed_relay_logs", "mysql-8.4", "relay", has_query_and_no_warning)
    entries = [dict(each) for each in right.events]
    query = next(each for each in entries if bytes.fromhex(each["data"])[4] == EventType.QUERY)
    query["data"] = query["data"][:-2] + f"{int(query['data'][-2:], 16) ^ 1:02x}"
    changed = blamed(case, replace(right, events=tuple(entries)))
    entries[-1]["warning"] = "a warning"
    warned = blamed(case, replace(right, events=(*right.events[:-1], entries[-1])))
    assert changed
    assert warned - changed
    assert changed | warned == blamed(case, replace(right, events=tuple(entries)))
