"""The reference in the role `send`: the model of a sender, and what the kit's own reader reads of the logs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from conformance.binlog.errors import BinlogError
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.sender.sender import FATAL_ERROR, Log, LoggedEvent, Sender, SenderStopped
from conformance.models.sender.sender_settings import SenderSettings
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report


def answer(request: Request) -> Observation:
    """Return what the model of a sender sends."""
    return answer_with(Sender, request)


def answer_with(sender: Callable[[SenderSettings], Sender], request: Request) -> Observation:
    """Return what a sender sends; where it stops, the error has the offset of the event in the stream.

    Args:
        sender: Makes the sender from the settings of the request.
        request: The request.
    """
    settings = SenderSettings.of_json(request.profile, request.settings)
    made = sender(settings)
    refusal = None
    try:
        made.send(list(_logs(request, settings)))
    except BinlogError as error:
        refusal = Refusal(error.at, error.kind, error.message)
    except SenderStopped as error:
        refusal = Refusal(error.event.offset, "other", str(error), code=FATAL_ERROR)
    return Observation(tuple(made.entries()), refusal)


#: The highest code of a type, which a source sends whether a reader of its version can skip it or not.
_HIGHEST_TYPE: Final = 0xFF


def _logs(request: Request, settings: SenderSettings) -> Iterator[Log]:
    """Yield the logs of a request.

    Raises:
        BinlogError: A log cannot be read on; the offset is that in the stream.
    """
    begin = 0
    rules = replace(server_of(request.profile).rules, highest_type=_HIGHEST_TYPE)
    for each in settings.logs:
        events = []
        try:
            for event in read_events(request.stream[begin : begin + each.length], rules):
                offset, start = begin + event.offset, each.hole.passed(event.offset)
                events.append(LoggedEvent.of_entry(report(event), start=start, offset=offset, data=event.data))
        except BinlogError as error:
            raise BinlogError(at=begin + error.at, kind=error.kind, message=error.message) from error
        yield Log(each.name, tuple(events))
        begin += each.length
