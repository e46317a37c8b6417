"""What a client loses with its connection is one finding, whatever it is that it has lost."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Observation, Refusal
from conformance.protocol.roles.client import may_be_kept_back
from tests.oracles.test_causes import REFERENCE, cases, findings

LOST = "client: events lost with the connection"
PROFILES = ("mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-9.x", "mariadb-10.x")


def without_rows_of_lost_tables(case):
    """Return the indices of what a client delivers that forgets its tables where it loses the connection."""
    events, forgotten = case.expected.events, set()
    for cut in case.settings["source"]["cuts"]:
        if events[cut["index"]]["type"] not in (EventType.TABLE_MAP, *ROWS_TYPES):
            continue
        for index in range(cut["index"] + 1, len(events)):
            if events[index]["type"] in ROWS_TYPES:
                forgotten.add(index)
            elif not may_be_kept_back(events[index]):
                break
    return [index for index in range(len(events)) if index not in forgotten]


@pytest.mark.parametrize("family", ["sent_logs", "failing_sources"])
def test_rows_that_are_lost_with_the_table_map_before_them_are_one_finding(family):
    """As asyncmy forgets its tables at the Rotate with which each connection begins."""
    together = set()
    for profile in PROFILES:
        for case in cases(family, profile, role="client"):
            kept = without_rows_of_lost_tables(case)
            if case.settings["gtid_set"] is None and len(kept) < len(case.expected.events):
                answer = REFERENCE.ask(request_of(case))
                together |= findings(
                    case, replace(answer, events=tuple(case.expected.events[at] for at in kept))
                ).keys()
    assert together == {LOST}


def test_events_that_come_again_to_a_client_that_gives_up_at_the_next_are_its_refusal_alone():
    """As mysql_cdc connects three times to read a User_var event that it cannot read."""
    together = set()
    for case in cases("sent_gtids", "mysql-8.0", role="client"):
        events, source = case.expected.events, case.settings["source"]
        index = next((at for at, entry in enumerate(events) if entry["type"] == EventType.QUERY), 0)
        if index and not source["cuts"] and case.expected.refused_at is None:
            error = Refusal(None, "other", "failed to fill whole buffer")
            together |= findings(case, Observation(events[:index] * 3, error, deliveries=3)).keys()
    assert together == {"client: QUERY refused"}


@pytest.mark.parametrize("family", ["sent_logs", "sent_gtids"])
def test_events_that_are_left_out_for_their_ignorable_flag_are_one_finding(family):
    """As by a client that leaves out all that it may, and takes the flag for what allows it."""
    together = set()
    for case in cases(family, "mysql-8.0", role="client", count=80):
        events = case.expected.events
        plain = [each for each in events if each["type"] is None or not each["flags"] & Flag.IGNORABLE]
        left_out = {each["type"] for each in events if each not in plain and not may_be_kept_back(each)}
        if left_out & {EventType.QUERY, EventType.XID} and not case.settings["source"]["cuts"]:
            together |= findings(case, replace(REFERENCE.ask(request_of(case)), events=tuple(plain))).keys()
    assert together == {"client: known event passed over for its ignorable flag"}
