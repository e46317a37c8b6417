"""The reference implementation's answers in the role `render`."""

import base64
from collections.abc import Iterator
from datetime import timedelta, timezone
from typing import Any

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.rendering.mysqlbinlog_text import MysqlbinlogText
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer import printer_of
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.show_binlog_events import show_binlog_events
from conformance.protocol.observation import Observation, Refusal, Request, Trouble
from conformance.reference.printed_boundaries import boundaries_of

#: The name of a log in listed rows.
LOG_NAME = "binlog.000001"


def answer(request: Request) -> Observation | Trouble:
    """Return how the logs of a request are printed."""
    if request.settings["form"] == "events":
        return rows(request)
    version = PRINTER_VERSIONS[request.profile]
    return text(request, printer_of(version, options_of(request), boundaries_of(version)))


def options_of(request: Request) -> PrintOptions:
    """Return the program's options in a request."""
    settings = request.settings
    return PrintOptions(
        verbose=settings["verbose"],
        base64_output=settings["base64_output"],
        zone=timezone(timedelta(minutes=settings["utc_offset"])),
    )


def text(request: Request, printer: MysqlbinlogText) -> Observation:
    """Return the text of a printer for the logs of a request."""
    lines = list(printer.opening())
    error = None
    streams = [request.stream, *map(base64.b64decode, request.settings["following"])]
    for number, stream in enumerate(streams):
        start = 0 if number else request.settings["start_position"]
        try:
            lines.extend(printer.log(events_from(stream, start, request.profile)))
        except (BinlogError, MalformedBody) as failure:
            at = failure.at if isinstance(failure, BinlogError) else None
            kind = failure.kind if isinstance(failure, BinlogError) else "malformed"
            error = Refusal(at, kind, str(failure))
            break
    lines.extend(printer.closing())
    entry = {"text": _unicode("\n".join([*lines, ""])), "warnings": "\n".join(printer.warnings)}
    return Observation((entry,), error)


def events_from(stream: bytes, start: int, profile: str) -> Iterator[Event]:
    """Yield the events of a log that are printed: its format description, and those from offset `start`.

    Raises:
        BinlogError: An event cannot be read.
    """
    for event in read_events(stream, server_of(profile).rules):
        if event.offset >= start or event.header.type == EventType.FORMAT_DESCRIPTION:
            yield event


def rows(request: Request) -> Observation:
    """Return the rows that a server lists for the log of a request."""
    version = PRINTER_VERSIONS[request.profile]
    entries: list[dict[str, Any]] = []
    error = None
    try:
        events = read_events(request.stream, server_of(request.profile).rules)
        for row in show_binlog_events(LOG_NAME, events, version):
            entries.append(
                {
                    "pos": row.pos,
                    "event_type": row.event_type,
                    "server_id": row.server_id,
                    "end_log_pos": row.end_log_pos,
                    "info": _unicode(row.info or ""),
                }
            )
    except BinlogError as failure:
        error = Refusal(failure.at, failure.kind, failure.message)
    except MalformedBody as failure:
        error = Refusal(None, "malformed", str(failure))
    return Observation(tuple(entries), error)


def _unicode(printed: str) -> str:
    """Return text that JSON can hold: bytes that are not UTF-8 become replacement characters."""
    return printed.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
