"""Answers of printing programs with one fault, for the mutants of the role `render`."""

import base64
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta, timezone
from itertools import count
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_info import text as as_text
from conformance.binlog.event_types import EventType
from conformance.binlog.header import FLAGS_AT, LENGTH_AT, MAGIC
from conformance.binlog.reader import read_events
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.servers import server_of
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.worklog_parser import ParserStep, WorklogParser
from conformance.models.rendering.binlog_statement import base64_lines, binlog_statement
from conformance.models.rendering.boundary_watch import BoundaryWatch
from conformance.models.rendering.mysqlbinlog_text import MysqlbinlogText
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer import printer_of
from conformance.models.rendering.printer_version import PRINTER_VERSIONS, PrinterVersion
from conformance.models.rendering.session_settings import DELIMITER
from conformance.protocol.observation import Observation, Request
from conformance.reference.printed_boundaries import PrintedBoundaries, boundaries_of
from conformance.reference.render import options_of, rows, text

_Answer = Callable[[Request], Observation]
#: A printed text and its request -> another text.
_Rewrite = Callable[[str, Request], str]
_FLAGS_END: Final = 19
_VERY_VERBOSE: Final = 2
TWELVE_HOURS: Final = 720
#: The codes of logical timestamps among the status variables of Query events.
_TIMESTAMP_CODES: Final = (b"\x0e", b"\x0f")
#: A Rows_query from its header line to the last of its comment lines.
ROWS_QUERY: Final = re.compile(r"^(#\d{6} .*\tRows_query\n)((?:#(?! at \d+\n|\d{6} ).*\n)*)", re.MULTILINE)
#: The values of an image, the number of each, the table of a Table_map, and the line of rows that names theirs.
_IMAGE: Final = re.compile(r"^(?:###   @.*\n)+", re.MULTILINE)
_COLUMN: Final = re.compile(r"^(###   @)\d+=", re.MULTILINE)
_USE: Final = re.compile(r"use `(.*)`/")
_TABLE: Final = re.compile(r"\tTable_map: (.*) mapped to number")
_INTO: Final = re.compile(r"^(### INSERT INTO ).*\n")
#: A user variable that is set to a number of 20 digits, which is above 2^63.
_INTEGER: Final = re.compile(r"^(SET @`[^`]*`:=)(1\d{19})\b", re.MULTILINE)
#: A user variable that is set to a text of digits.
_DIGITS: Final = re.compile(r"^(SET @`(?:[^`]|``)*`:=)_\w+ (?:0x|X')((?:3\d)+)'? COLLATE `\w+`", re.MULTILINE)
_BLOCKS: Final = re.compile(r"^(?=# at \d+\n)", re.MULTILINE)
BOUNDARY: Final = re.compile(r"^(#\d{6} .*boundary: (Start Transaction) .*\n)", re.MULTILINE)
_BINLOG: Final = re.compile(r"^(BINLOG '\n(?:[^']*\n)'/\*!\*/;\n)", re.MULTILINE)
WARNING: Final = re.compile(r"from (\w+ \w+) to (\w+ \w+)")


def printed(
    *,
    version: Callable[[PrinterVersion], PrinterVersion] = lambda version: version,
    options: Callable[[PrintOptions], PrintOptions] = lambda options: options,
    printer: Callable[[PrinterVersion, PrintOptions, BoundaryWatch | None], MysqlbinlogText] = printer_of,
    boundaries: Callable[[PrinterVersion], BoundaryWatch | None] = boundaries_of,
) -> _Answer:
    """Return the answer with another version, other options or another printer."""

    def answer(request: Request) -> Observation:
        if request.settings["form"] == "events":
            return rows(request)
        printed = version(PRINTER_VERSIONS[request.profile])
        return text(request, printer(printed, options(options_of(request)), boundaries(printed)))

    return answer


def in_zone(change: Callable[[int], int]) -> Callable[[PrintOptions], PrintOptions]:
    """Return the change of the time zone, whose minutes east of UTC another number replaces."""

    def changed(options: PrintOptions) -> PrintOptions:
        east = (options.zone.utcoffset(None) or timedelta()) // timedelta(minutes=1)
        return replace(options, zone=timezone(timedelta(minutes=change(east))))

    return changed


def from_the_beginning(request: Request) -> Observation:
    """Return the answer without a start position."""
    return printed()(replace(request, settings={**request.settings, "start_position": len(MAGIC)}))


def start_forgotten(request: Request) -> Observation:
    """Return the text from the beginning of a log, wherever printing is to begin, if further logs follow."""
    return from_the_beginning(request) if request.settings.get("following") else printed()(request)


def format_unprinted(request: Request) -> Observation:
    """Return the text in which the format description is a comment alone if printing begins after it."""
    answered = printed()(request)
    if request.settings["form"] == "events" or request.settings["start_position"] == len(MAGIC):
        return answered
    entry = {**answered.events[0], "text": _BINLOG.sub("", answered.events[0]["text"], count=1)}
    return replace(answered, events=(entry,))


def by_first_format(request: Request) -> Observation:
    """Return the text of logs that are all read by the format description of the first."""
    settings = {**request.settings}
    if settings.get("following"):
        described, *_ = _descriptions([request.stream])
        later = map(base64.b64decode, settings["following"])
        settings["following"] = [
            base64.b64encode(MAGIC + described + log[len(MAGIC) + len(own) :]).decode("ascii")
            for log, own in ((each, *_descriptions([each])) for each in later)
        ]
    return printed()(replace(request, settings=settings))


def _descriptions(logs: Iterable[bytes]) -> list[bytes]:
    """Return the first event of each log, its format description."""
    length = slice(len(MAGIC) + LENGTH_AT, len(MAGIC) + LENGTH_AT + 4)
    return [log[len(MAGIC) : len(MAGIC) + int.from_bytes(log[length], "little")] for log in logs]


def first_format_alone(statements: list[str]) -> list[str]:
    """Return BINLOG statements without the format descriptions of logs after the first."""
    first, *others = statements
    # The type of an event is after a time of four bytes.
    return [first, *("" if _holds_description(each) else each for each in others)]


def format_in_base64(request: Request) -> Observation:
    """Return the text with the first format description in a BINLOG statement, whatever the options are."""
    seen = printed()(request)
    if request.settings["form"] == "events" or request.settings["base64_output"] == "auto":
        return seen
    (described,) = _descriptions([request.stream])
    statement = "\n".join([*binlog_statement(base64_lines(described)), ""])
    return replace(seen, events=tuple({**each, "text": each["text"] + statement} for each in seen.events))


def _holds_description(statement: str) -> bool:
    return base64.b64decode(statement.split("\n")[1][:8])[4] == EventType.FORMAT_DESCRIPTION


def two_files_at_most(request: Request) -> Observation:
    """Return the text of at most two logs."""
    following = request.settings.get("following", ())[:1]
    return printed()(replace(request, settings={**request.settings, "following": following}))


def _unchanged(text: str) -> str:
    return text


def rewritten(change: _Rewrite, *, warnings: Callable[[str], str] = _unchanged) -> _Answer:
    """Return the answer with a changed text."""
    honest = printed()

    def answer(request: Request) -> Observation:
        seen = honest(request)
        entries = [
            {**each, "text": change(each["text"], request), "warnings": warnings(each["warnings"])}
            if "text" in each
            else each
            for each in seen.events
        ]
        return replace(seen, events=tuple(entries))

    return answer


def replaced(pattern: str, by: str) -> _Answer:
    """Return the answer with a pattern replaced in its text."""
    compiled = re.compile(pattern, re.MULTILINE)

    def change(printed: str, _: Request) -> str:
        return compiled.sub(by, printed)

    return rewritten(change)


def _listed(change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> _Answer:
    """Return the answer with changed rows of SHOW BINLOG EVENTS."""
    honest = printed()

    def answer(request: Request) -> Observation:
        seen = honest(request)
        return replace(seen, events=tuple(change(each) if "info" in each else each for each in seen.events))

    return answer


def info(name: str, change: Callable[[str], str]) -> _Answer:
    """Return the rows of SHOW BINLOG EVENTS in which events of a type have another Info."""
    return _listed(lambda row: {**row, "info": change(row["info"])} if row["event_type"] == name else row)


def listed_as(name: str, other: str) -> _Answer:
    """Return the rows of SHOW BINLOG EVENTS in which events of a type have the name of another."""
    return _listed(lambda row: {**row, "event_type": other} if row["event_type"] == name else row)


def lists_but(hidden: Callable[[Sequence[Event]], Container[int]]) -> _Answer:
    """Return the rows of SHOW BINLOG EVENTS without those of some events, by their indices in the log."""
    honest = printed()

    def answer(request: Request) -> Observation:
        seen = honest(request)
        if request.settings["form"] != "events":
            return seen
        left_out = hidden([*_events(request)])
        return replace(seen, events=tuple(row for index, row in enumerate(seen.events) if index not in left_out))

    return answer


def types_from(code: int) -> Callable[[Sequence[Event]], Container[int]]:
    """Return what finds the events whose types have a code or a higher one."""
    return lambda events: {index for index, event in enumerate(events) if event.header.type >= code}


def again_unknown(events: Sequence[Event]) -> Container[int]:
    """Return the indices of events of unknown types right after another one."""
    unknown = [not event.recognised for event in events]
    return {index for index in range(1, len(unknown)) if unknown[index - 1] and unknown[index]}


def ends_one_too_far(shown: str) -> str:
    """Return a GTID set as text, with the exclusive end of each interval for its last number."""
    return re.sub(r"-(\d+)(?=[:,]|$)", lambda match: f"-{int(match[1]) + 1}", shown)


def _events(request: Request) -> Iterator[Event]:
    yield from read_events(request.stream, server_of(request.profile).rules)


def with_tables_info(printed: str, request: Request) -> str:
    """Return a text in which statements go on with the bytes of their tables info."""
    for event in _events(request):
        fields = event.fields() if event.header.type == EventType.QUERY else {}
        if fields.get("tables_info"):
            query = as_text(fields["query"])
            table = as_text(fields["tables_info"][0]["table"])
            printed = printed.replace(f"\n{query}\n{DELIMITER}", f"\n{query}{table}\n{DELIMITER}")
    return printed


def last_line_twice(printed: str, _: Request) -> str:
    """Return a text that shows the last line of each Rows_query twice."""

    def doubled(match: re.Match[str]) -> str:
        lines = match[2].splitlines(keepends=True)
        return match[1] + "".join([*lines, *lines[-1:]])

    return ROWS_QUERY.sub(doubled, printed)


def columns_renumbered(printed: str, _: Request) -> str:
    """Return a text that numbers the columns that an image has, not those of its table."""

    def numbered(match: re.Match[str]) -> str:
        number = count(1)
        return _COLUMN.sub(lambda each: f"{each[1]}{next(number)}=", match[0])

    return _IMAGE.sub(numbered, printed)


def integers_signed(printed: str, _: Request) -> str:
    """Return a text in which user variables of 20 digits are below zero."""
    return _INTEGER.sub(lambda match: f"{match[1]}{int(match[2]) - (1 << 64)}", printed)


def digits_unquoted(printed: str, _: Request) -> str:
    """Return a text in which user variables that are texts of digits are set to numbers."""
    return _DIGITS.sub(lambda match: f"{match[1]}{bytes.fromhex(match[2]).decode()}", printed)


def a_hundred_lines(printed: str, _: Request) -> str:
    """Return a text that shows at most a hundred lines of each Rows_query."""

    def shortened(match: re.Match[str]) -> str:
        return match[1] + "".join(match[2].splitlines(keepends=True)[:100])

    return ROWS_QUERY.sub(shortened, printed)


def letters_of_databases_alike(printed: str, _: Request) -> str:
    """Return a text that sets no default database whose name differs from that of the last one in its letters alone."""
    lines, last = [], ""
    for line in printed.splitlines(keepends=True):
        use = _USE.match(line)
        if use and use[1].lower() == last:
            continue
        last = use[1].lower() if use else last
        lines.append(line)
    return "".join(lines)


def rows_of_last_table(printed: str, _: Request) -> str:
    """Return a text that shows all rows of a statement as those of its last table."""
    lines, last = [], ""
    for line in printed.splitlines(keepends=True):
        table = _TABLE.search(line)
        last = table[1] if table else last
        into = _INTO.match(line)
        lines.append(f"{into[1]}{last}\n" if into else line)
    return "".join(lines)


def first_line_only(printed: str, _: Request) -> str:
    """Return a text in which only the first line of a Rows_query is a comment."""

    def uncovered(match: re.Match[str]) -> str:
        lines = match[2].splitlines(keepends=True)
        return match[1] + "".join([*lines[:1], *(line.removeprefix("# ") for line in lines[1:])])

    return ROWS_QUERY.sub(uncovered, printed)


def after_its_table(printed: str, _: Request) -> str:
    """Return a text with each Rows_query after its Table_map."""
    blocks = _BLOCKS.split(printed)
    for index in range(len(blocks) - 1):
        if "\tRows_query\n" in blocks[index] and "\tTable_map: " in blocks[index + 1]:
            blocks[index : index + 2] = [blocks[index + 1], blocks[index]]
    return "".join(blocks)


def unknown_in_base64(printed: str, request: Request) -> str:
    """Return a text that shows unknown ignorable events in base64."""
    for event in _events(request):
        if not event.recognised:
            statement = "\n".join(binlog_statement(base64_lines(event.data)))
            lines = rf"^#\d{{6}} .* end_log_pos {event.header.log_pos} .*\n# Unrecognized.*\n"
            match = re.search(lines, printed, re.MULTILINE)
            if match:
                printed = f"{printed[: match.end()]}{statement}\n{printed[match.end() :]}"
    return printed


def rows_query_left_out(printed: str, request: Request) -> str:
    """Return a text whose BINLOG statements lack the Rows_query events."""
    for event in _events(request):
        if event.recognised and event.header.type == EventType.ROWS_QUERY:
            printed = printed.replace("\n".join(base64_lines(event.data)) + "\n", "", 1)
    return printed


class NeverReset(PrintedBoundaries):
    """Boundaries that go on from one log to the next."""

    def start_log(self) -> None:
        """Do not reset the parser."""


class GoesOnAfterEnd(PrintedBoundaries):
    """Boundaries that go on to the next log if a log ends with a whole transaction."""

    def start_log(self) -> None:
        """Reset the parser unless the log before has ended with a whole transaction."""
        if self._parser.state is not BoundaryType.END_TRANSACTION:
            super().start_log()


class _StubbornParser(WorklogParser):
    def feed(self, event: FedEvent) -> ParserStep:
        before = self.state
        step = super().feed(event)
        if step.warning is not None:
            self.state = before
        return step


def stubborn(version: PrinterVersion) -> BoundaryWatch | None:
    """Return what watches boundaries with a parser that is not reset after an error."""
    return PrintedBoundaries(_StubbornParser()) if version.boundary_types else None


class FeedsPrintedEvents(MysqlbinlogText):
    """A printer that feeds its boundary parser only what it prints."""

    def _feed(self, event: Event) -> None:
        if event.header.type != EventType.ROWS_QUERY or self._options.verbose >= _VERY_VERBOSE:
            super()._feed(event)


class ShowsTimestamps(MysqlbinlogText):
    """A printer that shows the logical timestamps of a Query event."""

    def _query_header(self, event: Event, name: str, fields: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        line = super()._query_header(event, name, fields, variables)
        return f"{line}\tlast_committed=0" if fields["status_variables"][:1] in _TIMESTAMP_CODES else line


class EndsAtTheOneFlag(MysqlbinlogText):
    """A printer to which rows end their statement only if they have no other flag."""

    def _rows_event(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        known = fields["rows_flags"]
        yield from super()._rows_event(event, {**fields, "rows_flags": known if known == STATEMENT_END else 0})


class XidUnprinted(MysqlbinlogText):
    """A printer that prints nothing for an Xid."""

    def _xid(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        self._in_transaction = self._gtid_is_set = False
        return iter(())


class LastValueAlone(MysqlbinlogText):
    """A printer that prints the last of several values before a statement alone."""

    def _print_held(self) -> Iterator[str]:
        self._held = self._held[-1:]
        yield from super()._print_held()


class ValueOfTypeAlone(MysqlbinlogText):
    """A printer that prints one value of each type before a statement: LAST_INSERT_ID or INSERT_ID, not both."""

    def _print_held(self) -> Iterator[str]:
        last = {event.fields().get("variable_name", event.header.type): (event, method) for event, method in self._held}
        self._held[:] = last.values()
        yield from super()._print_held()


class UnknownEndsRows(MysqlbinlogText):
    """A printer that ends a BINLOG statement at an event of an unknown type."""

    def _ignorable(self, event: Event) -> Iterator[str]:
        if self._base64:
            yield from self._flush_rows()
        yield from super()._ignorable(event)


class UnknownLosesRows(MysqlbinlogText):
    """A printer that shows no rows before an event of an unknown type in their statement."""

    def _ignorable(self, event: Event) -> Iterator[str]:
        self._rows.close()
        yield from super()._ignorable(event)


class CarriesOver(MysqlbinlogText):
    """A printer that puts the statement within which a log ends before the first one of the next log."""

    def _drop_unfinished(self) -> None:
        pass


class MarkersCleared(MysqlbinlogText):
    """A printer whose BINLOG statements have no markers."""

    def _encoded(self, event: Event) -> Iterator[str]:
        cleared = MARKER_BITS.write(event.header.flags, 0).to_bytes(_FLAGS_END - FLAGS_AT, "little")
        data = event.data[:FLAGS_AT] + cleared + event.data[_FLAGS_END:]
        return super()._encoded(event._replace(data=data))


class TableMapsCleared(MarkersCleared):
    """A printer whose BINLOG statements have no markers in Table_map events."""

    def _encoded(self, event: Event) -> Iterator[str]:
        if event.header.type == EventType.TABLE_MAP:
            return super()._encoded(event)
        return MysqlbinlogText._encoded(self, event)


def binlog_statement_changed(change: Callable[[list[str]], list[str]]) -> _Answer:
    """Return the answer with the BINLOG statements of its text changed, given and returned as a list."""

    def changed(printed: str, _: Request) -> str:
        parts = _BINLOG.split(printed)
        if parts[1::2]:
            parts[1::2] = change(parts[1::2])
        return "".join(parts)

    return rewritten(changed)
