"""The folder of reports."""

from pathlib import Path

import pytest
from example_record import example_lines, write_lines
from hostile import hostile_and_long

from conformance.reports.folder import write_reports
from conformance.reports.record import RecordError


def test_it_holds_every_report(example_path: Path, tmp_path: Path):
    paths = write_reports(example_path, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == ["report.html", "junit.xml", "summary.md", "results.sarif", "badge.svg"]
    assert all("onforming" in path.read_text(encoding="utf-8") or path.suffix == ".xml" for path in paths)


def test_the_same_record_gives_the_same_bytes(example_path: Path, tmp_path: Path):
    one, other = (
        [path.read_bytes() for path in write_reports(example_path, tmp_path / name)] for name in ("one", "other")
    )
    assert one == other


def test_a_run_that_was_cut_off_gives_no_report_unless_asked_for(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", example_lines()[:3])
    with pytest.raises(RecordError, match="the run was cut off: no footer"):
        write_reports(path, tmp_path / "reports")
    assert not (tmp_path / "reports").exists()
    for report in write_reports(path, tmp_path / "reports", unfinished=True):
        assert "cut off" in report.read_text(encoding="utf-8").lower()


def test_a_hostile_record_is_written_like_any_other(tmp_path: Path):
    path = write_lines(tmp_path / "run.jsonl", hostile_and_long())
    assert sum(report.stat().st_size for report in write_reports(path, tmp_path / "reports")) < 500_000
