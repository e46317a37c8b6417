"""The summary for a pull request."""

import re
from pathlib import Path

import pytest
from example_record import example_lines, failure, finished, requirement, write_lines
from hostile import hostile_and_long, hostile_lines

from conformance.reports.markdown import markdown_report
from conformance.reports.record import RunRecord, read_record


def markdown_of(tmp_path: Path, lines: list, *, unfinished: bool = False) -> str:
    return markdown_report(read_record(write_lines(tmp_path / "other.jsonl", lines), unfinished=unfinished))


def test_it_begins_with_the_verdict(example: RunRecord):
    lines = markdown_report(example).splitlines()
    assert lines[0] == r"### Binary log conformance of mysql\-replication 1.0.17: ❌ not conforming"
    assert lines[2].startswith("It crashed in 2 of 600 cases. It breaks 3 of the 4 requirements that this run judged")


def test_the_table_leaves_nothing_out(example: RunRecord):
    text = markdown_report(example)
    assert "| ✗ findings | ‼ cases that crashed | ✓ pass | ✗ fail | ‼ crash | □ unsupported | ○ not reached |" in text
    assert "| · no oracle yet | ⊘ untestable |" in text
    assert "| 3 | 2 | 1 | 2 | 1 | 1 | 1 | 1 | 1 |" in text


def test_each_new_failure_has_the_command_that_reproduces_it(example: RunRecord):
    text = markdown_report(example)
    assert re.findall(r"```sh\n(.*)\n```", text) == [
        "binlog-conformance replay gtid_events/mysql-8.0/choices-BAAB mysql-replication==1.0.17",
        "binlog-conformance replay rows_query/mysql-8.0/choices-AgQGCA mysql-replication==1.0.17",
    ]
    assert text.count("\n\nRule: A Rows\\_query event gives back the text") == 1
    assert "- `event of an unassigned type refused: KeyError: N`: reported upstream, waits for a release" in text


def test_many_failures_stay_short(tmp_path: Path):
    failures = [failure(signature=f"s{number}") for number in range(200)]
    text = markdown_of(tmp_path, finished(*failures, requirement()))
    assert "180 more findings: see the HTML report." in text
    assert len(text) < 20_000


def test_a_run_that_was_cut_off_is_reported_as_such(tmp_path: Path):
    text = markdown_of(tmp_path, example_lines()[:1], unfinished=True)
    assert "cut off" in text.splitlines()[0]
    assert "onforming" not in text


@pytest.mark.parametrize("make", [hostile_lines, hostile_and_long])
def test_the_text_of_an_implementation_does_not_become_markup(tmp_path: Path, make):
    text = markdown_of(tmp_path, make())
    # Code is shown unchanged; everything else must be escaped.
    fences = re.sub(r"(?ms)^(`{3,})sh\n.*?\n\1$", "", text)
    prose = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", fences)
    assert re.findall(r"(?<!\\)<[^>]*>", prose) == ["<details>", "<summary>", "</summary>", "</details>"]
    assert not re.search(r"@everyone", prose)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ud800-\udfff]", text)
    assert not re.search(r"(?m)^# head", prose)
    assert len(text) < 50_000


def test_a_replay_line_with_backticks_stays_in_its_fence(tmp_path: Path):
    text = markdown_of(tmp_path, finished(failure(replay="a ```` b"), requirement()))
    assert "`````sh\na ```` b\n`````" in text
