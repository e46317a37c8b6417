"""`binlog-conformance certify`: judge an implementation against every requirement."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from conformance.cli.examples import examples
from conformance.cli.exit_status import exit_status
from conformance.cli.file_path import FilePath
from conformance.cli.integer import Integer
from conformance.cli.main import UserError
from conformance.cli.names import FAMILY, IMPLEMENTATION, ROLE, ROLES_HELP
from conformance.cli.profile_option import PROFILES_HELP, ProfileName
from conformance.cli.progress import Progress
from conformance.cli.record_argument import RECORD
from conformance.cli.requirement_option import requirement_option
from conformance.cli.result_output import ResultOutput, result_options
from conformance.cli.settings import is_from_settings
from conformance.engine.baseline import Baseline, BaselineError, entries_for
from conformance.engine.certification import Budget, Certification, NothingToRun, Selection
from conformance.engine.events import RunFinished
from conformance.engine.process_pool import cores
from conformance.engine.record_lines import RecordLines
from conformance.engine.workers import WorkerLost, Workers
from conformance.implementations import registry
from conformance.implementations.process.limits import DEFAULT_LIMITS, MOST_MEMORY, duration, limits_of
from conformance.implementations.process.process_implementation import CannotStart
from conformance.reports.outcome import number_of
from conformance.reports.record import RecordWriter, read_record
from conformance.specs.files import write_text

#: The most cases that a number can ask for, far more than a year has time for.
MOST_CASES: Final = 10**12
#: The most processes that share the work.
MOST_JOBS: Final = 1024
#: Processes that ask clients beside each other, unless the user gives a number: most of them wait to connect again.
_OF_CLIENTS: Final = 8

if TYPE_CHECKING:
    _Seconds = click.ParamType[float]
else:
    # Before Click 8.4 the class takes no type parameter.
    _Seconds = click.ParamType


class Duration(_Seconds):
    """The type of an option whose value is a time."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds of an option's value."""
        try:
            return value if isinstance(value, float) else duration(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that limit an implementation's time and memory."""
    options = (
        click.option(
            "--answer-time", type=Duration(), default="10s", show_default=True, help="Time limit for one answer."
        ),
        click.option(
            "--memory",
            type=Integer(0, MOST_MEMORY),
            default=2048,
            show_default=True,
            metavar="MIB",
            help="Limit on the memory that each of its processes may have; 0 means none.",
        ),
        click.option(
            "--hangs",
            type=Integer(min=1),
            default=DEFAULT_LIMITS.hangs,
            show_default=True,
            help="Hangs after which a role is not asked any more; two fifths of them end the asking of one family.",
        ),
        click.option(
            "--pass-env",
            "environment",
            multiple=True,
            metavar="NAME",
            help="Variable that the implementation sees besides the usual ones, or a glob: 'GO*'; may be repeated.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    "certify",
    epilog=examples(
        "certify mysql-replication --report report",
        "certify mysql-replication==1.0.7 --role decode --profile mysql-8.0",
        "certify command:'java -jar parser.jar' --memory 4096 --time 10m",
        "certify python:my_parser --requirement 'WL4033-*' -x",
        "certify command:./parser --baseline known.toml",
    ),
)
@click.argument("spec", metavar="IMPLEMENTATION", type=IMPLEMENTATION)
@click.option(
    "--profile",
    "profiles",
    type=ProfileName(),
    multiple=True,
    help=f"Profile to certify for, or a release such as mysql-8.0.15; may be repeated: {PROFILES_HELP}.  "
    "[default: all claimed]",
)
@requirement_option("WL4033-*")
@click.option(
    "--role",
    "roles",
    type=ROLE,
    multiple=True,
    help=f"Role to certify; may be repeated: {ROLES_HELP}.  [default: all declared]",
)
@click.option(
    "--family",
    "families",
    type=FAMILY,
    multiple=True,
    help="Family of cases; may be repeated; `families` lists them.  [default: all]",
)
@click.option(
    "--examples",
    type=Integer(1, MOST_CASES),
    help="Cases for each family and profile.  [default: enough for every pair of variants]",
)
@click.option("--time", "seconds", type=Duration(), help="Look for failures for this long instead: 90s, 10m, 8h.")
@click.option("--seed", type=Integer(min=0), default=0, show_default=True, help="Seed of the cases.")
@click.option("--baseline", type=FilePath(path_type=Path), help="File of known failures with reasons (TOML).")
@click.option("--write-baseline", type=FilePath(path_type=Path), help="Write the failures to this file as a baseline.")
@click.option("--report", type=FilePath(path_type=Path, file_okay=False), help="Folder for the record and the reports.")
@click.option(
    "-j",
    "--jobs",
    type=Integer(1, MOST_JOBS),
    help="Processes that share the work, each with an implementation of its own; the results are the same.  "
    f"[default: one for each core, and at least {_OF_CLIENTS} in the role client, where most of the time is waits]",
)
@click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first failure that is not in the baseline.")
@result_options
@limit_options
def command(
    spec: str,
    profiles: tuple[str, ...],
    requirement: str,
    roles: tuple[str, ...],
    families: tuple[str, ...],
    examples: int | None,
    seconds: float | None,
    seed: int,
    baseline: Path | None,
    write_baseline: Path | None,
    report: Path | None,
    jobs: int | None,
    exitfirst: bool,
    form: str,
    quiet: bool,
    verbose: bool,
    answer_time: float,
    memory: int,
    hangs: int,
    environment: tuple[str, ...],
) -> None:
    """Judge IMPLEMENTATION against every requirement, and show the smallest stream for each failure.

    IMPLEMENTATION is a name that `binlog-conformance implementations` lists, or command:PROGRAM.
    """
    output = ResultOutput(form, quiet, verbose)
    if examples is not None and seconds is not None:
        # The command line wins over the settings.
        if is_from_settings("examples") == is_from_settings("seconds"):
            raise UserError("--examples and --time exclude each other")
        examples, seconds = (None, seconds) if is_from_settings("examples") else (examples, None)
    if write_baseline is not None:
        writable(write_baseline)
    try:
        known = Baseline() if baseline is None else Baseline.load(baseline)
        limits = limits_of(answer_time, memory, hangs, environment)
        make = partial(registry.implementation, spec, limits=limits)
        announce(make())  # The workers make their own.
        is_alone = registry.entry_of(spec)[0].alone
    except (BaselineError, CannotStart, ValueError) as error:
        raise UserError(str(error)) from error
    if is_alone and (jobs or 1) > 1:
        raise UserError(f"--jobs {jobs}: only one {spec} can be asked at a time")
    with ExitStack() as stack:
        # First the workers: they must not have the folder's lock, nor the progress bar's thread.
        implementation = stack.enter_context(_workers(make, jobs, is_alone=is_alone))
        folder = report_folder(report, stack)
        progress = stack.enter_context(Progress())
        try:
            writer = stack.enter_context(RecordWriter(folder / RECORD))
            selection = Selection(profiles=profiles, requirements=requirement, families=families)
            finished = Certification(
                implementation=implementation,
                spec=spec,
                selections=[replace(selection, role=role) for role in roles]
                or selection.in_every_role(implementation.declaration),
                budget=Budget(examples, seconds, exitfirst),
                seed=seed,
                baseline=known,
                listeners=(RecordLines(writer.append), progress),
                limits=limits,
            ).run()
        except (CannotStart, NothingToRun, WorkerLost) as error:
            raise UserError(str(error)) from error
        progress.stop()
        record = read_record(folder / RECORD)
        # All files first: whoever reads the output may have gone.
        if report is not None:
            from conformance.reports.folder import write_reports

            write_reports(folder / RECORD, folder)
        stored = None if write_baseline is None else store_baseline(write_baseline, finished)
        output.print_results(record, report)
    explain_baseline(known, finished, echo=output.echo)
    if stored is not None:
        output.echo(stored)
    raise SystemExit(exit_status(record))


def _workers(make: Callable[[], registry.Implementation], jobs: int | None, *, is_alone: bool) -> Workers:
    """Return the workers of a run: as many as the user asks for, or as are of use."""
    number = jobs or (1 if is_alone else cores())
    return Workers(make, number, number if jobs or is_alone else max(number, _OF_CLIENTS))


def announce(implementation: registry.Implementation) -> None:
    """Print what an implementation will do to more than its own process, if it will.

    Raises:
        CannotStart: It cannot be started.
    """
    if isinstance(implementation, registry.Announcing):
        for line in implementation.announcement():
            click.echo(line, err=True)


def report_folder(report: Path | None, stack: ExitStack) -> Path:
    """Return the folder for the record: that of --report, held until the stack is closed, or a temporary one.

    Raises:
        UserError: The folder cannot be made, or another run writes to it.
    """
    if report is None:
        from tempfile import TemporaryDirectory

        return Path(stack.enter_context(TemporaryDirectory()))
    hold(report, stack)
    return report


def hold(folder: Path, stack: ExitStack) -> None:
    """Hold a folder until the stack is closed, and make it if it does not exist.

    Raises:
        UserError: It cannot be made or locked, or another run writes to it.
    """
    from conformance.engine.run_lock import InUse, run_lock

    try:
        stack.enter_context(run_lock(folder))
    except InUse as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}") from error


def explain_baseline(known: Baseline, finished: RunFinished, *, echo: Callable[[str], None] = click.echo) -> None:
    """Print what does not agree with the baseline, and the lines to add or remove.

    Args:
        known: The baseline.
        finished: The run.
        echo: What prints a line.
    """
    for entry in finished.unexpected_passes:
        echo(f"unexpected pass: {entry.finding!r} does not occur any more")
        echo(f"remove from {known.path}:")
        echo(entry.lines())
    for entry in finished.stale:
        echo(f"stale: no case of this run exercised {', '.join(entry.requirements)}")
        echo(f"remove from {known.path}, or run more cases:")
        echo(entry.lines())
    unknown = [failure for failure in finished.failures if failure.known is None]
    if known.path and unknown:
        echo(f"to accept the new failures, give reasons and add to {known.path}:")
        for entry in entries_for(unknown, "REASON"):
            echo(entry.lines())


def writable(path: Path) -> None:
    """Check before a long run that the baseline can be written after it; an existing file is left unchanged.

    Raises:
        UserError: The file cannot be written.
    """
    existed = path.exists()
    try:
        with path.open("a", encoding="utf-8"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise UserError(f"--write-baseline {path}: {error.strerror}") from error


def store_baseline(path: Path, finished: RunFinished) -> str:
    """Write the failures as a baseline, in which known reasons are kept, and return a line about it.

    Raises:
        UserError: The file cannot be written.
    """
    entries = entries_for(finished.failures, "not investigated yet")
    try:
        write_text(path, "\n\n".join(entry.lines() for entry in entries) + "\n")
    except OSError as error:
        raise UserError(f"--write-baseline {path}: {error.strerror}") from error
    return f"Baseline: {path}, {number_of(len(entries), 'known finding')}"
