"""`binlog-conformance check`: real logs against every requirement that a log shows by itself."""

import json
from collections import Counter
from textwrap import fill
from typing import Any, Final

import click

from conformance.cli.log_files import CannotOpen, open_log, problem, reading_progress, say
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING
from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, follows, judge_chain
from conformance.log_check.log_checker import CheckedLog, LogChecker, judged_in_a_log
from conformance.log_check.verdicts import Note, Verdicts, Violation
from conformance.specs.catalogue import catalogue
from conformance.specs.profiles import PROFILES

#: The profile that each log's own server decides.
AUTO: Final = "auto"
#: Violations of one requirement that are printed for one file; the rest is counted.
_PRINTED: Final = 20
#: Characters of a line.
_WIDTH: Final = 110


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--profile",
    type=click.Choice((AUTO, *PROFILES)),
    default=AUTO,
    show_default=True,
    help="Whose rules hold; auto goes by the server version in each log.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON lines: violations and notes, and a summary of each file.")
def command(files: tuple[str, ...], *, profile: str, as_json: bool) -> None:
    """Judge binary logs and relay logs; files that follow each other are judged as a chain too. `-` is standard input.

    Exit status: 0 healthy, 1 a requirement is broken, 2 a file cannot be read as a log at all.
    """
    output: _Json | _Text = _Json() if as_json else _Text()
    status = CONFORMING
    before: CheckedLog | None = None
    for name in files:
        try:
            checked = _check(name, None if profile == AUTO else profile, output)
        except CannotOpen as error:
            output.cannot_open(name, str(error))
            status, before = COULD_NOT_RUN, None
            continue
        output.checked(name, checked)
        if checked.unreadable is not None:
            status = COULD_NOT_RUN
        elif not checked.healthy:
            status = max(status, NOT_CONFORMING)
        if before is not None and checked.unreadable is None and follows(before, checked):
            status = max(status, _chain(before, checked, output))
        before = checked if checked.unreadable is None else None
    output.finish()
    raise SystemExit(status)


def _check(name: str, profile: str | None, output: "_Json | _Text") -> CheckedLog:
    with open_log(name) as stream, reading_progress(name, stream) as progress:
        tell = output.teller(name)
        return LogChecker(name, profile=profile, tell=tell, progress=progress).check(stream)


def _chain(before: CheckedLog, behind: CheckedLog, output: "_Json | _Text") -> int:
    of_before = Verdicts(JUDGED_IN_A_CHAIN, output.teller(before.log.name))
    of_behind = Verdicts(JUDGED_IN_A_CHAIN, output.teller(behind.log.name))
    judge_chain(before, behind, of_before=of_before, of_behind=of_behind)
    for verdicts in (of_before, of_behind):
        output.chain(before.log.name, behind.log.name, verdicts)
    return NOT_CONFORMING if of_before.broken or of_behind.broken else CONFORMING


def _server(checked: CheckedLog) -> str:
    described = checked.log.format
    if described is None:
        return "unknown server"
    version = described.server_version
    return version if "MariaDB" in version else f"MySQL {version}"


class _Teller:
    """Takes the violations and notes of one file and prints them, the first of each requirement."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._counts: Counter[str] = Counter()

    def __call__(self, found: Violation | Note) -> None:
        if isinstance(found, Note):
            click.echo(f"{self._name}:{found.offset}: note: {found.text}")
            return
        self._counts[found.requirement] += 1
        if self._counts[found.requirement] <= _PRINTED:
            what = f"{found.found}, expected {found.expected}"
            click.echo(f"{self._name}:{found.offset}: {found.requirement}: {what}")

    def finish(self) -> None:
        """Print how many were not printed."""
        for requirement, count in self._counts.items():
            if count > _PRINTED:
                click.echo(f"{self._name}: {requirement}: {count - _PRINTED} more of these")


class _Text:
    def __init__(self) -> None:
        self._teller = _Teller("")
        self._judged: Counter[str] = Counter()
        self._broken: Counter[str] = Counter()
        self._profiles: set[str] = set()

    def teller(self, name: str) -> _Teller:
        self._teller = _Teller(name)
        return self._teller

    def cannot_open(self, name: str, why: str) -> None:
        say(f"{name}: {why}")

    def checked(self, name: str, checked: CheckedLog) -> None:
        self._teller.finish()
        if checked.unreadable is not None:
            say(problem(name, checked.unreadable))
            return
        self._count(checked.verdicts)
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

    def chain(self, before: str, behind: str, verdicts: Verdicts) -> None:
        self._count(verdicts)

    def _count(self, verdicts: Verdicts) -> None:
        self._judged.update(verdicts.judged)
        self._broken.update(verdicts.broken)

    def finish(self) -> None:
        if not self._judged:
            return
        entries = catalogue()
        asked = [
            each
            for each in (*judged_in_a_log(), *JUDGED_IN_A_CHAIN)
            if self._judged[each] or self._profiles.intersection(entries[each].profiles)
        ]
        click.echo(f"\n{'requirement':<44} {'judged':>10} {'broken':>8}")
        for each in asked:
            if self._judged[each]:
                click.echo(f"{each:<44} {self._judged[each]:>10} {self._broken[each]:>8}")
        silent = [each for each in asked if not self._judged[each]]
        if silent:
            click.echo("\nnothing in these logs shows:")
            click.echo(fill(", ".join(silent), width=_WIDTH, break_on_hyphens=False))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class _Json:
    """Prints one object a line: `kind` is violation, note, unreadable, chain or log."""

    def _print(self, kind: str, **values: Any) -> None:
        click.echo(json.dumps({"kind": kind, **values}, ensure_ascii=False))

    def teller(self, name: str) -> Any:
        def tell(found: Violation | Note) -> None:
            if isinstance(found, Note):
                self._print("note", file=name, offset=found.offset, text=found.text)
            else:
                self._print(
                    "violation",
                    file=name,
                    offset=found.offset,
                    requirement=found.requirement,
                    found=found.found,
                    expected=found.expected,
                )

        return tell

    def cannot_open(self, name: str, why: str) -> None:
        self._print("unreadable", file=name, offset=None, error="cannot-open", message=why)
        say(f"{name}: {why}")

    def checked(self, name: str, checked: CheckedLog) -> None:
        error = checked.unreadable
        if error is not None:
            self._print("unreadable", file=name, offset=error.at, error=error.kind, message=error.message)
            say(problem(name, error))
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

    def chain(self, before: str, behind: str, verdicts: Verdicts) -> None:
        self._print("chain", before=before, behind=behind, requirements=_counts(verdicts))

    def finish(self) -> None:
        return None


def _counts(verdicts: Verdicts) -> dict[str, dict[str, int]]:
    return {
        each: {"judged": verdicts.judged[each], "broken": verdicts.broken[each]} for each in sorted(verdicts.judged)
    }
