"""`binlog-conformance fuzz`: look for failures until the time is up."""

from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click

from conformance.cli.certify import Duration, hold, limit_options, report_folder
from conformance.cli.examples import examples
from conformance.cli.exit_status import exit_status
from conformance.cli.file_path import FilePath
from conformance.cli.integer import Integer
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.names import FAMILY, IMPLEMENTATION, ROLE
from conformance.cli.profile_option import PROFILES_HELP, ProfileName
from conformance.cli.progress import FuzzingProgress
from conformance.cli.record_argument import RECORD
from conformance.cli.requirement_option import requirement_option
from conformance.cli.result_output import ResultOutput, result_options
from conformance.engine.baseline import Baseline, BaselineError
from conformance.engine.certification import Budget, NothingToRun, Selection
from conformance.engine.events import RunFinished
from conformance.engine.record_lines import RecordLines
from conformance.fuzzing.against import Against
from conformance.fuzzing.fuzzing import Fuzzing
from conformance.fuzzing.guided import EngineFailed, GuidedEngine, available
from conformance.fuzzing.kept_cases import KeptCases
from conformance.implementations import registry
from conformance.implementations.process.limits import Limits, limits_of
from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.python_implementation import PythonImplementation
from conformance.implementations.registry import Implementation
from conformance.reference.implementation import ReferenceImplementation
from conformance.reports.folder import write_reports
from conformance.reports.record import RecordWriter, read_record
from conformance.specs.extras import install_command

#: The packages of the kit whose lines guide the engine when the reference is fuzzed.
REFERENCE_PACKAGES: Final = (
    "conformance.binlog",
    "conformance.models",
    "conformance.protocol",
    "conformance.reference",
)


@click.command(
    "fuzz",
    epilog=examples(
        "fuzz decode --implementation mysql-replication --time 10m",
        "fuzz decode --implementation python:my_parser --against mysql-replication",
    ),
)
@click.argument("role", type=ROLE)
@click.option(
    "--implementation", "spec", type=IMPLEMENTATION, required=True, help="What to fuzz, as `implementations` lists it."
)
@click.option(
    "--against",
    type=IMPLEMENTATION,
    metavar="IMPLEMENTATION",
    help="Second implementation, which must answer the same.",
)
@click.option(
    "--time", "seconds", type=Duration(), default="10m", show_default=True, help="How long to fuzz: 90s, 10m, 8h."
)
@click.option(
    "--corpus",
    type=FilePath(path_type=Path, file_okay=False),
    default=Path("fuzzing-corpus"),
    show_default=True,
    help="Folder of cases that reached something new; the next run starts with them.",
)
@click.option(
    "--engine",
    type=click.Choice(("auto", "coverage", "property")),
    default="auto",
    show_default=True,
    help="coverage: guided by the lines of Python code that run (extra `fuzz`); property: Hypothesis.",
)
@click.option(
    "--profile",
    "profiles",
    type=ProfileName(),
    multiple=True,
    help=f"Profile to fuzz, or a release such as mysql-8.0.15; may be repeated: {PROFILES_HELP}.  "
    "[default: all claimed]",
)
@click.option(
    "--family",
    "families",
    type=FAMILY,
    multiple=True,
    help="Family of cases; may be repeated; `families` lists them.  [default: all]",
)
@requirement_option("WL4162-TT-*")
@click.option("--seed", type=Integer(min=0), default=0, show_default=True, help="Seed of the cases.")
@click.option("--baseline", type=FilePath(path_type=Path), help="File of known failures with reasons (TOML).")
@click.option("--report", type=FilePath(path_type=Path, file_okay=False), help="Folder for the record and the reports.")
@result_options
@limit_options
def command(
    role: str,
    spec: str,
    against: str | None,
    seconds: float,
    corpus: Path,
    engine: str,
    profiles: tuple[str, ...],
    families: tuple[str, ...],
    requirement: str,
    seed: int,
    baseline: Path | None,
    report: Path | None,
    form: str,
    quiet: bool,
    verbose: bool,
    answer_time: float,
    memory: int,
    hangs: int,
    environment: tuple[str, ...],
) -> None:
    """Look for failures of an implementation in ROLE until the time is up.

    Python code (reference, python:MODULE) is fuzzed with a coverage-guided engine if that is installed, anything else
    with Hypothesis. Each kind of failure is reported once, with the smallest case that shows it.
    """
    show = ResultOutput(form, quiet, verbose)
    if against is not None and form != "text":
        raise click.UsageError("--against compares two implementations, which has no verdict: leave out --format")
    limits = limits_of(answer_time, memory, hangs, environment)
    selection = Selection(role, profiles, requirement, families, repeated=True)
    with ExitStack() as stack:
        try:
            known = Baseline() if baseline is None else Baseline.load(baseline)
            hold(corpus / role, stack)
            kept = KeptCases(corpus / role)
            implementation = stack.enter_context(registry.implementation(spec, limits=limits))
            pairs = selection.pairs(implementation.declaration)
            if against is not None:
                raise SystemExit(
                    _fuzz_against(implementation, against, pairs, role, seconds, seed, kept, limits, stack)
                )
            folder = report_folder(report, stack)
            writer = stack.enter_context(RecordWriter(folder / RECORD))
            progress = stack.enter_context(FuzzingProgress())
            run = Fuzzing(
                implementation=implementation,
                spec=spec,
                selections=(selection,),
                budget=Budget(None, seconds),
                seed=seed,
                baseline=known,
                listeners=(RecordLines(writer.append), progress),
                limits=limits,
                seconds=seconds,
                kept=kept,
                engine=_engine(engine, implementation, spec, selection, pairs, seed, corpus / role),
            )
            finished = _run_to_the_end(run, progress)
        except (BaselineError, CannotStart, NothingToRun, EngineFailed, OSError, ValueError) as error:
            raise UserError(str(error)) from error
        progress.stop()
        record = read_record(folder / RECORD)
        if report is not None:
            # First: whoever reads the output may have gone.
            write_reports(folder / RECORD, folder)
        show.print_results(record, report)
        _print_cases(finished, corpus / role, kept, show)
    raise SystemExit(exit_status(record))


def _print_cases(finished: RunFinished, corpus: Path, kept: KeptCases, show: ResultOutput) -> None:
    """Print what was reached, and one line for each kind of failure."""
    _print_coverage(finished, show)
    show.echo(f"Corpus: {corpus}, {len(kept)} case{'' if len(kept) == 1 else 's'} kept")
    for failure in finished.failures:
        show.echo(f"{failure.finding}  {failure.group}  {failure.case.id}")


def _run_to_the_end(run: Fuzzing, progress: FuzzingProgress) -> RunFinished:
    """Run until the end; if the user interrupts it, print the failures so far."""
    try:
        return run.run()
    except KeyboardInterrupt:
        progress.stop()
        for finding, group, case_id in run.failures_so_far:
            click.echo(f"{finding}  {group}  {case_id}")
        raise


def _engine(
    name: str,
    implementation: Implementation,
    spec: str,
    selection: Selection,
    pairs: list[tuple[str, str]],
    seed: int,
    folder: Path,
) -> GuidedEngine | None:
    """Return the coverage-guided engine, None if Hypothesis is to look for failures.

    Raises:
        UserError: The engine is required, and not available.
    """
    instrumented: tuple[str, ...] = ()
    if isinstance(implementation, ReferenceImplementation):
        instrumented = REFERENCE_PACKAGES
    elif isinstance(implementation, PythonImplementation):
        instrumented = (implementation.module.partition(".")[0],)
    if name == "property" or (name == "auto" and not (instrumented and available())):
        return None
    if not instrumented:
        raise UserError(f"{spec} is not Python code in this process, so the engine cannot see which lines run")
    if not available():
        raise UserError(f"the coverage-guided engine is not installed: {install_command('fuzz')}")
    return GuidedEngine(spec, selection.role, pairs, selection.requirements, seed, folder, instrumented)


def _fuzz_against(
    left: Implementation,
    spec: str,
    pairs: list[tuple[str, str]],
    role: str,
    seconds: float,
    seed: int,
    kept: KeptCases,
    limits: Limits,
    stack: ExitStack,
) -> int:
    """Fuzz two implementations against each other, and return the exit status."""
    right = stack.enter_context(registry.implementation(spec, limits=limits))
    if role not in right.declaration.roles:
        raise UserError(f"{spec} does not declare the role {role!r}")
    both = [pair for pair in pairs if pair[1] in right.declaration.roles[role].profiles]
    if not both:
        raise UserError("the two implementations have no profile in common")
    with FuzzingProgress() as progress:
        run = Against(left, right, role, both, seconds, seed, kept, progress.show_counts)
        differences = run.run()
    click.echo(f"{run.cases:,} cases, {len(differences)} difference{'' if len(differences) == 1 else 's'}")
    for each in differences:
        click.echo(f"{each.signature}, in {each.count} cases: {each.message}")
        click.echo(f"  {each.case.id}")
    if not run.compared:
        click.echo("nothing compared: one of them supports none of these cases")
        return COULD_NOT_RUN
    return NOT_CONFORMING if differences else CONFORMING


def _print_coverage(finished: RunFinished, show: ResultOutput) -> None:
    never = finished.tally.never_reached()
    for name, (reached, every) in finished.tally.reached().items():
        show.echo(f"{name}: {reached}" + ("" if every is None else f" of {every}") + " cells reached")
        if never[name]:
            show.echo(f"  never: {', '.join(never[name])}")
    kinds = finished.tally.event_types
    if kinds:
        show.echo(f"event types: {len(kinds)}")
