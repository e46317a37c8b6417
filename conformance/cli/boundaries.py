"""`binlog-conformance boundaries`: what a transaction boundary parser makes of a log, event by event (WL#4162)."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import click

from conformance.binlog.event import Event
from conformance.binlog.event_types import type_name
from conformance.binlog.header import MAGIC
from conformance.cli.boundary_lines import parser_for
from conformance.cli.examples import examples
from conformance.cli.integer import Integer
from conformance.cli.limit_option import limit_option
from conformance.cli.log_writer import LogWriter, from_position
from conformance.cli.main import CONFORMING
from conformance.cli.profile_option import PROFILES_HELP, ProfileName
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.step_entry import shipped_entry
from conformance.reference.boundary import EVERY_EVENT, Parser

#: The columns, and the keys of `--json`.
COLUMNS: Final = ("log", "pos", "end", "event_type", "marker", "guess", "type", "state", "within", "begins", "warning")


@click.command(
    "boundaries",
    epilog=examples(
        "boundaries binlog.000001",
        "boundaries binlog.000001 --start-position 1203",
        "boundaries binlog.000001 --profile mysql-8.0 --json",
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--start-position",
    type=Integer(min=len(MAGIC)),
    default=len(MAGIC),
    metavar="OFFSET",
    help="Begin at this event, as a replica that asks for the log from there; of several files, in the first.",
)
@click.option(
    "--profile",
    type=ProfileName(),
    default="worklog",
    show_default=True,
    help=f"Whose parser: {PROFILES_HELP}, or a release such as mysql-8.0.15.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each event.")
@limit_option
def command(files: tuple[str, ...], *, start_position: int, profile: str, as_json: bool) -> None:
    """Show the steps of the transaction boundary parser of WL#4162 for each event of binary logs.

    For each event: the type that its marker has, the type that the parser guesses if it has none and the rule for that,
    the state after it, whether a transaction is open, where that transaction begins, and the parser's warning. With
    --start-position the parser begins there without knowing what came before, and the last line has the beginning
    of the transaction that the position is in: the position to give to CHANGE REPLICATION SOURCE TO.

    Exit status: 0 read to the end, 1 damaged, 2 cannot be read, or no event begins at the position.
    """
    writer = LogWriter(EVERY_EVENT)
    status = CONFORMING
    for number, name in enumerate(files):
        steps = _Steps(os.path.basename(name), profile, start_position, as_json=as_json)
        headed = number == 0 and not as_json
        status = max(status, writer.write_log(name, partial(_headed, steps.lines) if headed else steps.lines))
        start_position = len(MAGIC)
    raise SystemExit(status)


def _headed(lines: Callable[[Iterable[Event]], Iterator[str]], events: Iterable[Event]) -> Iterator[str]:
    """Yield the heading and the lines; no heading where there is no line for an error."""
    rows = lines(events)
    first = next(rows, None)
    yield "\t".join(COLUMNS)
    if first is not None:
        yield first
    yield from rows


@dataclass(slots=True)
class _Transactions:
    """Where the open transaction begins.

    Attributes:
        begins: Offset of its first event, None if none is open.
    """

    begins: int | None = None

    def feed(self, event: Event, parser: Parser) -> int | None:
        """Take note of an event that the parser was fed; return the beginning of the transaction that it is part of."""
        if parser.within_transaction:
            self.begins = event.offset if self.begins is None else self.begins
            return self.begins
        ended, self.begins = self.begins, None
        return ended


class _Steps:
    """The steps of a parser in one log."""

    def __init__(self, log: str, profile: str, start: int, *, as_json: bool) -> None:
        self._log = log
        self._start = start
        self._as_json = as_json
        self._parser = parser_for(profile)
        self._transactions = _Transactions()
        #: Those of a parser that has read the log from its beginning.
        self._whole = parser_for(profile)
        self._whole_transactions = _Transactions()
        self._begins_at_start: int | None = None

    def lines(self, events: Iterable[Event]) -> Iterator[str]:
        """Yield the line of each event, and one about the start."""
        for event in from_position(self._read_before(events), self._start, with_format=False):
            row = self._row(event)
            yield json.dumps(row, ensure_ascii=False) if self._as_json else _text(row)
        if self._start > len(MAGIC):
            yield self._about_start()

    def _read_before(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if event.offset == self._start:
                self._begins_at_start = self._whole_transactions.begins
            if event.offset < self._start:
                self._whole.feed(FedEvent.of(event))
                self._whole_transactions.feed(event, self._whole)
            yield event

    def _row(self, event: Event) -> dict[str, Any]:
        fed = FedEvent.of(event)
        parser = self._parser
        code = event.format.type_code(event.header.type)
        row: dict[str, Any] = dict.fromkeys(COLUMNS)
        row.update(log=self._log, pos=event.offset, end=event.end, event_type=type_name(code))
        if isinstance(parser, ShippedParser):
            entry = shipped_entry(parser.feed(fed), within=parser.within_transaction)
            row["warning"] = entry["warning"] or None
        else:
            step = parser.feed(fed)
            row.update(
                marker=None if step.guess else step.marker.heading,
                guess=step.guess and f"{step.guess.boundary_type.heading} ({step.guess.requirement})",
                type=step.boundary_type.heading,
                state=step.state.heading,
                warning=step.warning,
            )
        row["begins"] = self._transactions.feed(event, parser)
        row["within"] = parser.within_transaction
        return row

    def _about_start(self) -> str:
        begins = self._begins_at_start
        if self._as_json:
            return json.dumps({"log": self._log, "start_position": self._start, "transaction_begins": begins})
        if begins is None:
            return f"# {self._log}: no transaction is open at {self._start}: a replica can begin there"
        return f"# {self._log}: {self._start} is within the transaction that begins at {begins}: begin there"


def _text(row: dict[str, Any]) -> str:
    shown = {True: "yes", False: "no", None: "-"}
    cells = (shown.get(value, value) if value is None or isinstance(value, bool) else value for value in row.values())
    return "\t".join(map(str, cells))
