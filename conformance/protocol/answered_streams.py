"""Answered streams: what the kit reads in the streams of an implementation's answer."""

from collections.abc import Sequence
from typing import Any

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.rows.open_tables import OpenTables
from conformance.protocol.observation import Observation, Refusal
from conformance.protocol.reported_event import report


def observed_streams(streams: Sequence[bytes], rules: ReaderRules) -> Observation:
    """Return every event of the streams with its fields, and in `log` the number of its stream, from 0.

    A stream that cannot be read is an error at that offset of it; what follows is not read.

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
                    events.append({"log": number, **report(event, tables)})
                    tables.observe(event)
                except MalformedBody as error:
                    raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error
        except BinlogError as error:
            return Observation(tuple(events), Refusal(error.at, error.kind, error.message), tuple(streams))
    return Observation(tuple(events), streams=tuple(streams))
