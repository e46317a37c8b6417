"""A short case id stands for exactly one case of a record, or is refused."""

from io import StringIO

import pytest
from example_record import failure, finished, requirement, write_lines
from rich.console import Console

from conformance.reports.case_alias import NoSuchCase, case_alias, case_with_alias, is_alias
from conformance.reports.junit import junit_report
from conformance.reports.markdown import markdown_report
from conformance.reports.record import read_record
from conformance.reports.terminal import print_summary


@pytest.fixture
def record(tmp_path):
    lines = finished(
        failure(signature="one", case="family/mysql-8.0/choices-AA"),
        failure(signature="two", case="family/mysql-8.0/choices-AB"),
        requirement(),
    )
    return read_record(write_lines(tmp_path / "run.jsonl", lines))


def test_a_short_id_finds_the_shrunk_case_and_the_first_one(record):
    for case in ("family/mysql-8.0/choices-AB", record.failures[0].first_case):
        assert case_with_alias(case_alias(case), record) == case
        assert case_with_alias(case_alias(case)[:5], record) == case


def test_an_unknown_short_id_is_refused(record):
    with pytest.raises(NoSuchCase, match="no case of the record has the short id '0000'"):
        case_with_alias("0000", record)


def test_a_short_id_of_several_cases_is_refused(record):
    with pytest.raises(NoSuchCase, match=r"3 cases of the record have the short id '': .*; write more digits"):
        case_with_alias("", record)


def test_no_id_of_a_case_looks_like_a_short_one():
    assert is_alias(case_alias("family/mysql-8.0/0/1"))
    assert not is_alias("family/mysql-8.0/0/1")
    assert not is_alias("boundary:cafe/mysql-8.0/0/1")
    assert not is_alias("abc")


def test_summaries_have_the_short_id_of_a_long_case(tmp_path):
    case = "post_header_lengths/mysql-8.0/choices-" + "A" * 400
    replay = f"binlog-conformance replay {case} 'command:python mine.py' --memory 0"
    record = read_record(
        write_lines(tmp_path / "run.jsonl", finished(failure(case=case, replay=replay), requirement()))
    )
    short = f"binlog-conformance replay {case_alias(case)} --record %s 'command:python mine.py' --memory 0"
    markdown = markdown_report(record)
    assert short % "run.jsonl" in markdown
    assert case not in markdown
    assert f"case {case_alias(case)}, " in junit_report(record)
    for kept, command in ((None, replay), ("my reports", short % "'my reports'")):
        console = Console(width=200, file=StringIO())
        print_summary(record, console=console, kept=kept)
        assert command in console.file.getvalue()
