"""The summary of a run on a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.reports.findings import Finding, findings_of, why_not_judged
from conformance.reports.foreign_text import elided, last_words, one_line, visible_line
from conformance.reports.outcome import exercised, is_known, number_of, outcome, without_answer
from conformance.reports.record import RunRecord
from conformance.reports.replay_line import short_replay
from conformance.reports.status import BROKEN, JUDGED, STATUSES, UNJUDGED
from conformance.reports.styled_console import styled_console

_MESSAGE_CHARACTERS: Final = 300
_NAME_CHARACTERS: Final = 100
#: Findings that are printed in full, unless all are asked for: a run of a careless parser has dozens.
_IN_FULL: Final = 10
#: The fewest columns in which a message is worth showing.
_LEAST_ROOM: Final = 20
_STYLES: Final = {
    "pass": "green",
    "fail": "bold red",
    "crash": "bold magenta",
    "hang": "bold yellow",
    "protocol-error": "bold blue",
}
_VERDICT_STYLES: Final = {
    "conforming": "bold green",
    "not conforming": "bold red",
    "cut off": "bold yellow",
    "nothing judged": "bold yellow",
}


def _table(record: RunRecord, findings: Sequence[Finding], *, width: int) -> Table:
    """Return a row for each requirement."""
    requirements = [each for each in record.requirements if each.verdict in JUDGED + UNJUDGED]
    rows: list[tuple[tuple[Text, Text, Text], str]] = []
    # Broken requirements come last, next to the findings.
    for requirement in sorted(requirements, key=lambda each: each.verdict in BROKEN):
        status = STATUSES[requirement.verdict]
        passed, judged = exercised(requirement)
        numbers = ", ".join(str(each.number) for each in findings if requirement.id in each.requirements)
        reason = why_not_judged(requirement, findings) or without_answer(requirement)
        known = " (known)" if is_known(record.failures, requirement) else ""
        rows.append(
            (
                (
                    Text(one_line(requirement.id)),
                    Text(f"{status.symbol} {status.label}{known}", style=_STYLES.get(status.name, "dim")),
                    Text(f"{passed:,}/{judged:,}"),
                ),
                f"finding {numbers}" if numbers else reason,
            )
        )
    heads = (Text("requirement"), Text("verdict"), Text("passed"))
    columns = zip(heads, *(cells for cells, _ in rows), strict=True)
    used = sum(2 + max(text.cell_len for text in column) for column in columns)
    table = Table(box=None, pad_edge=False, header_style="bold")
    # On a narrow terminal ids are folded, and numbers are never cut.
    table.add_column(heads[0], overflow="fold")
    table.add_column(heads[1], no_wrap=True)
    table.add_column(heads[2], no_wrap=True, justify="right")
    # The findings follow below; here they are named if there is room.
    room = width - used
    if room >= _LEAST_ROOM:
        table.add_column("why", no_wrap=True)
    for cells, message in rows:
        short = Text(message)
        short.truncate(max(room, 0), overflow="ellipsis")
        table.add_row(*cells, *([short] if room >= _LEAST_ROOM else []))
    return table


def _head(finding: Finding) -> Text:
    status = STATUSES[finding.status]
    # The signature of a crash begins with the word.
    label = "" if finding.signature.startswith(status.name) else f"{status.label} "
    head = Text(f"{finding.number}. {status.symbol} {label}", style=_STYLES[status.name])
    return head + Text(one_line(elided(finding.signature, _MESSAGE_CHARACTERS)), style="bold")


def _print_command(console: Console, finding: Finding, kept: str | None) -> None:
    """Print the command that shows a finding again; not wrapped, so that it can be copied as one line."""
    replay = finding.first.replay if kept is None else short_replay(finding.first, kept)
    console.print(Text(f"   {visible_line(replay)}", style="cyan"), soft_wrap=True)


def _print_finding(console: Console, finding: Finding, kept: str | None) -> None:
    failure = finding.first
    console.print()
    console.print(_head(finding))
    hinders = f"; {number_of(finding.hinders, 'other')} not judged because of it" if finding.hinders else ""
    console.print(Text(f"   {one_line(f'{finding.outline}{hinders}')}"))
    if finding.rule:
        console.print(Text(f"   {one_line(elided(f'rule: {finding.rule}', _MESSAGE_CHARACTERS))}"))
    console.print(Text(f"   {one_line('in ' + ', '.join(finding.profiles))}", style="dim"))
    console.print(Text(f"   {one_line(last_words(failure.message, _MESSAGE_CHARACTERS))}"))
    if failure.departure:
        console.print(Text(f"   {one_line(failure.departure_note)}", style="dim"))
    _print_command(console, finding, kept)


def _print_briefly(console: Console, findings: Sequence[Finding], kept: str | None) -> None:
    """Print a line and a command for each of the findings that are not printed in full."""
    console.print()
    console.print(Text(f"{number_of(len(findings), 'more finding')} in brief; --verbose prints them in full:"))
    for finding in findings:
        console.print(_head(finding))
        _print_command(console, finding, kept)


def print_summary(
    record: RunRecord, *, console: Console | None = None, everything: bool = False, kept: str | None = None
) -> None:
    """Print the results of a run: the new findings with their commands, the first in full, the numbers, the verdict.

    Args:
        record: The run.
        console: Where to print; standard output by default. There are no colours if it is not a terminal.
        everything: Whether to print all findings in full, and a row for each requirement.
        kept: Where the record is kept: then the commands have the short ids of cases.
    """
    console = console or styled_console()
    run = outcome(record)
    findings = findings_of(record)
    if everything:
        console.print(_table(record, findings, width=console.width))
    new = [finding for finding in findings if finding.known is None]
    in_full = len(new) if everything else _IN_FULL
    for finding in new[:in_full]:
        _print_finding(console, finding, kept)
    if new[in_full:]:
        _print_briefly(console, new[in_full:], kept)
    console.print()
    shown = [name for name in (*JUDGED, *UNJUDGED) if run.counts[name]]
    console.print(Text(f"Requirements: {', '.join(f'{run.counts[name]} {STATUSES[name].label}' for name in shown)}."))
    print_verdict(record, console=console)
    console.print(Text(run.sentence))
    for note in run.notes:
        console.print(Text(one_line(note), style="yellow"))


def print_verdict(record: RunRecord, *, console: Console | None = None) -> None:
    """Print the implementation and the verdict on one line.

    Args:
        record: The run.
        console: Where to print; standard output by default.
    """
    console = console or styled_console()
    run, implementation = outcome(record), record.header.implementation
    names = (implementation.name, implementation.version)
    name = one_line(" ".join(elided(each, _NAME_CHARACTERS) for each in names))
    console.print(Text(f"{name}: ") + Text(run.headline, style=_VERDICT_STYLES[run.verdict]))
