"""The roles `relay` and `apply`: questions and answers as JSON lines."""

import base64
import json

import pytest

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.flags import Flag
from conformance.binlog.header import TYPE_AT
from conformance.binlog.reader import read_events
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.messages import ProtocolError, decode_answer, encode_request
from conformance.protocol.observation import Request
from conformance.protocol.roles.registry import role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import RecordingChooser
from conformance.strategies.grammar.family import case_of, families

#: Where the flags word is in an event's header.
FLAGS_AT = 17
ASKED = [
    (role, name) for name, family in sorted(families().items()) for role in ("relay", "apply") if role in family.focus
]


def asked_over_the_wire(case):
    """Return what the reference answers to a question that it gets as a line, put into a line itself."""
    line = json.loads(encode_request(request_of(case), 7))
    request = Request(line["cmd"], line["profile"], base64.b64decode(line["stream"]), line["settings"])
    reference = ReferenceImplementation()
    observed = reference.ask(request)
    error = observed.error
    answer = {
        "seq": 7,
        "events": observed.events,
        "error": error and {"at": error.at, "kind": error.kind, "message": error.message, "code": error.code},
    }
    role = reference.declaration.roles[case.role]
    return decode_answer(json.dumps(answer).encode(), seq=7, request=request_of(case), role=role), role


@pytest.mark.parametrize(("role", "family"), ASKED)
def test_nothing_is_lost_on_the_way(role, family):
    for index in range(10):
        case = case_of(CaseId(family, families()[family].profiles_of(role).names[0], seed=2, index=index, role=role))
        observed, declared = asked_over_the_wire(case)
        verdicts = Judge(declared).judge(case, observed)
        assert {each.status for each in verdicts} == {"pass"}


@pytest.mark.parametrize(("role", "family"), ASKED)
def test_a_recorded_case_is_made_again_from_its_choices(role, family):
    made = families()[family]
    for index in range(5):
        seeded = CaseId(family, made.profiles_of(role).names[-1], seed=5, index=index, role=role)
        chooser = RecordingChooser(seeded.chooser())
        case = made.build(chooser, seeded.profile, seeded)
        again = case_of(CaseId(family, seeded.profile, choices=tuple(chooser.choices), role=role))
        assert (again.stream, again.expected, again.settings) == (case.stream, case.expected, case.settings)


def test_a_failed_entry_owes_what_was_logged():
    missing = role_of("apply").missing
    declared = ReferenceImplementation().declaration.roles["apply"]
    entry = {name: 0 for name in role_of("apply").fields} | {"outcome": "failed"}
    assert missing(declared, entry) == ()
    del entry["logged_statements"]
    assert missing(declared, entry) == ("logged_statements",)
    assert missing(declared, entry | {"outcome": "applied"}) == ()


def test_an_unknown_outcome_breaks_the_schema():
    case = case_of(CaseId("gtid_missing", "worklog", seed=2, index=0, role="apply"))
    declared = ReferenceImplementation().declaration.roles["apply"]
    line = json.dumps({"seq": 1, "events": [{"offset": 4, "outcome": "done"}], "error": None}).encode()
    with pytest.raises(ProtocolError, match="outcome"):
        decode_answer(line, seq=1, request=request_of(case), role=declared)


def test_relay_data_that_is_not_an_event_fails_the_rules_about_it():
    case = case_of(CaseId("relay_logs", "mysql-9.x", seed=2, index=0, role="relay"))
    reference = ReferenceImplementation()
    observed = reference.ask(request_of(case))
    spoilt = [{**entry, "data": "nonsense"} for entry in observed.events]
    judge = Judge(reference.declaration.roles["relay"])
    verdicts = judge.judge(case, type(observed)(tuple(spoilt)))
    failed = {each.requirement for each in verdicts if each.status == "fail"}
    assert "WL4033-RELAY-IGNORABLE-COPIED" in failed


def test_an_applier_stops_at_an_event_of_an_undeclared_type_even_if_it_may_be_ignored():
    case = case_of(CaseId("skip_and_until", "mysql-9.x", seed=1, index=2, role="apply"))
    victim = list(read_events(case.stream))[4]
    stream = bytearray(case.stream)
    stream[victim.offset + TYPE_AT], stream[victim.offset + FLAGS_AT] = 127, Flag.IGNORABLE
    stream[victim.end - CHECKSUM_BYTES : victim.end] = checksum(
        bytes(stream[victim.offset : victim.end - CHECKSUM_BYTES])
    ).to_bytes(CHECKSUM_BYTES, "little")
    error = ReferenceImplementation().ask(Request("apply", "mysql-9.x", bytes(stream), {"gtid_mode": "OFF"})).error
    assert error is not None
    assert (error.at, error.code) == (victim.offset, 13121)


def test_no_stream_that_is_refused_has_to_be_applied_to_its_end():
    ids = [CaseId("unknown_events_refused", "mysql-8.0", seed=0, index=index, role="apply") for index in range(60)]
    without_gtids = [case for case in map(case_of, ids) if not any(each["gtid"] for each in case.expected.events)]
    assert any(case.expected.refused_at is not None for case in without_gtids)
    assert not any("WL7592-COMPAT-OLD-NEW" in case.marks for case in without_gtids)
