"""Answered streams: what the kit reads in the streams of an implementation's answer."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.rows.open_tables import OpenTables
from conformance.protocol.observation import Observation, Refusal
from conformance.protocol.reported_event import report

#: The events with what a statement needs, in the order in which servers write them.
_CONTEXT: Final = {EventType.INTVAR: 0, EventType.RAND: 1, EventType.USER_VAR: 2}
#: What belongs to the place of an event, whichever of them is there.
_OF_PLACE: Final = ("log", "offset", "log_pos", "flags", "timestamp", "server_id")


def observed_streams(streams: Sequence[bytes], rules: ReaderRules) -> Observation:
    """Return every event of the streams with its fields, and in `log` the number of its stream, from 0.

    Rows have the names of their table.

    The Intvar, Rand and User_var events of a statement come in the order of servers, whatever their order in the
    stream: WL#4162 names them and asks for none. A stream that cannot be read is an error at that offset of it; what
    follows is not read.

    Args:
        streams: The streams, magic numbers included.
        rules: The rules of the reader.
    """
    events: list[dict[str, Any]] = []
    for number, stream in enumerate(streams):
        tables = OpenTables()
        try:
            for event in read_events(stream, rules):
                try:
                    entry = {"log": number, **report(event, tables)}
                    events.append(entry | _table_of(entry, tables))
                    tables.observe(event)
                except MalformedBody as error:
                    raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error
        except BinlogError as error:
            return Observation(_ordered(events), Refusal(error.at, error.kind, error.message), tuple(streams))
    return Observation(_ordered(events), streams=tuple(streams))


def _table_of(entry: Mapping[str, Any], tables: OpenTables) -> dict[str, str]:
    """Return the names of the table of rows, which their event has by the number of a Table_map alone."""
    if "rows" not in entry:
        return {}
    table = tables.table(entry["table_id"])
    return {"database": table.database.decode(errors="replace"), "table": table.name.decode(errors="replace")}


def _ordered(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Return events in which those before a statement are in the order of servers; what is of a place stays there."""
    ordered: list[dict[str, Any]] = []
    for is_context, of_run in groupby(events, lambda each: each["type"] in _CONTEXT):
        run = list(of_run)
        if is_context and len(run) > 1:
            made = sorted(run, key=lambda each: _CONTEXT[each["type"]])
            run = [each | {name: place[name] for name in _OF_PLACE} for place, each in zip(run, made, strict=True)]
        ordered += run
    return tuple(ordered)
