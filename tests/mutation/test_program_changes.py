"""Wrong programs made by a machine: each change is of one place, is taken back, and is noticed where cases meet it."""

import ast

import pytest

from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.mutation import program_changes
from tests.mutation.program_changes import modules_of, outcome, questions_of, survivors
from tests.mutation.syntax_changes import changed, changes

SOURCE = """
LIMIT = 3
def length(data: bytes) -> int:
    if not data or data[0] >= LIMIT:
        return 0
    return len(data[1:])
"""
MADE = {
    "left out: LIMIT = 3",
    "4: 3",
    "2: 3",
    "if True: if not data or data[0] >= LIMIT:",
    "if False: if not data or data[0] >= LIMIT:",
    "without not data: not data or data[0] >= LIMIT",
    "without data[0] >= LIMIT: not data or data[0] >= LIMIT",
    "without not: not data",
    "Gt for GtE: data[0] >= LIMIT",
    "Lt for GtE: data[0] >= LIMIT",
    "1: 0",
    "-1: 0",
    "from the start: 1:",
    "2: 1",
    "0: 1",
}


def test_each_place_is_changed_and_no_annotation():
    made = {f"{each.words}: {ast.unparse(each.node).splitlines()[0]}" for each in changes(ast.parse(SOURCE))}
    assert made == MADE


def test_a_change_is_in_the_tree_and_taken_back():
    tree = ast.parse(SOURCE)
    before = ast.unparse(tree)
    for each in changes(tree):
        with changed(tree, each) as other:
            assert ast.unparse(other) != before, each.words
        assert ast.unparse(tree) == before, each.words


def test_the_modules_of_a_program_are_those_that_it_imports():
    assert modules_of("filterer") == ["filterer", "watch", "wire"]


def test_the_wrong_deciders_of_a_sample_are_all_noticed(capsys):
    assert list(survivors("decide", ["decider"], 12)) == []
    assert capsys.readouterr().out.startswith("decider: 12 changes")


@pytest.mark.parametrize(
    ("addition", "becomes"),
    [
        ("", "same"),
        ("right = answer\ndef answer(request): return {**right(request), 'events': []}", "blamed"),
        ("def answer(request): raise ValueError", "crashed"),
        ("def answer(request):\n    while True: pass", "crashed"),
    ],
)
def test_a_changed_program_is_asked_until_an_answer_is_wrong(addition, becomes, monkeypatch):
    monkeypatch.setattr(program_changes, "SECONDS", 2)
    monkeypatch.syspath_prepend(str(program_changes.FOLDER))
    source = (program_changes.FOLDER / "decider.py").read_text(encoding="utf-8")
    decider = __import__("decider")
    judge = program_changes.Judge(_declared("decide"))
    questions = questions_of("decide", judge, decider.answer)[:40]
    tree = ast.parse(f"{source}\n{addition}\n")
    assert outcome("decider", "decider", tree, questions, judge)[0] == becomes


def _declared(role):
    command = [program_changes.sys.executable, str(program_changes.FOLDER / program_changes.PROGRAMS[role])]
    with ProcessImplementation(command) as implementation:
        return implementation.declaration.roles[role]
