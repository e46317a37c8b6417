"""`binlog-conformance compare`: what changed from one run to another."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import click

from conformance.cli.examples import examples
from conformance.cli.file_path import FilePath
from conformance.cli.main import CONFORMING, NOT_CONFORMING
from conformance.cli.record_argument import record_at
from conformance.reports.comparison import compare_runs
from conformance.reports.comparison_page import comparison_page
from conformance.reports.comparison_text import comparison_lines, comparison_markdown, verdict_sentence
from conformance.reports.json_report import json_text
from conformance.specs.files import write_text
from conformance.specs.run_comparison import RunComparison

#: Name of a format -> what makes it.
_FORMATS: Final[Mapping[str, Callable[[RunComparison], str]]] = {
    "text": lambda comparison: "".join(f"{line}\n" for line in comparison_lines(comparison, kept=True)),
    "json": json_text,
    "markdown": comparison_markdown,
    "html": comparison_page,
}


@click.command(
    "compare",
    epilog=examples(
        "compare before/ after/ --page comparison.html",
        "compare mine/run.jsonl theirs/run.jsonl --format markdown",
    ),
)
@click.argument("first", metavar="A", type=FilePath(path_type=Path))
@click.argument("second", metavar="B", type=FilePath(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(tuple(_FORMATS)), default="text", show_default=True, help="What to print."
)
@click.option("--page", type=FilePath(path_type=Path, dir_okay=False), help="Also write the comparison as HTML here.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict only.")
def command(first: Path, second: Path, form: str, page: Path | None, quiet: bool) -> None:
    """Compare two runs of `certify` or `corpus run`: versions, implementations, nights.

    A and B are run records (run.jsonl) or the folders that hold them. A corpus on a cluster's file system is compared
    by `corpus compare`.

    Exit status: 0 if B is not worse than A, 1 if it is: a requirement broke or is no longer judged, or a finding is
    new; 2 if a record cannot be read.
    """
    comparison = compare_runs(record_at(first), record_at(second), paths=(str(first), str(second)))
    if page is not None:
        write_text(page, comparison_page(comparison))
    if quiet and form == "text":
        click.echo(verdict_sentence(comparison))
    else:
        click.echo(_FORMATS[form](comparison), nl=False)
    raise SystemExit(NOT_CONFORMING if comparison.worse else CONFORMING)
