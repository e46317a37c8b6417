"""The mutants of the role `log` of what ends with a session: its settings, its default database, its variables."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.scenario import Scenario
from conformance.models.server.session import Session
from conformance.models.server.statements import Disconnect
from conformance.mutants.log.faults import Answer, units
from conformance.mutants.log.refused_statements import around
from conformance.mutants.mutant import Mutant


def _in_own_default(server: SourceServer, session: Session, statement: Disconnect, kept: None) -> None:
    """Log the DROPs at the end of a session in its default database, wherever their tables are."""

    def moved(event: LoggedEvent) -> LoggedEvent:
        if event.type != EventType.QUERY or not session.database:
            return event
        return replace(event, fields={**event.fields, "database": session.database.encode()})

    for at, unit in enumerate(server.log.units):
        if unit.statement == server.at:
            server.log.units[at] = replace(unit, events=tuple(map(moved, unit.events)))


def _outlives(name: str) -> Answer:
    """Return the answer of a server whose sessions, when they come back, have an attribute that they had before."""

    def keep(server: SourceServer, session: Session, statement: Disconnect, kept: Any) -> None:
        setattr(server.session(statement.session), name, kept)

    return around(Disconnect, before=lambda server, session, statement: getattr(session, name), after=keep)


def _log_once(scenario: Scenario, log: PlannedLog, unit: Unit) -> Iterator[Unit]:
    """Leave out each User_var event that repeats the one before it in its transaction."""
    last: LoggedEvent | None = None
    kept = []
    for event in unit.events:
        if event.type == EventType.USER_VAR:
            if last is not None and event.fields == last.fields:
                continue
            last = event
        kept.append(event)
    yield replace(unit, events=tuple(kept))


LOG_SESSION_END_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-disconnect-own-default",
        "FORMAT-LOG-STATEMENT",
        "the DROP at the end of a session has its default database, wherever the tables are",
        answer=around(Disconnect, after=_in_own_default),
    ),
    Mutant(
        "logs-format-outlives-session",
        "WL3303-LOG-AS-STATEMENT",
        "a session that comes back has the logging format that it had before it ended",
        answer=_outlives("binlog_format"),
    ),
    Mutant(
        "logs-variable-outlives-session",
        "FORMAT-LOG-FIELDS",
        "a session that comes back has the user variable that it had before it ended",
        answer=_outlives("user_variable"),
    ),
    Mutant(
        "logs-variable-once",
        "FORMAT-LOG-EVENTS",
        "a user variable is logged for the first statement of a transaction with it, and again only if it changes",
        answer=units(_log_once),
    ),
)
