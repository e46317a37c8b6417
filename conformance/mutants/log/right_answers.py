"""Right answers of servers that log otherwise than the model, as an interpretation allows."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.models.server.events import BEGIN, COMMIT
from conformance.models.server.execution import log_of
from conformance.models.server.logged_event import LoggedEvent, Unit
from conformance.models.server.statements import CreateTableSelect
from conformance.mutants.log.faults import each_event
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

_ENDS: Final = (BEGIN, COMMIT)


def with_empty_groups(request: Request) -> Observation:
    """Return the answer with a second transaction for each CREATE TABLE ... SELECT that has no rows."""
    scenario = scenario_of(request)
    logs = log_of(scenario).logs
    for log in logs:
        units: list[Unit] = []
        for unit, following in zip(log.units, [*log.units[1:], None], strict=True):
            units.append(unit)
            statement = None if unit.statement is None else scenario.statements[unit.statement]
            is_last = following is None or following.statement != unit.statement
            if isinstance(statement, CreateTableSelect) and is_last and _creates_alone(unit):
                ends = [replace(unit.events[-1], fields={**unit.events[-1].fields, "query": word}) for word in _ENDS]
                units.append(replace(unit, events=(unit.events[0], *ends)))
        log.units = units
    return written(request, logs)


def _creates_alone(unit: Unit) -> bool:
    """Return whether a transaction is an Anonymous_gtid event and the CREATE TABLE that a server has written."""
    first, last = unit.events[0], unit.events[-1]
    text = last.fields.get("query", b"")
    is_own = text.startswith(b"CREATE TABLE") and b"START TRANSACTION" not in text
    return len(unit.events) == 2 and first.type == EventType.ANONYMOUS_GTID and is_own


def with_bare_texts(request: Request) -> Observation:
    """Return the answer with the text of each Rows_query event as the design of WL#4033 writes it."""

    def change(event: LoggedEvent) -> LoggedEvent:
        if request.profile != "worklog" or event.type != EventType.ROWS_QUERY:
            return event
        return replace(event, fields={**event.fields, "rows_query": event.fields["rows_query"].removeprefix(b"# ")})

    return each_event(lambda log, unit, at: (change(unit.events[at]),))(request)
