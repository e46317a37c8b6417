"""A should never fails a must: a reader that is right but for a should breaks no requirement of level must."""

from dataclasses import replace
from functools import cache
from itertools import chain, islice

import pytest

from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutants
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.protocol.observation import Observation, Refusal, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
#: Cases of each family and profile.
CASES = 2
SHOULDS = [each.id for each in catalogue().values() if each.level == "should" and each.id in oracles()]


@cache
def first_cases(role):
    """Return the first cases of each family and profile of a role."""
    of_role = {name: each for name, each in families().items() if role in each.focus}
    return [case for name, each in of_role.items() for case in cases(name, each.profiles_of(role), CASES, role)]


def cases(name, profiles, count, role="decode"):
    for profile in profiles:
        yield from (case_of(CaseId(name, profile, seed=3, index=index, role=role)) for index in range(count))


def marked_cases(requirement, count=4, most=100):
    """Yield cases of a requirement's own families that exercise it, which the first ones need not."""
    for name in sorted({*requirement.families} & families().keys()):
        for profile in families()[name].profiles_of(requirement.role):
            ids = (CaseId(name, profile, seed=3, index=index, role=requirement.role) for index in range(most))
            yield from islice((case for case in map(case_of, ids) if requirement.id in case.marks), count)


def failed(judge, case, answer):
    return {verdict.requirement for verdict in judge.judge(case, answer) if verdict.is_failure}


@pytest.mark.parametrize(
    "mutant", [each for each in mutants() if each.requirement in SHOULDS], ids=lambda each: each.name
)
def test_an_implementation_that_breaks_a_should_breaks_nothing_else(mutant):
    requirement = catalogue()[mutant.requirement]
    require_role(requirement.role)
    implementation = MutantImplementation(mutant)
    judge = Judge(implementation.declaration.roles[requirement.role])
    broken = set()
    held = (case for case in first_cases(requirement.role) if case.id.profile in requirement.holds)
    for case in chain(held, marked_cases(requirement)):
        broken |= failed(judge, case, implementation.ask(request_of(case)))
    if not broken:  # It is wrong at one of the variants alone.
        more = (failed(judge, case, implementation.ask(request_of(case))) for case in marked_cases(requirement, 100))
        broken = next(filter(None, more), broken)
    assert broken == {requirement.id}


def test_every_should_has_a_mutant_here():
    assert {each.requirement for each in mutants()} >= set(SHOULDS)


def dropped(answer, place):
    return replace(answer, events=(*answer.events[:place], *answer.events[place + 1 :]))


def refused(answer, place):
    at = answer.events[place]["offset"]
    return Observation(answer.events[:place], Refusal(at, "other", "no longer post-headers, please"))


def refused_alone(answer, place):
    """Return the answer of a reader that reports the refusal, and goes on."""
    event = {**answer.events[place], "handled": "refused", "refused": "no longer post-headers, please"}
    return replace(answer, events=(*answer.events[:place], event, *answer.events[place + 1 :]))


def quietly_ended(answer, place):
    return Observation(answer.events[:place])


def quietly_ended_after(answer, place):
    return Observation(answer.events[: place + 1])


def misread(answer, place):
    """Return the answer of a reader that gets every value of one event wrong, except where and what it is."""
    kept = ("offset", "type", "handled", "timestamp", "server_id", "length", "log_pos", "flags")
    wrong = {str: lambda text: f"\0{text}", int: lambda number: number + 1, list: lambda rows: [*rows, {}]}
    wrong |= {dict: lambda values: values | {"more": 1}, type(None): lambda _: 1, float: lambda number: number + 1}
    event = {name: value if name in kept else wrong[type(value)](value) for name, value in answer.events[place].items()}
    return replace(answer, events=(*answer.events[:place], event, *answer.events[place + 1 :]))


def passed_over(answer, place):
    event = {**answer.events[place], "handled": "ignored"}
    return replace(answer, events=(*answer.events[:place], event, *answer.events[place + 1 :]))


#: Families with events that are made for a should, with it.
MADE_FOR = {
    "post_header_lengths": "FORMAT-POST-HEADER-LENGTHS",
    "ignorable_events_in_payloads": "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",
    "rows_of_betas": "FORMAT-ROWS-PRE-GA",
    "every_column_type": "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED",
}
#: No released server wrote the rows events of betas, so readers may refuse them or not know them.
FREE = {("rows_of_betas", change) for change in (refused, refused_alone, passed_over)}


@pytest.mark.parametrize(
    "change", [dropped, refused, refused_alone, quietly_ended, quietly_ended_after, misread, passed_over]
)
@pytest.mark.parametrize("name", MADE_FOR)
def test_whatever_a_reader_does_at_an_event_made_for_a_should_is_charged_to_it_alone(name, change):
    should = MADE_FOR[name]
    judge = Judge(REFERENCE.declaration.roles["decode"])
    blamed = set()
    holds = catalogue()[should].holds
    for case in cases(name, [each for each in families()[name].profiles_of("decode") if each in holds], 20):
        right = REFERENCE.ask(request_of(case))
        for place in case.expected.made_for:
            blamed |= failed(judge, case, change(right, place))
            assert blamed <= {should}, str(case.id)
    assert blamed == (set() if (name, change) in FREE else {should})


def test_a_reader_with_fixed_post_headers_fails_one_requirement():
    """It prints "Rotate to \\0binlog.000001", as mysqlbinlog 9.7.4 does; so it is right about every server's log."""
    judge = Judge(REFERENCE.declaration.roles["decode"])
    (mutant,) = [each for each in mutants() if each.name == "fixed-post-headers"]
    case = next(
        case
        for case in cases("post_header_lengths", families()["post_header_lengths"].profiles_of("decode"), 20)
        if case.expected.events[-1]["type"] == 4 and len(case.expected.events) - 1 in case.expected.made_for
    )
    answer = MutantImplementation(mutant).ask(request_of(case))
    assert answer.events[-1]["next_file"] != case.expected.events[-1]["next_file"]
    assert failed(judge, case, answer) == {"FORMAT-POST-HEADER-LENGTHS"}


def test_a_reader_that_does_not_open_payloads_is_not_judged_by_what_is_inside():
    declared = REFERENCE.declaration.roles["decode"]
    judge = Judge(replace(declared, abilities=declared.abilities - {"payloads"}))
    should = "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN"
    for case in cases("unknown_inside_payload", families()["unknown_inside_payload"].profiles_of("decode"), 4):
        # It would deliver the payload and read on, so it is not put to it.
        assert should in {verdict.requirement for verdict in judge.declined(case)}
    name = "ignorable_events_in_payloads"
    for case in cases(name, families()[name].profiles_of("decode"), 4):
        verdicts = judge.judge(case, REFERENCE.ask(request_of(case)))
        statuses = {verdict.requirement: verdict.status for verdict in verdicts}
        assert statuses.pop(should) == "unsupported"
        assert set(statuses.values()) == {"pass"}


@pytest.mark.parametrize("status", ["crash", "hang", "not-asked"])
def test_a_stream_made_for_a_should_costs_no_must_its_answer(status):
    case = case_of(CaseId("json_bombs", "mysql-8.0", seed=0, index=0))
    verdicts = Judge(REFERENCE.declaration.roles["decode"]).judge(case, Trouble(status, "signal-SIGSEGV", ""))
    assert [(each.requirement, each.status) for each in verdicts] == [("FORMAT-JSON-LIMITS", status)]
