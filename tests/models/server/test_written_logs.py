"""The model's logs follow the rules for recorded logs, satisfy boundary parsers, and hold the planned events."""

import pytest
from model_logs import RULES, violations

from conformance.binlog.reader import read_events
from conformance.models.boundary.fed_event import fed_events
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_steps import random_scenario


def scenarios(profile, count, **fixed):
    for number in range(count):
        choose = SeededChooser(f"written/{profile}/{number}")
        settings = settings_of(choose, profile, binlog_row_event_max_size=choose.one_of((256, 512, 8192)), **fixed)
        yield random_scenario(choose, settings, restarts=True)


@pytest.mark.parametrize("profile", PROFILES)
def test_logs_follow_the_rules_for_recorded_logs(profile):
    for scenario in scenarios(profile, 40):
        logged = log_of(scenario)
        assert violations(logged, scenario.settings) == [], scenario


@pytest.mark.parametrize("profile", PROFILES)
def test_every_planned_event_is_read_back(profile):
    for scenario in scenarios(profile, 20):
        for log in log_of(scenario).logs:
            read = [event.header.type for event in read_events(log_bytes(log), RULES)]
            assert read == [event.type for event in log.events]


@pytest.mark.parametrize("old", [False, True])
def test_marked_logs_satisfy_the_parser_of_the_worklog(old):
    fixed = {"gtid_mode": "OFF"} if old else {}
    for scenario in scenarios("worklog", 60, boundary_markers=True, before_wl7592=old, **fixed):
        for log in log_of(scenario).logs:
            parser = WorklogParser()
            steps = [parser.feed(each) for each in fed_events(read_events(log_bytes(log), RULES))]
            assert [step for step in steps if step.warning] == []


def test_a_marked_log_is_as_long_as_an_unmarked_one():
    for scenario, unmarked in zip(
        scenarios("worklog", 20, boundary_markers=True),
        scenarios("worklog", 20, boundary_markers=False),
        strict=True,
    ):
        assert scenario.statements == unmarked.statements
        lengths = [[len(log_bytes(log)) for log in log_of(each).logs] for each in (scenario, unmarked)]
        assert lengths[0] == lengths[1]


def test_the_same_scenario_gives_the_same_bytes():
    for one, two in zip(scenarios("mysql-8.4", 10), scenarios("mysql-8.4", 10), strict=True):
        assert [log_bytes(log) for log in log_of(one).logs] == [log_bytes(log) for log in log_of(two).logs]
