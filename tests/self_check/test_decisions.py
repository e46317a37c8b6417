"""Decisions: the entries of a wrong answer that belong together, and those that only follow from others."""

from dataclasses import replace
from itertools import count

import pytest

from conformance.binlog.event_types import EventType
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.judge import request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.self_check.decisions import Decisions
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.extras import require_role

REFERENCE = ReferenceImplementation()


def decisions(role, family, profile, change, *, index=0):
    """Return a case, its right answer, and the decisions of the answer with changed entries."""
    require_role(role)
    case = case_of(CaseId(family, profile, seed=0, index=index, role=role))
    right = REFERENCE.ask(request_of(case))
    wrong = replace(right, events=tuple(change(list(right.events))))
    return case, right, Decisions(case, right, wrong, REFERENCE.declaration.roles[role])


def test_the_events_of_a_filtered_group_are_one_decision():
    for number in count():
        _, right, made = decisions("filter", "table_filters", "worklog", lambda entries: entries, index=number)
        gtids = [index for index, entry in enumerate(right.events) if entry["type"] == EventType.ANONYMOUS_GTID]
        if gtids:
            break
    numbers = [made.of(index) for index in range(len(right.events))]
    assert numbers == sorted(numbers)
    gtid = gtids[0]
    assert numbers[gtid - 1] != numbers[gtid] == numbers[gtid + 1]
    assert all(made.leads(index) for index in range(len(right.events)))


def test_what_follows_from_a_wrong_step_of_a_boundary_parser_belongs_to_it():
    require_role("boundary")
    mutant = MutantImplementation(mutant_of("not-mixed"))
    for number in count():
        case = case_of(CaseId("unmarked_streams", "worklog", seed=0, index=number, role="boundary"))
        right, wrong = (each.ask(request_of(case)) for each in (REFERENCE, mutant))
        if right != wrong:
            break
    made = Decisions(case, right, wrong, REFERENCE.declaration.roles["boundary"])
    differing = [
        index for index, (one, other) in enumerate(zip(right.events, wrong.events, strict=True)) if one != other
    ]
    first, second = differing[:2]
    assert second == first + 1
    assert made.leads(first)
    assert not made.leads(second)
    assert made.of(second) == made.of(first) == first


@pytest.mark.parametrize("role", ["decode", "apply", "log"])
def test_an_entry_of_another_role_is_a_decision_by_itself(role):
    family = {"decode": "gtid_streams", "apply": "ignorable_events", "log": "logged_transactions"}[role]
    _, right, made = decisions(role, family, "worklog", lambda entries: entries[:-1])
    assert {made.of(index) for index in range(len(right.events))} <= {None}
    assert all(made.leads(index) for index in range(len(right.events)))


def test_a_log_whose_format_description_declares_another_format_is_one_decision():
    require_role("log")
    mutant = MutantImplementation(mutant_of("logs-two-query-formats"))
    for number in count():
        case = case_of(CaseId("logged_tables_info", "worklog", seed=0, index=number, role="log"))
        right, wrong = (each.ask(request_of(case)) for each in (REFERENCE, mutant))
        if right != wrong:
            break
    made = Decisions(case, right, wrong, REFERENCE.declaration.roles["log"])
    numbers = [made.of(index) for index in range(len(right.events))]
    # Only the first log has the format of the right answer.
    assert numbers == [each["log"] or None for each in right.events]


@pytest.mark.parametrize("mutant", ["logs-number-after-greatest", "logs-every-other-number"])
def test_sets_that_follow_from_a_number_before_them_are_not_decisions(mutant):
    require_role("log")
    wrong_server = MutantImplementation(mutant_of(mutant))
    role = REFERENCE.declaration.roles["log"]
    for number in count():
        case = case_of(CaseId("logged_chains", "mysql-5.7", seed=0, index=number, role="log"))
        right, wrong = (each.ask(request_of(case)) for each in (REFERENCE, wrong_server))
        alignment = Alignment(case, wrong, role)
        numbers = differing(alignment, "gtid")
        sets = differing(alignment, "previous_gtids")
        if numbers and sets:
            break
    made = Decisions(case, right, wrong, role)
    assert made.leads(numbers[0])
    assert not any(made.leads(index) for index in sets)


def differing(alignment, field):
    """Return the indices of the events that were observed with another value of a field."""
    expected = alignment.case.expected.events
    seen = [alignment.observed(index) for index in range(len(expected))]
    return [
        index for index, each in enumerate(seen) if each is not None and each.get(field) != expected[index].get(field)
    ]
