"""Python code in this process as an implementation."""

import pytest

from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.registry import implementation
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Observation, Trouble
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

CASE = case_of(CaseId("transactions", "mysql-8.0", seed=1, index=1))


def test_it_answers_like_any_other():
    with implementation("python:tests.doubles.python_parser:good") as parser:
        assert parser.declaration.name == "python-parser"
        answer = parser.ask(request_of(CASE))
    assert isinstance(answer, Observation)
    assert [event["offset"] for event in answer.events] == [event["offset"] for event in CASE.expected.events]


def test_an_exception_is_a_crash_with_its_name():
    with implementation("python:tests.doubles.python_parser:raising") as parser:
        answer = parser.ask(request_of(CASE))
    assert isinstance(answer, Trouble)
    assert (answer.status, answer.signature) == ("crash", "KeyError")
    assert "no such column" in answer.detail


@pytest.mark.parametrize(
    "target", ["no.such.module", "tests.doubles.python_parser:nothing", "tests.doubles.python_parser:silent"]
)
def test_a_target_that_is_not_a_parser_cannot_start(target):
    with pytest.raises(CannotStart, match="cannot start"):
        implementation(f"python:{target}").start()


def test_a_module_must_be_named():
    with pytest.raises(ValueError, match="'python' needs a module"):
        implementation("python:")
