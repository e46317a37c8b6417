"""Correct implementations that know or report less than all: each has the one finding that is its own, or none."""

import random
from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER
from conformance.mutants.controls import CONTROLS
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Refusal
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, FIELDS_OF_TYPE
from conformance.protocol.roles.registry import role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.answered import answered_cases
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
ROLE = REFERENCE.declaration.roles["decode"]
CASES = 3


def passing_over(*types):
    """A reader that has no class for some types."""

    def change(entry):
        if entry.get("type") not in types:
            return entry
        header = {name: entry[name] for name in FIELDS_OF_EVERY_TYPE if name in entry}
        return header | {"handled": "ignored"}

    return change


def losing_types(entry):
    """A reader whose enumeration of types has no numbers for MariaDB's and the newest ones."""
    return entry | {"type": None} if entry["type"] > 41 else entry


def without_types(entry):
    return {name: value for name, value in entry.items() if name != "type"}


def without_rare_fields(entry):
    """A reader that never asks a source for heartbeats, and has classes for rare types without their fields."""
    kind = FIELDS_OF_TYPE.get(entry["type"])
    entry = passing_over(EventType.HEARTBEAT, EventType.HEARTBEAT_V2)(entry)
    if kind is None or kind.required:
        return entry
    return {name: value for name, value in entry.items() if name not in kind.optional}


def unchanged(entry):
    return entry


def reading_headers(case, answer):
    """A reader that reads all headers and no body, and so does not see that one is malformed."""
    header = tuple({name: value for name, value in each.items() if name in HEADERS.fields} for each in answer.events)
    at = case.expected.refused_at
    if case.expected.refused_kind != "malformed" or at is None:
        return replace(answer, events=header)
    timestamp, code, server_id, length, log_pos, flags = HEADER.unpack_from(case.stream, at)
    passed = {"offset": at, "timestamp": timestamp, "type": code, "server_id": server_id}
    return Observation((*header, passed | {"length": length, "log_pos": log_pos, "flags": flags}))


def test_a_reader_of_headers_alone_is_not_asked_to_refuse_a_malformed_body():
    judge = Judge(HEADERS)
    for index in range(60):
        case = case_of(CaseId("malformed_bodies", "mysql-8.0", seed=0, index=index))
        verdicts = judge.judge(case, reading_headers(case, REFERENCE.ask(request_of(case))))
        assert not [each for each in verdicts if each.is_failure]


HEADERS = replace(ROLE, fields=frozenset(FIELDS_OF_EVERY_TYPE) - {"handled"}, abilities=frozenset())
UNTYPED = replace(ROLE, fields=ROLE.fields - {"type"})
CLOSED = replace(ROLE, abilities=ROLE.abilities - {"payloads"})
#: Reader -> its declaration, its answers, and the requirements that it may fail.
READERS = {
    "no class for Anonymous_gtid": (ROLE, passing_over(EventType.ANONYMOUS_GTID), {"FORMAT-TYPE-KNOWN"}),
    "no class for Rand": (ROLE, passing_over(EventType.RAND), {"FORMAT-TYPE-KNOWN"}),
    "some type codes lost": (ROLE, losing_types, {"FORMAT-HEADER-TYPE"}),
    "no type codes": (UNTYPED, without_types, set()),
    "payloads not opened": (CLOSED, unchanged, set()),
    "no heartbeats and no rare fields": (ROLE, without_rare_fields, set()),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_modest_reader_fails_what_is_its_own_alone(reader):
    role, change, own = READERS[reader]
    judge = Judge(role)
    failed, judged = set(), 0
    for _, case, answer in answered_cases("decode", CASES):
        if judge.declined(case):
            continue
        verdicts = judge.judge(case, replace(answer, events=tuple(map(change, answer.events))))
        # An event that is made for a should is charged to that alone, whatever differs there.
        shoulds = set(case.expected.made_for.values())
        failed |= {each.requirement for each in verdicts if each.is_failure} - shoulds
        judged += any(each.status == "pass" for each in verdicts)
    assert failed == own
    assert judged > len(families())


#: Role -> the fields that a sensible implementation has, besides those that every entry must have.
SENSIBLE = {"render": {"text", "pos"}}
#: How likely an implementation is to have each other field.
LIKELY = (0.2, 0.5, 0.8, 0.95)


@pytest.mark.parametrize("role", ["apply", "boundary", "decode", "filter", "relay", "render", "send"])
def test_a_right_answer_of_some_of_the_fields_is_blamed_by_nobody(role):
    """A control's answer differs from the expected one, so what it lacks is looked at, too."""
    require_role(role)
    whole, draw = REFERENCE.declaration.roles[role], random.Random(role)
    kept = {*role_of(role).always, *SENSIBLE.get(role, ())}
    made = [
        (family, each) for family in families().values() if role in family.focus for each in family.profiles_of(role)
    ]
    blamed = {}
    for family, profile in draw.sample(sorted(made, key=lambda each: (each[0].name, each[1])), min(len(made), 40)):
        case = case_of(CaseId(family.name, profile, seed=5, index=draw.randrange(24), role=role))
        for control in [each for each in CONTROLS if each.role == role]:
            likely = draw.choice(LIKELY)
            declared = frozenset(each for each in sorted(whole.fields) if each in kept or draw.random() < likely)
            able = frozenset(each for each in sorted(whole.abilities) if draw.random() < likely)
            answer = control.answer(request_of(case))
            entries = [
                {name: value for name, value in entry.items() if name in declared or name not in whole.fields}
                for entry in answer.events
            ]
            judge = Judge(replace(whole, fields=declared, abilities=able))
            verdicts = judge.judge(case, replace(answer, events=tuple(entries)))
            blamed |= {
                (control.name, str(case.id), each.requirement): each.message for each in verdicts if each.is_failure
            }
    assert blamed == {}


def test_a_reader_that_does_not_open_payloads_is_asked_nothing_about_their_contents():
    judge = Judge(CLOSED)
    made = [case for _, case, _ in answered_cases("decode", CASES)]
    inside = [case for case in made if "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN" in case.marks]
    verdicts = [
        verdict
        for case in inside
        for verdict in judge.declined(case) or judge.judge(case, REFERENCE.ask(request_of(case)))
        if verdict.requirement == "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN"
    ]
    assert {verdict.status for verdict in verdicts} == {"unsupported"}


@pytest.mark.parametrize("name", [name for name, family in families().items() if "decode" in family.focus])
def test_a_reader_that_refuses_every_stream_passes_only_what_is_about_refusals(name):
    judge = Judge(ROLE)
    for profile in families()[name].profiles:
        case = case_of(CaseId(name, profile, seed=0, index=0))
        at = 0 if case.expected.refused_at == 0 else 4
        verdicts = judge.judge(case, Observation(events=(), error=Refusal(at, "other", "no")))
        refused = len(case.expected.events)
        about_events = {each for each, indices in case.marks.items() if refused not in indices}
        passed = {each.requirement for each in verdicts if each.status == "pass"}
        assert passed & about_events == set(), str(case.id)


@pytest.mark.parametrize("is_again", [False, True])
def test_a_reader_of_files_that_goes_by_positions_may_be_led_away_by_a_heartbeat(is_again):
    """No file has one, and mysqlbinlog 9.7.4 refuses it; mysql_binlog finds nothing more, or the same event again."""
    judged = 0
    for case in (case_of(CaseId("heartbeats", "mysql-5.7", seed=1, index=index)) for index in range(20)):
        events = REFERENCE.ask(request_of(case)).events
        for place, event in enumerate(events):
            if event["type"] == EventType.HEARTBEAT and event["log_pos"] != event["offset"] + event["length"]:
                answer = Observation((*events[: place + 1], *([event] if is_again else [])))
                assert not [each for each in Judge(ROLE).judge(case, answer) if each.is_failure]
                judged += 1
    assert judged > 10


def test_a_reader_of_what_a_source_sends_may_not_end_at_a_heartbeat():
    role = replace(ROLE, abilities=ROLE.abilities - {"framing"})
    case = case_of(CaseId("heartbeats", "mysql-5.7", seed=1, index=0))
    events = REFERENCE.ask(request_of(case)).events
    place = next(place for place, event in enumerate(events) if event["type"] == EventType.HEARTBEAT)
    assert [each for each in Judge(role).judge(case, Observation(events[: place + 1])) if each.is_failure]
