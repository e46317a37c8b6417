"""The judge: what passes, and which requirement fails."""

from dataclasses import replace

import pytest

from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.judge import Judge
from conformance.oracles.verdict import selected, trouble_of
from conformance.protocol.observation import Observation, Refusal, Request, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

REFERENCE = ReferenceImplementation()
ROLE = REFERENCE.declaration.roles["decode"]


def case_and_answer(text):
    case = case_of(CaseId.parse(text))
    return case, REFERENCE.ask(Request("decode", case.id.profile, case.stream))


def by_requirement(verdicts):
    return {verdict.requirement: verdict for verdict in verdicts}


def test_the_expected_answer_passes_everything_that_the_case_exercises():
    case, answer = case_and_answer("rows_query_streams/mysql-8.0/1/0")
    verdicts = Judge(ROLE).judge(case, answer)
    assert {verdict.requirement for verdict in verdicts} <= set(case.marks)
    assert {verdict.status for verdict in verdicts} == {"pass"}


@pytest.mark.parametrize("status", ["crash", "hang", "protocol-error"])
def test_a_crash_is_charged_once_and_the_requirements_of_the_case_do_not_pass(status):
    case, _ = case_and_answer("rows_query_streams/mysql-8.0/1/0")
    verdicts = Judge(ROLE).judge(case, Trouble(status, "exit-status-134", "core dumped"))
    assert {verdict.status for verdict in verdicts} == {status}
    (charged,) = [verdict for verdict in verdicts if verdict.is_failure]
    assert (charged.requirement, charged.message) == ("TROUBLE", "exit-status-134: core dumped")
    assert case.focus in {verdict.requirement for verdict in verdicts if not verdict.charged}


def test_an_answer_that_is_unsupported_is_so_for_every_requirement_of_the_case():
    case, _ = case_and_answer("rows_query_streams/mysql-8.0/1/0")
    verdicts = Judge(ROLE).judge(case, Trouble("unsupported", "declined", ""))
    assert {verdict.status for verdict in verdicts} == {"unsupported"}
    assert not any(verdict.is_failure for verdict in verdicts)


DECODED = [each.name for each in families().values() if "decode" in each.focus]


@pytest.mark.parametrize("name", DECODED)
def test_an_ignorable_event_of_an_unknown_type_that_is_refused_breaks_a_rule_about_such_events(name):
    judge = Judge(replace(ROLE, abilities=ROLE.abilities - {"profile_strict"}))
    for profile in families()[name].profiles_of("decode"):
        for case in (case_of(CaseId(name, profile, seed=5, index=index)) for index in range(4)):
            events, tolerated = case.expected.events, case.expected.tolerated
            skipped = (at for at, each in enumerate(events) if each.get("handled") == "ignored" and at not in tolerated)
            first = next(skipped, None)
            if first is None:
                continue
            refused = Observation(events[:first], Refusal(events[first]["offset"], "unknown-event", "not known"))
            blamed = {each.requirement for each in judge.judge(case, refused) if each.is_failure}
            assert any(each.startswith("WL4033-") for each in blamed), str(case.id)
            assert "FORMAT-EVENT-FIELDS" not in blamed, str(case.id)


def case_with(family, mark):
    """A case of a family in which a requirement governs an event."""
    cases = (case_of(CaseId(family, "mysql-8.0", seed=1, index=index)) for index in range(100))
    return next(case for case in cases if mark in case.marks)


@pytest.mark.parametrize("mark", ["FORMAT-LENGTH-TOO-LARGE", "FORMAT-LENGTH-TOO-SMALL"])
def test_a_crash_at_a_fault_is_charged_to_the_rule_that_is_broken_there(mark):
    verdicts = Judge(ROLE).judge(case_with("wrong_event_lengths", mark), Trouble("crash", "signal-11", ""))
    assert [verdict.requirement for verdict in verdicts if verdict.is_failure] == [mark]


@pytest.mark.parametrize("status", ["crash", "hang", "protocol-error"])
def test_no_glob_loses_a_crash(status):
    case, _ = case_and_answer("rows_query_streams/mysql-8.0/1/0")
    verdicts = selected(Judge(ROLE).judge(case, Trouble(status, "x", "")), "WL999-*")
    assert [(each.requirement, each.status) for each in verdicts] == [("TROUBLE", status)]
    assert trouble_of(verdicts) == status


def refused_at(answer, offset):
    """An answer whose reader could not read an event, and went on."""
    header = ("offset", "type", "length")
    return Observation(
        tuple(
            {name: each[name] for name in header} | {"handled": "refused", "refused": "4 bytes remain"}
            if each["offset"] == offset
            else each
            for each in answer.events
        )
    )


def test_a_refused_event_is_a_refusal_and_those_after_it_are_judged():
    case, answer = case_and_answer("transactions/mysql-8.0/1/0")
    offset = case.expected.events[3]["offset"]
    verdicts = Judge(ROLE).judge(case, refused_at(answer, offset))
    (failure,) = [verdict for verdict in verdicts if verdict.is_failure]
    assert (failure.requirement, failure.at) == ("FORMAT-EVENT-DELIVERED", offset)
    assert failure.message.endswith("is refused: 4 bytes remain")
    assert by_requirement(verdicts)["FORMAT-QUERY"].status == "pass"
    modest = replace(ROLE, fields=frozenset({"offset", "length"}))
    assert [each.requirement for each in Judge(modest).judge(case, refused_at(answer, offset)) if each.is_failure] == [
        "FORMAT-EVENT-DELIVERED"
    ]


def test_a_lazy_reader_refuses_the_event_that_must_be_refused_and_goes_on():
    case, answer = case_and_answer("bad_checksum/mysql-8.0/1/0")
    header = {"type": 2, "length": 19, "handled": "refused", "refused": "checksum mismatch"}
    beyond = {"offset": len(case.stream), "type": 16, "length": 31, "handled": "known"}
    lazy = Observation((*answer.events, {"offset": answer.error.at, **header}, beyond))
    assert {verdict.status for verdict in Judge(ROLE).judge(case, lazy)} == {"pass"}


def test_a_type_code_that_is_lost_is_one_finding():
    case, answer = case_and_answer("every_event_type/mysql-8.0/1/0")
    lost = Observation(tuple({**each, "type": None} for each in answer.events))
    (failure,) = [verdict for verdict in Judge(ROLE).judge(case, lost) if verdict.is_failure]
    assert (failure.requirement, failure.signature) == ("FORMAT-HEADER-TYPE", "type code not reported")


def test_types_that_are_not_declared_are_unsupported():
    case, answer = case_and_answer("every_event_type/mysql-8.0/1/0")
    untyped = replace(ROLE, fields=ROLE.fields - {"type"})
    bare = Observation(tuple({name: each[name] for name in each if name != "type"} for each in answer.events))
    verdicts = by_requirement(Judge(untyped).judge(case, bare))
    assert verdicts["FORMAT-HEADER-TYPE"].status == "unsupported"
    assert {verdict.status for verdict in verdicts.values()} == {"pass", "unsupported"}


def test_a_field_that_is_not_declared_for_a_product_is_unsupported_there():
    case, answer = case_and_answer("mariadb_streams/mariadb-11.x/1/0")
    role = replace(ROLE, fields_of={"mariadb": ROLE.fields - {"gtid", "gtid_list", "mariadb_gtid_flags", "commit_id"}})
    hidden = {"gtid", "gtid_list", "mariadb_gtid_flags", "commit_id"}
    bare = Observation(tuple({name: each[name] for name in each if name not in hidden} for each in answer.events))
    assert by_requirement(Judge(ROLE).judge(case, bare))["FORMAT-MARIADB-GTID"].status == "fail"
    verdicts = by_requirement(Judge(role).judge(case, bare))
    assert verdicts["FORMAT-MARIADB-GTID"].status == "unsupported"
    assert {verdict.status for verdict in verdicts.values()} == {"pass", "unsupported"}


def test_what_is_inside_a_payload_is_asked_of_readers_that_open_it():
    case, _ = case_and_answer("unknown_inside_payload/mysql-8.0/1/0")
    closed = replace(ROLE, abilities=ROLE.abilities - {"payloads"})
    assert {verdict.status for verdict in Judge(closed).declined(case)} == {"unsupported"}
    assert Judge(ROLE).declined(case) == []


def test_undeclared_fields_are_unsupported_and_never_pass():
    case, answer = case_and_answer("transactions/mysql-8.0/1/0")
    modest = replace(ROLE, fields=frozenset({"offset", "type"}), abilities=frozenset())
    verdicts = by_requirement(Judge(modest).judge(case, answer))
    assert verdicts["FORMAT-HEADER-TYPE"].status == "pass"
    assert verdicts["FORMAT-HEADER-TIMESTAMP"].status == "unsupported"
    assert verdicts["FORMAT-EVENT-START"].status == "unsupported"


def test_a_fault_is_not_sent_without_the_ability_it_tests():
    case, _ = case_and_answer("truncated_streams/mysql-8.0/1/0")
    modest = replace(ROLE, abilities=frozenset())
    assert {verdict.status for verdict in Judge(modest).declined(case)} == {"unsupported"}
    assert Judge(ROLE).declined(case) == []


def test_events_after_a_refusal_are_not_judged():
    case, answer = case_and_answer("transactions/mysql-8.0/1/0")
    first = case.expected.events[1]
    stopped = Observation(answer.events[:1], Refusal(first["offset"], "other", "no"))
    verdicts = by_requirement(Judge(ROLE).judge(case, stopped))
    assert verdicts["FORMAT-EVENT-DELIVERED"].status == "fail"
    assert verdicts["FORMAT-DESCRIPTION-FIELDS"].status == "pass"
    blocked = verdicts["FORMAT-QUERY"]
    assert (blocked.status, blocked.is_failure) == ("blocked", False)
    assert blocked.finding == verdicts["FORMAT-EVENT-DELIVERED"].finding


def test_a_refusal_at_the_wrong_offset_fails():
    case, answer = case_and_answer("unknown_not_ignorable/mysql-8.0/1/0")
    elsewhere = Observation(answer.events, replace(answer.error, at=answer.error.at + 1))
    verdicts = by_requirement(Judge(ROLE).judge(case, elsewhere))
    assert verdicts["WL4033-READ-UNKNOWN-REFUSED"].signature == "unknown-event reported at the wrong offset"


def test_a_fault_without_an_error_fails():
    case, answer = case_and_answer("truncated_streams/mysql-8.0/1/0")
    verdicts = Judge(ROLE).judge(case, Observation(answer.events))
    assert {verdict.signature for verdict in verdicts if verdict.status == "fail"} == {"truncated not reported"}


def test_a_dropped_event_and_an_invented_one_fail_different_requirements():
    case, answer = case_and_answer("transactions/mysql-8.0/1/0")
    dropped = Observation(answer.events[:-1])
    invented = Observation((*answer.events, {**answer.events[-1], "offset": len(case.stream)}))
    assert by_requirement(Judge(ROLE).judge(case, dropped))["FORMAT-EVENT-DELIVERED"].status == "fail"
    assert by_requirement(Judge(ROLE).judge(case, invented))["FORMAT-EVENT-START"].status == "fail"


@pytest.mark.parametrize("gtid", ["ANONYMOUS", None, ""])
def test_an_anonymous_gtid_may_be_named_or_left_out(gtid):
    case, answer = case_and_answer("anonymous_gtid_streams/mysql-8.0/1/0")
    events = tuple({**each, "gtid": gtid} if each["type"] == 34 else each for each in answer.events)
    verdicts = by_requirement(Judge(ROLE).judge(case, Observation(events)))
    assert verdicts["WL7592-ANON-NO-IDENTIFIER"].status == "pass"


def is_ascii(answer):
    texts = [each["rows_query"] for each in answer.events if "rows_query" in each]
    return "".join(texts).isascii() and any(len(each) > 4 for each in texts)


def test_the_signature_names_how_a_text_was_cut():
    made = (case_and_answer(f"rows_query_streams/mysql-8.0/1/{number}") for number in range(100))
    # One of which no text has characters of several bytes.
    case, answer = next(pair for pair in made if is_ascii(pair[1]))
    events = tuple(
        {**each, "rows_query": each["rows_query"][:-4]} if len(each.get("rows_query", "")) > 4 else each
        for each in answer.events
    )
    verdict = by_requirement(Judge(ROLE).judge(case, Observation(events)))["WL4033-READ-ROWS-QUERY-TEXT"]
    assert verdict.signature == "rows_query of ROWS_QUERY 4 bytes short"
    assert "expected" in verdict.message


def case_with_rows(fits):
    """A case with a rows event whose column types fit, its answer, and the index of that event."""
    for number in range(400):
        case, answer = case_and_answer(f"every_column_type/mysql-8.0/1/{number}")
        for index, codes in case.expected.columns.items():
            if fits(codes):
                return case, answer, index
    raise AssertionError("no such table")


def test_a_wrong_value_fails_the_requirement_of_its_column_type():
    case, answer, index = case_with_rows(lambda codes: len(codes) > 1)
    rows = [
        {side: image and dict.fromkeys(image) for side, image in row.items()} for row in answer.events[index]["rows"]
    ]
    events = (*answer.events[:index], {**answer.events[index], "rows": rows}, *answer.events[index + 1 :])
    failed = {each.requirement for each in Judge(ROLE).judge(case, Observation(events)) if each.status == "fail"}
    assert failed
    assert all(each.startswith("FORMAT-ROWS-VALUES-") for each in failed)
    assert "FORMAT-ROWS-IMAGES" not in failed


def test_a_refused_table_of_one_type_fails_the_requirement_of_that_type():
    case, answer, index = case_with_rows(lambda codes: set(codes) == {ColumnType.NEWDECIMAL})
    at = case.expected.events[index]["offset"]
    stopped = Observation(answer.events[:index], Refusal(at, "malformed", "no such column"))
    verdicts = by_requirement(Judge(ROLE).judge(case, stopped))
    assert verdicts["FORMAT-ROWS-VALUES-DECIMAL"].signature == "NEWDECIMAL refused"


def test_a_heartbeat_may_be_refused_by_a_reader_of_files():
    case, answer = case_and_answer("heartbeats/mysql-8.0/1/0")
    index = next(iter(case.expected.tolerated))
    at = case.expected.events[index]["offset"]
    stopped = Observation(answer.events[:index], Refusal(at, "unknown-event", "no file holds one"))
    assert [each for each in Judge(ROLE).judge(case, stopped) if each.status == "fail"] == []
