"""The oracles of the role `log`: an answer that is right in another way passes, a wrong one does not."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.protocol.answered_streams import observed_streams
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

REFERENCE = ReferenceImplementation()
ROLE = REFERENCE.declaration.roles["log"]
FAMILIES = [
    (family.name, profile) for family in families().values() if "log" in family.focus for profile in family.profiles
]


def broken(case, observation):
    """The requirements that an answer breaks, each with the message, also where it equals the expected one."""
    judge = Judge(ROLE)
    judge._as_expected = lambda case, answer: False
    return {each.requirement: each.message for each in judge.judge(case, observation) if each.is_failure}


def cases(name, profile, count):
    return [case_of(CaseId(name, profile, seed=5, index=index, role="log")) for index in range(count)]


@pytest.mark.parametrize(("name", "profile"), FAMILIES)
def test_no_oracle_finds_a_fault_in_the_model(name, profile):
    for case in cases(name, profile, 10):
        assert broken(case, REFERENCE.ask(request_of(case))) == {}


def _in_other_words(entry):
    """The same event as another server may write it."""
    entry = {**entry, "timestamp": 1, "server_id": 77}
    if re.match(r"DROP TABLE|CREATE TABLE", entry.get("query", "")):
        entry["query"] = re.sub(r" /\*.*?\*/", "", entry["query"]).replace(" TABLE ", " table ", 1)
    return entry


@pytest.mark.parametrize(("name", "profile"), FAMILIES)
def test_what_no_requirement_fixes_does_not_fail(name, profile):
    for case in cases(name, profile, 5):
        observed = REFERENCE.ask(request_of(case))
        other = replace(observed, events=tuple(map(_in_other_words, observed.events)))
        messages = broken(case, other)
        # Statements that must be logged as given may not differ.
        assert {each for each in messages if "AS-IS" not in each} == set()


#: Wrong answers that log a change in the right format and then once more.
LOGGED_AGAIN = ("logs-statement-and-rows", "logs-statement-twice", "logs-rows-and-statement", "logs-rows-twice")


@pytest.mark.parametrize("name", LOGGED_AGAIN)
def test_a_change_that_is_logged_twice_fails_wherever_it_is(name):
    mutant = mutant_of(name)
    seen = 0
    for family in ("logged_transactions", "logged_modes"):
        for profile in catalogue()[mutant.requirement].holds:
            for case in cases(family, profile, 6) if profile in families()[family].profiles else ():
                request = request_of(case)
                answer = MutantImplementation(mutant).ask(request)
                if mutant.requirement in case.marks and len(answer.events) > len(REFERENCE.ask(request).events):
                    assert mutant.requirement in broken(case, answer), str(case.id)
                    seen += 1
    assert seen >= len(catalogue()[mutant.requirement].holds)


def test_an_empty_answer_fails_the_rules_about_events():
    case = cases("logged_rotations", "mysql-9.x", 1)[0]
    observed = replace(REFERENCE.ask(request_of(case)), events=(), streams=())
    assert "WL7592-LOG-ON-PREVIOUS-GTIDS" in broken(case, observed) or "WL7592-LOG-OFF-PREVIOUS-GTIDS" in broken(
        case, observed
    )


def _updates_of_two_tables():
    """Yield cases in which rules govern the rows of statements that update two tables, with the place of the rows."""
    for case in cases("logged_rows_queries", "mysql-5.7", 12):
        events = case.expected.events
        for index in case.marks.get("WL4033-LOG-OPTION-SCOPE", ()):
            if all("rows" in events[place] for place in (index, index + 1)):
                yield case, index


@pytest.mark.parametrize(
    ("change", "is_blamed"),
    [
        (lambda first, second: (second, first), False),
        (lambda first, second: (first[::-1], second), False),
        (lambda first, second: (first, first), True),
        (lambda first, second: (second, second[:-1]), True),
    ],
    ids=["tables exchanged", "rows reversed", "one table twice", "a row left out"],
)
def test_rules_on_the_rows_of_a_statement_leave_their_order_to_the_server(change, is_blamed):
    blamed = set()
    for case, index in _updates_of_two_tables():
        answer = REFERENCE.ask(request_of(case))
        events = [dict(each) for each in answer.events]
        rows = [events[place]["rows"] for place in (index, index + 1)]
        for place, changed in zip((index, index + 1), change(*rows), strict=True):
            events[place]["rows"] = changed
        blamed.add("WL4033-LOG-OPTION-SCOPE" in broken(case, replace(answer, events=tuple(events))))
    assert blamed == {is_blamed}


def _drops_changed(change):
    """Return a right answer to a DROP DATABASE that fails half way, with its first two statements changed."""
    case = next(
        each for each in cases("drop_database_splits", "mysql-5.7", 30) if "WL7592-LOG-DROPDB-SPLIT" in each.marks
    )
    answer = REFERENCE.ask(request_of(case))
    events = [dict(each) for each in answer.events]
    first, second, *_ = (each for each in events if each.get("query", "").startswith("DROP TABLE"))
    first["query"], second["query"] = change(first["query"], second["query"])
    return case, replace(answer, events=tuple(events))


def _last_of(drop):
    return re.search(r",(`[^`]*`)[^`]*$", drop)[1]


@pytest.mark.parametrize(
    ("change", "is_blamed"),
    [
        (lambda first, second: (second, first), False),
        (lambda first, second: (first.replace(_last_of(first), _last_of(second)), second), True),
        (lambda first, second: (first.replace(f",{_last_of(first)}", ""), second), True),
        (lambda first, second: (first, second.replace(_last_of(second), "`another`")), True),
        (lambda first, second: (first.replace(_last_of(first), f"`d9`.{_last_of(first)}"), second), True),
    ],
    ids=["exchanged", "dropped twice", "left out", "another table", "another database"],
)
def test_a_failed_drop_database_may_drop_its_tables_in_any_order_but_each_of_them_once(change, is_blamed):
    assert bool(broken(*_drops_changed(change))) == is_blamed


def _spoiled(streams, how):
    whole = streams[-1]
    return {
        "nothing": [b""],
        "garbage": [b"garbage" * 40],
        "magic": [whole[:4]],
        "cut": [*streams[:-1], whole[: len(whole) * 2 // 3]],
        "first event only": [whole[: 4 + int.from_bytes(whole[13:17], "little")]],
        "bits": [bytes(each ^ (index % 97 == 60) for index, each in enumerate(whole))],
    }[how]


@pytest.mark.parametrize("how", ["nothing", "garbage", "magic", "cut", "first event only", "bits"])
@pytest.mark.parametrize(("name", "profile"), FAMILIES)
def test_damaged_answers_fail(name, profile, how):
    judge = Judge(ROLE)
    if how in ("magic", "first event only") and profile.startswith(("mariadb", "mysql-5.1")):
        pytest.skip("only rules of MySQL 5.5 and later require events; such a log breaks no other rule")
    if how == "bits" and profile in ("mysql-5.1", "mysql-5.5"):
        pytest.skip("without checksums a changed bit may be one that no rule fixes")
    for case in cases(name, profile, 1):
        streams = _spoiled(REFERENCE.ask(request_of(case)).streams, how)
        observed = observed_streams(streams, server_of(profile).rules)
        assert any(each.status == "fail" for each in judge.judge(case, observed))


def test_every_testable_requirement_of_the_role_has_an_oracle():
    wanted = {each.id for each in catalogue().values() if each.role == "log" and not each.untestable}
    assert wanted == {each for each in oracles() if catalogue()[each].role == "log"}


def in_another_order(stream, rules):
    """Return a log in which the two events of what a statement needs are exchanged; None if there are none."""
    events = list(read_events(stream, rules))
    for first, second in pairwise(events):
        if {first.header.type, second.header.type} == {EventType.RAND, EventType.USER_VAR}:
            has_checksums = first.has_checksum
            bodies = [
                event.data[HEADER_BYTES : -CHECKSUM_BYTES if has_checksums else None] for event in (first, second)
            ]
            made, at = b"", first.offset
            for event, body, place in ((second, bodies[1], first), (first, bodies[0], second)):
                header = place.header
                made += frame(
                    event.header.type,
                    body,
                    offset=at,
                    checksummed=has_checksums,
                    timestamp=header.timestamp,
                    server_id=header.server_id,
                    flags=header.flags,
                )
                at = first.offset + len(made)
            return stream[: first.offset] + made + stream[at:]
    return None


def test_the_order_of_what_a_statement_needs_is_free():
    rules, shown = server_of("worklog").rules, False
    for case in cases("logged_markers", "worklog", 120):
        streams = REFERENCE.ask(request_of(case)).streams
        others = [in_another_order(stream, rules) for stream in streams]
        if any(others):
            shown = True
            given = [other or stream for other, stream in zip(others, streams, strict=True)]
            assert broken(case, observed_streams(given, rules)) == {}, str(case.id)
    assert shown, "no statement needs two of them"
