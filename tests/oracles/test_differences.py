"""Differences from the expected answer: which requirement accounts for each, and which are nobody's."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.oracles import judge as judging
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.run_record import UNEXPLAINED
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

REFERENCE = ReferenceImplementation()


def case_and_answer(text):
    case = case_of(CaseId.parse(text))
    return case, REFERENCE.ask(request_of(case))


def judged(case, answer, declared=None):
    """Return the verdict on each requirement."""
    role = REFERENCE.declaration.roles[case.role] if declared is None else declared
    return {each.requirement: each for each in Judge(role).judge(case, answer)}


def blamed(case, answer):
    return {requirement for requirement, each in judged(case, answer).items() if each.is_failure}


def changed(answer, change):
    return replace(answer, events=tuple(change(dict(entry)) for entry in answer.events))


def reported_as_ignored(*types):
    """Return the change of a reader that does not know some types."""

    def change(entry):
        if entry["type"] not in types:
            return entry
        return {name: "ignored" if name == "handled" else entry[name] for name in FIELDS_OF_EVERY_TYPE if name in entry}

    return change


def test_a_fault_elsewhere_in_the_stream_hides_nothing():
    case, answer = case_and_answer("streams_without_gtids/mysql-8.0/1/0")
    first = answer.events[0]["offset"]
    last = max(entry["offset"] for entry in answer.events if entry["type"] == EventType.QUERY)
    wrong = {first: {"event_types": 7}, last: {"error_code": 77}}
    other = changed(answer, lambda entry: {**entry, **wrong.get(entry["offset"], {})})
    assert blamed(case, other) == {"FORMAT-TYPE-COUNT", "FORMAT-EVENT-FIELDS"}


def test_an_error_after_the_last_event_is_blamed():
    case, answer = case_and_answer("transactions/mysql-8.0/1/0")
    at = case.expected.events[-1]["offset"]
    assert blamed(case, replace(answer, error=Refusal(at, "truncated", "no more"))) == {"FORMAT-EVENT-FIELDS"}


def test_a_type_that_is_not_known_is_one_finding():
    case, answer = case_and_answer("anonymous_gtid_streams/mysql-8.0/1/0")
    verdicts = judged(case, changed(answer, reported_as_ignored(EventType.ANONYMOUS_GTID)))
    assert [each.signature for each in verdicts.values() if each.is_failure] == ["ANONYMOUS_GTID not known"]
    # The requirements on its fields are blocked by it; those on its header are not.
    blocked = verdicts["WL7592-ANON-NO-IDENTIFIER"]
    assert (blocked.status, blocked.finding) == ("blocked", "ANONYMOUS_GTID not known")
    assert verdicts["FORMAT-HEADER-LENGTH"].status == "pass"


def test_a_reader_that_ignores_a_type_only_where_it_is_flagged_breaks_the_rule_on_the_flag():
    flagged = {0x80, 0}
    for index in range(50):
        case, answer = case_and_answer(f"anonymous_gtid_streams/mysql-8.0/1/{index}")
        seen = {entry["flags"] for entry in answer.events if entry["type"] == EventType.ANONYMOUS_GTID}
        if seen == flagged:
            break
    ignore = reported_as_ignored(EventType.ANONYMOUS_GTID)
    by_flag = changed(answer, lambda entry: ignore(entry) if entry["flags"] & 0x80 else entry)
    assert "WL7592-ANON-FLAG-EITHER-WAY" in blamed(case, by_flag)
    assert blamed(case, changed(answer, ignore)) == {"FORMAT-TYPE-KNOWN"}


def test_a_filter_without_entries_has_shown_nothing():
    case, answer = case_and_answer("filter:table_filters/worklog/1/0")
    declared = REFERENCE.declaration.roles["filter"]
    partial = replace(declared, abilities=declared.abilities - {"every_event"})
    assert judged(case, replace(answer, events=()), partial) == {}


def test_an_owner_of_a_field_that_is_not_declared_is_unsupported():
    case, answer = case_and_answer("decide:logging_decisions/worklog/1/0")
    declared = REFERENCE.declaration.roles["decide"]
    few = replace(declared, fields=declared.fields - {"executed"})
    wrong = changed(answer, lambda entry: {**entry, "executed": "no", "format": "none"})
    assert judged(case, wrong, few)["FORMAT-DECIDE-EXECUTED"].status == "unsupported"


@pytest.mark.parametrize("text", ["transactions/mysql-8.0/1/0", "relay:relay_logs/mysql-8.0/1/0"])
def test_a_difference_that_nobody_owns_is_unexplained(text, monkeypatch):
    monkeypatch.setattr(judging, "owners", lambda role, profile: {})
    case, answer = case_and_answer(text)
    other = replace(answer, error=Refusal(None, "other", "the end"))
    assert blamed(case, other) == {UNEXPLAINED}


def test_an_error_of_a_client_itself_in_a_group_in_which_its_source_ends_is_one_finding():
    case, answer = case_and_answer("client:failing_sources/mysql-8.0/0/0")
    assert case.settings["source"]["failure"]["begun"] > 1
    own = replace(answer, events=answer.events[:-1], error=Refusal(None, "other", "a statement that it cannot read"))
    verdicts = Judge(REFERENCE.declaration.roles["client"]).judge(case, own)
    failed = {(each.requirement, each.finding) for each in verdicts if each.is_failure}
    assert {requirement for requirement, _ in failed} == {"FORMAT-CLIENT-EVENT"}
    assert len(failed) == 1
    assert next(iter(failed))[1].endswith(" refused")
