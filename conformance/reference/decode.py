"""The reference in the role `decode`: the kit's own reader."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.servers import server_of
from conformance.binlog.transaction_payload import inner_events
from conformance.models.replica.reader_state import ReaderState
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report


def answer(request: Request) -> Observation:
    """Return what the reader sees in a stream."""
    return Decoder().answer(request)


def _look_inside(payload: Event, rules: ReaderRules) -> None:
    """Read through the events of a Transaction_payload, which are not reported, so that none is taken unknown."""
    # Without the package that unpacks it a payload is taken on trust.
    with suppress(ImportError):
        for _ in inner_events(payload, rules=rules):
            pass


class Decoder:
    """Reads streams, and reports their events in the words of the protocol; mutants override its two steps."""

    def answer(self, request: Request) -> Observation:
        """Return what is read in a stream, up to the event that cannot be read."""
        events: list[Mapping[str, Any]] = []
        try:
            for event in self.read(request.stream, server_of(request.profile).rules):
                events.append(event)
        except BinlogError as error:
            return Observation(tuple(events), Refusal(error.at, error.kind, error.message))
        return Observation(tuple(events))

    def read(self, stream: bytes, rules: ReaderRules) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream as the protocol reports them.

        Raises:
            BinlogError: At the first event that cannot be read.
        """
        tables = OpenTables()
        self._state = ReaderState()
        for event in read_events(stream, rules):
            try:
                reported = self.report(event, tables)
                tables.observe(event)
                if event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD:
                    _look_inside(event, rules)
            except MalformedBody as error:
                raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error
            if reported is not None:
                yield reported

    def report(self, event: Event, tables: OpenTables) -> dict[str, Any] | None:
        """Return an event as the protocol reports it, None for one that is kept back (which only mutants do).

        Raises:
            MalformedBody: The body contradicts its layout.
            BinlogError: The event is refused (which only mutants do).
        """
        reported = report(event, tables)
        return {**reported, **self._state.after(reported)}
