"""Two runs are compared: the second is worse where it shows a failure, or a gap, that the first does not."""

import json
from pathlib import Path

import jsonschema
import pytest
from example_record import crash, failure, finished, header, requirement, write_lines
from hostile import EVIL, hostile_lines

from conformance.reports.case_alias import case_alias
from conformance.reports.comparison import compare_runs
from conformance.reports.comparison_page import comparison_page
from conformance.reports.comparison_text import comparison_lines, comparison_markdown, verdict_sentence
from conformance.reports.json_report import json_text
from conformance.reports.record import read_record
from conformance.specs.json_schema import run_comparison_schema

HOLDS = [requirement("A-1", "pass"), requirement("A-2", "pass")]
BREAKS = [failure(requirement="A-1"), requirement("A-1", "fail"), requirement("A-2", "pass")]


@pytest.fixture
def compared(tmp_path):
    """Return a function that compares two runs of these lines."""

    def compare(first, second):
        records = [
            read_record(write_lines(tmp_path / name, finished(*lines))) for name, lines in (("a", first), ("b", second))
        ]
        return compare_runs(*records)

    return compare


def changes(entries):
    return [(each.id, each.before, each.after) for each in entries]


def test_a_requirement_that_held_and_is_broken_makes_the_second_run_worse(compared):
    comparison = compared(HOLDS, BREAKS)
    assert comparison.worse
    assert changes(comparison.broke) == [("A-1", "pass", "fail")]
    assert [each.signature for each in comparison.new] == [failure()["signature"]]
    back = compared(BREAKS, HOLDS)
    assert not back.worse
    assert changes(back.fixed) == [("A-1", "fail", "pass")]
    assert (len(back.gone), len(back.new), len(back.same)) == (1, 0, 0)


def test_the_same_findings_are_not_worse_however_many_cases_show_them(compared):
    comparison = compared(BREAKS, [failure(requirement="A-1", count=900), *BREAKS[1:]])
    assert not comparison.worse
    assert [(each.before, each.after) for each in comparison.same] == [(41, 900)]


def test_a_finding_in_another_group_of_profiles_is_new(compared):
    other = failure(requirement="A-1", group="mariadb", profile="mysql-5.7")
    comparison = compared(BREAKS, [BREAKS[0], other, *BREAKS[1:]])
    assert comparison.worse
    assert [each.group for each in comparison.new] == ["mariadb"]
    assert comparison.broke == ()


def test_a_crash_where_there_was_a_failure_is_worse_although_the_requirement_was_broken_before(compared):
    comparison = compared(BREAKS, [crash(requirement="A-1"), requirement("A-1", "crash"), BREAKS[2]])
    assert comparison.worse
    assert comparison.broke == ()
    assert [each.status for each in comparison.new] == ["crash"]


@pytest.mark.parametrize("verdict", ["unsupported", "not-reached", "blocked"])
def test_a_requirement_that_is_no_longer_judged_is_worse(compared, verdict):
    comparison = compared(HOLDS, [requirement("A-1", verdict), HOLDS[1]])
    assert comparison.worse
    assert changes(comparison.only_first) == [("A-1", "pass", verdict)]


def test_a_requirement_that_only_one_run_selects_is_listed(compared):
    comparison = compared(HOLDS[:1], HOLDS[1:])
    assert changes(comparison.only_first) == [("A-1", "pass", None)]
    assert changes(comparison.only_second) == [("A-2", None, "pass")]
    assert not compared(HOLDS[:1], HOLDS).worse


def test_what_else_differs_is_named(tmp_path):
    lines = finished(*HOLDS)
    other = [header(seed=7, kit="0.2.0"), *lines[1:]]
    records = [read_record(write_lines(tmp_path / name, each)) for name, each in (("a", lines), ("b", other))]
    assert compare_runs(*records).differences == ("kit: 0.1.0 -> 0.2.0", "seed: 0 -> 7")


def test_the_lines_have_the_verdict_last_and_the_command_of_each_new_finding(compared):
    lines = list(comparison_lines(compared(HOLDS, BREAKS)))
    assert "broke: A-1 (pass -> fail)" in lines
    assert f"    {failure()['replay']}" in lines
    assert lines[-1] == "B is worse than A: requirements 1 broke, 0 fixed; findings 1 new, 0 gone, 0 in both."
    assert verdict_sentence(compared(HOLDS, HOLDS)).startswith("B is not worse than A")
    assert verdict_sentence(compared(BREAKS, HOLDS)).startswith("B is better than A")


def test_beside_their_records_the_lines_have_the_short_ids_of_the_run_that_has_the_case(compared):
    short = f"    binlog-conformance replay {case_alias(failure()['case'])} --record %s "
    for first, second, record in ((HOLDS, BREAKS, "B"), (BREAKS, HOLDS, "A")):
        lines = list(comparison_lines(compared(first, second), kept=True))
        assert [line.startswith(short % record) for line in lines if "replay" in line] == [True]


def test_the_page_has_the_short_id_of_a_case_whose_id_is_long(compared):
    name = f"transactions/mysql-8.0/choices-{'A' * 200}"
    long = failure(requirement="A-1", case=name, replay=f"binlog-conformance replay {name} mine")
    page = comparison_page(compared(HOLDS, [long, *BREAKS[1:]]))
    assert f"replay {case_alias(name)} --record B mine" in page
    assert name not in page


def test_the_document_is_what_its_schema_describes(compared):
    for first, second in ((HOLDS, BREAKS), (BREAKS, HOLDS), (BREAKS, BREAKS), (HOLDS[:1], HOLDS[1:])):
        document = json.loads(json_text(compared(first, second)))
        jsonschema.Draft202012Validator(run_comparison_schema()).validate(document)


def test_the_page_and_the_markdown_name_what_changed(compared):
    comparison = compared(HOLDS, BREAKS)
    page, markdown = comparison_page(comparison), comparison_markdown(comparison)
    assert "B is worse" in page
    assert "B is not worse" in comparison_page(compared(BREAKS, HOLDS))
    assert 'id="broke"' in page
    assert 'id="fixed"' not in page
    assert "| `A-1` | pass | fail |" in markdown
    assert "**New findings** (1)" in markdown


def test_the_text_of_an_implementation_stays_text(tmp_path: Path):
    records = [
        read_record(write_lines(tmp_path / name, lines))
        for name, lines in (("a", finished(*HOLDS)), ("b", hostile_lines(EVIL)))
    ]
    comparison = compare_runs(*records)
    assert "<script>alert" not in comparison_page(comparison)
    assert "<script>alert" not in comparison_markdown(comparison)
    assert not [line for line in comparison_lines(comparison) if "\x1b" in line or "\n" in line]
