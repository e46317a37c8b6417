"""The numbers of transactions: they count up in every log, and those of some families use the whole width."""

import pytest

from conformance.binlog.gtid_set import GNO_END
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

PROFILE = "mysql-8.4"
CASES = 40
#: Families whose sequence numbers go on from any number: an everyday log has only small ones.
WIDE = ("gtid_streams", "anonymous_gtid_streams", "tagged_gtid_streams", "every_event_type")
#: Numbers of transactions at both ends of what a GTID can have.
EDGES = {"1", "2", str(GNO_END - 2), str(GNO_END - 1)}


def gtid_events(name):
    """Return the Gtid and Anonymous_gtid events of each case."""
    cases = (case_of(CaseId(name, PROFILE, seed=19, index=index)) for index in range(CASES))
    return [[event for event in case.expected.events if "gtid" in event] for case in cases]


def sequence_numbers(name):
    found = [[event["sequence_number"] for event in each if "sequence_number" in event] for each in gtid_events(name)]
    assert any(len(each) > 1 for each in found)
    return found


@pytest.mark.parametrize("name", [*WIDE, "transactions", "rotations"])
def test_sequence_numbers_count_up(name):
    for each in sequence_numbers(name):
        assert each == sorted(set(each))


@pytest.mark.parametrize("name", WIDE)
def test_some_families_number_from_anywhere(name):
    found = [number for each in sequence_numbers(name) for number in each]
    assert min(found) < 9
    assert max(found) > 2**62


def test_everyday_logs_number_from_one():
    assert {each[0] for each in sequence_numbers("transactions") if each} == {1}


def test_transactions_are_numbered_up_to_the_edges_and_never_twice():
    found = set()
    for each in gtid_events("gtid_streams"):
        named = [event["gtid"] for event in each if event["gtid"] != "ANONYMOUS"]
        assert len(named) == len(set(named))
        found |= {gtid.rpartition(":")[2] for gtid in named}
    assert found >= EDGES
