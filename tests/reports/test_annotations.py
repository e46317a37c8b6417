"""Annotations of GitHub Actions: one command a line, whatever text an implementation has."""

import re

from example_record import example_lines, failure, finished, requirement, write_lines
from hostile import hostile_lines

from conformance.reports.annotations import annotations
from conformance.reports.record import read_record

COMMAND = re.compile(r"::(error|notice) title=([^:,\r\n]*)::([^\r\n]*)")


def commands_of(tmp_path, lines):
    text = annotations(read_record(write_lines(tmp_path / "run.jsonl", lines)))
    matches = [COMMAND.fullmatch(line) for line in text.removesuffix("\n").split("\n")]
    assert all(matches)
    return [match.groups() for match in matches if match]


def test_each_new_finding_is_an_error_and_the_verdict_comes_last(tmp_path):
    commands = commands_of(tmp_path, example_lines())
    assert [name for name, _, _ in commands] == ["error"] * 3
    # The crash first; the known finding is not annotated.
    assert commands[0][1].startswith("1. crash%3A exit-status-134")
    assert "binlog-conformance replay rows_query" in commands[1][2]
    assert commands[-1][1] == "mysql-replication 1.0.17%3A not conforming"


def test_a_conforming_run_is_a_notice(tmp_path):
    assert [name for name, _, _ in commands_of(tmp_path, finished(requirement("A-1", "pass")))] == ["notice"]


def test_github_shows_ten_of_a_step_so_the_rest_is_counted(tmp_path):
    lines = finished(*(failure(signature=f"finding {number}") for number in range(30)), requirement())
    commands = commands_of(tmp_path, lines)
    assert len(commands) == 10
    assert "21 more findings are in the report." in commands[-1][2]


def test_no_text_of_an_implementation_becomes_a_command_of_its_own(tmp_path):
    evil = "x\n::set-env name=PATH::/evil\r%0A::error::y"
    for commands in (commands_of(tmp_path, hostile_lines(evil)), commands_of(tmp_path, hostile_lines())):
        assert len(commands) == 3
