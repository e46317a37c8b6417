"""False alarms of the past: readers that are right in a way that the kit once called wrong, and blame nobody for."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, FIELDS_OF_TYPE
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

REFERENCE = ReferenceImplementation()
JUDGE = Judge(REFERENCE.declaration.roles["decode"])
CASES = 4
DECODED = [(name, family.profiles_of("decode")) for name, family in families().items() if "decode" in family.focus]


def cases(*names, count=CASES):
    for name, profiles in DECODED:
        if not names or name in names:
            for profile in profiles:
                yield from (case_of(CaseId(name, profile, seed=8, index=index)) for index in range(count))


def blamed(case, answer):
    return {verdict.requirement for verdict in JUDGE.judge(case, answer) if verdict.is_failure}


def changed(answer, change):
    """Return the answer with each event changed; an event that becomes None is left out."""
    return replace(answer, events=tuple(event for each in answer.events if (event := change(each)) is not None))


#: Where in a format description's body its own post-header length is.
OWN_LENGTH_AT = HEADER_BYTES + 57 + EventType.FORMAT_DESCRIPTION - 1


def test_a_reader_that_counts_types_by_the_own_length_of_a_format_description_is_right():
    """As mysql-binlog-connector-java does: the byte counts up to 198 types."""
    counts = set()
    for case in cases(count=8):
        for event in case.expected.events:
            if event["type"] == EventType.FORMAT_DESCRIPTION and "event_types" in event:
                assert case.stream[event["offset"] + OWN_LENGTH_AT] - 57 == event["event_types"], str(case.id)
                counts.add(event["event_types"])
    assert max(counts) <= 198
    assert max(counts) > 128


def with_effective_values(event):
    """Return an event as libraries report it that fill in what is not in the event, as it is the same."""
    names = ("original_commit_timestamp", "original_server_version")
    if event["type"] not in GTID_TYPES:
        return event
    effective = {name: event[now] for name in names if (now := name.replace("original", "immediate")) in event}
    return {**effective, **event}


def test_a_reader_that_reports_effective_commit_times_and_versions_is_right():
    filled = 0
    for case in cases("transactions", "ignorable_events", "tagged_gtid_streams", "every_event_type"):
        right = REFERENCE.ask(request_of(case))
        answer = changed(right, with_effective_values)
        filled += answer != right
        assert blamed(case, answer) == set(), str(case.id)
    assert filled


def passed_over(event):
    return {name: event[name] for name in FIELDS_OF_EVERY_TYPE if name in event} | {"handled": "ignored"}


@pytest.mark.parametrize("change", [passed_over, lambda event: None])
def test_a_reader_that_does_not_ask_for_heartbeats_is_not_judged_by_them(change):
    heartbeats = 0
    for case in cases("heartbeats", count=8):
        answer = changed(
            REFERENCE.ask(request_of(case)), lambda event: change(event) if event["type"] in HEARTBEAT_TYPES else event
        )
        heartbeats += sum(event["type"] in HEARTBEAT_TYPES for event in case.expected.events)
        assert blamed(case, answer) == set(), str(case.id)
    assert heartbeats


#: The types all of whose fields are those of some such events, such as 9, 11, 39 and 41.
RARE = [code for code, kind in FIELDS_OF_TYPE.items() if kind.optional and not kind.required]


@pytest.mark.parametrize("code", RARE, ids=lambda code: EventType(code).name)
def test_a_rare_type_without_its_fields_blames_nobody_and_one_that_is_ignored_its_type_alone(code):
    without = {name for kind in (FIELDS_OF_TYPE[code],) for name in kind.optional}
    for case in cases(count=3):
        if all(event["type"] != code for event in case.expected.events):
            continue
        right = REFERENCE.ask(request_of(case))
        bare = changed(
            right,
            lambda event: {name: event[name] for name in event if event["type"] != code or name not in without},
        )
        assert blamed(case, bare) == set(), str(case.id)
        ignored = changed(right, lambda event: passed_over(event) if event["type"] == code else event)
        # An event that is made for a should is charged to that alone, whatever differs there.
        assert blamed(case, ignored) <= {"FORMAT-TYPE-KNOWN", *case.expected.made_for.values()}, str(case.id)


def refused(answer, place):
    at = answer.events[place]["offset"]
    return replace(answer, events=answer.events[:place], error=Refusal(at, "unknown-event", "type 34"))


def test_an_older_reader_may_know_or_skip_an_anonymous_gtid_with_the_flag_but_not_refuse_it():
    for case in cases("anonymous_gtids_to_older_readers"):
        right = REFERENCE.ask(request_of(case))
        assert right.events[2]["type"] == EventType.ANONYMOUS_GTID
        skips = [lambda event: None, passed_over]
        for skip in skips:
            answer = changed(right, lambda event, skip=skip: skip(event) if event["type"] == 34 else event)
            assert blamed(case, answer) == set(), str(case.id)
        assert blamed(case, refused(right, 2)) == {"WL7592-ANON-SKIPPED-BY-FLAG"}
