"""`binlog-conformance replay`: judge one case again, from its id alone."""

from pathlib import Path
from typing import BinaryIO

import click

from conformance.cli.certify import announce, limit_options
from conformance.cli.examples import examples
from conformance.cli.file_path import FilePath
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.names import IMPLEMENTATION
from conformance.cli.record_argument import record_at
from conformance.engine.crash_places import with_place
from conformance.implementations import registry
from conformance.implementations.process.limits import limits_of
from conformance.implementations.process.process_implementation import CannotStart
from conformance.oracles.judge import Judge, request_of
from conformance.reports.case_alias import NoSuchCase, case_with_alias, is_alias
from conformance.specs.files import errors_of
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, makes


@click.command(
    "replay",
    epilog=examples(
        "replay transactions/mysql-8.0/0/3 mysql-replication",
        "replay boundary:marked_streams/worklog/0/3 reference --save stream.bin",
    ),
)
@click.argument("case_id", metavar="CASE-ID")
@click.argument("spec", metavar="IMPLEMENTATION", type=IMPLEMENTATION)
@click.option("--save", type=click.File("wb"), help="Write the stream to this file as well.")
@click.option(
    "--record", type=FilePath(path_type=Path), help="Run record, or its folder, whose short ids CASE-ID may be."
)
@limit_options
def command(
    case_id: str,
    spec: str,
    save: BinaryIO | None,
    record: Path | None,
    answer_time: float,
    memory: int,
    hangs: int,
    environment: tuple[str, ...],
) -> None:
    """Generate the case CASE-ID again, judge IMPLEMENTATION on it, and report what is wrong.

    CASE-ID is an id, or with --record the short id that a report shows, such as 73852288.
    """
    if is_alias(case_id):
        case_id = _case_in(record, case_id)
    try:
        case = _case(case_id)
        implementation = registry.implementation(spec, limits=limits_of(answer_time, memory, hangs, environment))
    except ValueError as error:
        raise UserError(str(error)) from error
    if save is not None:
        with errors_of(save.name):
            save.write(case.stream)
            save.flush()
    try:
        announce(implementation)
        with implementation:
            role = implementation.declaration.roles.get(case.role)
            if role is None:
                raise UserError(f"{implementation.declaration.name} does not declare the role {case.role!r}")
            judge = Judge(role)
            # As in a run: a fault whose ability is not declared is not sent.
            if not (verdicts := judge.declined(case)):
                answer = implementation.ask(request_of(case))
                verdicts = judge.judge(case, with_place(case, answer, implementation))
    except CannotStart as error:
        raise UserError(str(error)) from error
    for verdict in sorted(verdicts, key=lambda each: (not each.is_failure, each.requirement)):
        # A crash is charged once; the other requirements of the case were not judged.
        click.echo(f"{verdict.status if verdict.charged else 'not judged':14} {verdict.requirement}")
        for each in (verdict, *verdict.further):
            if each.message:
                click.echo(f"{'':14} {each.message}")
            if each.is_failure:
                click.echo(f"{'':14} finding: {each.finding}")
    failed = sum(verdict.is_failure for verdict in verdicts)
    judged = failed + sum(verdict.status == "pass" for verdict in verdicts)
    click.echo(
        f"{len(case.stream)} bytes, {len(case.expected.events)} events expected, "
        + (f"{failed} of {judged} requirements not met" if judged else "nothing judged")
    )
    raise SystemExit(NOT_CONFORMING if failed else CONFORMING if judged else COULD_NOT_RUN)


def _case(case_id: str) -> Case:
    """Return the case of an id.

    Raises:
        ValueError: It is not the id of a case, or not of one that this version of the kit makes.
    """
    parsed = CaseId.parse(case_id)
    try:
        return case_of(parsed)
    except ValueError as error:
        if parsed.choices is None:
            raise
        raise ValueError(f"no case has this id: {error}; ids of another version of the kit may be of none") from error


def _case_in(record: Path | None, alias: str) -> str:
    """Return the id that a short id stands for in a record.

    Raises:
        UserError: It stands for none, or this version of the kit makes another stream for it than the record has.
    """
    if record is None:
        raise UserError(f"{alias!r} is a short case id: name the run record that has it with --record")
    run = record_at(record)
    try:
        case_id = case_with_alias(alias, run)
    except NoSuchCase as error:
        raise UserError(f"{record}: {error}") from error
    streams = [each.stream_bytes for each in run.failures if each.case == case_id]
    if streams and not makes(case_id, streams[0]):
        message = "another version of the kit made this record; this one makes another stream for"
        raise UserError(f"{record}: {message} {alias!r}")
    return case_id
