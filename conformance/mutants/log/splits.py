"""The mutants of the role `log` in statements that are logged as several transactions, each wrong in one case alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final
from uuid import UUID

from conformance.binlog.event_types import EventType
from conformance.models.server.execution import log_of
from conformance.models.server.logged_event import LoggedEvent, Unit
from conformance.models.server.scenario import Scenario
from conformance.models.server.statements import CreateTable, CreateTableSelect, DropTable, Use
from conformance.mutants.log.faults import Answer, by_kind
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

#: Returns whether a fault is in a statement, by its scenario and its index in it.
OfStatement = Callable[[Scenario, int], bool]
_CREATES: Final = by_kind(CreateTableSelect)
_DROPS: Final = by_kind(DropTable)
#: A number that no scenario reaches.
_HIGH: Final = 1000


def _created_inside(condition: OfStatement) -> Answer:
    """Return the answer with CREATE TABLE ... SELECT as one transaction where a condition holds."""

    def answer(request: Request) -> Observation:
        scenario = scenario_of(request)
        logs = log_of(scenario).logs
        for log in logs:
            made: list[Unit] = []
            for unit in log.units:
                again = made and made[-1].statement == unit.statement and made[-1].transaction
                if again and _CREATES(scenario, unit) and condition(scenario, unit.statement or 0):
                    gtid, create = made[-1].events[0], made[-1].events[-1]
                    begin, *rows = unit.events[1:]
                    made[-1] = replace(made[-1], events=(gtid, begin, create, *rows))
                else:
                    made.append(unit)
            log.units = made
        return written(request, logs)

    return answer


def _creation(scenario: Scenario, index: int) -> CreateTableSelect:
    statement = scenario.statements[index]
    assert isinstance(statement, CreateTableSelect), "the kind that the condition is about"
    return statement


def _if_new(scenario: Scenario, index: int) -> bool:
    return _creation(scenario, index).if_not_exists


def _from_temporary(scenario: Scenario, index: int) -> bool:
    made = scenario.statements[:index]
    temporary = {each.table for each in made if isinstance(each, CreateTable) and each.temporary}
    return not temporary.isdisjoint(_creation(scenario, index).sources)


def _elsewhere(scenario: Scenario, index: int) -> bool:
    """Return whether the default database is another one than that of the table, or none."""
    used = [each.database for each in scenario.statements[:index] if isinstance(each, Use)]
    return used[-1:] != [_creation(scenario, index).table.database]


def _second_drop_numbered(request: Request) -> Observation:
    """Return the answer in which GTID_NEXT=ANONYMOUS holds for the first statement of a DROP TABLE alone."""
    scenario = scenario_of(request)
    logs = log_of(scenario).logs
    own = UUID(scenario.settings.server_uuid).bytes
    for log in logs:
        before = None
        for place, unit in enumerate(log.units):
            first = unit.events[0]
            again = unit.statement is not None and unit.statement == before and _DROPS(scenario, unit)
            if again and first.type == EventType.ANONYMOUS_GTID and log.gtid_mode == "ON_PERMISSIVE":
                numbered = LoggedEvent(EventType.GTID, {**first.fields, "source_uuid": own, "gno": _HIGH + place})
                log.units[place] = replace(unit, events=(numbered, *unit.events[1:]))
            before = unit.statement
    return written(request, logs)


LOG_SPLIT_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-create-if-new-inside",
        "WL7592-LOG-CREATE-NOT-INSIDE",
        "CREATE TABLE IF NOT EXISTS ... SELECT is logged as one transaction",
        answer=_created_inside(_if_new),
    ),
    Mutant(
        "logs-create-from-temporary-inside",
        "WL7592-LOG-CREATE-NOT-INSIDE",
        "CREATE TABLE ... SELECT from a temporary table is logged as one transaction",
        answer=_created_inside(_from_temporary),
    ),
    Mutant(
        "logs-create-elsewhere-inside",
        "WL7592-LOG-CREATE-NOT-INSIDE",
        "CREATE TABLE ... SELECT outside the default database is logged as one transaction",
        answer=_created_inside(_elsewhere),
    ),
    Mutant(
        "logs-second-drop-numbered",
        "WL7592-LOG-DROP-OFF-ANON-EACH",
        "with GTID_NEXT=ANONYMOUS the statements of a DROP TABLE after the first have a GTID",
        answer=_second_drop_numbered,
    ),
)
