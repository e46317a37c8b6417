"""`binlog-conformance check`: judge real logs against every requirement that a log shows by itself."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import fill
from typing import Any, BinaryIO, Final, cast

import click

from conformance.cli.certify import Duration
from conformance.cli.examples import examples
from conformance.cli.limit_option import limit_option
from conformance.cli.log_files import CannotOpen, open_log, print_error, problem, reading_progress
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.cli.profile_option import ProfileName
from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, follows, judge_chain
from conformance.log_check.log_checker import CheckedLog, LogChecker, judged_in_a_log
from conformance.log_check.verdicts import Note, Verdicts, Violation
from conformance.specs.catalogue import catalogue

#: The name that stands for the profile of the server that wrote each log.
AUTO: Final = "auto"
#: Violations of one requirement that are printed for one file; the rest are counted.
_PRINTED: Final = 20
#: Characters of a line.
_WIDTH: Final = 110


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
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines: violations and notes, and a summary of each file."
)
@click.option(
    "--server", "url", metavar="URL", help="Read the logs of mysql://user:password@host:port as it writes them."
)
@click.option("--time", "seconds", type=Duration(), help="With --server: stop after this long, as after Ctrl-C.")
@limit_option
def command(files: tuple[str, ...], *, profile: str, as_json: bool, url: str | None, seconds: float | None) -> None:
    """Judge binary logs and relay logs, alone and as a chain if they follow each other; `-` reads standard input.

    With --server, the logs of a running server are judged as they are written, from the beginning of the current one.

    Exit status: 0 healthy, 1 a requirement is broken, 2 a file cannot be read as a log, or an event is beyond a limit.
    """
    if (url is None) == (not files):
        raise UserError("check needs logs: name files, or a server with --server, but not both")
    if url is None and seconds is not None:
        raise UserError("--time needs --server: files are read to their end")
    output: _Json | _Text = _Json() if as_json else _Text()
    chosen = None if profile == AUTO else profile
    logs = _files(files, chosen, output) if url is None else _live_logs(url, seconds, chosen, output)
    raise SystemExit(_judge(logs, output))


def _judge(logs: Iterable[CheckedLog | None], output: "_Json | _Text") -> int:
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


def _files(names: Iterable[str], profile: str | None, output: "_Json | _Text") -> Iterator[CheckedLog | None]:
    for name in names:
        try:
            with open_log(name) as stream, reading_progress(name, stream) as progress:
                yield LogChecker(name, profile=profile, report=output.reporter(name), progress=progress).check(stream)
        except CannotOpen as error:
            output.cannot_open(name, str(error))
            yield None


def _live_logs(
    url: str, seconds: float | None, profile: str | None, output: "_Json | _Text"
) -> Iterator[CheckedLog | None]:
    from conformance.cli.live_server import live_logs

    with live_logs(url, seconds) as logs:
        for log_name, stream in logs.logs():
            name = f"{url.partition('?')[0]}/{log_name}"
            yield LogChecker(name, profile=profile, report=output.reporter(name)).check(cast(BinaryIO, stream))
    if logs.error:
        output.cannot_open(url, f"{logs.error}; the logs were judged up to there")
        yield None


def _judge_chain(before: CheckedLog, after: CheckedLog, output: "_Json | _Text") -> int:
    of_before = Verdicts(JUDGED_IN_A_CHAIN, output.reporter(before.log.name))
    of_after = Verdicts(JUDGED_IN_A_CHAIN, output.reporter(after.log.name))
    judge_chain(before, after, of_before=of_before, of_after=of_after)
    output.chain(before.log.name, after.log.name, of_before, of_after)
    return NOT_CONFORMING if of_before.broken or of_after.broken else CONFORMING


def _server(checked: CheckedLog) -> str:
    described = checked.log.format
    if described is None:
        return "unknown server"
    version = described.server_version
    return version if "MariaDB" in version else f"MySQL {version}"


class _Reporter:
    """Prints the notes of one file, and the first violations of each requirement."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._counts: Counter[str] = Counter()

    def __call__(self, finding: Violation | Note) -> None:
        if isinstance(finding, Note):
            click.echo(f"{self._name}:{finding.offset}: note: {finding.text}")
            return
        self._counts[finding.requirement] += 1
        if self._counts[finding.requirement] <= _PRINTED:
            text = f"{finding.actual}, expected {finding.expected}"
            click.echo(f"{self._name}:{finding.offset}: {finding.requirement}: {text}")

    def finish(self) -> None:
        """Print how many violations were not printed."""
        for requirement, count in self._counts.items():
            if count > _PRINTED:
                click.echo(f"{self._name}: {requirement}: {count - _PRINTED} more of these")


class _Text:
    def __init__(self) -> None:
        self._reporter = _Reporter("")
        self._judged: Counter[str] = Counter()
        self._broken: Counter[str] = Counter()
        self._profiles: set[str] = set()

    def reporter(self, name: str) -> _Reporter:
        self._reporter = _Reporter(name)
        return self._reporter

    def cannot_open(self, name: str, reason: str) -> None:
        print_error(f"{name}: {reason}")

    def checked(self, name: str, checked: CheckedLog) -> None:
        self._reporter.finish()
        if checked.unreadable is not None:
            print_error(problem(name, checked.unreadable))
            return
        self._count(checked.verdicts)
        if checked.log.profile:
            self._profiles.add(checked.log.profile)
        log, broken = checked.log, sum(checked.verdicts.broken.values())
        state = "healthy" if checked.healthy else _counted(broken, "violation")
        kind = "relay log" if log.relay else "binary log"
        kind += ", in use" * log.in_use
        counts = (
            _counted(log.events, "event"),
            _counted(log.transactions, "transaction"),
            _counted(len(checked.verdicts.judged), "requirement"),
        )
        click.echo(f"{name}: {state} ({_server(checked)}, {log.profile or 'no'} rules, {kind}; {', '.join(counts)})")

    def chain(self, before: str, after: str, *verdicts: Verdicts) -> None:
        for each in verdicts:
            self._count(each)

    def _count(self, verdicts: Verdicts) -> None:
        self._judged.update(verdicts.judged)
        self._broken.update(verdicts.broken)

    def finish(self) -> None:
        if not self._judged:
            return
        entries = catalogue()
        applicable = [
            each
            for each in (*judged_in_a_log(), *JUDGED_IN_A_CHAIN)
            if self._judged[each] or any(profile in entries[each].holds for profile in self._profiles)
        ]
        click.echo(f"\n{'requirement':<44} {'judged':>10} {'broken':>8}")
        for each in applicable:
            if self._judged[each]:
                click.echo(f"{each:<44} {self._judged[each]:>10} {self._broken[each]:>8}")
        not_judged = [each for each in applicable if not self._judged[each]]
        if not_judged:
            click.echo("\nnot judged, as nothing in these logs shows them:")
            click.echo(fill(", ".join(not_judged), width=_WIDTH, break_on_hyphens=False))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class _Json:
    """Prints one JSON object a line: `kind` is violation, note, unreadable, chain or log."""

    def _print(self, kind: str, **values: Any) -> None:
        click.echo(json.dumps({"kind": kind, **values}, ensure_ascii=False))

    def reporter(self, name: str) -> Any:
        def print_finding(finding: Violation | Note) -> None:
            if isinstance(finding, Note):
                self._print("note", file=name, offset=finding.offset, text=finding.text)
            else:
                self._print(
                    "violation",
                    file=name,
                    offset=finding.offset,
                    requirement=finding.requirement,
                    found=finding.actual,
                    expected=finding.expected,
                )

        return print_finding

    def cannot_open(self, name: str, reason: str) -> None:
        self._print("unreadable", file=name, offset=None, error="cannot-open", message=reason)
        print_error(f"{name}: {reason}")

    def checked(self, name: str, checked: CheckedLog) -> None:
        error = checked.unreadable
        if error is not None:
            self._print("unreadable", file=name, offset=error.at, error=error.kind, message=error.message)
            print_error(problem(name, error))
            return
        log = checked.log
        self._print(
            "log",
            file=name,
            healthy=checked.healthy,
            server=log.format.server_version if log.format else None,
            profile=log.profile or None,
            relay_log=log.relay,
            in_use=log.in_use,
            events=log.events,
            transactions=log.transactions,
            end=log.end,
            requirements=_counts(checked.verdicts),
        )

    def chain(self, before: str, after: str, *verdicts: Verdicts) -> None:
        self._print("chain", before=before, after=after, requirements=_counts(*verdicts))

    def finish(self) -> None:
        return None


def _counts(*verdicts: Verdicts) -> dict[str, dict[str, int]]:
    judged = sum((each.judged for each in verdicts), Counter())
    broken = sum((each.broken for each in verdicts), Counter())
    return {each: {"judged": judged[each], "broken": broken[each]} for each in sorted(judged)}
