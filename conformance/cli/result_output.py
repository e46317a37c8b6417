"""The options that choose how a command prints the results of a run, and the printing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from conformance.cli.main import UserError
from conformance.reports.annotations import annotations
from conformance.reports.json_report import json_report
from conformance.reports.markdown import markdown_report
from conformance.reports.record import RunRecord
from conformance.reports.sarif import sarif_report
from conformance.reports.terminal import print_summary, print_verdict

#: Name of a format -> what makes it; `text` is the summary for a terminal.
_REPORTS: Final[Mapping[str, Callable[[RunRecord], str]]] = {
    "json": json_report,
    "markdown": markdown_report,
    "sarif": sarif_report,
    "github": annotations,
}


def result_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose how results are printed; the command takes them as `form`, `quiet`, `verbose`."""
    options = (
        click.option(
            "--format",
            "form",
            type=click.Choice(("text", *_REPORTS)),
            default="text",
            show_default=True,
            help="How to print the results; github means annotations of GitHub Actions.",
        ),
        click.option("-q", "--quiet", is_flag=True, help="Print the verdict only, or with --format only that."),
        click.option(
            "-v", "--verbose", is_flag=True, help="Print every finding in full, and a line for each requirement."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class ResultOutput:
    """How the results of a run are printed.

    Attributes:
        form: The format, one of the choices of `result_options`.
        quiet: Whether nothing but the verdict, or the document, is printed.
        verbose: Whether every finding is printed in full, and every requirement.

    Raises:
        UserError: Both are asked for.
    """

    form: str
    quiet: bool
    verbose: bool

    def __post_init__(self) -> None:
        """Check that one of the two is asked for at most."""
        if self.quiet and self.verbose:
            raise UserError("--quiet and --verbose exclude each other")

    def print_results(self, record: RunRecord, report: Path | None, *, kept: Path | None = None) -> None:
        """Print the results, and where the report is.

        Args:
            record: The run.
            report: The folder of its reports, None if there is none.
            kept: The record itself, if it is not in that folder.
        """
        if self.form != "text":
            click.echo(_REPORTS[self.form](record), nl=False)
        elif self.quiet:
            print_verdict(record)
        else:
            place = kept or report
            print_summary(record, everything=self.verbose, kept=None if place is None else str(place))
        if report is not None:
            self.echo(f"Report: {report / 'report.html'}")

    def echo(self, line: str) -> None:
        """Print a line for people, on standard error where standard output has a document."""
        if not self.quiet:
            click.echo(line, err=self.form != "text")
