"""Edits: all of them make the wrong answer, none of them the right one, some of them a part."""

from itertools import count

import pytest

from conformance.binlog.event_types import EventType
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.roles.registry import role_names
from conformance.reference.implementation import ReferenceImplementation
from conformance.self_check.cells import answer_of, mutants_of
from conformance.self_check.edits import Difference
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
REQUEST = Request("decode", "mysql-8.0", b"")


def entries(*offsets, error=None):
    return Observation(tuple({"offset": each, "flags": 0} for each in offsets), error)


def difference(right, wrong):
    return Difference(REQUEST, right, wrong)


def test_a_changed_entry_is_one_edit():
    wrong = Observation(({"offset": 4, "flags": 1}, {"offset": 9, "flags": 0}, {"offset": 12, "flags": 1}))
    made = difference(entries(4, 9, 12), wrong)
    assert [each.start for each in made.edits] == [0, 2]
    assert made.with_edits(made.edits[1:]).events == (entries(4, 9).events) + wrong.events[2:]


def test_a_missing_entry_is_one_edit():
    made = difference(entries(4, 9, 12, 20), entries(4, 12))
    assert [(each.start, each.end) for each in made.edits] == [(1, 2), (3, 4)]
    assert [each["offset"] for each in made.with_edits(made.edits[:1]).events] == [4, 12, 20]


def test_a_refusal_takes_along_what_is_missing_after_it():
    made = difference(entries(4, 9, 12), entries(4, error=Refusal(9, "other", "no")))
    assert [(each.start, each.end) for each in made.edits] == [(1, 4)]
    assert made.with_edits(made.edits) == entries(4, error=Refusal(9, "other", "no"))


def test_an_entry_that_reports_a_stop_goes_with_what_is_missing_after_it():
    failed = ({"offset": 4, "flags": 0}, {"offset": 9, "flags": 7})
    made = difference(entries(4, 9, 12, 20), Observation(failed, Refusal(9, "other", "no")))
    assert [(each.start, each.end) for each in made.edits] == [(1, 5)]


def test_an_entry_before_those_that_are_missing_without_a_refusal_is_an_edit_of_its_own():
    made = difference(entries(4, 9, 12, 20), Observation(({"offset": 4, "flags": 0}, {"offset": 9, "flags": 7})))
    assert [(each.start, each.end) for each in made.edits] == [(1, 2), (2, 4)]


def test_what_is_read_after_a_refusal_goes_with_it():
    made = difference(entries(4, error=Refusal(9, "checksum", "no")), entries(4, 9, 12))
    assert [(each.start, each.end) for each in made.edits] == [(1, 2)]
    assert made.with_edits(made.edits) == entries(4, 9, 12)


def log_case(family, profile, mutant):
    """Return the first case in which a mutant of the role `log` answers wrong, with its question and both answers."""
    require_role("log")
    implementation = MutantImplementation(mutant_of(mutant))
    for number in count():
        case = case_of(CaseId(family, profile, seed=0, index=number, role="log"))
        request = request_of(case)
        right, wrong = (each.ask(request) for each in (REFERENCE, implementation))
        if right != wrong:
            return case, request, right, wrong


@pytest.mark.parametrize("mutant", ["logs-rows-twice", "logs-gtid-of-rollback"])
def test_a_gtid_event_has_the_length_and_the_number_of_its_transaction_whichever_edits_are_made(mutant):
    case, request, right, wrong = log_case("logged_modes", "mysql-8.0", mutant)
    made = Difference(request, right, wrong)
    judge = Judge(REFERENCE.declaration.roles["log"])
    blamed = {
        verdict.requirement
        for edit in made.edits
        for verdict in judge.judge(case, made.with_edits([edit]))
        if verdict.is_failure
    }
    assert blamed
    assert blamed.isdisjoint({"FORMAT-LOG-TRANSACTION-LENGTH", "WL7592-LOG-LOGICAL-TIMESTAMPS"})


def test_two_entries_that_are_swapped_are_one_edit():
    _, request, right, wrong = log_case("logged_rows_queries", "worklog", "logs-text-after-table-map")
    made = Difference(request, right, wrong)
    for edit in made.edits:
        types = [each["type"] for each in right.events[edit.start : edit.end]]
        assert types == [EventType.ROWS_QUERY, EventType.TABLE_MAP]


@pytest.mark.parametrize("role", role_names())
def test_every_edit_together_is_the_wrong_answer(role):
    require_role(role)
    differing = 0
    for family in [each for each in families().values() if role in each.focus][:4]:
        profile = family.profiles_of(role).names[0]
        request = request_of(case_of(CaseId(family.name, profile, seed=5, index=0, role=role)))
        right = REFERENCE.ask(request)
        for mutant in mutants_of(role)[::5]:
            wrong = answer_of(MutantImplementation(mutant), request)
            if wrong in (right, None):
                continue
            differing += 1
            made = Difference(request, right, wrong)
            assert made.edits
            assert shown(made.with_edits(made.edits)) == shown(wrong), mutant.name
            assert shown(made.with_edits(())) == shown(right)
    assert differing


def shown(answer):
    return answer.streams or answer.events, answer.error
