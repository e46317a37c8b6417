"""The role `decide`: what is asked, what the reference answers, and who is blamed for what."""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.models.decision.statement import QuestionStatement
from conformance.models.decision.worklog_table import DECISION_TABLE
from conformance.mutants.decide import MUTANTS
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.decide import COVERAGE_TABLES, ORACLES
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Refusal, Request, Trouble
from conformance.protocol.role import required
from conformance.protocol.roles.decide import FIELDS
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import owners, select
from conformance.strategies.families.logging_decisions import DECIDING
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

PAGE = Path(__file__).parents[2] / "docs" / "roles" / "decide.md"
WRONG_ROWS = [each for each in MUTANTS if "-DT-" in each.requirement]
FAMILIES = ("logging_decisions", "engine_capabilities", "unreplicated_tables")


#: Cases of a family in which every mutant shows itself, those in which most do, and profiles of each kind.
ENOUGH, FEW = 40, 12
SOME = ("worklog", "mysql-5.5", "mysql-9.x")


@cache
def cases(count=20, profiles=DECIDING):
    return [
        case_of(CaseId(family, profile, seed=5, index=index, role="decide"))
        for family in FAMILIES
        for profile in profiles
        if profile in families()[family].profiles_of("decide")
        for index in range(count)
    ]


#: The requirements that own a field.
OWNERS = frozenset(owners("decide", "worklog").values())


def judge(*left_out):
    declared = ReferenceImplementation().declaration.roles["decide"]
    return Judge(replace(declared, fields=declared.fields - set(left_out)))


def failed(mutant, *left_out):
    """Return the requirements that a mutant fails in a few cases if some fields are not declared."""
    return set(failures(mutant, *left_out, count=FEW))


@cache
def right_answers():
    """Return the cases in which every mutant shows itself, each with the answer of the reference."""
    reference = ReferenceImplementation()
    return [(case, reference.ask(request_of(case))) for case in cases(ENOUGH, SOME)]


def failures(mutant, *left_out, count=ENOUGH):
    """Yield the requirements that a mutant fails, case by case, in so many cases of each family and profile."""
    implementation, strict = MutantImplementation(mutant_of(mutant)), judge(*left_out)
    for case, right in right_answers():
        if case.id.index < count and (answer := implementation.ask(request_of(case))) != right:
            yield from (each.requirement for each in strict.judge(case, answer) if each.status == "fail")


def test_every_testable_requirement_of_the_role_has_an_oracle():
    wanted = {each.id for each in select(role="decide") if each.untestable is None} - OWNERS
    assert {oracle.requirement for oracle in ORACLES} == wanted


@pytest.mark.parametrize("profile", DECIDING)
def test_each_row_of_the_decision_table_is_reached(profile):
    rows = {mark for case in cases(20, (profile,)) for mark in case.marks if "-DT-" in mark}
    assert rows == {row.requirement for row in DECISION_TABLE}
    (table,) = COVERAGE_TABLES
    assert {cell for case in cases(20, (profile,)) for cell in table.cells(case)} == set(table.every)
    assert len(table.every) == 24


def test_the_settings_of_a_question_can_be_read_back():
    for case in cases(5):
        for setting in json.loads(json.dumps(case.settings))["statements"]:
            assert QuestionStatement.of_setting(setting).setting() == setting


def test_an_unknown_engine_is_declined():
    setting = QuestionStatement("safe", "row", ()).setting() | {"tables": [{"engine": "rocksdb", "lock": "write"}]}
    answer = ReferenceImplementation().ask(Request("decide", "worklog", b"", {"statements": [setting]}))
    assert isinstance(answer, Trouble)
    assert (answer.status, "rocksdb" in answer.detail) == ("unsupported", True)


@pytest.mark.parametrize("mutant", [each.name for each in MUTANTS if each.name.endswith("-setting")])
def test_wrong_flags_of_an_engine_fail_the_requirement_of_that_engine_only(mutant):
    # Where no statement is marked for it, the owner of the field is blamed.
    assert failed(mutant) - OWNERS == {mutant_of(mutant).requirement}


@pytest.mark.parametrize(
    "mutant",
    [
        "row-restricted-unknown",
        "statement-restricted-unknown",
        "error-executed",
        "error-logged",
        "warning-stops",
        "off-refused",
        "off-logged",
    ],
)
def test_a_fault_in_one_field_fails_one_requirement(mutant):
    # Where no statement is marked for it, the owner of the field is blamed.
    assert failed(mutant) - OWNERS == {mutant_of(mutant).requirement}


@pytest.mark.parametrize("mutant", WRONG_ROWS, ids=lambda each: each.name)
def test_a_wrong_row_fails_no_other_row(mutant):
    assert {each for each in failed(mutant.name) if "-DT-" in each} == {mutant.requirement}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: each.name)
def test_format_and_message_show_nearly_all_mutants(mutant):
    only_by_fields = {
        "row-restricted-unknown",
        "statement-restricted-unknown",
        "error-executed",
        "warning-stops",
    }
    requirements = failures(mutant.name, "executed", "row_capable", "statement_capable", "restricted")
    assert (mutant.requirement in requirements) is (mutant.name not in only_by_fields)


def test_a_missing_decision_fails():
    case = next(each for each in cases(5) if "WL3303-DECISION-PER-STATEMENT" in each.marks)
    reference = ReferenceImplementation()
    answer = reference.ask(request_of(case))
    short = Observation(answer.events[:-1])
    refused = Observation((), Refusal(None, "malformed", "what is this?"))
    long = Observation((*answer.events, answer.events[-1]))
    for observation, requirement in (
        (short, "WL3303-DECISION-TWO-FORMATS"),
        (refused, "WL3303-DECISION-TWO-FORMATS"),
        (long, "FORMAT-DECIDE-FORMAT"),
    ):
        verdicts = judge().judge(case, observation)
        assert requirement in {each.requirement for each in verdicts if each.status == "fail"}


#: A process that declares some fields of the role, and answers with the reference's values of these.
SPEAKER = """
import json, sys
from conformance.protocol.observation import Request
from conformance.reference.decide import answer

FIELDS = ["format", "message", "executed"]
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "start":
        role = {"fields": FIELDS, "abilities": [], "profiles": ["worklog", "mysql-8.0"]}
        about = {"name": "speaker", "version": "1", "language": "Python"}
        reply = {"protocol": 1, "implementation": about, "roles": {"decide": role}}
    elif request["cmd"] == "stop":
        break
    else:
        assert "stream" not in request and "expected" not in line
        entries = answer(Request("decide", request["profile"], b"", request["settings"])).events
        events = [{name: each[name] for name in FIELDS} for each in entries]
        reply = {"seq": request["seq"], "events": events, "error": None}
    print(json.dumps(reply), flush=True)
"""


def test_a_process_is_judged_by_what_it_declares(tmp_path):
    program = tmp_path / "speaker.py"
    program.write_text(SPEAKER, encoding="utf-8")
    with ProcessImplementation([sys.executable, str(program)]) as speaker:
        role = speaker.declaration.roles["decide"]
        verdicts = [
            each
            for case in cases(5, ("worklog", "mysql-8.0"))
            for each in Judge(role).judge(case, speaker.ask(request_of(case)))
        ]
    assert {each.status for each in verdicts} == {"pass", "unsupported"}
    assert {each.requirement for each in verdicts if each.status == "unsupported"} <= OWNERS
    assert "WL3303-SET-CAPABLE" in {each.requirement for each in verdicts}


def test_the_page_lists_every_field_with_its_words():
    page = PAGE.read_text(encoding="utf-8")
    for name, field in FIELDS.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        words = {word for word in line.split("|")[2].replace("`", "").replace(",", " ").split()}
        assert words == set(field.words)


def test_the_example_of_the_page_is_right():
    text = PAGE.read_text(encoding="utf-8").split("```")[1]
    request, reply = (json.loads(part.strip().removeprefix("->")) for part in text.split("<-"))
    assert request["cmd"] == "decide"
    answer = ReferenceImplementation().ask(Request("decide", request["profile"], b"", request["settings"]))
    assert list(answer.events) == reply["events"]
    assert required(*FIELDS)(ReferenceImplementation().declaration.roles["decide"], reply["events"][0]) == ()
