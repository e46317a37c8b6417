"""Scenarios: values that JSON can hold, with errors that name what is wrong."""

import json

import pytest

from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statement_forms import KINDS
from conformance.models.server.statements import DropTable
from conformance.models.server.tables import TableName
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_steps import random_scenario


def scenario(profile, number, **options):
    choose = SeededChooser(f"scenario/{profile}/{number}")
    return random_scenario(choose, settings_of(choose, profile), **options)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_scenario_survives_json(profile):
    for number in range(20):
        made = scenario(profile, number, restarts=True)
        assert Scenario.from_json(json.loads(json.dumps(made.to_json()))) == made


def test_random_scenarios_have_every_kind_of_statement():
    kinds = {each.kind for number in range(150) for each in scenario("mysql-9.x", number, restarts=True).statements}
    # Rows without a statement's text have a family of their own.
    assert kinds == set(KINDS) - {"internal_rows"}


def test_every_statement_has_sql_except_administration():
    without = {"restart", "crash", "disconnect", "internal_rows"}
    made = [each for number in range(150) for each in scenario("mysql-9.x", number, restarts=True).statements]
    assert {each.kind for each in made if sql_of(each) is None} <= without
    assert all(sql_of(each) for each in made if each.kind not in without)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ({"kind": "dance"}, "no kind of statement 'dance'"),
        ({"kind": "use"}, "use: .*database"),
        ({"kind": "use", "database": "d", "colour": 1}, "use has no 'colour'"),
        ({"kind": "create_table", "table": "t"}, "'t' is not a valid table name"),
        ({"kind": "create_table", "table": "d.t/x"}, "is not a valid name in a scenario"),
        ({"kind": "create_table", "table": "d.t", "engine": "csv"}, "engine is 'csv'; it is one of"),
        ({"kind": "insert", "table": "d.t"}, "insert: no row to insert"),
        ({"kind": "commit", "session": 0}, "commit: session 0; sessions are numbered from 1"),
        ({"kind": "set_session", "variable": "sql_mode", "value": ""}, "variable is 'sql_mode'"),
        ({"kind": "set_global", "variable": "gtid_mode", "value": "MAYBE"}, "value is 'MAYBE'"),
        ({"kind": "restart", "options": [["profile", "x"]]}, "restart: a restart cannot change 'profile'"),
    ],
)
def test_a_wrong_statement_is_named(statement, message):
    with pytest.raises(ValueError, match=message):
        Scenario.from_json({"settings": {}, "statements": [statement]})


def test_a_name_is_quoted_and_its_backticks_are_doubled():
    statement = DropTable(tables=(TableName("d 1", "`t`"), TableName("d 1", "select")))
    assert sql_of(statement) == "drop table `d 1`.```t```, `d 1`.`select`"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"colour": 1}, "no setting 'colour'"),
        ({"gtid_mode": "ON"}, "gtid_mode=ON needs enforce_gtid_consistency"),
        ({"gtid_mode": "MAYBE"}, "gtid_mode is 'MAYBE'; it is one of"),
        ({"binlog_format": 1}, "binlog_format is 1, not of type str"),
        ({"binlog_row_event_max_size": 1}, "it is at least 256"),
        ({"profile": "mysql-5.7", "boundary_markers": True}, "only under worklog"),
        ({"binlog_with_tables_info": True}, "needs before_wl7592"),
        ({"server_uuid": "x"}, "badly formed"),
    ],
)
def test_a_wrong_setting_is_named(settings, message):
    with pytest.raises(ValueError, match=message):
        Settings.from_json(settings)
