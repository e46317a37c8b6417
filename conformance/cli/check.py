"""`binlog-conformance check`: judge real logs against every requirement that a log shows by itself."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO, Final, cast

import click

from conformance.cli.certify import MOST_JOBS, Duration
from conformance.cli.check_output import CheckOutput, output_of
from conformance.cli.checked_files import checked_files
from conformance.cli.divided_log import CheckerOf
from conformance.cli.examples import examples
from conformance.cli.integer import Integer
from conformance.cli.limit_option import limit_option
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.profile_option import ProfileName
from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, follows, judge_chain
from conformance.log_check.log_checker import CheckedLog, LogChecker
from conformance.log_check.verdicts import Verdicts

#: The name that stands for the profile of the server that wrote each log.
AUTO: Final = "auto"


@click.command(
    "check",
    epilog=examples(
        "check binlog.000001 binlog.000002",
        "check --server 'mysql://user:password@127.0.0.1:3306' --time 1h",
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1)
@click.option(
    "--profile",
    type=ProfileName(AUTO),
    default=AUTO,
    show_default=True,
    help="Profile whose rules apply, such as mysql-8.0 or the release mysql-8.0.15; auto: the release in each log.",
)
@click.option("--rows", is_flag=True, help="Read each value in rows, too, by the Table_map of its table; takes longer.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines: violations and notes, and a summary of each file."
)
@click.option(
    "--server", "url", metavar="URL", help="Read the logs of mysql://user:password@host:port as it writes them."
)
@click.option("--time", "seconds", type=Duration(), help="With --server: stop after this long, as after Ctrl-C.")
@click.option(
    "-j",
    "--jobs",
    type=Integer(1, MOST_JOBS),
    help="Processes, which each judge one file at a time, or a part of a file of 64 MiB or more; the output is the "
    "same.  [default: the cores of this machine for large files, else 1]",
)
@limit_option
def command(
    files: tuple[str, ...],
    *,
    profile: str,
    rows: bool,
    as_json: bool,
    url: str | None,
    seconds: float | None,
    jobs: int | None,
) -> None:
    """Judge binary logs and relay logs, alone and as a chain if they follow each other; `-` reads standard input.

    With --server, the logs of a running server are judged as they are written, from the beginning of the current one.

    Exit status: 0 healthy, 1 a requirement is broken, 2 a file cannot be read as a log, or an event is beyond a limit.
    """
    if (url is None) == (not files):
        raise UserError("check needs logs: name files, or a server with --server, but not both")
    if url is None and seconds is not None:
        raise UserError("--time needs --server: files are read to their end")
    output = output_of(as_json=as_json)
    checker = partial(LogChecker, profile=None if profile == AUTO else profile, rows=rows)
    if url is None:
        raise SystemExit(_judge(checked_files(files, checker, output, as_json=as_json, jobs=jobs), output))
    raise SystemExit(_judge(_live_logs(url, seconds, checker, output), output))


def _judge(logs: Iterable[CheckedLog | None], output: CheckOutput) -> int:
    """Report each judged log, and each pair of logs that follow each other; return the exit status.

    Args:
        logs: The logs in their order, None for one that cannot be opened.
        output: How they are reported.
    """
    status = CONFORMING
    before: CheckedLog | None = None
    for checked in logs:
        if checked is None:
            status, before = COULD_NOT_RUN, None
            continue
        output.checked(checked.log.name, checked)
        if checked.unreadable is not None:
            status = COULD_NOT_RUN
        elif not checked.healthy:
            status = max(status, NOT_CONFORMING)
        if before is not None and checked.unreadable is None and follows(before, checked):
            status = max(status, _judge_chain(before, checked, output))
        before = checked if checked.unreadable is None else None
    output.finish()
    return status


def _live_logs(url: str, seconds: float | None, checker: CheckerOf, output: CheckOutput) -> Iterator[CheckedLog | None]:
    from conformance.cli.live_server import live_logs

    with live_logs(url, seconds) as logs:
        for log_name, stream in logs.logs():
            name = f"{url.partition('?')[0]}/{log_name}"
            reporter = output.reporter(name)
            checked = checker(name, report=reporter).check(cast(BinaryIO, stream))
            reporter.finish()
            yield checked
    if logs.error:
        output.cannot_open(url, f"{logs.error}; the logs were judged up to there")
        yield None


def _judge_chain(before: CheckedLog, after: CheckedLog, output: CheckOutput) -> int:
    of_before = Verdicts(JUDGED_IN_A_CHAIN, output.reporter(before.log.name))
    of_after = Verdicts(JUDGED_IN_A_CHAIN, output.reporter(after.log.name))
    judge_chain(before, after, of_before=of_before, of_after=of_after)
    output.chain(before.log.name, after.log.name, of_before, of_after)
    return NOT_CONFORMING if of_before.broken or of_after.broken else CONFORMING
