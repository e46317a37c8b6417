"""Real servers check the model: the same scenarios give the same events in both."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from products import Product
from scenario_runs import Line, Runner, lines_of
from server import running

from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import UpdateTables
from conformance.strategies.grammar.chooser import Chooser, SeededChooser
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_steps import random_scenario, scenario_of_both

#: Scenarios for each server: blocks of plain ones, each block a test, then those that restart the server.
BLOCK = 55
BLOCKS = 4
WITH_RESTARTS = 8
OF_BOTH = 80
#: Small, so that a few dozen rows need several events.
_ROWS_EVENT_BYTES = 512


@dataclass(frozen=True, slots=True)
class Deviation:
    """A difference between the model and real servers that is accepted, and why.

    Attributes:
        reason: Why it is accepted.
        applies: Returns whether a scenario can show it.
        remove: Removes the difference from a log's lines.
    """

    reason: str
    applies: Callable[[Scenario], bool]
    remove: Callable[[list[Line]], list[Line]]


def _in_order_of_tables(lines: list[Line]) -> list[Line]:
    """Sort consecutive rows events, and drop the flag that one of them ends the statement."""
    made: list[Line] = []
    together: list[Line] = []
    for line in lines:
        if line[1].startswith("UPDATE_ROWS"):
            together.append((*line[:3], *line[4:]))
            continue
        made += [*sorted(together), line]
        together = []
    return [*made, *sorted(together)]


#: Every accepted difference.
DEVIATIONS = {
    "order-of-joined-tables": Deviation(
        "an UPDATE of two tables logs their rows in the order in which its optimizer joins them",
        lambda scenario: any(isinstance(each, UpdateTables) for each in scenario.statements),
        _in_order_of_tables,
    ),
}


#: Makes a scenario.
Make = Callable[[Chooser, Settings], Scenario]


def _with_restarts(choose: Chooser, settings: Settings) -> Scenario:
    return random_scenario(choose, settings, restarts=True)


def _scenario(make: Make, profile: str, number: int, **fixed: object) -> Scenario:
    choose = SeededChooser(f"real-servers/{profile}/{make.__name__}/{number}")
    return make(choose, settings_of(choose, profile, binlog_row_event_max_size=_ROWS_EVENT_BYTES, **fixed))


def _first_difference(scenario: Scenario, real: list[Line], model: list[Line]) -> str:
    place = next((i for i, pair in enumerate(zip(real, model, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(real), len(model)) if place is None else place
    statements = "\n".join(f"  {each.session}: {sql_of(each) or each}" for each in scenario.statements)
    return f"{statements}\nreal:  {real[max(0, at - 3) : at + 3]}\nmodel: {model[max(0, at - 3) : at + 3]}"


@pytest.fixture(scope="module")
def runner(product: Product, server_folder, template_of) -> Iterator[Runner]:
    """Return what runs scenarios on a server, which runs until the module's tests with it end."""
    options = [f"--binlog-row-event-max-size={_ROWS_EVENT_BYTES}", "--binlog-format=ROW"]
    with running(product, server_folder / product.name, options=options, template=template_of(product)) as server:
        yield Runner(server)


def _compare(runner: Runner, numbers: range, make: Make) -> None:
    product = runner.server.product
    fixed = {"server_uuid": runner.server.value("select @@server_uuid")} if product.dialect.uuid else {}
    for number in numbers:
        scenario = _scenario(make, product.profile.name, number, **fixed)
        logged = log_of(scenario)
        errors, streams = runner.run(scenario)
        real, model = lines_of(streams), lines_of(map(log_bytes, logged.logs))
        for deviation in DEVIATIONS.values():
            if deviation.applies(scenario):
                real, model = deviation.remove(real), deviation.remove(model)
        assert errors == [each.error for each in logged.outcomes], _first_difference(scenario, real, model)
        assert real == model, f"scenario {number}\n{_first_difference(scenario, real, model)}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_server_logs_what_the_model_logs(runner, block):
    _compare(runner, range(block * BLOCK, (block + 1) * BLOCK), random_scenario)


def test_a_server_that_restarts_logs_what_the_model_logs(runner):
    _compare(runner, range(WITH_RESTARTS), _with_restarts)


def test_a_server_logs_statements_on_both_engines_and_two_sessions_as_the_model_does(runner):
    _compare(runner, range(OF_BOTH), scenario_of_both)
