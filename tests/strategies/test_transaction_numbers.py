"""The numbers of transactions: they ascend in every log, and some families use their whole range."""

import pytest

from conformance.binlog.gtid_set import GNO_END
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

PROFILE = "mysql-8.4"
CASES = 80
#: Families whose sequence numbers start anywhere: ordinary logs have only small ones.
WIDE = ("gtid_streams", "anonymous_gtid_streams", "tagged_gtid_streams", "every_event_type")
#: Numbers at both ends of the range of a GTID, and at borders of types that hold it.
EDGES = {"1", str(2**31 - 1), str(2**32), str(2**53 + 1), str(GNO_END - 1)}


def gtid_events(name):
    """Return the Gtid and Anonymous_gtid events of each case."""
    cases = (case_of(CaseId(name, PROFILE, seed=19, index=index)) for index in range(CASES))
    return [[event for event in case.expected.events if "gtid" in event] for case in cases]


def sequence_numbers(name):
    numbers = [[event["sequence_number"] for event in each if "sequence_number" in event] for each in gtid_events(name)]
    assert any(len(each) > 1 for each in numbers)
    return numbers


@pytest.mark.parametrize("name", [*WIDE, "transactions", "rotations"])
def test_sequence_numbers_ascend(name):
    for each in sequence_numbers(name):
        assert each == sorted(set(each))


@pytest.mark.parametrize("name", WIDE)
def test_some_families_use_small_and_large_sequence_numbers(name):
    numbers = [number for each in sequence_numbers(name) for number in each]
    assert min(numbers) < 9
    assert max(numbers) > 2**62


def test_ordinary_logs_number_from_one():
    assert {each[0] for each in sequence_numbers("transactions") if each} == {1}


def test_gtids_reach_both_edges_and_never_repeat():
    numbers = set()
    for each in gtid_events("gtid_streams"):
        gtids = [event["gtid"] for event in each if event["gtid"] != "ANONYMOUS"]
        assert len(gtids) == len(set(gtids))
        numbers |= {gtid.rpartition(":")[2] for gtid in gtids}
    assert numbers >= EDGES
