"""Accusations of the past that were right about a fault, and wrong about the rule that it breaks."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Refusal
from conformance.protocol.roles.decode import FIELDS_OF_TYPE
from tests.oracles.test_causes import REFERENCE, cases, findings

DECODE = REFERENCE.declaration.roles["decode"]


def blamed(case, answer, role=DECODE):
    return {each.requirement for each in Judge(role).judge(case, answer) if each.is_failure}


def refused_at(case, is_one, words):
    """Return the answer of a reader that refuses the first event of a kind but the format description; None without."""
    events = REFERENCE.ask(request_of(case)).events
    place = next((place for place, each in enumerate(events) if place and is_one(each)), None)
    return None if place is None else Observation(events[:place], Refusal(events[place]["offset"], "other", words))


def all_blamed(family, profile, is_one, words):
    """Return what is blamed for such refusals in the cases of a family, and how many there are."""
    answers = [(case, refused_at(case, is_one, words)) for case in cases(family, profile)]
    given = [(case, answer) for case, answer in answers if answer is not None]
    assert given
    return set().union(*(blamed(case, answer) for case, answer in given))


def test_a_fault_that_a_reader_never_reached_is_not_accepted_by_it():
    """As mysql_binlog ends without an error at a Rotate: the fault is 300 bytes further on."""
    tried = 0
    for case in cases("wrong_event_lengths", "mysql-8.0"):
        events = REFERENCE.ask(request_of(case)).events
        types = [each["type"] for each in events]
        place = next((place for place, each in enumerate(types) if place and each in types[:place]), None)
        if place is not None:
            of_fault = [name for name, indices in case.marks.items() if len(events) in indices]
            charged = blamed(case, Observation(events[:place]))
            assert charged, str(case.id)
            assert charged.isdisjoint(of_fault), str(case.id)
            tried += 1
    assert tried


def test_what_comes_after_a_silent_end_is_not_charged():
    for case in cases("transactions", "mysql-8.0"):
        events = REFERENCE.ask(request_of(case)).events
        place = next(place for place, each in enumerate(events) if each["type"] == EventType.QUERY) + 1
        if all(each["type"] != EventType.QUERY for each in events[place:]):
            continue  # It may leave out these types.
        together = findings(case, Observation(events[:place]))
        assert len(together) == 1, str(case.id)
        (charged,) = together.values()
        around = {name for name, indices in case.marks.items() if {place - 1, place} & {*indices}}
        assert charged <= {*around, "FORMAT-EVENT-DELIVERED"}, str(case.id)


def test_a_gtid_event_that_is_refused_for_its_body_is_not_refused_for_its_checksum():
    def is_gtid(entry):
        return entry["type"] in GTID_TYPES

    assert "WL7592-GTID-CHECKSUM" not in all_blamed("gtid_streams", "mysql-8.0", is_gtid, "bytes remain in the body")
    assert "WL7592-GTID-CHECKSUM" in all_blamed("gtid_streams", "mysql-8.0", is_gtid, "wrong checksum")


def test_rows_that_are_refused_for_their_json_are_charged_to_json_beside_any_columns():
    blamed_by = {"invalid JSON value": set(), "no such column type": set()}
    for case in cases("every_column_type", "mysql-8.0"):
        first = min(case.expected.columns)
        codes = {*case.expected.columns[first]}
        for words, charged in blamed_by.items() if ColumnType.JSON in codes and len(codes) > 1 else ():
            charged.update(blamed(case, refused_at(case, lambda entry: entry["type"] in ROWS_TYPES, words)))
    assert "FORMAT-ROWS-VALUES-JSON" in blamed_by["invalid JSON value"]
    assert "FORMAT-ROWS-VALUES-JSON" not in blamed_by["no such column type"]


def test_a_checksum_with_the_bit_of_a_log_in_use_is_not_charged_to_the_ignorable_flag():
    def is_in_use(entry):
        return entry["flags"] & Flag.BINLOG_IN_USE and entry["handled"] == "ignored"

    charged = all_blamed("ignorable_flags", "mysql-8.0", is_in_use, "the checksum is wrong")
    assert "FORMAT-IN-USE-CHECKSUM" in charged
    assert "WL4033-READ-FLAG-BIT" not in charged


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-9.x"])
def test_a_body_of_which_a_reader_reports_no_field_need_not_be_right(profile):
    """As vitess has nothing of an Xid but that there is one."""
    kind = FIELDS_OF_TYPE[EventType.XID]
    role = replace(DECODE, fields=DECODE.fields - {*kind.required, *kind.optional})
    tried = 0
    for case in cases("malformed_bodies", profile, count=120):
        at = case.expected.refused_at
        if at is None or case.stream[at + 4] != EventType.XID:
            continue
        right = REFERENCE.ask(request_of(case))
        header = {**right.events[0], "offset": at, "type": int(EventType.XID), "handled": "known"}
        answer = Observation((*right.events, {name: header[name] for name in ("offset", "type", "handled")}))
        assert "FORMAT-BODY-MALFORMED" not in blamed(case, answer, role)
        assert "FORMAT-BODY-MALFORMED" in blamed(case, answer)
        tried += 1
    assert tried
