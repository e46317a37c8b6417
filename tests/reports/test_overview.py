"""Several runs side by side: a row for each requirement, a column for each run."""

import re
from pathlib import Path

from example_record import crash, failure, finished, header, requirement, write_lines
from hostile import hostile_lines

from conformance.reports.comparison import compare_runs
from conformance.reports.outcome import outcome
from conformance.reports.overview import names_of, overview_markdown, overview_page
from conformance.reports.record import read_record


def records_of(tmp_path: Path, *runs):
    return [read_record(write_lines(tmp_path / str(number), lines)) for number, lines in enumerate(runs)]


def other(*lines, **implementation):
    line = header()
    line["implementation"] |= implementation
    return [line, *finished(*lines)[1:]]


def test_each_requirement_has_the_verdict_of_each_run(tmp_path: Path):
    records = records_of(
        tmp_path,
        finished(failure(requirement="A-1"), requirement("A-1", "fail"), requirement("A-2", "pass")),
        other(requirement("A-1", "pass"), requirement("A-3", "pass"), version="1.0.18"),
    )
    page, markdown = overview_page(records), overview_markdown(records)
    row = re.search(r"<tr[^>]*><th[^>]*><code[^>]*>A-1</code>.*?</tr>", page)
    assert row is not None
    assert re.findall(r'class="cell (\w+)"', row[0]) == ["fail", "pass"]
    assert "not selected" in page
    assert "| `A-1` | ✗ fail | ✓ pass |" in markdown
    assert "| mysql\\-replication 1.0.18 | conforming | 2 | 0 | 0 |" in markdown


def test_a_requirement_whose_cases_crash_because_of_another_is_not_counted_as_broken(tmp_path: Path):
    lines = [
        crash(requirement="A-1"),
        requirement("A-1", "crash"),
        requirement("A-2", "crash"),
        requirement("A-3", "fail"),
    ]
    (record,) = records_of(tmp_path, finished(failure(requirement="A-3"), *lines))
    page, markdown = overview_page([record]), overview_markdown([record])
    assert "It breaks 2 of the 2 requirements" in outcome(record).sentence.replace("**", "")
    assert ">2</td>" in re.search('<td[^>]*data-label="broken"[^>]*>.*?</td>', page)[0]
    assert "| not conforming | 0 | 2 | 2 |" in markdown
    assert compare_runs(record, record).first.broken == 2


def test_requirements_on_which_all_runs_agree_are_left_out_of_the_markdown(tmp_path: Path):
    lines = finished(requirement("A-1", "pass"))
    text = overview_markdown(records_of(tmp_path, lines, lines))
    assert "The verdicts on 0 of 1 requirements differ" in text
    assert "A-1" not in text


def test_runs_of_one_version_have_different_names(tmp_path: Path):
    second = [header(started="2026-01-02T00:00:00Z"), *finished(requirement())[1:]]
    names = names_of(records_of(tmp_path, finished(requirement()), second))
    assert len(set(names)) == 2


def test_the_text_of_an_implementation_stays_text(tmp_path: Path):
    records = records_of(tmp_path, hostile_lines(), finished(requirement()))
    assert "<script>alert" not in overview_page(records)
    assert "<script>alert" not in overview_markdown(records)
