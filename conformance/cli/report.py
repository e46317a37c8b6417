"""`binlog-conformance report`: write the reports of a run record again."""

from contextlib import ExitStack
from pathlib import Path

import click

from conformance.cli.certify import hold
from conformance.cli.examples import examples
from conformance.cli.exit_status import exit_status
from conformance.cli.main import UserError
from conformance.reports.folder import write_reports
from conformance.reports.record import RecordError, read_record
from conformance.reports.terminal import print_summary


@click.command(
    "report",
    epilog=examples(
        "report report/run.jsonl pages",
    ),
)
@click.argument("record", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def command(record: Path, folder: Path) -> None:
    """Write the HTML, JUnit and Markdown reports of a run RECORD to FOLDER."""
    try:
        read = read_record(record)
        with ExitStack() as stack:
            hold(folder, stack)
            write_reports(record, folder)
    except OSError as error:
        raise UserError(f"{error.filename or record}: {error.strerror or error}") from error
    except RecordError as error:
        raise UserError(str(error)) from error
    print_summary(read)
    click.echo(f"Report: {folder / 'report.html'}")
    raise SystemExit(exit_status(read))
