"""Programs that share nothing with the kit and answer as its pages say: whoever blames one accuses falsely.

The controls beside the mutants are the reference with one difference: they cannot show what the reference and the
oracles have in common. These programs were written from `docs` alone, with their own decoding. A client is free in
much: there is one program, with the habits of several.
"""

import ast
import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.main import cli
from conformance.engine.discovery import cases_by_default
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Refusal
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from conformance.wire.shared_listener import begin, end

HERE = Path(__file__).parent
PROGRAMS = {
    "apply": "applier.py",
    "boundary": "boundary.py",
    "decide": "decider.py",
    "decode": "decoder.py",
    "filter": "filterer.py",
    "log": "logger.py",
    "relay": "receiver.py",
    "render": "printer.py",
    "send": "sender.py",
}


#: A part of the cases in every run of the tests, those of default settings in the slow ones.
OPTIONS = [("--examples", "2"), pytest.param((), marks=pytest.mark.slow)]


@pytest.mark.parametrize("options", OPTIONS, ids=["two examples", "default settings"])
@pytest.mark.parametrize("role", PROGRAMS)
def test_nobody_blames_an_independent_program_that_is_right(role, options, tmp_path):
    program = f"command:{sys.executable} {HERE / PROGRAMS[role]}"
    report = str(tmp_path / "report")
    result = CliRunner().invoke(cli, ["certify", program, "--role", role, "--report", report, *options])
    assert result.exit_code == 0, result.output
    assert f"independent {role} 1: conforming" in result.output


#: Each client answers one of so many cases: together they answer each several times.
SHARES = 12


def client_cases():
    """Return the cases that a client is asked by default."""
    return [
        case_of(CaseId(family.name, profile, seed=0, index=index, role="client"))
        for family in families().values()
        if "client" in family.focus
        for profile in family.profiles_of("client")
        for index in range(cases_by_default(family.name, profile, role="client"))
    ]


def observed(answer, case):
    """Return what a client answers, with what the source saw of it."""
    question, port = begin(request_of(case))
    try:
        message = answer({"profile": question.profile, "settings": dict(question.settings)})
    finally:
        deliveries = end(port)
    error = message["error"] and Refusal(**message["error"])
    return Observation(tuple(message["events"]), error, deliveries=deliveries)


def test_nobody_blames_a_client_for_what_it_is_free_to_do(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    client = importlib.import_module("client")
    role = ReferenceImplementation().declaration.roles["client"]
    cases = client_cases()
    blamed = {}
    for number, (name, habits) in enumerate(client.HABITS.items()):
        answer, judge = client.client_with(habits), Judge(replace(role, abilities=frozenset()))
        for case in cases[number % SHARES :: SHARES]:
            verdicts = judge.judge(case, observed(answer, case))
            blamed |= {(name, str(case.id), each.requirement): each.message for each in verdicts if each.is_failure}
    assert blamed == {}


@pytest.mark.parametrize("module", sorted(HERE.glob("[!t]*.py")), ids=lambda path: path.stem)
def test_a_program_imports_nothing_of_the_kit(module):
    imported = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    assert not {name for name in imported if name.startswith(("conformance", "tests"))}
