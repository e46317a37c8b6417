"""The reference in the role `apply`: the model of an applier, fed with what the reader reports."""

from collections.abc import Callable, Iterator
from typing import Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.header import HEADER, Header
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.servers import server_of
from conformance.models.replica.applier import Applier
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import COUNTER_REFUSED, ReplicaSettings
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report

#: The kind of error of a stop: the stream can be read, but not applied.
STOP_KIND: Final = "other"
#: The kind of error of a stop at an event of a type that the replica does not know.
UNKNOWN_KIND: Final = "unknown-event"


def answer(request: Request) -> Observation:
    """Return what the model of an applier does with a relay log."""
    return answer_with(Applier, request)


def answer_with(
    applier: Callable[[ReplicaSettings], Applier], request: Request, rules: ReaderRules | None = None
) -> Observation:
    """Return what an applier does with a relay log; an event that cannot be read is an error at its offset.

    Args:
        applier: Makes the applier for the settings of the question.
        request: The request.
        rules: How the relay log is read; the profile's when None.
    """
    settings = ReplicaSettings.of_json(request.profile, request.settings)
    if settings.is_counter_refused:
        message = "sql_slave_skip_counter can not be set when gtid_mode is ON"
        return Observation((), Refusal(0, STOP_KIND, message, COUNTER_REFUSED))
    made = applier(settings)
    unreadable: list[BinlogError] = []
    done = made.apply(_events(request, rules or server_of(request.profile).rules, unreadable))
    entries = tuple(each.entry() for each in done)
    stop = made.stopped
    if stop is not None:
        kind = STOP_KIND if stop.event.recognised else UNKNOWN_KIND
        return Observation(entries, Refusal(stop.event.offset, kind, stop.message, stop.code))
    if unreadable:
        error = unreadable[0]
        return Observation(entries, Refusal(error.at, error.kind, error.message, made.settings.rules.read_failure))
    return Observation(entries)


def _events(request: Request, rules: ReaderRules, unreadable: list[BinlogError]) -> Iterator[ReplicaEvent]:
    """Yield the events of the stream; the error of the first one that cannot be read is added to `unreadable`."""
    try:
        tables = OpenTables()
        for event in read_events(request.stream, rules):
            try:
                yield ReplicaEvent.of_entry(report(event, tables))
                tables.observe(event)
            except MalformedBody as error:
                raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error
    except BinlogError as error:
        if error.kind != UNKNOWN_KIND:
            unreadable.append(error)
            return
        unknown = ReplicaEvent.of_header(Header(*HEADER.unpack_from(request.stream, error.at)), error.at)
        if unknown.ignorable and rules.ignorable:
            # It is refused although it may be ignored: the format description does not declare its type.
            unreadable.append(error)
        else:
            yield unknown
