"""Faults in statements that GTID consistency forbids, and in those that are not logged."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.models.server.definitions import TEMPORARY_REFUSED
from conformance.models.server.execution import log_of, run
from conformance.models.server.gtid_next import CREATE_SELECT_REFUSED
from conformance.models.server.logged_event import LoggedEvent, PlannedLog, Unit
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.row_changes import MIXED_ENGINES_REFUSED
from conformance.models.server.scenario import Scenario
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import (
    Change,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    DropTable,
    Statement,
)
from conformance.mutants.log.faults import Answer
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

_CREATIONS: Final = (CreateTable, CreateTableLike, CreateTableSelect)
Condition = Callable[[Statement], bool]


def of_temporary_tables(statement: Statement) -> bool:
    """Return whether a statement creates or drops temporary tables alone."""
    return isinstance(statement, (*_CREATIONS, DropTable)) and statement.temporary


def is_of_temporary_tables(scenario: Scenario, unit: Unit) -> bool:
    """Return whether a unit has a Gtid event and is of a statement that creates or drops temporary tables alone."""
    if unit.statement is None or unit.events[0].type not in GTID_TYPES:
        return False
    return of_temporary_tables(scenario.statements[unit.statement])


def changes_rows(statement: Statement) -> bool:
    """Return whether a statement changes rows."""
    return isinstance(statement, Change)


def refusing(condition: Condition) -> Answer:
    """Return the answer of a server that refuses some statements with gtid_mode=OFF, as with GTID consistency."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        server = SourceServer(scenario.settings)
        for index, each in enumerate(scenario.statements):
            own = server.settings
            if own.gtid_mode == "OFF" and condition(each):
                server.settings = replace(own, enforce_gtid_consistency=True)
                run(server, index, each)
                server.settings = own
            else:
                run(server, index, each)
        return written(request, server.logs)

    return answer


def _logged_too(find: Callable[[Scenario], list[int]], listed: Callable[[Any], tuple[Any, ...]]) -> Answer:
    """Return the answer with more statements at the end of the last log."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        if (model := _a_query(logs)) is None:
            return written(request, logs)
        for index in find(scenario):
            statement = scenario.statements[index]
            text = (sql_of(statement) or "").encode()
            fields = {**model.fields, "query": text, "tables_info": listed(statement)}
            event = replace(model, fields=fields, statement=index)
            logs[-1].units.append(Unit((event,), index, True, logs[-1].units[-1].timestamp))
        return written(request, logs)

    return answer


def _a_query(logs: tuple[PlannedLog, ...]) -> LoggedEvent | None:
    """Return the first Query event, None where all that is logged is something else."""
    return next((event for log in logs for event in log.events if event.type == EventType.QUERY), None)


def _no_list(statement: Statement) -> tuple[Any, ...]:
    return ()


def _own_table(statement: Any) -> tuple[Mapping[str, bytes], ...]:
    return ({"database": statement.table.database.encode(), "table": statement.table.table.encode()},)


def logs_refused(code: int) -> Answer:
    """Return the answer with the statements that are refused with an error."""

    def find(scenario: Scenario) -> list[int]:
        outcomes = log_of(scenario).outcomes
        return [index for index, each in enumerate(outcomes) if each.error == code]

    return _logged_too(find, _no_list)


#: The answers with what GTID consistency refuses: changes of mixed engines, creations with rows, temporary tables.
MIXED_ENGINES: Final = logs_refused(MIXED_ENGINES_REFUSED)
CREATE_SELECT: Final = logs_refused(CREATE_SELECT_REFUSED)
TEMPORARY_INSIDE: Final = logs_refused(TEMPORARY_REFUSED)


def logs_temporary_in_row(*, with_list: bool) -> Answer:
    """Return the answer with the creations of temporary tables in row format, of a server with tables info."""

    def find(scenario: Scenario) -> list[int]:
        settings = scenario.settings
        if settings.binlog_format != "ROW" or not settings.binlog_with_tables_info:
            return []
        outcomes = log_of(scenario).outcomes
        return [
            index
            for index, (each, outcome) in enumerate(zip(scenario.statements, outcomes, strict=True))
            if isinstance(each, _CREATIONS) and each.temporary and outcome.error is None
        ]

    return _logged_too(find, _own_table if with_list else _no_list)
