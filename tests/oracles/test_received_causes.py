"""What is wrong with a relay log, and with the warnings of a receiver, has one cause and is named by what differs."""

from dataclasses import replace

import pytest

from conformance.binlog.checksum import ends_with_checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import framed_events
from conformance.models.replica.relay import Receiver, Reception
from conformance.models.replica.relay_rules import OwnGtids
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import request_of
from conformance.reference.relay import answer_with
from tests.oracles.test_causes import cases, findings

KEPT = "relay: boundary parser kept at a new connection"
FED_MORE = "relay: boundary parser fed events that are not queued"


class FollowsNoName(Receiver):
    """A receiver that takes the name of the source's log for the one with which it began."""

    def _note(self, event, data):
        name = self._source_log
        super()._note(event, data)
        self._source_log = name


class LosesFlag(Receiver):
    """A receiver whose own Previous_gtids events are not ignorable, as those of MySQL 5.6."""

    def _rules(self):
        return replace(super()._rules(), gtids_flags=0x40)


class LosesMark(Receiver):
    """A receiver whose own Previous_gtids events are not marked as those of a relay log."""

    def _rules(self):
        return replace(super()._rules(), gtids_flags=0x80)


class LosesMarkOfOwnId(LosesMark):
    """The same, and that event has the replica's own server id, as in shipped servers."""

    def _make(self, code, body, *, server_id=None, **others):
        is_own = code == EventType.PREVIOUS_GTIDS
        super()._make(code, body, server_id=self.settings.server_id if is_own else server_id, **others)


class IgnoresEveryType(Receiver):
    """A receiver that leaves out every event of an ignored server, also those that name its place."""

    ignored = frozenset({EventType.ROTATE})

    def _reception(self, event):
        is_ignored = event.server_id in self.settings.ignored_ids and event.type in self.ignored
        return Reception.LEFT_OUT if is_ignored else super()._reception(event)


class IgnoresFormats(IgnoresEveryType):
    """A receiver that leaves out the format descriptions of an ignored server."""

    ignored = frozenset({EventType.FORMAT_DESCRIPTION})


def together_of(answer, *families):
    """Return the findings of the answers to cases of families, with the requirements that each breaks."""
    together = {}
    for family, profile in (each.split() for each in families):
        for case in cases(family, profile, "relay")[:12]:
            for finding, requirements in findings(case, answer(request_of(case))).items():
                together.setdefault(finding, set()).update(requirements)
    return together


def of_mutant(name):
    return MutantImplementation(mutant_of(name)).ask


@pytest.mark.parametrize(
    ("receiver", "finding"),
    [
        (FollowsNoName, "relay: next_file of the replica's own ROTATE differs"),
        (LosesFlag, "relay: flags of the replica's own PREVIOUS_GTIDS differs"),
        (LosesMark, "relay: flags of the replica's own PREVIOUS_GTIDS differs"),
        (LosesMarkOfOwnId, "relay: flags of the replica's own PREVIOUS_GTIDS differs"),
    ],
)
def test_an_event_that_a_replica_makes_itself_is_blamed_by_the_field_that_is_wrong(receiver, finding):
    together = together_of(lambda request: answer_with(receiver, request), "relay_logs worklog", "relay_logs mysql-8.0")
    assert together == {finding: {"FORMAT-RELAY-EVENT"}}


def test_an_own_event_without_its_mark_is_not_taken_for_one_that_did_not_arrive_whole():
    together = together_of(lambda request: answer_with(LosesMark, request), "wrong_checksums_received mysql-8.0")
    assert together == {"relay: flags of the replica's own PREVIOUS_GTIDS differs": {"FORMAT-RELAY-EVENT"}}


def test_an_own_event_that_a_replica_need_not_write_has_its_mark():
    """MySQL 5.6 writes Previous_gtids events only with gtid_mode; a replica may always."""

    class Always(LosesMark):
        def _rules(self):
            return replace(super()._rules(), previous_gtids=OwnGtids.ALWAYS)

    together = together_of(lambda request: answer_with(Always, request), "streams_without_gtids mysql-5.6")
    assert together == {"relay: flags of the replica's own PREVIOUS_GTIDS differs": {"FORMAT-RELAY-EVENT"}}


@pytest.mark.parametrize(("receiver", "name"), [(IgnoresEveryType, "ROTATE"), (IgnoresFormats, "FORMAT_DESCRIPTION")])
@pytest.mark.parametrize("profile", ["worklog", "mysql-5.7", "mysql-9.x"])
def test_an_event_that_is_left_out_is_not_taken_for_one_of_the_replica_itself(receiver, name, profile):
    """The Rotates in the place of Previous_gtids events come after it."""
    together = together_of(lambda request: answer_with(receiver, request), f"ignored_servers {profile}")
    assert together == {f"relay: {name} not written": {"FORMAT-RELAY-IGNORED"}}


def test_a_parser_that_is_kept_from_the_start_is_one_finding_in_whatever_words_it_warns():
    families = (
        "relay_logs worklog",
        "relay_logs mysql-8.0",
        "broken_groups_received worklog",
        "gtid_doubled mysql-8.0",
    )
    together = together_of(of_mutant("relay-parser-not-reset"), *families)
    assert set(together) == {KEPT}
    assert "WL4162-RESET-RECEIVER-LOOP" in together[KEPT]


def test_a_parser_that_is_kept_at_a_later_connection_is_the_same_finding():
    together = together_of(of_mutant("relay-parser-kept-on-reconnect"), "reconnected_streams worklog")
    assert set(together) == {KEPT}
    assert "WL4162-RESET-RECEIVER-LOOP" in together[KEPT]


@pytest.mark.parametrize("name", ["relay-parser-fed-all", "relay-parser-fed-ignored"])
def test_a_parser_that_is_fed_too_much_is_one_finding_and_is_not_called_kept(name):
    together = together_of(of_mutant(name), "broken_groups_ignored worklog", "broken_groups_received worklog")
    assert set(together) == {FED_MORE}
    assert "WL4162-RELAY-FEEDS-QUEUED" in together[FED_MORE]


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("relay-warning-missing", "relay: no warning"),
        ("relay-warning-in-other-words", "relay: wrong warning"),
        ("relay-stops-at-warning", "relay: ended by a warning"),
        ("relay-warned-event-left-out", "relay: event that causes a warning not written"),
    ],
)
def test_what_a_receiver_does_at_a_warning_is_one_finding_whatever_the_event_is(name, finding):
    families = ("broken_groups_received worklog", "gtid_doubled mysql-8.0")
    # Where the only warning is at the first event, a parser that was kept does not warn either.
    assert finding in (together := together_of(of_mutant(name), *families))
    assert together.keys() <= {finding, KEPT}


class KeepsOldChecksum(Receiver):
    """A receiver that copies events with another checksum than that of their bytes."""

    def _write(self, event):
        other = event.data[:-1] + bytes([event.data[-1] ^ 1])
        super()._write(event._replace(data=other) if event.type == EventType.QUERY else event)


def test_a_checksum_that_is_not_that_of_the_event_is_not_called_another_body():
    together = {
        finding
        for case in cases("rows_query_streams", "mysql-8.0", "relay", count=12)
        if ends_with_checksum([*framed_events(case.stream)][-1])
        for finding in findings(case, answer_with(KeepsOldChecksum, request_of(case)))
    }
    assert together == {"relay: checksum of QUERY changed"}
