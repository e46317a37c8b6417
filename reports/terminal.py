"""The summary of a run on a terminal."""

from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.reports.foreign_text import elided, one_line, visible_line
from conformance.reports.outcome import exercised, failure_of, is_known, outcome, ranked, without_answer
from conformance.reports.record import RunRecord
from conformance.reports.status import BROKEN, JUDGED, STATUSES, UNJUDGED
from conformance.specs.run_record import Failure

_MESSAGE_CHARACTERS: Final = 400
_NAME_CHARACTERS: Final = 100
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


def _table(record: RunRecord, failures: list[Failure], *, width: int, everything: bool) -> Table:
    shown = JUDGED + UNJUDGED if everything else JUDGED
    requirements = [requirement for requirement in record.requirements if requirement.verdict in shown]
    rows: list[tuple[tuple[Text, Text, Text], str]] = []
    # Broken requirements come last, next to the prompt.
    for requirement in sorted(requirements, key=lambda each: each.verdict in BROKEN):
        status = STATUSES[requirement.verdict]
        passed, judged = exercised(requirement)
        failure = failure_of(failures, requirement.id)
        message = one_line(elided(failure.message, _MESSAGE_CHARACTERS)) if failure else without_answer(requirement)
        known = " (known)" if is_known(failures, requirement) else ""
        rows.append(
            (
                (
                    Text(one_line(requirement.id)),
                    Text(f"{status.symbol} {status.label}{known}", style=_STYLES.get(status.name, "dim")),
                    Text(f"{passed:,}/{judged:,}"),
                ),
                message,
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
    # The complete message follows below; here it is one line, or left out if there is no room.
    room = width - used
    if room >= _LEAST_ROOM:
        table.add_column("first message", no_wrap=True)
    for cells, message in rows:
        short = Text(message)
        short.truncate(max(room, 0), overflow="ellipsis")
        table.add_row(*cells, *([short] if room >= _LEAST_ROOM else []))
    return table


def _print_failures(console: Console, failures: list[Failure]) -> None:
    for number, failure in enumerate((failure for failure in failures if failure.known is None), 1):
        status = STATUSES[failure.status]
        console.print()
        head = Text(f"{number}. {status.symbol} {status.label} ", style=_STYLES[status.name])
        console.print(head + Text(one_line(f"{failure.requirement}  {failure.profile}  {failure.count:,} cases")))
        console.print(Text(f"   {one_line(elided(failure.message, _MESSAGE_CHARACTERS))}"))
        if failure.departure:
            console.print(Text(f"   {one_line(failure.departure_note)}", style="dim"))
        # Not wrapped, so that it can be copied as one line.
        console.print(Text(f"   {visible_line(failure.replay)}", style="cyan"), soft_wrap=True)


def print_summary(record: RunRecord, *, console: Console | None = None, everything: bool = False) -> None:
    """Print the results of a run: a row for each judged requirement, each new failure with its command, the verdict.

    Args:
        record: The run.
        console: Where to print; standard output by default. There are no colours if it is not a terminal.
        everything: Also print a row for each requirement that was not judged.
    """
    console = console or Console(highlight=False)
    run = outcome(record)
    failures = ranked(record)
    implementation = record.header.implementation
    console.print(_table(record, failures, width=console.width, everything=everything))
    _print_failures(console, failures)
    console.print()
    gaps = ", ".join(f"{run.counts[name]} {STATUSES[name].label}" for name in UNJUDGED if run.counts[name])
    if gaps:
        console.print(Text(f"Not judged: {gaps}.", style="dim"))
    names = (implementation.name, implementation.version)
    name = one_line(" ".join(elided(each, _NAME_CHARACTERS) for each in names))
    console.print(Text(f"{name}: ") + Text(run.headline, style=_VERDICT_STYLES[run.verdict]))
    console.print(Text(run.sentence))
    for note in run.notes:
        console.print(Text(one_line(note), style="yellow"))
