"""A changed copy of the kit is an implementation: what its reference answers wrongly is blamed."""

import shutil

import pytest

from tests.mutation import __main__ as command
from tests.mutation.code_changes import ROOT
from tests.mutation.judged_copy import ANSWERING, blamed, cases_of, program_blamed

ASKED = "reference.ask(pickle.load(requests))"


@pytest.fixture
def copy_with(tmp_path):
    """Return a function that makes a copy whose reference answers what some code makes of a right answer."""

    def copy(change):
        path = tmp_path / ANSWERING
        path.parent.mkdir(parents=True)
        answering = (
            (ROOT / ANSWERING).read_text(encoding="utf-8").replace("Path(__file__).parents[2]", f"{str(ROOT)!r}")
        )
        wrong = f"from dataclasses import replace\n\n\ndef changed(answer):\n    return {change}\n\n\n"
        path.write_text(wrong + answering.replace(ASKED, f"changed({ASKED})"))
        return tmp_path

    return copy


def test_a_copy_without_a_change_is_not_blamed():
    assert blamed(cases_of("boundary", 1), ROOT) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("replace(answer, events=answer.events[:-1])", " at boundary:"),
        ("1 / 0", "crashed"),
    ],
)
def test_a_copy_with_a_change_is(copy_with, change, words):
    assert words in blamed(cases_of("boundary", 1), copy_with(change))


@pytest.mark.parametrize(("change", "blames"), [("events=()", False), ("streams=answer.streams[:-1]", True)])
def test_the_logs_of_a_copy_are_read_by_this_one(copy_with, change, blames):
    copy = copy_with(f"replace(answer, {change})")
    assert bool(blamed(cases_of("log", 1)[:5], copy)) == blames


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("", "", ""),
        ('"Self Contained",', '"Start Transaction",', " at boundary:"),
        ("def __init__(self, profile: str)", "def __init__(self)", " at boundary:"),
        ("WORDS = (", "WORDS = [", "cannot start"),
    ],
)
def test_a_changed_program_is_blamed(tmp_path, right, wrong, words):
    folder = shutil.copytree(ROOT / "tests" / "independent", tmp_path / "independent")
    watch = folder / "watch.py"
    watch.write_text(watch.read_text(encoding="utf-8").replace(right, wrong, 1))
    answer = program_blamed(cases_of("boundary", 1), folder / "boundary.py")
    assert words in answer if words else not answer


def test_a_module_of_the_programs_is_judged_in_a_role_by_the_program_of_the_role(tmp_path):
    module = "tests/independent/watch.py"
    assert command.tests_of(module) == []
    assert command.by_role("boundary", 1, tmp_path, module)[-1] == "tests/independent/boundary.py"
    assert command.by_role("boundary", 1, tmp_path, "conformance/models/boundary/marking.py")[-1] == "."
