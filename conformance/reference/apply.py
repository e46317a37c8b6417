"""The reference in the role `apply`: the model of an applier, fed with what the reader reports."""

from collections.abc import Callable, Iterator
from typing import Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.replica.applier import Applier
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report

#: The kind of error of a stop: the stream can be read, but not applied.
STOP_KIND: Final = "other"


def answer(request: Request) -> Observation:
    """Return what the model of an applier does with a relay log."""
    return answer_with(Applier, request)


def answer_with(applier: Callable[[ReplicaSettings], Applier], request: Request) -> Observation:
    """Return what an applier does with a relay log; an event that cannot be read is an error at its offset.

    Args:
        applier: Makes the applier for the settings of the question.
        request: The request.
    """
    made = applier(ReplicaSettings.of_json(request.profile, request.settings))
    unreadable: list[BinlogError] = []
    done = made.apply(_events(request, unreadable))
    entries = tuple(each.entry() for each in done)
    stop = made.stopped
    if stop is not None:
        return Observation(entries, Refusal(stop.event.offset, STOP_KIND, stop.message, stop.code))
    if unreadable:
        error = unreadable[0]
        return Observation(entries, Refusal(error.at, error.kind, error.message, made.settings.rules.read_failure))
    return Observation(entries)


def _events(request: Request, unreadable: list[BinlogError]) -> Iterator[ReplicaEvent]:
    """Yield the events of the stream; the error of the first one that cannot be read is added to `unreadable`."""
    try:
        for event in read_events(request.stream, server_of(request.profile).rules):
            try:
                yield ReplicaEvent.of_entry(report(event))
            except MalformedBody as error:
                raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error
    except BinlogError as error:
        unreadable.append(error)
