"""`binlog-conformance results`: keep the records of certified implementations, and make a site of them."""

from dataclasses import replace
from pathlib import Path

import click
from msgspec import structs

from conformance.cli.command_group import CommandGroup
from conformance.cli.examples import examples
from conformance.cli.file_path import FilePath
from conformance.cli.main import UserError
from conformance.cli.record_argument import record_path
from conformance.implementations.installation import CannotInstall
from conformance.log_page.log_page import write_log_page
from conformance.reports.kept_runs import CannotKeep, KeptRun, keep_run, kept_runs
from conformance.reports.outcome import number_of
from conformance.reports.record import RecordError
from conformance.reports.site.site import write_site
from conformance.reports.site.written_up import written_up
from conformance.specs.conversion import Malformed
from conformance.strategies.grammar.family import makes


@click.group(
    "results",
    cls=CommandGroup,
    epilog=examples(
        "results add report results",
        "results site results public",
    ),
)
def command() -> None:
    """Keep the records of certified implementations in a folder, and make a site of them.

    Exit status: 0, or 2 if a record cannot be kept or read.
    """


@command.command(
    "add",
    short_help="Add run records to a folder of results.",
    epilog=examples("results add report/run.jsonl results"),
)
@click.argument("records", metavar="RECORD...", nargs=-1, required=True, type=FilePath(path_type=Path))
@click.argument("folder", type=FilePath(path_type=Path, file_okay=False))
def add_command(records: tuple[Path, ...], folder: Path) -> None:
    """Add run RECORDs to the FOLDER of results, each in the place of one of the same version.

    RECORD is a run record (run.jsonl) or the folder that holds it. It is compressed, and paths of this machine are cut
    from its texts.
    """
    for record in records:
        try:
            kept = keep_run(record_path(record), folder)
        except (CannotKeep, RecordError) as error:
            raise UserError(str(error)) from error
        except OSError as error:
            raise UserError(f"{error.filename or record}: {error.strerror or error}") from error
        click.echo(f"{kept}: {kept.stat().st_size:,} bytes")


@command.command(
    "site",
    short_help="Write the pages of a folder of results.",
    epilog=examples("results site results public", "results site results public --findings findings"),
)
@click.argument("folder", type=FilePath(path_type=Path, file_okay=False))
@click.argument("output", type=FilePath(path_type=Path, file_okay=False))
@click.option(
    "--findings", type=FilePath(path_type=Path, file_okay=False), help="Folder of findings that were written up."
)
@click.option(
    "--log-page",
    "has_log_page",
    is_flag=True,
    help="Add a page that decodes and checks a log in the browser; fetches Pyodide once, with npm and pip.",
)
def site_command(folder: Path, output: Path, findings: Path | None, *, has_log_page: bool) -> None:
    """Write the pages of a FOLDER of results to OUTPUT: implementations, requirements, findings.

    The pages are static and need nothing from elsewhere; OUTPUT/index.html is the first. The page of --log-page needs
    a web server: python -m http.server --directory OUTPUT.
    """
    try:
        runs = [_with_replays(each) for each in kept_runs(folder)]
        if not runs:
            raise UserError(f"{folder}: no results: binlog-conformance results add RECORD {folder}")
        count = write_log_page(output) if has_log_page else 0
        reports = written_up(findings) if findings else {}
        count += write_site(runs, output, reports=reports, has_log_page=has_log_page)
    except (CannotInstall, Malformed, RecordError) as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"{error.filename or output}: {error.strerror or error}") from error
    click.echo(f"{output / 'index.html'}: {number_of(count, 'file')} on {number_of(len(runs), 'run')}")


def _with_replays(run: KeptRun) -> KeptRun:
    """Return a run whose failures name the command that reproduces them only where this version makes their cases."""
    failures = tuple(
        each if makes(each.case, each.stream_bytes) else structs.replace(each, replay="")
        for each in run.record.failures
    )
    return replace(run, record=replace(run.record, failures=failures))
