"""The summary of a self-check on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.reports.styled_console import styled_console
from conformance.self_check.record import MutantLine, SelfCheckRecord, Totals
from conformance.self_check.results import WANTED_KILLED, WANTED_RIGHT, is_good

#: Survivors that are printed; the record has all.
_SURVIVORS: Final = 20


def print_summary(record: SelfCheckRecord, *, console: Console | None = None) -> None:
    """Print the shares of each role, and the first of what survived."""
    console = console or styled_console()
    console.print(_table(record.footer.totals))
    survivors = [
        (line, name) for line in record.mutants for name, cell in line.triggers.items() if cell.status == "survived"
    ]
    for line, name in survivors[:_SURVIVORS]:
        console.print(_survivor(line, name))
    if len(survivors) > _SURVIVORS:
        console.print(Text(f"and {len(survivors) - _SURVIVORS:,} more that survived"))
    console.print(Text(verdict(record.footer.totals)))


def _table(totals: Mapping[str, Totals]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    heads: Sequence[str] = ("role", "occurred", "killed", "right first", "right later", "survived", "never", "cases")
    for head in heads:
        table.add_column(head, justify="left" if head == "role" else "right", no_wrap=True)
    for role, each in totals.items():
        table.add_row(
            role,
            f"{each.occurred:,}",
            f"{100 * each.killed_share:.1f} %",
            f"{100 * each.right_share:.1f} %",
            f"{each.right_later:,}",
            f"{each.survived:,}",
            f"{each.never:,}",
            f"{each.cases:,}",
        )
    return table


def _survivor(line: MutantLine, trigger: str) -> Text:
    return Text(f"survived: reference:{line.mutant} under {trigger}: {line.text}")


def verdict(totals: Mapping[str, Totals]) -> str:
    """Return whether what is wanted is reached, in one line."""
    lacking = [role for role, each in totals.items() if each.occurred and not is_good(each)]
    wanted = f"{100 * WANTED_KILLED:.0f} % killed and {100 * WANTED_RIGHT:.0f} % with the right requirement first"
    if not any(each.occurred for each in totals.values()):
        return "Nothing judged: no trigger and no fault came together."
    return f"Not reached in {', '.join(lacking)}: {wanted}." if lacking else f"Reached in every role: {wanted}."
