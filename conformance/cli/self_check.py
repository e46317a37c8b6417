"""`binlog-conformance self-check`: how many machine-made wrong implementations the kit notices."""

import time
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from conformance import __version__
from conformance.cli.certify import MOST_CASES, Duration
from conformance.cli.examples import examples
from conformance.cli.file_path import FilePath
from conformance.cli.integer import Integer
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.names import ROLE, ROLES_HELP
from conformance.self_check.matrix import Scope, role_matrix
from conformance.self_check.page import kill_page
from conformance.self_check.record import (
    SCHEMA,
    Footer,
    Header,
    MutantLine,
    SelfCheckRecord,
    Totals,
    add_to_history,
    read_history,
    write_record,
)
from conformance.self_check.results import is_good, lines_of, totals_of
from conformance.self_check.summary import print_summary
from conformance.specs.catalogue import ROLES
from conformance.specs.conversion import Malformed
from conformance.specs.files import write_text

#: The files of a report folder.
RECORD: Final = "self-check.jsonl"
PAGE: Final = "self-check.html"


@click.command(
    "self-check",
    epilog=examples(
        "self-check --role boundary --report report",
    ),
)
@click.option("--role", "roles", multiple=True, type=ROLE, help=f"Role; may be repeated: {ROLES_HELP}.  [default: all]")
@click.option("--mutant", "mutants", multiple=True, metavar="GLOB", help="Mutants, such as 'gtid-*'; may be repeated.")
@click.option(
    "--trigger", "triggers", multiple=True, metavar="GLOB", help="Triggers, such as 'flag-*'; may be repeated."
)
@click.option(
    "--cases",
    type=Integer(1, MOST_CASES),
    help="Cases of each family and profile.  [default: as many as certify asks]",
)
@click.option("--time", "seconds", type=Duration(), help="Ask cases for this long instead: 90s, 10m, 8h.")
@click.option("--seed", type=Integer(min=0), default=0, show_default=True, help="Seed of the cases.")
@click.option("--jobs", type=Integer(min=1), help="Processes.  [default: one for each core]")
@click.option("--report", type=FilePath(path_type=Path, file_okay=False), help="Folder for the record and the page.")
@click.option(
    "--history",
    type=FilePath(path_type=Path, file_okay=False),
    help="Folder with a file for each earlier run, to which this run is added.",
)
def command(
    roles: tuple[str, ...],
    mutants: tuple[str, ...],
    triggers: tuple[str, ...],
    cases: int | None,
    seconds: float | None,
    seed: int,
    jobs: int | None,
    report: Path | None,
    history: Path | None,
) -> None:
    """Judge wrong implementations made by machine: each mutant, wrong only where a trigger holds.

    A trigger is a condition on what an implementation sees: only in the second log, only with a flag, only for the
    last of several. Each wrong implementation must be noticed, and its own requirement blamed first.

    Exit status: 0 if 95 % are noticed and 90 % of them with the right requirement first, 1 if not, 2 if nothing was
    judged.
    """
    if cases is not None and seconds is not None:
        raise UserError("--cases and --time exclude each other")
    every = cases if seconds is None else MOST_CASES
    scope = Scope(mutants=mutants, triggers=triggers, cases=every, seed=seed, jobs=jobs)
    selected = [role for role in roles or ROLES if scope.mutants_of(role) and not scope.covers_nothing(role)]
    if not selected:
        wanted = f"--mutant {' '.join(mutants) or '*'} --trigger {' '.join(triggers) or '*'}"
        raise UserError(f"{wanted}: there is no such mutant with such a trigger")
    try:
        record = _checked(scope, selected, seconds)
        earlier = _keep(record, history)
        if report is not None:
            report.mkdir(parents=True, exist_ok=True)
            write_record(report / RECORD, record)
            write_text(report / PAGE, kill_page(record, earlier))
    except BrokenProcessPool as error:
        raise UserError("a process of the self-check was killed: allow more memory, or give --jobs 1") from error
    except Malformed as error:
        raise UserError(str(error)) from error
    print_summary(record)
    if report is not None:
        click.echo(f"Report: {report / PAGE}")
    raise SystemExit(_exit_status(record.footer.totals))


def _checked(scope: Scope, roles: list[str], seconds: float | None) -> SelfCheckRecord:
    """Return the record of a self-check of some roles, which share the time."""
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines: list[MutantLine] = []
    totals: dict[str, Totals] = {}
    end = None if seconds is None else time.monotonic() + seconds
    for number, role in enumerate(roles):
        now = time.monotonic()
        deadline = None if end is None else now + (end - now) / (len(roles) - number)
        matrix = role_matrix(role, scope, deadline=deadline)
        of_role = lines_of(matrix)
        lines += of_role
        totals[role] = totals_of(matrix, of_role)
    return SelfCheckRecord(Header(SCHEMA, __version__, started, scope.seed, tuple(roles)), lines, Footer(totals))


def _keep(record: SelfCheckRecord, history: Path | None) -> list[SelfCheckRecord]:
    """Add a record to the history, and return the history."""
    if history is None:
        return []
    add_to_history(history, record)
    return read_history(history)


def _exit_status(totals: dict[str, Totals]) -> int:
    judged = [each for each in totals.values() if each.occurred]
    if not judged:
        return COULD_NOT_RUN
    return CONFORMING if all(map(is_good, judged)) else NOT_CONFORMING
