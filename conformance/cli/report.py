"""`binlog-conformance report`: write the reports of a run record again, or set several runs side by side."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NoReturn

import click

from conformance.cli.certify import hold
from conformance.cli.examples import examples
from conformance.cli.exit_status import exit_status
from conformance.cli.file_path import FilePath
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.record_argument import record_at, record_path
from conformance.cli.result_output import ResultOutput, result_options
from conformance.reports.folder import write_overview, write_reports
from conformance.reports.record import RecordError
from conformance.reports.terminal import print_verdict

#: The exit statuses of several runs, the one that decides first.
_DECIDING: Final = (COULD_NOT_RUN, NOT_CONFORMING, CONFORMING)


@click.command(
    "report",
    epilog=examples(
        "report report/run.jsonl pages",
        "report mine/ theirs/ both/",
    ),
)
@click.argument("records", metavar="RECORD...", nargs=-1, required=True, type=FilePath(path_type=Path))
@click.argument("folder", type=FilePath(path_type=Path, file_okay=False))
@result_options
def command(records: tuple[Path, ...], folder: Path, form: str, quiet: bool, verbose: bool) -> None:
    """Write the HTML, JUnit, Markdown and SARIF reports of a run RECORD to FOLDER.

    RECORD is a run record (run.jsonl) or the folder that holds it. Of several runs, FOLDER has their requirements side
    by side, as overview.html and overview.md.
    """
    output = ResultOutput(form, quiet, verbose)
    if len(records) > 1:
        _side_by_side(records, folder, form)
    read = record_at(records[0])
    _write(folder, lambda: write_reports(record_path(records[0]), folder))
    output.print_results(read, folder, kept=records[0])
    raise SystemExit(exit_status(read))


def _side_by_side(places: tuple[Path, ...], folder: Path, form: str) -> NoReturn:
    """Write the overview of several runs, print each verdict, and exit with the status that decides."""
    if form != "text":
        raise UserError(f"--format {form} is for one run; several are printed as text")
    records = [record_at(place) for place in places]
    _write(folder, lambda: write_overview(records, folder))
    for record in records:
        print_verdict(record)
    click.echo(f"Report: {folder / 'overview.html'}")
    statuses = {exit_status(record) for record in records}
    raise SystemExit(next(status for status in _DECIDING if status in statuses))


def _write(folder: Path, write: Callable[[], object]) -> None:
    try:
        with ExitStack() as stack:
            hold(folder, stack)
            write()
    except OSError as error:
        raise UserError(f"{error.filename or folder}: {error.strerror or error}") from error
    except RecordError as error:
        raise UserError(str(error)) from error
