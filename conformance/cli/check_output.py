"""What `check` prints of the logs that it judges: text, or JSON lines."""

import json
from collections import Counter
from textwrap import fill
from typing import Any, Final, Protocol

import click

from conformance.cli.log_files import print_error, problem
from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN
from conformance.log_check.log_checker import CheckedLog, judged_in_a_log
from conformance.log_check.verdicts import SHOWN_OF_ONE, Note, Verdicts, Violation
from conformance.specs.catalogue import catalogue

#: Characters of a line.
_WIDTH: Final = 110


class Reporter(Protocol):
    """Prints what is found in one log."""

    def __call__(self, finding: Violation | Note) -> None:
        """Print a violation or a note."""

    def finish(self) -> None:
        """Print what is left after the last one."""


class CheckOutput(Protocol):
    """Prints the results of logs."""

    def reporter(self, name: str) -> Reporter:
        """Return what prints the findings in a log."""

    def cannot_open(self, name: str, reason: str) -> None:
        """Report a log that cannot be opened."""

    def checked(self, name: str, checked: CheckedLog) -> None:
        """Report the result of a log."""

    def chain(self, before: str, after: str, *verdicts: Verdicts) -> None:
        """Report the result of two logs that follow each other."""

    def finish(self) -> None:
        """Report what all logs showed."""


def output_of(*, as_json: bool) -> CheckOutput:
    """Return the output in JSON lines, or as text."""
    return _Json() if as_json else _Text()


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
        if self._counts[finding.requirement] <= SHOWN_OF_ONE:
            text = f"{finding.actual}, expected {finding.expected}"
            click.echo(f"{self._name}:{finding.offset}: {finding.requirement}: {text}")

    def finish(self) -> None:
        """Print how many violations were not printed."""
        for requirement, count in self._counts.items():
            if count > SHOWN_OF_ONE:
                click.echo(f"{self._name}: {requirement}: {count - SHOWN_OF_ONE} more of these")


class _Text:
    def __init__(self) -> None:
        self._judged: Counter[str] = Counter()
        self._broken: Counter[str] = Counter()
        self._profiles: set[str] = set()

    def reporter(self, name: str) -> _Reporter:
        return _Reporter(name)

    def cannot_open(self, name: str, reason: str) -> None:
        print_error(f"{name}: {reason}")

    def checked(self, name: str, checked: CheckedLog) -> None:
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
        about = f"{log.server or 'unknown server'}, {log.profile or 'no'} rules, {kind}; {', '.join(counts)}"
        click.echo(f"{name}: {state} ({about})")

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


def _print(kind: str, **values: Any) -> None:
    click.echo(json.dumps({"kind": kind, **values}, ensure_ascii=False))


class _JsonReporter:
    """Prints the notes and violations of one file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, finding: Violation | Note) -> None:
        if isinstance(finding, Note):
            _print("note", file=self._name, offset=finding.offset, text=finding.text)
            return
        _print(
            "violation",
            file=self._name,
            offset=finding.offset,
            requirement=finding.requirement,
            found=finding.actual,
            expected=finding.expected,
        )

    def finish(self) -> None:
        return None


class _Json:
    """Prints one JSON object a line: `kind` is violation, note, unreadable, chain or log."""

    def reporter(self, name: str) -> "_JsonReporter":
        return _JsonReporter(name)

    def cannot_open(self, name: str, reason: str) -> None:
        _print("unreadable", file=name, offset=None, error="cannot-open", message=reason)
        print_error(f"{name}: {reason}")

    def checked(self, name: str, checked: CheckedLog) -> None:
        error = checked.unreadable
        if error is not None:
            _print("unreadable", file=name, offset=error.at, error=error.kind, message=error.message)
            print_error(problem(name, error))
            return
        log = checked.log
        _print(
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
        _print("chain", before=before, after=after, requirements=_counts(*verdicts))

    def finish(self) -> None:
        return None


def _counts(*verdicts: Verdicts) -> dict[str, dict[str, int]]:
    judged = sum((each.judged for each in verdicts), Counter())
    broken = sum((each.broken for each in verdicts), Counter())
    return {each: {"judged": judged[each], "broken": broken[each]} for each in sorted(judged)}
