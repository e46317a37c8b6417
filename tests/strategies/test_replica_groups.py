"""Groups for appliers: what a server can apply."""

import re

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import READS_ALL, read_events
from conformance.models.replica.event_kind import Kind, kind_of
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.reported_event import report
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

CASES = 30


@pytest.mark.parametrize("family", ["split_create_selects", "create_select_not_split"])
def test_a_table_that_a_select_makes_does_not_exist_before(family):
    for index in range(CASES):
        case = case_of(CaseId(family, "mysql-5.7", seed=1, index=index, role="apply"))
        assert len(re.findall(rb"CREATE TABLE (?:IF NOT EXISTS )?`t9`", case.stream)) == 1


def ends_rows_alone(stream):
    """Return whether an Xid event of a relay log ends rows that have no BEGIN."""
    begun = changed = False
    for event in map(ReplicaEvent.of_entry, map(report, read_events(stream, READS_ALL))):
        kind = kind_of(event)
        if kind in (Kind.BEGIN, Kind.GTID_AND_BEGIN):
            begun, changed = True, False
        elif kind in (Kind.ROWS, Kind.LAST_ROWS):
            changed = changed or not begun
        elif kind in (Kind.COMMIT, Kind.DDL, Kind.GTID):
            if changed and event.type == EventType.XID:
                return True
            begun = changed = False
    return False


def test_no_stream_has_mariadb_apply_rows_without_begin_that_an_xid_ends():
    """Appliers of MariaDB were seen to wait for ever there."""
    profile = "mariadb-11.x"
    of_appliers = [each for each in families().values() if "apply" in each.focus and not each.fault]
    cases = [
        case_of(CaseId(family.name, profile, seed=1, index=index, role="apply"))
        for family in of_appliers
        if profile in family.profiles_of("apply")
        for index in range(CASES)
    ]
    assert cases
    assert [str(case.id) for case in cases if ends_rows_alone(case.stream)] == []
