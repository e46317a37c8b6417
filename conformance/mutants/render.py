"""The mutants of the role `render`: the kit's own printing with one named fault each."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_info import text as as_text
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
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
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.printed_boundaries import PrintedBoundaries, boundaries_of
from conformance.reference.render import options_of, rows, text

_Answer = Callable[[Request], Observation]
#: A printed text and its request -> another text.
_Rewrite = Callable[[str, Request], str]
_FLAGS_AT: Final = 17
_FLAGS_END: Final = 19
_VERY_VERBOSE: Final = 2
_TWELVE_HOURS: Final = 720
#: The codes of logical timestamps among the status variables of Query events.
_TIMESTAMP_CODES: Final = (b"\x0e", b"\x0f")
#: A Rows_query from its header line to the last of its comment lines.
_ROWS_QUERY: Final = re.compile(r"^(#\d{6} .*\tRows_query\n)((?:#(?! at \d+\n|\d{6} ).*\n)*)", re.MULTILINE)
_BLOCKS: Final = re.compile(r"^(?=# at \d+\n)", re.MULTILINE)
_BOUNDARY: Final = re.compile(r"^(#\d{6} .*boundary: (Start Transaction) .*\n)", re.MULTILINE)
_BINLOG: Final = re.compile(r"^(BINLOG '\n(?:[^']*\n)'/\*!\*/;\n)", re.MULTILINE)
_WARNING: Final = re.compile(r"from (\w+ \w+) to (\w+ \w+)")


def _printed(
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


def _in_zone(change: Callable[[int], int]) -> Callable[[PrintOptions], PrintOptions]:
    """Return the change of the time zone, whose minutes east of UTC another number replaces."""

    def changed(options: PrintOptions) -> PrintOptions:
        east = (options.zone.utcoffset(None) or timedelta()) // timedelta(minutes=1)
        return replace(options, zone=timezone(timedelta(minutes=change(east))))

    return changed


def _two_files_at_most(request: Request) -> Observation:
    following = request.settings.get("following", ())[:1]
    return _printed()(replace(request, settings={**request.settings, "following": following}))


def _unchanged(text: str) -> str:
    return text


def _rewritten(change: _Rewrite, *, warnings: Callable[[str], str] = _unchanged) -> _Answer:
    """Return the answer with a changed text."""
    honest = _printed()

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


def _replaced(pattern: str, by: str) -> _Answer:
    """Return the answer with a pattern replaced in its text."""
    compiled = re.compile(pattern, re.MULTILINE)

    def change(printed: str, _: Request) -> str:
        return compiled.sub(by, printed)

    return _rewritten(change)


def _listed(change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> _Answer:
    """Return the answer with changed rows of SHOW BINLOG EVENTS."""
    honest = _printed()

    def answer(request: Request) -> Observation:
        seen = honest(request)
        return replace(seen, events=tuple(change(each) if "info" in each else each for each in seen.events))

    return answer


def _info(name: str, change: Callable[[str], str]) -> _Answer:
    return _listed(lambda row: {**row, "info": change(row["info"])} if row["event_type"] == name else row)


def _events(request: Request) -> Iterator[Event]:
    yield from read_events(request.stream, server_of(request.profile).rules)


def _with_tables_info(printed: str, request: Request) -> str:
    for event in _events(request):
        fields = event.fields() if event.header.type == EventType.QUERY else {}
        if fields.get("tables_info"):
            query = as_text(fields["query"])
            table = as_text(fields["tables_info"][0]["table"])
            printed = printed.replace(f"\n{query}\n{DELIMITER}", f"\n{query}{table}\n{DELIMITER}")
    return printed


def _last_line_twice(printed: str, _: Request) -> str:
    def doubled(match: re.Match[str]) -> str:
        lines = match[2].splitlines(keepends=True)
        return match[1] + "".join([*lines, *lines[-1:]])

    return _ROWS_QUERY.sub(doubled, printed)


def _first_line_only(printed: str, _: Request) -> str:
    def uncovered(match: re.Match[str]) -> str:
        lines = match[2].splitlines(keepends=True)
        return match[1] + "".join([*lines[:1], *(line.removeprefix("# ") for line in lines[1:])])

    return _ROWS_QUERY.sub(uncovered, printed)


def _after_its_table(printed: str, _: Request) -> str:
    blocks = _BLOCKS.split(printed)
    for index in range(len(blocks) - 1):
        if "\tRows_query\n" in blocks[index] and "\tTable_map: " in blocks[index + 1]:
            blocks[index : index + 2] = [blocks[index + 1], blocks[index]]
    return "".join(blocks)


def _unknown_in_base64(printed: str, request: Request) -> str:
    for event in _events(request):
        if not event.recognised:
            statement = "\n".join(binlog_statement(base64_lines(event.data)))
            lines = rf"^#\d{{6}} .* end_log_pos {event.header.log_pos} .*\n# Unrecognized.*\n"
            match = re.search(lines, printed, re.MULTILINE)
            if match:
                printed = f"{printed[: match.end()]}{statement}\n{printed[match.end() :]}"
    return printed


def _rows_query_left_out(printed: str, request: Request) -> str:
    for event in _events(request):
        if event.recognised and event.header.type == EventType.ROWS_QUERY:
            printed = printed.replace("\n".join(base64_lines(event.data)) + "\n", "", 1)
    return printed


def _unknown_once_in_a_row(request: Request) -> Observation:
    """Leave out the row of an event of an unknown type right after another one."""
    if request.settings["form"] != "events":
        return _printed()(request)
    listed = rows(request)
    unknown = [not event.recognised for event in _events(request)]
    again = {index for index in range(1, len(unknown)) if unknown[index - 1] and unknown[index]}
    return replace(listed, events=tuple(row for index, row in enumerate(listed.events) if index not in again))


class _NeverReset(PrintedBoundaries):
    def start_log(self) -> None:
        """Do not reset the parser."""


class _GoesOnAfterEnd(PrintedBoundaries):
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


def _stubborn(version: PrinterVersion) -> BoundaryWatch | None:
    return PrintedBoundaries(_StubbornParser()) if version.boundary_types else None


class _FeedsPrintedEvents(MysqlbinlogText):
    def _feed(self, event: Event) -> None:
        if event.header.type != EventType.ROWS_QUERY or self._options.verbose >= _VERY_VERBOSE:
            super()._feed(event)


class _ShowsTimestamps(MysqlbinlogText):
    def _query_header(self, event: Event, name: str, fields: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        line = super()._query_header(event, name, fields, variables)
        return f"{line}\tlast_committed=0" if fields["status_variables"][:1] in _TIMESTAMP_CODES else line


class _MarkersCleared(MysqlbinlogText):
    def _encoded(self, event: Event) -> Iterator[str]:
        cleared = MARKER_BITS.write(event.header.flags, 0).to_bytes(_FLAGS_END - _FLAGS_AT, "little")
        data = event.data[:_FLAGS_AT] + cleared + event.data[_FLAGS_END:]
        return super()._encoded(replace(event, data=data))


class _TableMapsCleared(_MarkersCleared):
    def _encoded(self, event: Event) -> Iterator[str]:
        if event.header.type == EventType.TABLE_MAP:
            return super()._encoded(event)
        return MysqlbinlogText._encoded(self, event)


def _binlog_statement_changed(change: Callable[[list[str]], list[str]]) -> _Answer:
    """Return the answer with the BINLOG statements of its text changed, given and returned as a list."""

    def changed(printed: str, _: Request) -> str:
        parts = _BINLOG.split(printed)
        if parts[1::2]:
            parts[1::2] = change(parts[1::2])
        return "".join(parts)

    return _rewritten(changed)


#: Every mutant of the role, in the order of the catalogue.
MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "prints-tables-info",
        "WL40-RENDER-QUERY-STOPS",
        "the first table of the tables info is printed after the statement",
        answer=_rewritten(_with_tables_info),
    ),
    Mutant(
        "statement-line-twice",
        "WL4033-RENDER-ROWS-QUERY-SHOWN",
        "the last line of a Rows_query is shown twice",
        answer=_rewritten(_last_line_twice),
    ),
    Mutant(
        "statement-after-table",
        "WL4033-RENDER-ROWS-QUERY-ORDER",
        "a Rows_query is printed after its Table_map",
        answer=_rewritten(_after_its_table),
    ),
    Mutant(
        "first-line-is-comment",
        "WL4033-RENDER-IGNORABLE-COMMENT",
        "only the first line of a Rows_query is a comment",
        answer=_rewritten(_first_line_only),
    ),
    Mutant(
        "unknown-in-base64",
        "WL4033-RENDER-UNKNOWN-QUIET",
        "an unknown ignorable event is printed in a BINLOG statement",
        answer=_rewritten(_unknown_in_base64),
    ),
    Mutant(
        "verbose-twice-ignored",
        "WL4033-RENDER-VERBOSE-TWICE",
        "Rows_query events are not shown even if verbose is given twice",
        answer=_rewritten(lambda printed, _: _ROWS_QUERY.sub("", printed)),
    ),
    Mutant(
        "rows-query-colon",
        "WL4033-GOLDEN-TEXT-ROWS-QUERY",
        "a colon follows the word Rows_query",
        answer=_replaced(r"\tRows_query$", "\tRows_query:"),
    ),
    Mutant(
        "positions-apart",
        "WL4033-GOLDEN-TEXT-AT-LINES",
        "each '# at' line is directly before its own header line",
        answer=_printed(version=lambda version: replace(version, table_maps_wait=False, rows_wait=False)),
    ),
    Mutant(
        "clock-in-utc",
        "WL4033-GOLDEN-TEXT-TIME",
        "header lines show UTC in every time zone",
        answer=_printed(options=lambda options: replace(options, zone=UTC)),
    ),
    Mutant(
        "clock-without-minutes-east",
        "WL4033-GOLDEN-TEXT-TIME",
        "header lines show a time zone east of UTC without its minutes",
        answer=_printed(options=_in_zone(lambda east: east - east % 60 if east > 0 else east)),
    ),
    Mutant(
        "clock-within-twelve-hours",
        "WL4033-GOLDEN-TEXT-TIME",
        "header lines show no time zone of more than twelve hours",
        answer=_printed(options=_in_zone(lambda east: min(east, _TWELVE_HOURS))),
    ),
    Mutant(
        "table-unquoted",
        "WL4033-GOLDEN-TEXT-TABLE-MAP",
        "the names of a Table_map are not quoted",
        answer=_replaced(r"\tTable_map: `(.*)`\.`(.*)` mapped", r"\tTable_map: \1.\2 mapped"),
    ),
    Mutant(
        "rows-flags-as-number",
        "WL4033-GOLDEN-TEXT-WRITE-ROWS",
        "the flags of a rows event are shown as a number",
        answer=_replaced(r" flags: STMT_END_F$", " flags: 0x1"),
    ),
    Mutant(
        "base64-without-statement",
        "WL4033-GOLDEN-TEXT-BINLOG",
        "the BINLOG statement does not have the Rows_query",
        answer=_rewritten(_rows_query_left_out),
    ),
    Mutant(
        "rows-without-types",
        "WL4033-GOLDEN-TEXT-PSEUDO-SQL",
        "values are shown without their type",
        answer=_replaced(r"^(###   @\d+=.*) /\*.*\*/$", r"\1"),
    ),
    Mutant(
        "begin-semicolon",
        "WL4033-GOLDEN-TEXT-TRANSACTION",
        "BEGIN ends with a semicolon, not with the delimiter",
        answer=_replaced(r"^BEGIN\n/\*!\*/;$", "BEGIN;"),
    ),
    Mutant(
        "listed-without-sign",
        "WL4033-GOLDEN-SHOW-ROWS-QUERY",
        "SHOW BINLOG EVENTS lists a Rows_query without '# '",
        answer=_info("Rows_query", lambda info: info.removeprefix("# ")),
    ),
    Mutant(
        "listed-bare-commit",
        "WL4033-GOLDEN-SHOW-INFO",
        "SHOW BINLOG EVENTS lists an Xid without its number",
        answer=_info("Xid", lambda info: "COMMIT"),
    ),
    Mutant(
        "two-files-at-most",
        "FORMAT-RENDER-BINLOG-RUNS",
        "of the logs of one call only the first two are printed",
        answer=_two_files_at_most,
    ),
    Mutant(
        "parser-outlives-file",
        "WL4162-RESET-EACH-FILE",
        "the boundary parser is not reset before the next file",
        answer=_printed(boundaries=lambda version: _NeverReset() if version.boundary_types else None),
    ),
    Mutant(
        "parser-outlives-whole-file",
        "WL4162-RESET-EACH-FILE",
        "the boundary parser is not reset after a file that ends with a whole transaction",
        answer=_printed(boundaries=lambda version: _GoesOnAfterEnd() if version.boundary_types else None),
    ),
    Mutant(
        "parser-stuck",
        "WL4162-RESET-AFTER-ERROR-DUMP",
        "the boundary parser is not reset after a warning",
        answer=_printed(boundaries=_stubborn),
    ),
    Mutant(
        "silent-dump",
        "WL4162-WARN-DUMP",
        "a wrong step causes no warning",
        answer=_rewritten(lambda printed, _: printed, warnings=lambda _: ""),
    ),
    Mutant(
        "warning-types-swapped",
        "WL4162-WARN-TEXT-DUMP",
        "the warning names the two types in reverse",
        answer=_rewritten(lambda printed, _: printed, warnings=lambda warning: _WARNING.sub(r"from \2 to \1", warning)),
    ),
    Mutant(
        "feeds-printed-events-only",
        "WL4162-DUMP-FEEDS-READ",
        "the boundary parser is fed only printed events",
        answer=_printed(printer=_FeedsPrintedEvents),
    ),
    Mutant(
        "boundary-is-executed",
        "WL4162-PRINT-AS-COMMENT",
        "a statement sets the boundary type of an event that starts a transaction",
        answer=_rewritten(lambda printed, _: _BOUNDARY.sub(rf"\1SET @boundary='\2'{DELIMITER}\n", printed)),
    ),
    Mutant(
        "boundary-of-marked-only",
        "WL4162-PRINT-EVERY-EVENT",
        "unmarked events show no boundary type",
        answer=_replaced(r" boundary: Not Defined ", " "),
    ),
    Mutant(
        "every-boundary-type",
        "WL4162-PRINT-EVERY-EVENT",
        "every event shows the names of all six boundary types",
        answer=_replaced(r" boundary: \w+ \w+ ", f" boundary: {', '.join(each.heading for each in BoundaryType)} "),
    ),
    Mutant(
        "markers-cleared-in-base64",
        "WL4162-PRINT-BINLOG-STATEMENT-BYTES",
        "events have no markers in BINLOG statements",
        answer=_printed(printer=_MarkersCleared),
    ),
    Mutant(
        "table-map-markers-cleared-in-base64",
        "WL4162-PRINT-BINLOG-STATEMENT-BYTES",
        "Table_map events have no markers in BINLOG statements",
        answer=_printed(printer=_TableMapsCleared),
    ),
    Mutant(
        "rows-without-format",
        "FORMAT-RENDER-BINLOG-RUNS",
        "the format description is not in a BINLOG statement",
        answer=_binlog_statement_changed(lambda statements: ["", *statements[1:]]),
    ),
    Mutant(
        "last-rows-twice",
        "FORMAT-RENDER-BINLOG-RUNS",
        "the last BINLOG statement is printed twice",
        answer=_binlog_statement_changed(lambda statements: [*statements[:-1], "".join(statements[-1:] * 2)]),
    ),
    Mutant(
        "unknown-once-in-a-row",
        "FORMAT-RENDER-ENTRIES",
        "SHOW BINLOG EVENTS has no row for an unknown event right after another one",
        answer=_unknown_once_in_a_row,
    ),
    Mutant(
        "previous-gtids-hidden",
        "WL7592-RENDER-BOTH-EVENTS",
        "Previous_gtids events are not printed",
        answer=_replaced(r"^#\d{6} .*\tPrevious-GTIDs\n(?:#(?! at \d+$|\d{6} ).*\n)*", ""),
    ),
    Mutant(
        "anonymous-as-zeros",
        "WL7592-RENDER-ANONYMOUS-WORD",
        "an anonymous transaction shows a GTID of zeros",
        answer=_replaced(r"GTID_NEXT= 'ANONYMOUS'", "GTID_NEXT= '00000000-0000-0000-0000-000000000000:0'"),
    ),
    Mutant(
        "query-with-timestamps",
        "WL7592-RENDER-NO-QUERY-TIMESTAMPS",
        "the line of a Query shows logical timestamps",
        answer=_replaced(r"(\tQuery\tthread_id=.*)$", r"\1\tlast_committed=0\tsequence_number=0"),
    ),
    Mutant(
        "old-query-timestamps",
        "WL7592-RENDER-NO-QUERY-TIMESTAMPS",
        "the line of a Query shows the logical timestamps that the event still has",
        answer=_printed(printer=_ShowsTimestamps),
    ),
    Mutant(
        "commit-word",
        "WL7592-RENDER-NO-COMMIT-WORD",
        "Gtid events show commit=yes, as in 5.6",
        answer=_printed(version=lambda version: replace(version, gtid_lines="commit")),
    ),
)
