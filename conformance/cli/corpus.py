"""`binlog-conformance corpus`: very large corpora on Spark."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.certify import explain_baseline, hold, store_baseline, writable
from conformance.cli.command_group import CommandGroup
from conformance.cli.corpus_options import judging_options, output_options, role_option, size_options, spark_options
from conformance.cli.corpus_session import mistakes_in_one_line, session_of
from conformance.cli.examples import examples
from conformance.cli.exit_status import exit_status
from conformance.cli.file_path import FilePath
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.names import IMPLEMENTATION
from conformance.cli.result_output import ResultOutput, result_options
from conformance.implementations.process.limits import limits_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from conformance.corpus.history import History
    from conformance.corpus.output import Output
    from conformance.corpus.results import Results
    from conformance.corpus.run import CorpusRun
    from conformance.engine.events import RunFinished
    from conformance.protocol.observation import Declaration
    from conformance.reports.record import RunRecord


@click.group(
    "corpus",
    cls=CommandGroup,
    epilog=examples(
        "corpus run mysql-replication --events 200000 --report report",
        "corpus run mysql-replication --time 8h --master yarn --output hdfs:///corpora/night --history hdfs:///nights",
        "corpus generate --events 1000000 --output corpus",
        "corpus check corpus command:./parser --output results",
        "corpus compare older-results results",
    ),
)
def command() -> None:
    """Generate, judge and compare very large corpora on Spark, on this machine or on any cluster.

    Exit status: 0 conforming, 1 not conforming, 2 could not run.
    """


def corpus_with(spark: "SparkSession", *arguments: str) -> int:
    """Run a command of `corpus` with a session that is there already, and return its exit status: 0, 1 or 2.

    For a notebook or a job of a managed Spark: ``corpus_with(spark, "run", "./reader", "--events", "1000000")``. The
    session keeps its master and settings, and is not stopped.

    Args:
        spark: A session whose driver is in this process, not one of Spark Connect.
        *arguments: The command and its arguments, as on the command line.
    """
    try:
        command.main(list(arguments), prog_name="corpus", standalone_mode=False, obj=spark)
    except SystemExit as end:
        return int(end.code or CONFORMING)
    except click.ClickException as error:
        click.echo(f"binlog-conformance: {' '.join(error.format_message().split())}", err=True)
        return COULD_NOT_RUN
    return CONFORMING


@command.command(
    "run",
    short_help="Generate cases and judge an implementation in one pass.",
    epilog=examples(
        "corpus run mysql-replication --events 200000 --report report",
        "corpus run command:./parser --time 8h --output night --resume --baseline known.toml --report report",
        "corpus run reference --profile mysql-8.0 --cases 1000 --output small --master 'local[2]'",
    ),
)
@click.argument("spec", metavar="IMPLEMENTATION", type=IMPLEMENTATION)
@size_options
@role_option
@output_options
@judging_options
@spark_options
def run(spec: str, **options: Any) -> None:
    """Generate cases and judge IMPLEMENTATION in one pass; keep counts, coverage and failing cases."""
    from conformance.engine.selection import Selection

    selection = Selection(
        options["role"],
        _names(options["profiles"]),
        options["requirement"],
        _names(options["families"]),
        repeated=True,
    )
    size = _size(options)
    _judge(
        spec,
        options,
        lambda corpus_run, spark: corpus_run.run(selection, size=size, seed=options["seed"]),
        possible=selection.pairs,
    )


@command.command(
    "check",
    short_help="Judge an implementation on a stored corpus.",
    epilog=examples(
        "corpus check corpus command:./parser --output results --report report",
        "corpus check hdfs:///corpora/one mysql-replication --output hdfs:///results/one --master yarn",
    ),
)
@click.argument("corpus", metavar="CORPUS")
@click.argument("spec", metavar="IMPLEMENTATION", type=IMPLEMENTATION)
@output_options
@judging_options
@spark_options
def check(corpus: str, spec: str, **options: Any) -> None:
    """Judge IMPLEMENTATION on a stored CORPUS, as `generate` wrote it."""
    from conformance.engine.selection import Selection

    selection = Selection(requirements=options["requirement"])
    _judge(
        spec,
        options,
        lambda corpus_run, spark: corpus_run.check(_output(spark, corpus), selection),
        possible=lambda declaration: selection.check_requirements(),
    )


@command.command(
    "generate",
    short_help="Write a corpus as Parquet.",
    epilog=examples(
        "corpus generate --events 1000000 --output corpus",
        "corpus generate --family transactions --profile mysql-8.0 --cases 500 --output small",
    ),
)
@size_options
@role_option
@output_options
@spark_options
def generate(**options: Any) -> None:
    """Write a corpus as Parquet: streams, expected observations, requirements."""
    from conformance.engine.selection import Selection
    from conformance.specs.profiles import PROFILES, profile_named

    size = _size(options)
    profiles = _names(options["profiles"])
    try:
        for each in profiles:
            profile_named(each)
        selection = Selection(options["role"], families=_names(options["families"]), repeated=True)
        pairs = selection.pairs_under(profiles or tuple(PROFILES))
    except ValueError as error:
        raise UserError(str(error)) from error
    with mistakes_in_one_line(), session_of(options) as spark, _progress() as progress:
        from conformance.corpus.plan import Plan
        from conformance.corpus.run import Options
        from conformance.corpus.run import generate as write_corpus

        plan = Plan(tuple(pairs), options["seed"], options["role"])
        output = _output(spark, options["output"])
        run_options = Options(resume=options["resume"], watch=progress)
        with output.in_use():
            waves = write_corpus(spark, output, plan, size=size, options=run_options)
        cases, events = sum(wave.cases for wave in waves), sum(wave.events for wave in waves)
        click.echo(f"Corpus: {output.storage.uri}, {cases:,} cases with {events:,} events")


@command.command(
    "report",
    short_help="Write the reports of a run, the coverage and the trend.",
    epilog=examples(
        "corpus report night report",
        "corpus report hdfs:///nights/one report --history hdfs:///nights/history --master yarn",
    ),
)
@click.argument("run_uri", metavar="RUN")
@click.argument("folder", type=FilePath(path_type=Path, file_okay=False))
@click.option("--history", metavar="URI", help="Table of earlier runs, for the trend.")
@result_options
@spark_options
def report(run_uri: str, folder: Path, history: str | None, **options: Any) -> None:
    """Write the reports of a RUN to FOLDER: those of `certify`, the coverage and the trend."""
    show = _shown(options)
    with mistakes_in_one_line(), ExitStack() as stack:
        hold(folder, stack)
        spark = stack.enter_context(session_of(options))
        from conformance.corpus.results import read_results

        output = _output(spark, run_uri)
        record = _record(output, folder)
        _write_reports(folder, record, read_results(spark, output), _history(spark, history))
        show.print_results(record, folder)
    raise SystemExit(exit_status(record))


@command.command(
    "compare",
    short_help="Report what broke and what was fixed between two runs.",
    epilog=examples("corpus compare older-results results"),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@spark_options
def compare(first: str, second: str, **options: Any) -> None:
    """Report what broke, what was fixed and what is new in run B, compared with run A.

    Exit status: 0 if B is not worse than A, 1 if it is, 2 could not run.
    """
    from conformance.reports.comparison import compare_runs
    from conformance.reports.comparison_text import comparison_lines

    with mistakes_in_one_line(), session_of(options) as spark, TemporaryDirectory() as scratch:
        records = [_record(_output(spark, uri), Path(scratch) / name) for name, uri in (("a", first), ("b", second))]
    comparison = compare_runs(records[0], records[1], paths=(first, second))
    for line in comparison_lines(comparison):
        click.echo(line)
    raise SystemExit(NOT_CONFORMING if comparison.worse else CONFORMING)


def _judge(
    spec: str,
    options: dict[str, Any],
    judge: Callable[["CorpusRun", "SparkSession"], tuple["RunFinished", "Results"]],
    *,
    possible: Callable[["Declaration"], object],
) -> None:
    """Judge with `run` or `check`, write the record and the reports, and exit.

    Args:
        spec: The implementation.
        options: The options of the command.
        judge: Judges it with Spark.
        possible: Raises ValueError if there is nothing to judge of an implementation that declares this.
    """
    from conformance.engine.baseline import Baseline

    show = _shown(options)
    limits = limits_of(options["answer_time"], options["memory"], options["hangs"], options["environment"])
    with mistakes_in_one_line(), ExitStack() as stack:
        if options["write_baseline"] is not None:
            writable(options["write_baseline"])
        if options["report"] is not None:
            hold(options["report"], stack)
        known = Baseline() if options["baseline"] is None else Baseline.load(options["baseline"])
        possible(_declared_here(spec, limits))
        spark = stack.enter_context(session_of(options))
        progress = stack.enter_context(_progress())
        from conformance.corpus.output import RECORD
        from conformance.corpus.results_table import append_results, check_format
        from conformance.corpus.run import CorpusRun, Options
        from conformance.engine.record_lines import RecordLines
        from conformance.reports.record import RecordWriter, read_record
        from conformance.specs.files import errors_of

        if options["results_table"] is not None:
            check_format(spark, options["results_format"])
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        output = _output(spark, options["output"])
        stack.enter_context(output.in_use())
        history = _history(spark, options["history"])
        with RecordWriter(scratch / RECORD) as writer:
            run_options = Options(
                limits=limits,
                window=options["window"],
                resume=options["resume"],
                baseline=known,
                history=history,
                shrink=options["shrink"],
                listeners=(RecordLines(writer.append),),
                watch=progress,
            )
            finished, results = judge(CorpusRun(spark, output, spec, run_options), spark)
        progress.stop()
        output.storage.write(RECORD, (scratch / RECORD).read_bytes())
        record = read_record(scratch / RECORD)
        # All files first: whoever reads the output may have gone.
        if options["report"] is not None:
            with errors_of(options["report"] / RECORD):
                (options["report"] / RECORD).write_bytes((scratch / RECORD).read_bytes())
            _write_reports(options["report"], record, results, history)
        if options["results_table"] is not None:
            append_results(spark, record, options["results_table"], form=options["results_format"])
        stored = None if options["write_baseline"] is None else store_baseline(options["write_baseline"], finished)
        show.print_results(record, options["report"])
        show.echo(f"Run: {output.storage.uri}, {finished.tally.cases:,} cases with {finished.tally.events:,} events")
        if results.not_claimed:
            show.echo(f"left out: {results.not_claimed:,} cases of profiles that {spec} does not claim")
    if results.unrepeated:
        show.echo(
            f"not reproduced: {results.unrepeated:,} cases: the process was killed from outside, and a new one answered"
        )
    explain_baseline(known, finished, echo=show.echo)
    if stored is not None:
        show.echo(stored)
    if results.kit_errors:
        first = results.kit_errors[0]
        raise UserError(f"the kit has a bug, at {len(results.kit_errors)} cases or more; {first.case}: {first.error}")
    raise SystemExit(exit_status(record))


def _shown(options: dict[str, Any]) -> ResultOutput:
    return ResultOutput(options["form"], options["quiet"], options["verbose"])


def _declared_here(spec: str, limits: Any) -> "Declaration":
    """Start the implementation once, before anything that takes longer, and return what it declares.

    Raises:
        CannotStart: It does not start.
        ValueError: There is no such implementation.
    """
    from conformance.implementations.registry import implementation

    with implementation(spec, limits=limits) as started:
        return started.declaration


def _write_reports(folder: Path, record: "RunRecord", results: "Results", history: "History | None") -> None:
    from conformance.corpus.coverage_page import coverage_page
    from conformance.corpus.output import RECORD
    from conformance.corpus.run_page import Link, about_run
    from conformance.corpus.trend_page import trend_page
    from conformance.reports.folder import write_reports
    from conformance.specs.files import write_text

    write_reports(folder / RECORD, folder)
    report, coverage = Link("Report", "report.html"), Link("Coverage", "coverage.html")
    links = [report] if history is None else [report, Link("Trend", "trend.html")]
    pages = {
        "coverage.html": coverage_page(results.coverage, record.header.profiles, about=about_run(record), links=links)
    }
    if history is not None:
        pages["trend.html"] = trend_page(history.read(), record, links=[report, coverage])
    for name, page in pages.items():
        write_text(folder / name, page)


def _record(output: "Output", folder: Path) -> "RunRecord":
    """Copy a run's record into a local folder, and read it."""
    from conformance.corpus.manifest import RunManifest
    from conformance.corpus.output import RECORD
    from conformance.reports.record import RECORD_BYTES, RecordError, read_record
    from conformance.specs.files import errors_of

    output.manifest(RunManifest)
    if not output.storage.exists(RECORD):
        holder = output.holder()
        if holder is not None:
            raise UserError(f"{output.storage.uri}: the run is not finished, and still running ({holder})")
        raise UserError(f"{output.storage.uri} is not finished, or holds a corpus: there is no {RECORD}")
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / RECORD
    with errors_of(copy):
        copy.write_bytes(output.storage.read(RECORD, limit=RECORD_BYTES))
    try:
        return read_record(copy)
    except RecordError as error:
        raise UserError(f"{output.storage.uri}/{RECORD}:{error.line}: {error.what}") from error


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of an option that may be repeated, and may have several names each time."""
    return tuple(name.strip() for each in given for name in each.split(",") if name.strip())


def _size(options: dict[str, Any]) -> Any:
    from conformance.corpus.plan import Size

    try:
        return Size(options["cases"], options["events"], options["seconds"])
    except ValueError as error:
        raise UserError("give one of --cases, --events and --time") from error


def _output(spark: "SparkSession", uri: str) -> "Output":
    from conformance.corpus.output import Output
    from conformance.corpus.storage import Storage

    return Output(Storage(spark, uri))


def _history(spark: "SparkSession", uri: str | None) -> "History | None":
    from conformance.corpus.history import History
    from conformance.corpus.storage import Storage

    return None if uri is None else History(spark, Storage(spark, uri))


def _progress() -> Any:
    from conformance.corpus.progress import CorpusProgress

    return CorpusProgress()
