"""Functions that make a fault: the model of a logging server, changed in one respect."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.servers import server_of
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.server.boundary_marking import boundaries_of
from conformance.models.server.events import BEGIN
from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_rules import LoggingRules, rules_of
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.statements import Insert, Statement
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

Answer = Callable[[Request], Observation]


#: Changes one transaction or a single event; yields what is written instead.
ChangeUnit = Callable[[Scenario, PlannedLog, Unit], Iterable[Unit]]


#: Changes one event; yields what is written instead.
ChangeEvent = Callable[[PlannedLog, Unit, int], Iterable[LoggedEvent]]


Condition = Callable[[PlannedLog, Unit, LoggedEvent], bool]


def units(change: ChangeUnit) -> Answer:
    """Return the answer with every unit changed."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        for log in logs:
            log.units = [made for unit in log.units for made in change(scenario, log, unit)]
        return written(request, logs)

    return answer


def each_event(change: ChangeEvent) -> Answer:
    """Return the answer with every event changed."""

    def change_unit(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
        made = tuple(event for place in range(len(unit.events)) for event in change(log, unit, place))
        if made:
            yield replace(unit, events=made)

    return units(change_unit)


def without(condition: Condition) -> Answer:
    """Return the answer without some events."""
    return each_event(lambda log, unit, at: () if condition(log, unit, unit.events[at]) else (unit.events[at],))


def changed(condition: Condition, change: Callable[[LoggedEvent], LoggedEvent]) -> Answer:
    """Return the answer with some events changed."""
    return each_event(
        lambda log, unit, at: (change(unit.events[at]) if condition(log, unit, unit.events[at]) else unit.events[at],)
    )


def other_rules(**rules: Any) -> Answer:
    """Return the answer with other rules for logging."""

    def changed_rules(settings: Settings) -> LoggingRules:
        return replace(rules_of(settings), **rules)

    return lambda request: written(request, log_of(scenario_of(request), rules=changed_rules).logs)


def other_scenario(change: Callable[[Scenario], Scenario]) -> Answer:
    """Return the answer to another scenario."""
    return lambda request: written(request, log_of(change(scenario_of(request))).logs)


def other_bytes(change: Callable[[bytes], bytes]) -> Answer:
    """Return the answer with the bytes of each log changed."""

    def answer(request: Request) -> Observation:
        streams = [change(log_bytes(log)) for log in log_of(scenario_of(request)).logs]
        return observed_streams(streams, server_of(request.profile).rules)

    return answer


def marking(change: Callable[[Unit, int, BoundaryType], int]) -> Answer:
    """Return the answer with other boundary markers."""

    def mark(unit: Unit) -> list[int]:
        return [change(unit, at, right) for at, right in enumerate(boundaries_of(unit))]

    def answer(request: Request) -> Observation:
        streams = [log_bytes(log, mark=mark) for log in log_of(scenario_of(request)).logs]
        return observed_streams(streams, server_of(request.profile).rules)

    return answer


def is_query(*words: bytes) -> Condition:
    """Return the condition that an event is a Query that begins with one of some words."""
    return lambda log, unit, event: event.type == EventType.QUERY and event.fields["query"].upper().startswith(words)


def of_type(*types: int) -> Condition:
    """Return the condition that an event has one of some types."""
    return lambda log, unit, event: event.type in types


def begins(unit: Unit) -> bool:
    """Return whether a transaction has BEGIN."""
    return any(event.fields.get("query") == BEGIN for event in unit.events)


def by_kind(*kinds: type[Statement]) -> Callable[[Scenario, Unit], bool]:
    """Return the condition that a unit is of some kinds of statements."""

    def of_kind(scenario: Scenario, unit: Unit) -> bool:
        return unit.statement is not None and isinstance(scenario.statements[unit.statement], kinds)

    return of_kind


def is_delayed(scenario: Scenario, unit: Unit) -> bool:
    """Return whether a transaction is that of an INSERT DELAYED."""
    statement = None if unit.statement is None else scenario.statements[unit.statement]
    return unit.transaction and isinstance(statement, Insert) and statement.delayed


def set_fields(**fields: Any) -> Callable[[LoggedEvent], LoggedEvent]:
    """Return the change that sets fields of an event."""
    return lambda event: replace(event, fields={**event.fields, **fields})


def set_flags(flags: int, *, clear: int = 0) -> Callable[[LoggedEvent], LoggedEvent]:
    """Return the change that sets some flags of an event and clears others."""
    return lambda event: replace(event, flags=event.flags & ~clear | flags)


def doubled(condition: Condition) -> Answer:
    """Return the answer with some events written twice."""
    return each_event(lambda log, unit, at: (unit.events[at],) * (1 + condition(log, unit, unit.events[at])))


def statements_of(*kinds: type[Statement], **attributes: Any) -> Callable[[Scenario], Iterator[int]]:
    """Return the function that yields the indices of statements of some kinds, with some values."""

    def find(scenario: Scenario) -> Iterator[int]:
        for index, each in enumerate(scenario.statements):
            if isinstance(each, kinds) and all(getattr(each, name) == value for name, value in attributes.items()):
                yield index

    return find


def other_settings(**changed_settings: Any) -> Answer:
    """Return the answer of a server with other settings."""
    return other_scenario(lambda scenario: replace(scenario, settings=replace(scenario.settings, **changed_settings)))


def marks_as(condition: Callable[[Unit, int, BoundaryType], bool], marker: int) -> Answer:
    """Return the answer with one boundary marker on some events."""
    return marking(lambda unit, at, right: marker if condition(unit, at, right) else right)


def is_type(*types: int) -> Callable[[Unit, int, BoundaryType], bool]:
    """Return the condition that the event at a place of a transaction has one of some types."""
    return lambda unit, at, right: unit.events[at].type in types


def has_lists(log: PlannedLog) -> bool:
    """Return whether the Query events of a log have tables info."""
    return log.format.post_header_length(EventType.QUERY) == EXTENDED_QUERY_POST_HEADER


def creates(unit: Unit) -> bool:
    """Return whether a transaction creates a table in the server's own words."""
    return any(event.fields.get("query", b"").startswith(b"CREATE TABLE") for event in unit.events)
