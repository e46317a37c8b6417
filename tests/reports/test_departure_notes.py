"""A failure whose stream is not a server's log on purpose: every report has the reason beside it."""

import io
from pathlib import Path

import pytest
from example_record import failure, finished, requirement, write_lines
from rich.console import Console

from conformance.reports.html import html_report
from conformance.reports.junit import junit_report
from conformance.reports.markdown import markdown_report
from conformance.reports.record import read_record
from conformance.reports.terminal import print_summary

NOTE = "on purpose: streams of heartbeats have events that no log contains"


def on_a_terminal(record):
    file = io.StringIO()
    print_summary(record, console=Console(file=file, width=300, highlight=False))
    return file.getvalue()


@pytest.mark.parametrize("report", [on_a_terminal, html_report, markdown_report, junit_report])
def test_a_report_has_at_a_failure_why_its_stream_is_not_a_servers_log(report, tmp_path: Path):
    def reported(**changes):
        lines = finished(failure(**changes), requirement())
        return report(read_record(write_lines(tmp_path / "run.jsonl", lines)))

    assert NOTE in reported(departure="streams of heartbeats have events that no log contains")
    assert "on purpose" not in reported()
