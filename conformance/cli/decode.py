"""`binlog-conformance decode`: the events of a log as lines, as JSON lines, or as an annotated hex dump."""

import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

import click

from conformance.binlog.errors import BinlogError, located
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.reader import ReaderRules, read_file
from conformance.cli.event_json import JsonLines
from conformance.cli.examples import examples
from conformance.cli.limit_option import limit_option
from conformance.cli.log_files import CannotOpen, open_log, print_error, problem, reading_progress
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING
from conformance.log_check.event_text import dump_lines, event_lines
from conformance.log_check.framing import is_torn_tail, is_unreadable
from conformance.log_check.log_event import Log

#: A user who looks into a log wants all of it, so ignorable events of undeclared types are shown too.
_RULES: Final = ReaderRules(beyond_format_description=True)
#: How often progress is shown, in events.
_STEP: Final = 4096

#: An event -> its text in pieces, line ends included.
_Text = Callable[[Event], Iterator[str]]


@click.command(
    "decode",
    epilog=examples(
        "decode binlog.000001",
        "decode binlog.000001 binlog.000002 --json",
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines: each event as in the protocol.")
@click.option("--dump", is_flag=True, help="Print an annotated hex dump: offset, bytes, name and value of each field.")
@limit_option
def command(files: tuple[str, ...], *, as_json: bool, dump: bool) -> None:
    """Show the events of binary logs; `-` reads standard input.

    By default each event is one line: offset, type, length in bytes, flags and its main fields. With several files,
    each JSON object also names its file.

    Exit status: 0 read to the end, 1 damaged, 2 cannot be read as a log, or an event is beyond a limit.
    """
    if as_json and dump:
        raise click.UsageError("--json and --dump exclude each other")
    status = CONFORMING
    for name in files:
        if as_json:
            text: _Text = JsonLines({"file": name} if len(files) > 1 else {})
        else:
            text = _with_ends(dump_lines if dump else event_lines)
            if len(files) > 1:
                click.echo(f"# {name}")
        try:
            with open_log(name) as stream:
                status = max(status, _decode(name, stream, text))
        except CannotOpen as error:
            print_error(f"{name}: {error}")
            status = COULD_NOT_RUN
    raise SystemExit(status)


def _with_ends(lines: Callable[[Event], Iterator[str]]) -> _Text:
    return lambda event: (f"{line}\n" for line in lines(event))


def _decode(name: str, stream: BinaryIO, text: _Text) -> int:
    log = Log(name)
    out = sys.stdout
    with reading_progress(name, stream) as progress:
        try:
            for event in read_file(stream, _RULES):
                log.in_use |= log.events == 0 and _in_use(event)
                with located(event.offset):
                    for piece in text(event):
                        out.write(piece)
                log.events += 1
                if not log.events % _STEP:
                    progress(event.end)
        except BinlogError as error:
            damage = error
        else:
            return CONFORMING
        finally:
            out.flush()
    if is_torn_tail(damage, log):
        print_error(f"{name}:{damage.at}: the log is still being written, or its server crashed: {damage.message}")
        return CONFORMING
    print_error(problem(name, damage))
    return COULD_NOT_RUN if is_unreadable(damage) else NOT_CONFORMING


def _in_use(event: Event) -> bool:
    return event.header.type == EventType.FORMAT_DESCRIPTION and bool(event.header.flags & Flag.BINLOG_IN_USE)
