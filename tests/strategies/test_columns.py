"""Columns and event types: all that servers write, and nothing else."""

from collections import defaultdict

import pytest

from conformance.binlog.event_types import PRE_GA_ROWS, ROWS_V1, EventType, Purpose, types_of
from conformance.binlog.rows.column_codes import ColumnType
from conformance.specs.versions import Profiles
from conformance.strategies.events.columns import VALUE_REQUIREMENTS
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

OLD = set(Profiles("mysql < 5.6"))
MARIADB = set(Profiles("mariadb"))


def cases(family, profile, count=60):
    return [case_of(CaseId(family, profile, seed=2, index=index)) for index in range(count)]


@pytest.fixture(scope="module")
def columns():
    codes_by_profile = defaultdict(set)
    for profile in families()["every_column_type"].profiles:
        for case in cases("every_column_type", profile):
            codes_by_profile[profile].update(code for codes in case.expected.columns.values() for code in codes)
    return codes_by_profile


def test_every_column_type_has_a_profile_and_a_requirement(columns):
    reached = set().union(*columns.values())
    assert reached == {int(code) for codes in VALUE_REQUIREMENTS.values() for code in codes}


def test_json_begins_with_5_7_and_vector_with_9(columns):
    assert {profile for profile, codes in columns.items() if ColumnType.JSON in codes} == set(Profiles("mysql >= 5.7"))
    assert {profile for profile, codes in columns.items() if ColumnType.VECTOR in codes} == set(
        Profiles("mysql >= 9.0")
    )


def test_temporal_types_changed_with_5_6(columns):
    assert {profile for profile, codes in columns.items() if ColumnType.DATETIME in codes} == OLD
    assert {profile for profile, codes in columns.items() if ColumnType.DATETIME2 in codes} == set(columns) - OLD


@pytest.mark.parametrize("profile", sorted(set(families()["every_event_type"].profiles) - MARIADB))
def test_mysql_writes_every_event_type_that_it_declares(profile):
    case = cases("transactions", profile, 1)[0]
    declared = case.expected.events[0]["event_types"]
    reached = {event["type"] for name in families() for event in _valid_events(name, profile)}
    # No server of the profile writes these: types of version 3 logs and of the alphas of 5.1, unused types (Slave,
    # Load, Exec_load, New_load), and a base class.
    unwritten = {*types_of(Purpose.UNMODELLED), *PRE_GA_ROWS}
    unwritten |= {EventType.START_V3, EventType.SLAVE, EventType.IGNORABLE}
    if profile not in OLD | {"mysql-5.6", "mysql-5.7", "mysql-8.0"}:
        unwritten |= set(ROWS_V1)
    if profile == "worklog":
        unwritten |= {EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE, EventType.XA_PREPARE}
    if profile == "mysql-5.6":
        unwritten |= {EventType.ANONYMOUS_GTID}
    assert set(range(1, declared + 1)) - reached <= unwritten


def test_mariadb_writes_its_own_types():
    reached = {event["type"] for event in _valid_events("mariadb_streams", "mariadb-11.x")}
    # Start_encryption encrypts all that follows; version 2 rows are not written; partial row data came with 12.3.
    assert set(range(160, 169)) - {EventType.MARIADB_START_ENCRYPTION} <= reached


def _valid_events(name, profile):
    family = families()[name]
    outside = "decode" not in family.focus or profile not in family.profiles
    if family.fault or outside or name == "cross_version_streams":
        return []
    return [event for case in cases(name, profile, 20) for event in case.expected.events]
