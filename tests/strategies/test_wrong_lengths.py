"""The lengths of events that are wrong, and the requirement that each breaks."""

import pytest

from conformance.binlog.header import LENGTH_AT
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of


def faults(profile, *, count=150):
    """Yield length, bytes left, kind of refusal and requirements of each of some cases, at the event that is wrong."""
    for index in range(count):
        case = case_of(CaseId("wrong_event_lengths", profile, seed=0, index=index))
        at, stream = case.expected.refused_at, case.stream
        length = int.from_bytes(stream[at + LENGTH_AT : at + LENGTH_AT + 4], "little")
        marks = {each for each, indices in case.marks.items() if len(case.expected.events) in indices}
        yield length, len(stream) - at, case.expected.refused_kind, marks


@pytest.mark.parametrize("profile", ["mysql-5.1", "mysql-5.7", "mariadb-11.x"])
def test_a_length_beyond_the_end_is_too_large_however_small_it_is(profile):
    beyond = [each for each in faults(profile) if each[0] > each[1]]
    assert {kind for _, _, kind, _ in beyond} == {"truncated"}
    assert all("FORMAT-LENGTH-TOO-LARGE" in marks for *_, marks in beyond)


def test_a_stop_of_a_byte_more_than_is_left_is_too_large_though_a_checksum_would_not_fit_in():
    """One without a checksum has 19 bytes; mariadb-binlog calls one of 20 at the end of a file truncated."""
    (of_stop,) = {(left, kind, *marks) for length, left, kind, marks in faults("mysql-5.1", count=1000) if length == 20}
    assert of_stop == (19, "truncated", "FORMAT-LENGTH-TOO-LARGE")


@pytest.mark.parametrize("profile", ["mysql-5.1", "mysql-5.7", "mariadb-11.x"])
def test_a_length_within_the_log_is_too_small(profile):
    within = [each for each in faults(profile) if each[0] <= each[1]]
    assert {kind for _, _, kind, _ in within} == {"invalid-length"}
    assert {each for *_, marks in within for each in marks} <= {"FORMAT-LENGTH-TOO-SMALL", "FORMAT-LENGTH-NO-CHECKSUM"}
