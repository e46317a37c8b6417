"""The reference in the role `relay`: the model of a receiver, and the boundary parser of its profile."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.replica.relay import Feed, NewFeed, Receiver, RelaySettings
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.protocol.observation import Observation, Refusal, Request
from conformance.protocol.reported_event import report

#: The types whose bodies a receiver reads: of what describes a log, of GTIDs and, for the boundaries, of statements.
_READ: Final = frozenset(
    {
        *GTID_TYPES,
        EventType.FORMAT_DESCRIPTION,
        EventType.ROTATE,
        EventType.PREVIOUS_GTIDS,
        EventType.QUERY,
        EventType.EXECUTE_LOAD_QUERY,
        EventType.MARIADB_GTID,
    }
)


def answer(request: Request) -> Observation:
    """Return what the model of a receiver writes to its relay logs."""
    return answer_with(Receiver, request)


def answer_with(
    receiver: Callable[[RelaySettings, NewFeed], Receiver], request: Request, rules: ReaderRules | None = None
) -> Observation:
    """Return what a receiver writes; an event that is not whole is an error at its offset.

    Args:
        receiver: Makes the receiver from the settings of the request and what makes the feed of a boundary parser.
        request: The request.
        rules: How what the source sends is read; the profile's when None.
    """
    settings = RelaySettings.of_json(request.profile, request.settings)
    made = receiver(settings, lambda: boundary_feed(request.profile))
    refusal = None
    try:
        read_by = replace(rules or server_of(request.profile).rules, passes_unknown=True)
        for event in read_events(request.stream, read_by):
            made.receive(_received(event), event.data)
    except BinlogError as error:
        refusal = Refusal(error.at, error.kind, error.message)
    return Observation(tuple(made.entries()), refusal)


def _received(event: Event) -> ReplicaEvent:
    """Return an event as a receiver sees it, which reads the bodies of few types.

    Raises:
        BinlogError: The body of one of these is malformed.
    """
    try:
        return ReplicaEvent.of_entry(report(event))
    except MalformedBody as error:
        if event.header.type in _READ:
            raise error.located(event.offset) from error
        return ReplicaEvent.of_header(event.header, event.offset, {})


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
