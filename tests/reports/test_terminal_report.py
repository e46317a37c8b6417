"""The summary on a terminal."""

import io
import re
from pathlib import Path

import pytest
from example_record import crash, example_lines, failure, finished, requirement, write_lines
from hostile import hostile_and_long, hostile_lines
from rich.console import Console

from conformance.reports.record import RunRecord, read_record
from conformance.reports.terminal import print_summary


def printed(record: RunRecord, *, terminal: bool = False, width: int = 120, everything: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=width, highlight=False)
    print_summary(record, console=console, everything=everything)
    return file.getvalue()


def test_each_judged_requirement_has_a_row_the_broken_ones_last(example: RunRecord):
    rows = printed(example, everything=True).split("\n\n")[0].splitlines()
    shown = [re.split(r" {2,}", row.strip())[:3] for row in rows]
    assert [row for row in shown if row[2] != "0/0"] == [
        ["requirement", "verdict", "passed"],
        ["WL4033-FLAG-VALUE", "✓ pass", "200/200"],
        ["WL4033-ROWS-QUERY-TEXT", "✗ fail", "118/200"],
        ["WL4033-READ-UNKNOWN-SKIPPED", "✗ fail (known)", "118/200"],
        ["WL7592-GTID-SIZES", "‼ crash", "118/200"],
    ]


def test_gaps_are_counted_and_listed_on_demand(example: RunRecord):
    counts = "Requirements: 1 pass, 2 fail, 1 crash, 1 unsupported, 1 not reached, 1 no oracle yet, 1 untestable."
    assert counts in printed(example)
    assert "WL7592-LOCKS" not in printed(example)
    assert "WL7592-LOCKS" in printed(example, everything=True)


def test_the_replay_line_of_each_new_failure_is_one_line_however_narrow_the_terminal(example: RunRecord):
    lines = printed(example, width=40).splitlines()
    assert [line.strip() for line in lines if "replay" in line] == [
        "binlog-conformance replay gtid_events/mysql-8.0/choices-BAAB mysql-replication==1.0.17",
        "binlog-conformance replay rows_query/mysql-8.0/choices-AgQGCA mysql-replication==1.0.17",
    ]


def test_it_ends_with_the_verdict(example: RunRecord):
    last = printed(example, width=200).splitlines()[-2:]
    assert last[0] == "mysql-replication 1.0.17: not conforming"
    assert last[1].startswith("It crashed in 2 of 600 cases. It breaks 3 of the 4 requirements")


def test_no_number_is_cut_on_a_narrow_terminal(example: RunRecord):
    assert printed(example, width=40, everything=True).count("118/200") == 3


def test_a_finding_is_one_block_with_what_it_breaks(tmp_path: Path):
    broken = {f"A-{number}": 5 for number in range(30)}
    lines = finished(
        failure(requirement="A-0", requirements=broken),
        failure(requirement="A-0", requirements=broken, group="mariadb", profile="mariadb-11.x"),
        *(requirement(each) for each in broken),
        requirement("B-1", "blocked", obstacles={failure()["signature"]: 15}),
    )
    text = printed(read_record(write_lines(tmp_path / "run.jsonl", lines)), width=200)
    assert text.count("cut short") == 1
    assert "breaks 30 requirements in 82 cases: A-0, A-1, A-10" in text
    assert "; 1 other not judged because of it" in text
    assert "in mysql-8.0, mariadb-11.x" in text
    assert len(text.splitlines()) < 15


def test_of_many_findings_the_first_ten_are_printed_in_full_and_the_others_with_their_commands(tmp_path: Path):
    many = [failure(requirement=f"A-{number:02}", signature=f"fault {number:02}") for number in range(14)]
    lines = finished(*many, *(requirement(f"A-{number:02}") for number in range(14)))
    record = read_record(write_lines(tmp_path / "run.jsonl", lines))
    short, whole = printed(record, width=200), printed(record, width=200, everything=True)
    assert "4 more findings in brief; --verbose prints them in full:\n11. " in short
    assert "in brief" not in whole
    for text, in_full in ((short, 10), (whole, 14)):
        assert text.count("   rule: ") == text.count("   in mysql-8.0") == in_full
        assert text.count("   binlog-conformance replay ") == text.count(". ✗ fail fault ") == 14


def test_a_finding_has_the_text_of_the_first_requirement_that_it_breaks(example: RunRecord):
    text = printed(example, width=200)
    assert text.count("rule: A Rows_query event gives back the text of the statement byte by byte, whatever its") == 1


def test_a_crash_beside_the_catalogue_counts_no_broken_requirement(tmp_path: Path):
    lines = finished(crash(requirement="TROUBLE", count=3), requirement("A-1", "pass"))
    text = printed(read_record(write_lines(tmp_path / "run.jsonl", lines)), width=200)
    assert "   in 3 cases, at streams that ask for nothing special there" in text
    assert "TROUBLE" not in text
    assert "breaks 1 requirement" not in text
    assert "rule: " not in text


def test_a_run_that_was_cut_off_is_reported_as_such(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", example_lines()[:2])
    text = printed(read_record(path, unfinished=True))
    assert "1.0.17: cut off" in text
    assert "onforming" not in text.replace("binlog-conformance", "")


def test_colours_are_for_terminals(example: RunRecord, capsys: pytest.CaptureFixture[str]):
    assert "\x1b[" in printed(example, terminal=True)
    assert "\x1b" not in printed(example)
    print_summary(example)
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("make", [hostile_lines, hostile_and_long])
def test_no_escape_sequence_or_markup_of_an_implementation_gets_through(tmp_path: Path, make):
    text = printed(read_record(write_lines(tmp_path / "run.jsonl", make())))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text)
    assert "⟨1b⟩[2J" in text
    assert "[red]" in text
    assert len(text) < 50_000


def test_brackets_in_a_message_are_not_markup(tmp_path: Path):
    lines = finished(failure(message="got [bold]x[/bold] and [/]"), requirement())
    assert "got [bold]x[/bold] and [/]" in printed(read_record(write_lines(tmp_path / "run.jsonl", lines)))
