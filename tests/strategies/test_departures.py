"""Families whose streams are not logs of servers on purpose: one table, and a line at each of their failures."""

from collections import Counter

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.transaction_payload import Compression
from conformance.engine.failure import Counts, Failure
from conformance.engine.record_lines import failure_line
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Observation
from conformance.strategies.families.departures import DEPARTURES, departure_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families


def test_a_family_and_a_profile_have_one_departure_at_most():
    pairs = Counter((name, profile) for each in DEPARTURES for name in each.families for profile in each.profiles)
    assert {pair for pair, count in pairs.items() if count > 1} == set()


def test_every_departure_is_of_valid_families_that_make_streams():
    named = {name for each in DEPARTURES for name in each.families}
    assert named <= {name for name, each in families().items() if each.production and not each.fault}


def test_a_departure_holds_under_its_profiles_alone():
    assert "self-contained" in departure_of("loaded_files", "worklog")
    assert departure_of("loaded_files", "mysql-8.0") is None


def test_the_record_has_the_departure_of_a_failures_family():
    departure = "streams of heartbeats have events that a source sends but no log contains"
    assert departure_of("heartbeats", "mysql-8.0") == departure
    assert line_of("heartbeats").departure == departure
    assert line_of("transactions").departure is None


def line_of(family):
    case = case_of(CaseId(family, "mysql-8.0", seed=1, index=0))
    verdict = Verdict("FORMAT-XID", "fail", "xid differs", "xid is 1, expected 2")
    counts = Counts(cases=1, requirements={"FORMAT-XID": 1}, profiles={"mysql-8.0": 1})
    return failure_line(Failure(verdict, case, Observation(()), str(case.id), "mysql 5.6 to 8.4", counts), "reference")


def payloads_of(family, profile, role, count):
    """Return the compression types of the payloads in the logs of cases."""
    for index in range(count):
        case = case_of(CaseId(family, profile, seed=1, index=index, role=role))
        logs, at = case.settings.get("source", {}).get("logs", [{"length": len(case.stream)}]), 0
        for log in logs:
            for event in read_events(case.stream[at : at + log["length"]]):
                if event.header.type == EventType.TRANSACTION_PAYLOAD:
                    yield event.fields()["compression_type"]
            at += log["length"]


@pytest.mark.parametrize("family", ["sent_logs", "sent_gtids"])
def test_a_client_is_sent_payloads_as_servers_write_them(family):
    """No option of a server turns their compression off: a client that unpacks them is not to be blamed for others."""
    assert set(payloads_of(family, "mysql-8.4", "client", 40)) == {Compression.ZSTD}


def test_payloads_that_no_server_writes_are_in_streams_that_are_marked_so():
    assert Compression.NONE in set(payloads_of("transaction_payloads", "mysql-8.4", "decode", 20))
    assert "no server writes" in departure_of("transaction_payloads", "mysql-8.4")
