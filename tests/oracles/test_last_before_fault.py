"""What an implementation does at an event that cannot be read is one finding, whatever the event before it is."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import by_finding
from conformance.protocol.observation import Refusal
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.oracles.damaged_relay_logs import APPLIED

REFERENCE = ReferenceImplementation()
PROFILES = ("mysql-8.0", "mariadb-11.x")


def findings(role, family, change, *, without=(), profiles=PROFILES):
    """Return the findings of a changed answer to some cases, each with the requirements that are broken."""
    declared = REFERENCE.declaration.roles[role]
    judge = Judge(replace(declared, fields=declared.fields - set(without)))
    broken = {}
    for profile in profiles:
        for index in range(20):
            case = case_of(CaseId(family, profile, seed=0, index=index, role=role))
            verdicts = judge.judge(case, change(case, REFERENCE.ask(request_of(case))))
            for finding, failures in by_finding(verdicts).items():
                broken.setdefault(finding, set()).update(each.requirement for each in failures)
    return broken


def losing_the_last(case, answer):
    # A reader may leave out a Stop for its type, which has no field that shows that it is read.
    if case.role == "decode" and answer.events[-1]["type"] == EventType.STOP:
        return answer
    return replace(answer, events=answer.events[:-1])


def losing_two(case, answer):
    return replace(answer, events=answer.events[:-2])


def committing(case, answer):
    *before, last = answer.events
    if not last["in_group"]:
        return answer
    committed = {**last, "in_group": False, "transactions": last["transactions"] + 1}
    return replace(answer, events=(*before, committed))


def executing(case, answer):
    *before, last = answer.events
    gtid, executed = last.get("gtid", ""), last.get("executed_gtids", "")
    if not last["in_group"] or gtid in ("", "ANONYMOUS"):
        return answer
    return replace(answer, events=(*before, {**last, "executed_gtids": f"{executed},{gtid}".strip(",")}))


@pytest.mark.parametrize("family", APPLIED)
@pytest.mark.parametrize("change", [committing, executing])
def test_an_applier_that_commits_the_open_group_breaks_the_requirement_on_the_fault(family, change):
    finding = "apply: open group committed at an event that cannot be read"
    assert findings("apply", family, change, profiles=("mysql-8.0",)) == {finding: {APPLIED[family]}}


@pytest.mark.parametrize("family", APPLIED)
def test_an_applier_that_counts_nothing_shows_it_by_the_group(family):
    finding = "apply: open group committed at an event that cannot be read"
    broken = findings("apply", family, committing, without=("transactions", "executed_gtids"))
    assert broken == {finding: {APPLIED[family]}}


@pytest.mark.parametrize("family", APPLIED)
def test_a_group_that_is_not_open_but_not_committed_is_a_matter_of_its_event(family):
    def closed(case, answer):
        *before, last = answer.events
        return replace(answer, events=(*before, {**last, "in_group": False}))

    broken = findings("apply", family, closed)
    assert broken
    assert all("in_group of" in each for each in broken)


@pytest.mark.parametrize(
    ("role", "family"),
    [
        *(("apply", family) for family in APPLIED),
        ("relay", "events_received_in_part"),
        ("relay", "wrong_checksums_received"),
    ],
)
def test_what_loses_the_event_before_a_fault_has_one_finding(role, family):
    broken = findings(role, family, losing_the_last)
    assert list(broken) == [f"{role}: event lost before one that cannot be read"]
    assert APPLIED.get(family) not in broken.popitem()[1]


def test_what_loses_more_than_the_last_event_is_blamed_for_each():
    broken = findings("apply", "truncated_relay_logs", losing_two)
    assert broken
    assert "apply: event lost before one that cannot be read" not in broken


def test_an_event_that_is_not_whole_is_one_fault_whatever_makes_it_so():
    def without_error(case, answer):
        return replace(answer, error=None) if case.expected.refused_kind == "truncated" else answer

    broken = [
        findings("apply", each, without_error) for each in ("wrong_lengths_in_relay_logs", "truncated_relay_logs")
    ]
    assert len({finding for each in broken for finding in each}) == 1


@pytest.mark.parametrize("family", ["truncated_streams", "bad_checksum", "malformed_bodies", "wrong_event_lengths"])
def test_a_reader_that_loses_the_event_before_the_fault_has_one_finding_whatever_its_type(family):
    def losing(case, answer):
        # Nothing distinguishes what loses the only event from what hands over nothing, or whole groups alone.
        if case.expected.refused_at is None or len(answer.events) < 2:
            return answer
        last = answer.events[-1]
        begins = last["type"] in GTID_TYPES or last.get("query") == "BEGIN"
        return answer if begins else losing_the_last(case, answer)

    # The fields do not show whether a reader knows MariaDB's events about a log alone.
    broken = findings("decode", family, losing, profiles=("mysql-8.0", "mysql-9.x"))
    assert list(broken) == ["event lost before one that cannot be read"]


def test_a_reader_that_may_not_know_a_type_has_left_it_out_before_the_fault():
    of_queries = ("thread_id", "exec_time", "error_code", "query")

    def without_queries(case, answer):
        return replace(answer, events=tuple(each for each in answer.events if each["type"] != EventType.QUERY))

    broken = findings("decode", "truncated_streams", without_queries, without=of_queries)
    assert "QUERY dropped" in broken
    assert "event lost before one that cannot be read" not in broken


def test_an_error_without_a_place_may_be_about_the_last_event():
    declared = REFERENCE.declaration.roles["decode"]
    judge = Judge(replace(declared, abilities=declared.abilities - {"error_at"}))
    for index in range(20):
        case = case_of(CaseId("truncated_streams", "mysql-8.0", seed=0, index=index, role="decode"))
        answer = losing_the_last(case, REFERENCE.ask(request_of(case)))
        refusing = replace(answer, error=Refusal(None, "malformed", "bytes remaining"))
        assert "event lost before one that cannot be read" not in by_finding(judge.judge(case, refusing))


def test_a_reader_that_loses_more_than_the_last_event_has_lost_them_by_their_types():
    broken = findings("decode", "truncated_streams", losing_two, profiles=("mysql-8.0",))
    assert {"QUERY dropped", "TABLE_MAP dropped"} <= set(broken)


FAULTY = ("truncated_streams", "bad_checksum", "malformed_bodies", "unknown_not_ignorable", "undeclared_known_types")
HELD_BACK = {"events before one that cannot be read not handed over": {"FORMAT-EVENTS-BEFORE-FAULT"}}


def handing_over_nothing(case, answer):
    return answer if case.expected.refused_at is None else replace(answer, events=())


def without_a_place(case, answer):
    if not answer.events:
        # Nothing is held back of a log whose first event is damaged, and the error is to be at it.
        return answer
    nothing = handing_over_nothing(case, answer)
    return replace(nothing, error=nothing.error and Refusal(None, "other", "cannot load the log"))


@pytest.mark.parametrize("family", FAULTY)
@pytest.mark.parametrize("change", [handing_over_nothing, without_a_place])
def test_a_reader_that_hands_over_nothing_of_a_log_with_a_fault_has_one_finding(family, change):
    assert findings("decode", family, change) == HELD_BACK


@pytest.mark.parametrize("family", FAULTY[:-1])
def test_a_reader_that_hands_over_whole_groups_has_one_finding(family):
    def in_groups(case, answer):
        gtids = [at for at, each in enumerate(answer.events) if each["type"] == EventType.GTID]
        begun = gtids[-1] if gtids else len(answer.events)
        return answer if case.expected.refused_at is None else replace(answer, events=answer.events[:begun])

    assert findings("decode", family, in_groups, profiles=("mysql-8.0",)) == HELD_BACK


def test_a_reader_that_stops_without_a_place_after_some_events_may_refuse_the_next():
    def within(case, answer):
        return replace(without_a_place(case, answer), events=answer.events[:-2] or answer.events)

    broken = findings("decode", "bad_checksum", within, profiles=("mysql-8.0",))
    assert broken
    assert HELD_BACK.keys().isdisjoint(broken)
