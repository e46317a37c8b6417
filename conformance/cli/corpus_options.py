"""The options that the commands for corpora share."""

from collections.abc import Callable
from pathlib import Path

import click

from conformance.cli.certify import MOST_CASES, Duration, limit_options
from conformance.cli.file_path import FilePath
from conformance.cli.integer import Integer
from conformance.cli.names import FAMILY, ROLE, ROLES_HELP
from conformance.cli.profile_option import PROFILES_HELP, ProfileName
from conformance.cli.requirement_option import requirement_option
from conformance.cli.result_output import result_options

Command = Callable[..., None]
#: The formats of the table of results.
TABLE_FORMATS = ("parquet", "delta", "iceberg")


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


spark_options = _options(
    click.option("--master", metavar="URL", help="Spark master, such as local[4], yarn or k8s://...  [default: local]"),
    click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="Spark setting; may be repeated."),
)
size_options = _options(
    click.option("--cases", type=Integer(1, MOST_CASES), help="Number of cases."),
    click.option("--events", type=Integer(1, MOST_CASES), help="As many cases as hold this many events."),
    click.option("--time", "seconds", type=Duration(), help="As many cases as fit in this time: 90s, 10m, 8h."),
    click.option(
        "--profile",
        "--profiles",
        "profiles",
        multiple=True,
        metavar="NAME",
        shell_complete=ProfileName().shell_complete,
        help=f"Profile, or a release such as mysql-8.0.15; may be repeated: {PROFILES_HELP}.  [default: all]",
    ),
    click.option(
        "--family",
        "--families",
        "families",
        multiple=True,
        metavar="NAME",
        shell_complete=FAMILY.shell_complete,
        help="Family; may be repeated; `families` lists them.  [default: all]",
    ),
    click.option("--seed", type=Integer(min=0), default=0, show_default=True, help="Seed of the cases."),
)
output_options = _options(
    click.option(
        "--output", default="corpus-output", show_default=True, metavar="URI", help="Folder: any Hadoop path."
    ),
    click.option("--resume", is_flag=True, help="Continue the run in the folder."),
)
role_option = click.option(
    "--role", type=ROLE, default="decode", show_default=True, help=f"Role of the cases: {ROLES_HELP}."
)
judging_options = _options(
    requirement_option("WL4033-*"),
    click.option("--baseline", type=FilePath(path_type=Path), help="File of known failures with reasons (TOML)."),
    click.option(
        "--write-baseline", type=FilePath(path_type=Path), help="Write the failures to this file as a baseline."
    ),
    click.option(
        "--history", metavar="URI", help="Table of earlier runs: their shrunk cases are reused, and this run is added."
    ),
    click.option("--report", type=FilePath(path_type=Path, file_okay=False), help="Folder for the reports."),
    click.option(
        "--results-table",
        metavar="NAME|URI",
        help="Table of the catalog, or a Hadoop path, to which the verdicts of the run are added: docs/clusters.md.",
    ),
    click.option(
        "--results-format",
        type=click.Choice(TABLE_FORMATS),
        default=TABLE_FORMATS[0],
        show_default=True,
        help="Format of that table; Spark must have the jar of delta or iceberg.",
    ),
    click.option("--shrink/--no-shrink", default=True, help="Shrink failing cases.  [default: shrink]"),
    click.option(
        "--window",
        type=Integer(1, 1 << 16),
        default=16,
        show_default=True,
        help="Questions sent ahead of their answers.",
    ),
    result_options,
    limit_options,
)
