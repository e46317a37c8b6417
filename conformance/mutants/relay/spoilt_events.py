"""The answers of receivers to events that are not whole, or whose bodies are malformed."""

from dataclasses import replace

from conformance.binlog.checksum import ends_with_checksum
from conformance.binlog.errors import BinlogError, located
from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.header import HEADER, MAGIC, TYPE_AT
from conformance.binlog.reader import READS_ALL, ReaderRules, framed_events, read_events
from conformance.binlog.servers import server_of
from conformance.models.replica.relay import Receiver, Reception
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report
from conformance.reference.relay import answer, answer_with


def _unverifying(request: Request) -> ReaderRules:
    return replace(server_of(request.profile).rules, verify_checksums=False)


def unverified(request: Request) -> Observation:
    """Answer as a receiver that writes events whose checksum is wrong."""
    return answer_with(Receiver, request, _unverifying(request))


def unverified_descriptions(request: Request) -> Observation:
    """Answer as a receiver that verifies the checksums of all events but format descriptions."""
    observed = answer(request)
    at = None if observed.error is None or observed.error.kind != "checksum" else observed.error.at
    if at is None or request.stream[at + TYPE_AT] != EventType.FORMAT_DESCRIPTION:
        return observed
    return unverified(request)


def unverified_unwritten(request: Request) -> Observation:
    """Answer as a receiver that verifies the checksums of all events but those that it does not write."""
    observed = answer(request)
    at = None if observed.error is None or observed.error.kind != "checksum" else observed.error.at
    is_unwritten = at is not None and request.stream[at + TYPE_AT] in (*HEARTBEAT_TYPES, EventType.STOP)
    return unverified(request) if is_unwritten else observed


class _PassesOverSpoilt(Receiver):
    """A receiver that does not write an event whose checksum is wrong, and goes on after it."""

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        has_checksums = self._source_format is not None and self._algorithm
        if has_checksums and not ends_with_checksum(data):
            return Reception.LEFT_OUT
        return super().receive(event, data)


class _PassesOverSpoiltOfIgnored(_PassesOverSpoilt):
    """A receiver that looks at the checksum of an event only if it is not to ignore its server."""

    def receive(self, event: ReplicaEvent, data: bytes) -> Reception:
        if event.server_id in self.settings.ignored_ids:
            return super().receive(event, data)
        return Receiver.receive(self, event, data)


def passing_over_spoilt_of_ignored(request: Request) -> Observation:
    """Answer as a receiver that leaves out the events of ignored servers before it looks at their checksums."""
    observed = answer(request)
    at = None if observed.error is None or observed.error.kind != "checksum" else observed.error.at
    server_id = None if at is None else HEADER.unpack_from(request.stream, at)[2]
    if server_id not in request.settings.get("ignored_ids", ()):
        return observed
    return answer_with(_PassesOverSpoiltOfIgnored, request, _unverifying(request))


def passing_over_spoilt(request: Request) -> Observation:
    """Answer as a receiver that leaves out events whose checksum is wrong."""
    return answer_with(_PassesOverSpoilt, request, _unverifying(request))


def writing_parts(request: Request) -> Observation:
    """Answer as a receiver that writes what has arrived of an event when the connection is lost."""
    observed = answer(request)
    error = observed.error
    if error is None or error.kind != "truncated" or error.at is None:
        return observed
    part = {**observed.events[-1], "data": request.stream[error.at :].hex(), "warning": ""}
    return replace(observed, events=(*observed.events, part))


def refusing_malformed(request: Request) -> Observation:
    """Answer as a receiver that reads every event, and stops at one with a malformed body."""
    observed = answer(request)
    at = _malformed(request)
    if at is None:
        return observed
    data = next(each for each in framed_events(request.stream[at - len(MAGIC) :])).hex()
    place = next((place for place, entry in enumerate(observed.events) if entry["data"] == data), None)
    return observed if place is None else Observation(observed.events[:place], Refusal(at, "malformed", "malformed"))


def _malformed(request: Request) -> int | None:
    """Return the offset of the first event with a malformed body; None if there is none."""
    try:
        for event in read_events(request.stream, READS_ALL):
            with located(event.offset):
                report(event)
    except BinlogError as error:
        return error.at if error.kind == "malformed" else None
    return None
