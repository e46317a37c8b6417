"""The reference in the role `relay`: the model of a receiver, and the boundary parser of its profile."""

from collections.abc import Callable
from dataclasses import replace

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.replica.relay import Feed, NewFeed, Receiver, RelaySettings
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report


def answer(request: Request) -> Observation:
    """Return what the model of a receiver writes to its relay logs."""
    return answer_with(Receiver, request)


def answer_with(receiver: Callable[[RelaySettings, NewFeed], Receiver], request: Request) -> Observation:
    """Return what a receiver writes; one that is torn is an error at its offset.

    Args:
        receiver: Makes the receiver from the settings of the request and what makes the feed of a boundary parser.
        request: The request.
    """
    settings = RelaySettings.of_json(request.profile, request.settings)
    made = receiver(settings, lambda: boundary_feed(request.profile))
    refusal = None
    try:
        for event in read_events(request.stream, replace(server_of(request.profile).rules, passes_unknown=True)):
            made.receive(ReplicaEvent.of_entry(report(event)), event.data)
    except BinlogError as error:
        refusal = Refusal(error.at, error.kind, error.message)
    return Observation(tuple(made.entries()), refusal)


def boundary_feed(profile: str) -> Feed | None:
    """Return a function that feeds an event to a new boundary parser of a profile and returns its warning."""
    version = SHIPPED_VERSIONS[profile]
    if profile != "worklog" and version is None:
        return None
    parser = WorklogParser() if version is None else ShippedParser(version)

    def feed(event: ReplicaEvent) -> str | None:
        with_query = event.type in (EventType.QUERY, EventType.EXECUTE_LOAD_QUERY)
        fed = FedEvent(event.type, event.flags, event.query.encode() if with_query else None)
        if isinstance(parser, WorklogParser):
            return parser.feed(fed).warning
        warning = parser.feed(fed).warning
        return warning.text if warning else None

    return feed
