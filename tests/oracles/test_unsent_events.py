"""What a source leaves out is charged to the requirement for whose reason it is left out, and is one finding."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.header import TYPE_AT
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Refusal
from tests.oracles.test_causes import REFERENCE, by_mutant, cases, findings, together_of


def without(is_left_out):
    """Return the answer of a source that does not send some events, by their bytes."""

    def answer(case):
        sent = REFERENCE.ask(request_of(case))
        kept = (each for each in sent.events if not is_left_out(bytes.fromhex(each["data"])))
        return replace(sent, events=tuple(kept))

    return answer


@pytest.mark.parametrize(
    ("family", "profile", "mutant", "finding", "requirements"),
    [
        ("sent_logs", "mysql-8.0", "send-refuses-end", "position of the log refused: no event at this position",
         "FORMAT-SEND-POSITION"),
        ("sent_in_another_mode", "mysql-8.0", "send-refuses-end",
         "position of the log refused: no event at this position", "FORMAT-SEND-POSITION"),
        ("sent_gtids", "mysql-8.0", "send-large-left-out", "event of more than 64 kB not sent", "FORMAT-SEND-EVENT"),
        ("sent_gtids", "mysql-5.7", "send-stop-not-skipped", "STOP sent after a transaction that the replica has",
         "FORMAT-SEND-GTIDS-SKIPPED"),
        ("sent_gtids", "mysql-8.0", "send-later-logs-not-created", "created of FORMAT_DESCRIPTION differs",
         "FORMAT-SEND-FORMAT"),
        ("sent_types_of_mariadb", "mysql-8.0", "send-annotations-of-mysql", "MARIADB_ANNOTATE_ROWS not sent",
         "WL4033-SEND-IGNORABLE"),
        ("sent_gtids", "mysql-8.0", "send-texts-not-by-gtids", "ROWS_QUERY not sent", "WL4033-SEND-IGNORABLE"),
    ],
)  # fmt: skip
def test_a_source_that_leaves_something_out_has_one_finding(family, profile, mutant, finding, requirements):
    together = together_of("send", family, profile, by_mutant(mutant), count=70)
    assert together == {f"send: {finding}": {*requirements.split()}}


def test_a_source_that_leaves_out_a_stop_after_a_wait_has_one_finding():
    together = together_of("send", "sent_gtids", "mysql-8.0", by_mutant("send-skips-after-waiting"), count=160)
    assert together == {"send: STOP after a wait not sent": {"FORMAT-SEND-GTIDS-SKIPPED"}}


def test_a_source_that_leaves_a_log_out_has_one_finding_but_where_one_event_of_it_is_asked_for():
    together = together_of("send", "sent_logs", "mysql-8.4", by_mutant("send-old-log-left-out"), count=200)
    assert together == {
        "send: events of several types not sent": {"FORMAT-SEND-EVENT", "WL4033-SEND-IGNORABLE"},
        # Only the end of the transaction is asked for.
        "send: XID not sent": {"FORMAT-SEND-EVENT"},
        "send: event at the position not sent": {"FORMAT-SEND-POSITION"},
    }


def test_a_type_that_is_not_sent_is_not_taken_for_transactions_that_the_replica_has():
    together = together_of("send", "sent_gtids", "mysql-8.0", without(lambda data: data[TYPE_AT] == EventType.XID))
    assert together == {"send: XID not sent": {"FORMAT-SEND-EVENT"}}


def test_flagged_events_of_one_type_that_are_not_sent_are_not_left_out_for_the_flag():
    def is_table(data):
        return data[TYPE_AT] == EventType.TABLE_MAP

    together = together_of("send", "sent_logs", "mysql-8.0", without(is_table))
    assert together["send: TABLE_MAP not sent"] == {"FORMAT-SEND-EVENT"}


def test_events_that_are_not_sent_for_their_flag_are_charged_to_it():
    together = together_of("send", "sent_logs", "mysql-8.0", without(lambda data: bool(data[17] & 0x80)))
    assert set().union(*together.values()) == {"WL4033-SEND-IGNORABLE", "WL7592-SEND-PREVIOUS-GTIDS"}


@pytest.mark.parametrize("family", ["sent_logs", "sent_gtids"])
def test_a_source_that_refuses_every_request_breaks_what_governs_positions_or_what_is_sent(family):
    def refused(case):
        first = len(b"\xfebin")
        return replace(REFERENCE.ask(request_of(case)), events=(), error=Refusal(first, "other", "too busy"))

    charged = set().union(*together_of("send", family, "mysql-8.0", refused).values())
    assert charged == (
        {"FORMAT-SEND-EVENT"} if family == "sent_gtids" else {"FORMAT-SEND-EVENT", "FORMAT-SEND-POSITION"}
    )


def in_every_mode(case):
    """Return the answer of a source that sends whatever its gtid_mode forbids."""
    return REFERENCE.ask(replace(request_of(case), settings={**case.settings, "gtid_mode": "OFF_PERMISSIVE"}))


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-9.x"])
def test_events_that_the_mode_forbids_do_not_come_before_the_position(profile):
    together = together_of("send", "sent_in_another_mode", profile, in_every_mode)
    assert together == {"send: error (FORMAT-SEND-MODE) missing": {"FORMAT-SEND-MODE"}}


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-9.x"])
def test_a_transaction_that_the_replica_has_is_not_one_that_the_mode_forbids(profile):
    """It comes before the error, which is at the right event."""
    charged = set()
    for case in cases("sent_in_another_mode", profile, "send"):
        if case.settings["gtid_set"] is not None:
            answer = REFERENCE.ask(replace(request_of(case), settings={**case.settings, "gtid_set": ""}))
            if answer.error is not None and answer.error.at == case.expected.refused_at:
                charged |= set().union(*findings(case, answer).values())
    assert "FORMAT-SEND-GTIDS-SKIPPED" in charged
    assert "FORMAT-SEND-MODE" not in charged
