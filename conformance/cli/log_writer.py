"""Logs as lines on standard output, and what is wrong with them on standard error."""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.binlog.raw_text import raw_bytes
from conformance.binlog.reader import ReaderRules, read_file
from conformance.cli.log_files import CannotOpen, open_log, print_error, problem, reading_progress
from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING
from conformance.log_check.framing import is_torn_tail, is_unreadable
from conformance.log_check.log_event import Log
from conformance.models.rendering.print_options import CannotPrint
from conformance.reports.standard_streams import exact_output

#: How often progress is shown, in events.
_STEP: Final = 4096
#: Events of one log -> lines.
Lines = Callable[[Iterable[Event]], Iterator[str]]


def from_position(events: Iterable[Event], position: int, *, with_format: bool) -> Iterator[Event]:
    """Yield the events of a log from a position on.

    Args:
        events: The events of the log, from its beginning.
        position: Where the first event begins, in bytes from the start of the file.
        with_format: Whether the format descriptions before it are yielded too, as mysqlbinlog prints them.

    Raises:
        CannotPrint: No event begins there.
    """
    before = None
    for event in events:
        if event.offset >= position:
            if before is not None and event.offset > position:
                raise _no_event(position, f"events begin at {before} and at {event.offset}")
            before = None
            position = 0
            yield event
            continue
        before = event.offset
        if with_format and event.header.type == EventType.FORMAT_DESCRIPTION:
            yield event
    if before is not None:
        raise _no_event(position, f"the last event begins at {before}")


def _no_event(position: int, others: str) -> CannotPrint:
    return CannotPrint(position, f"no event begins at this position: {others}")


class LogWriter:
    """Writes lines to standard output, and reports what is wrong with a log.

    Args:
        rules: What the reader accepts and refuses.
        start: Offset in bytes of the first event of the first log that is written.
        with_format: Whether the format descriptions before it are written too.
    """

    def __init__(self, rules: ReaderRules, *, start: int = len(MAGIC), with_format: bool = False) -> None:
        self._rules = rules
        self._start = start
        self._with_format = with_format
        self._out = exact_output()

    def write(self, lines: Iterable[str]) -> None:
        """Write some lines."""
        for line in lines:
            self._out.write(raw_bytes(line))
            self._out.write(b"\n")
        self._out.flush()

    def write_log(self, name: str, lines: Lines) -> int:
        """Write the lines of one log and return the exit status."""
        try:
            with open_log(name) as stream, reading_progress(name, stream) as progress:
                return self._write_events(name, stream, lines, progress)
        except CannotOpen as error:
            print_error(f"{name}: {error}")
            return COULD_NOT_RUN

    def _write_events(self, name: str, stream: BinaryIO, lines: Lines, progress: Callable[[int], None]) -> int:
        log = Log(name, end=len(MAGIC))
        try:
            events, start = self._followed(stream, log, progress), self._start
            self._start = len(MAGIC)
            if start > len(MAGIC):
                events = from_position(events, start, with_format=self._with_format)
            self.write(lines(events))
        except MalformedBody as error:
            damage = error.located(log.end)
        except CannotPrint as error:
            print_error(f"{name}:{error.at}: {error}")
            return COULD_NOT_RUN
        except ImportError as error:
            print_error(f"{name}:{log.end}: a compressed transaction cannot be printed: {error}")
            return COULD_NOT_RUN
        except BinlogError as error:
            damage = error
        else:
            return CONFORMING
        finally:
            self._out.flush()
        if is_torn_tail(damage, log):
            print_error(f"{name}:{damage.at}: the log is still being written, or its server crashed: {damage.message}")
            return CONFORMING
        print_error(problem(name, damage))
        return COULD_NOT_RUN if is_unreadable(damage) else NOT_CONFORMING

    def _followed(self, stream: BinaryIO, log: Log, progress: Callable[[int], None]) -> Iterator[Event]:
        """Yield the events of a log, and record how far they were printed."""
        for event in read_file(stream, self._rules):
            in_use = event.header.type == EventType.FORMAT_DESCRIPTION and event.header.flags & Flag.BINLOG_IN_USE
            log.in_use |= log.events == 0 and bool(in_use)
            yield event
            log.end = event.end
            log.events += 1
            if not log.events % _STEP:
                progress(log.end)
