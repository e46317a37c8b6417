"""The tutorials are transcripts: each command of theirs prints what the page has."""

import pytest

from tests.extras import require
from tests.transcripts import ROOT, agrees, play

TUTORIALS = ROOT / "docs" / "tutorials"


def differences(name, folder):
    played = play((TUTORIALS / f"{name}.md").read_text(encoding="utf-8"), folder)
    assert len(played) > 5
    return [(step.command, step.expected, output) for step, output in played if not agrees(step.expected, output)]


@pytest.mark.parametrize("name", ["database-engineer", pytest.param("parser-author", marks=pytest.mark.slow)])
def test_the_tutorial_runs_as_printed(tmp_path, name):
    assert differences(name, tmp_path) == []


@pytest.mark.slow
def test_the_tutorial_with_spark_runs_as_printed(tmp_path):
    require("spark")
    assert differences("platform-team", tmp_path) == []


def test_every_tutorial_is_run():
    assert {each.stem for each in TUTORIALS.glob("*.md")} == {"database-engineer", "parser-author", "platform-team"}


@pytest.mark.parametrize(
    ("expected", "output", "good"),
    [
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nd", True),
        ("took ... s", "took 3.5 s", True),
        ("took ... s", "took 3.5 s\nand more", False),
        ("a", "", False),
        ("", "a", False),
        ("a.c", "abc", False),
    ],
)
def test_an_output_agrees_only_with_its_own_page(expected, output, good):
    assert agrees(expected, output) is good
