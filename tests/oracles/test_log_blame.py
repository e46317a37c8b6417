"""The blame for wrong logs: the requirement that is broken, at the place where it is, and no other for its sake."""

from dataclasses import replace

import pytest

from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import Judge, request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.extras import require_role

JUDGE = Judge(ReferenceImplementation().declaration.roles["log"])


@pytest.fixture(autouse=True)
def _role():
    require_role("log")


def failures(mutant, family, profile, count=12):
    """Yield the failures of each case in which a mutant is noticed, each by requirement."""
    implementation = MutantImplementation(mutant_of(mutant))
    noticed = 0
    for index in range(count):
        case = case_of(CaseId(family, profile, seed=0, index=index, role="log"))
        verdicts = JUDGE.judge(case, implementation.ask(request_of(case)))
        failed = {each.requirement: each for each in verdicts if each.is_failure}
        if failed:
            noticed += 1
            yield failed
    assert noticed


@pytest.mark.parametrize("mutant", ["logs-rows-as-statement", "logs-rows-twice"])
def test_a_change_that_is_allowed_and_logged_wrong_is_not_a_refused_change(mutant):
    for failed in failures(mutant, "mixed_engines", "worklog"):
        assert "WL7592-LOG-ON-MIXED-ENGINES-REFUSED" not in failed


def test_a_refused_change_that_is_logged_is_blamed_as_one():
    for failed in failures("logs-on-mixed-engines", "mixed_engines", "worklog"):
        assert "WL7592-LOG-ON-MIXED-ENGINES-REFUSED" in failed


def test_rows_that_are_logged_twice_do_not_change_the_partners_of_the_events_after_them():
    for failed in failures("logs-rows-twice", "mixed_engines", "worklog"):
        assert "WL4033-LOG-ROWS-QUERY-WRITTEN" not in failed


def test_an_event_that_is_missing_has_the_place_where_the_one_before_it_ends():
    for failed in failures("logs-create-select-no-begin", "logged_tables_info", "worklog", count=24):
        own = failed["WL40-CREATE-SELECT-SEQUENCE"]
        assert own.at is not None
        assert own.at == min(each.at for each in failed.values() if each.at is not None)


def test_two_formats_of_query_events_are_one_finding():
    for failed in failures("logs-two-query-formats", "logged_tables_info", "worklog"):
        wanted = {"WL40-OPTION-GLOBAL-READ-ONLY", "WL40-OPTION-ON-ALL-EXTENDED"}
        assert {failed[each].finding for each in wanted if each in failed} == {"log: QUERY has no tables info"}


def test_a_transaction_that_is_not_whole_has_no_wrong_length_for_that():
    for failed in failures("logs-on-drops-one-gtid", "multi_table_drops", "mysql-8.0", count=20):
        assert "FORMAT-LOG-TRANSACTION-LENGTH" not in failed


@pytest.mark.parametrize(
    "mutant", ["logs-off-restricted", "logs-off-mixed-engines-refused", "logs-off-no-create-select"]
)
def test_what_gtid_consistency_forbids_is_allowed_without_it_in_every_family(mutant):
    own = {mutant_of(mutant).requirement, *mutant_of(mutant).also}
    for family in ("create_select_splits", "temporary_tables", "multi_table_drops", "mixed_engines", "logged_markers"):
        try:
            caught = list(failures(mutant, family, "worklog"))
        except AssertionError:
            continue  # This family has no such statement in its first cases.
        assert all(not own.isdisjoint(failed) for failed in caught)


def test_rows_events_that_end_their_statement_too_soon_are_not_rows_of_two_statements():
    for failed in failures("logs-end-in-each-rows-event", "logged_delayed_inserts", "worklog"):
        assert set(failed) == {"FORMAT-LOG-TABLE-MAP"}


def test_rows_events_that_cannot_be_read_are_judged_beside_the_first_that_ends_their_statement():
    case = case_of(CaseId("logged_delayed_inserts", "worklog", seed=0, index=0, role="log"))
    answer = MutantImplementation(mutant_of("logs-end-in-each-rows-event")).ask(request_of(case))
    unread = tuple({name: value for name, value in each.items() if name != "rows"} for each in answer.events)
    assert any(each.is_failure for each in JUDGE.judge(case, replace(answer, events=unread)))
