"""Each requirement that `check` judges: a log that breaks it is caught at the right event, and for nothing else."""

import pytest
from broken_logs import BROKEN
from judged_log import judge, places

from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN
from conformance.log_check.log_checker import judged_in_a_log
from conformance.log_check.transaction_rules import Endings, Lengths, Markers
from conformance.specs.catalogue import catalogue


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.make.__name__)
def test_a_broken_requirement_is_named_with_its_offset(broken):
    log = broken.make()
    checked, violations, _ = judge(log.data, profile=broken.profile, rows=broken.rows)
    offset = log.offsets[broken.event]
    assert sorted(places(violations)) == sorted((offset, each) for each in broken.requirements)
    assert not checked.healthy
    assert checked.unreadable is None


@pytest.mark.parametrize("broken", [each for each in BROKEN if each.rows], ids=lambda each: each.make.__name__)
def test_values_in_rows_are_read_on_request_alone(broken):
    assert judge(broken.make().data, profile=broken.profile)[0].healthy


def test_every_judged_requirement_can_fail():
    # A check that cannot fail is a defect.
    assert {each for broken in BROKEN for each in broken.requirements} == set(judged_in_a_log())


def test_every_judged_requirement_is_in_the_catalogue():
    assert set(judged_in_a_log()) | set(JUDGED_IN_A_CHAIN) <= set(catalogue())


def test_every_rule_for_recorded_logs_is_judged():
    recorded = {each.id for each in catalogue().values() if "checked_logs" in each.families}
    assert recorded <= {*judged_in_a_log(), *JUDGED_IN_A_CHAIN}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.make.__name__)
def test_a_message_has_what_is_there_and_what_was_expected(broken):
    _, violations, _ = judge(broken.make().data, profile=broken.profile, rows=broken.rows)
    for each in violations:
        assert each.actual
        assert each.expected
        assert "\n" not in each.actual + each.expected


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.make.__name__)
def test_rules_have_nothing_to_judge_at_other_places(broken, monkeypatch):
    log = broken.make().data
    checked, violations, notes = judge(log, profile=broken.profile, rows=broken.rows)
    for rule in (Markers, Endings, Lengths):
        monkeypatch.setattr(rule, "places", None)
    everywhere, *findings = judge(log, profile=broken.profile, rows=broken.rows)
    assert findings == [violations, notes]
    assert everywhere.verdicts.judged == checked.verdicts.judged
