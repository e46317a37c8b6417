"""An implementation sees a short list of the user's environment, and what the user adds."""

import sys
from pathlib import Path

import pytest

from conformance.engine.certification import Budget, Certification, Selection
from conformance.engine.record_lines import RecordLines
from conformance.engine.replay_line import replay_line
from conformance.implementations.process.environment import USUAL, environment_of
from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId

DOUBLE = Path(__file__).parent.parent / "doubles" / "shows_its_environment.py"
PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def variables(monkeypatch):
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GOFLAGS", "GOMAXPROCS", "LC_NUMERIC"):
        monkeypatch.setenv(name, f"the value of {name}")


def seen_by(limits):
    """Return the names of the variables that an implementation sees."""
    with ProcessImplementation([sys.executable, str(DOUBLE)], limits=limits) as implementation:
        trouble = implementation.ask(Request("decode", "mysql-8.0", b"stream"))
    return set(trouble.detail.split())


def test_secrets_are_not_passed():
    names = seen_by(Limits())
    assert {"PATH", "LC_NUMERIC"} <= names
    assert names.isdisjoint({"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GOFLAGS", "GOMAXPROCS"})


def test_names_and_globs_add_variables():
    names = seen_by(Limits(environment=("GO*", "GITHUB_TOKEN")))
    assert {"GOFLAGS", "GOMAXPROCS", "GITHUB_TOKEN"} <= names
    assert "AWS_SECRET_ACCESS_KEY" not in names


def test_values_are_passed_unchanged():
    assert environment_of(["A"], {"A": "=\n", "B": "b", "LC_ALL": "C"}) == {"A": "=\n", "LC_ALL": "C"}


def test_the_replay_line_repeats_the_names():
    line = replay_line(CaseId.parse("transactions/mysql-8.0/0/0"), "command:./a", Limits(environment=("GO*", "TOKEN")))
    assert line.endswith("command:./a '--pass-env=GO*' --pass-env=TOKEN")


def test_the_record_has_the_names_and_no_values():
    lines = []
    Certification(
        implementation=ReferenceImplementation(),
        spec="reference",
        selections=[Selection("decode", ("mysql-8.0",), families=("rotations",))],
        budget=Budget(examples=1),
        listeners=(RecordLines(lines.append),),
        limits=Limits(environment=("GO*", "NOT_SET")),
    ).run()
    assert lines[0].environment == ("GOFLAGS", "GOMAXPROCS")
    assert "the value of" not in str(lines)


def test_the_page_has_the_list():
    assert all(f"`{name}`" in PAGE for name in USUAL[: USUAL.index("SYSTEMROOT")])
