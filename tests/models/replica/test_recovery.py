"""Recovery: the logs that are read, and the GTIDs in them."""

import pytest
from replica_events import UUID

from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.models.replica.recovery import LogGtids, recover

EMPTY = GtidSet()


def upto(number):
    return GtidSet((Source(bytes.fromhex(UUID.replace("-", "")), (Interval(1, number + 1),)),))


def log(number, previous=None, gtids=()):
    return LogGtids(name=f"{number}", previous=previous, gtids=tuple(f"{UUID}:{each}" for each in gtids))


@pytest.mark.parametrize("simplified", [False, True])
def test_the_search_ends_at_a_log_with_both_kinds_of_event(simplified):
    recovered = recover([log(1, EMPTY, [1, 2]), log(2, upto(2), [3])], simplified=simplified)
    assert (str(recovered.executed), recovered.read) == (f"{UUID}:1-3", ("2",))


def test_simplified_recovery_ends_at_a_log_with_a_previous_gtids_event_and_no_gtid_event():
    series = [log(1, EMPTY, [1, 2]), log(2, upto(2)), log(3, upto(2))]
    recovered = recover(series, simplified=True)
    assert (str(recovered.executed), recovered.read) == (f"{UUID}:1-2", ("3",))


def test_full_recovery_searches_back_to_the_last_log_with_a_gtid_event():
    series = [log(1, EMPTY), log(2, EMPTY, [1, 2]), log(3, upto(2)), log(4, upto(2))]
    recovered = recover(series, simplified=False)
    assert (str(recovered.executed), recovered.read) == (f"{UUID}:1-2", ("4", "3", "2"))


def test_simplified_recovery_ends_at_an_old_log_too():
    series = [log(1, EMPTY, [1]), log(2)]
    assert recover(series, simplified=True).read == ("2",)
    assert recover(series, simplified=False).read == ("2", "1")


def test_anonymous_groups_do_not_count_as_gtid_events():
    # They have no GTID, so a log of gtid_mode=OFF looks like one without groups.
    assert recover([log(1, EMPTY, [1]), log(2, upto(1))], simplified=True).read == ("2",)


def test_without_logs_no_gtids_are_recovered():
    recovered = recover([], simplified=True)
    assert (recovered.executed, recovered.read) == (EMPTY, ())
