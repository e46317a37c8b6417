"""The requirement catalogue: it follows its schema and covers all of the worklogs."""

import json
import re
import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from conformance.specs.catalogue import catalogue, documents, governing, read_document, select

FILES = {
    file.name: file.read_text(encoding="utf-8")
    for file in (resources.files("conformance.specs") / "requirements").iterdir()
    if file.name.endswith(".toml")
}
DOCUMENTS = dict(documents())
#: Statements of the independent reading, by worklog.
STATEMENTS = {"WL4033": 74, "WL40": 75, "WL3303": 74, "WL4162": 135, "WL7592": 112}
#: Contradictions and silences that this reading reported.
OPEN_POINTS = {"WL4033": 17, "WL40": 19, "WL3303": 15, "WL4162": 27, "WL7592": 27}


def schema() -> dict:
    return json.loads((resources.files("conformance.specs") / "schemas" / "requirements.schema.json").read_text())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_follows_the_schema(name):
    jsonschema.validate(tomllib.loads(FILES[name]), schema())


def test_the_schema_refuses_an_entry_without_a_text():
    document = {"worklog": "WL#1", "title": "t", "requirement": [{"id": "WL1-A"}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema())


SMALL = """
worklog = "WL#1"
title = "A worklog"

[[requirement]]
id = "WL1-RULE"
level = "must"
role = "decode"
text = "An event is read whole."
section = "1"
statements = [{ id = "WL1-01", anchor = "is read" }]
holds = ["mysql >= 5.6"]
families = ["transactions"]
"""


@pytest.mark.parametrize(
    ("line", "damaged", "message"),
    [
        ('level = "must"', 'level = "will"', r"requirement\[0\]\.level: 'will' is not one of may, must, should"),
        ('role = "decode"', 'rule = "decode"', r"requirement\[0\]\.rule: there is no such key; there are id, level, "),
        (
            'anchor = "is read"',
            'anchor = ""',
            r"requirement\[0\]\.statements\[0\]\.anchor: expected a text of length",
        ),
        ('holds = ["mysql >= 5.6"]', "holds = []", r"requirement\[0\]\.holds: expected a list of length 1 or more"),
        (
            'families = ["transactions"]',
            "families = []",
            "must have either families or a reason in untestable",
        ),
        ('section = "1"', 'section = "1"\nsettles = ["X-01"]', "WL1-RULE settles X-01, but has no interpretation"),
    ],
)
def test_a_damaged_file_is_refused_by_the_schema_and_by_the_reader_with_its_place(line, damaged, message):
    assert read_document(SMALL).requirement[0].id == "WL1-RULE"
    text = SMALL.replace(line, damaged)
    with pytest.raises(ValueError, match=message):
        read_document(text)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), schema())


def test_a_requirement_holds_under_a_profile_that_runs_have():
    unreachable = {each.id: str(each.holds) for each in catalogue().values() if not each.holds.names}
    assert unreachable == {}, (
        "no profile stands for a version in these ranges, so no run judges the requirements: write a range with the "
        "newest release of a profile, or a profile with its own range in specs/profiles.py"
    )


def test_every_statement_is_in_exactly_one_requirement():
    covered = Counter(each.id for requirement in catalogue().values() for each in requirement.statements)
    expected = {f"{worklog}-{number:02d}" for worklog, count in STATEMENTS.items() for number in range(1, count + 1)}
    assert set(covered) == expected
    assert {each for each, count in covered.items() if count > 1} == set()


def test_every_open_point_is_settled_exactly_once():
    settled = Counter(each for requirement in catalogue().values() for each in requirement.settles)
    for document in DOCUMENTS.values():
        settled.update(note.id for note in document.settled_notes)
    by_worklog = Counter(each.rpartition("-")[0] for each in settled)
    assert by_worklog == {**OPEN_POINTS, "X": 15}
    assert {each for each, count in settled.items() if count > 1} == set()


def test_only_table_rows_and_the_wire_format_have_no_statement():
    # WL#7592 and WL#4162 share statements among table rows, and among the requirements of one sentence on readers.
    without_statement = [each for each in catalogue().values() if not each.statements]
    assert {each.worklog for each in without_statement} <= {"FORMAT", "WL#4162", "WL#7592", "WL#40", "WL#4033"}
    assert all(each.section for each in without_statement)


@pytest.mark.parametrize(("filters", "expected"), [({"worklog": "4033"}, "WL4033"), ({"worklog": "WL#40"}, "WL40")])
def test_a_worklog_is_selected_by_its_number(filters, expected):
    assert {each.id.split("-")[0] for each in select(**filters)} == {expected}


def test_a_role_and_a_glob_narrow_the_selection():
    selected = select(role="decode", pattern="WL4033-GOLDEN-*")
    assert selected
    assert {each.role for each in selected} == {"decode"}


@pytest.mark.parametrize("profile", ["worklog", "mysql-5.1"])
def test_governing_requirements_have_the_role_and_the_profile(profile):
    governed = {requirement for requirement, governs in governing("decode", profile).items() if governs}
    assert governed == {each.id for each in select(role="decode") if profile in each.holds}
    assert set(governing("decode", profile)) == set(catalogue())


def test_an_unknown_worklog_is_named_in_the_error():
    with pytest.raises(ValueError, match="no worklog '99'"):
        select(worklog="99")


@pytest.mark.ground_truth
def test_statements_and_anchors_are_those_of_the_audit_and_the_worklogs(ground_truth: Path):
    audit = (ground_truth / "requirements-audit.md").read_text(encoding="utf-8")
    ids = set(re.findall(r"^\| (WL\d+-\d+) \|", audit, re.MULTILINE))
    statements = {each.id: each for requirement in catalogue().values() for each in requirement.statements}
    assert set(statements) == ids
    worklogs = {
        path.name.split("-")[0]: " ".join(path.read_text(encoding="utf-8").split())
        for path in (ground_truth / "worklogs").glob("WL*.txt")
    }
    missing = [each.id for each in statements.values() if each.anchor not in worklogs[each.id.split("-")[0]]]
    assert missing == []
