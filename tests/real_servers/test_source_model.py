"""Real servers check the model: the same scenarios give the same events in both."""

from collections.abc import Callable, Iterator

import pytest
from model_comparison import difference
from scenario_runs import ROWS_EVENT_BYTES

from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.servers.products import Product
from conformance.servers.real_server import running
from conformance.servers.scenario_runner import Runner
from conformance.strategies.grammar.chooser import Chooser, SeededChooser
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_steps import random_scenario, scenario_of_both

#: Scenarios for each server: blocks of plain ones, each block a test, then those that restart the server.
BLOCK = 55
BLOCKS = 4
WITH_RESTARTS = 8
OF_BOTH = 80


#: Makes a scenario.
Make = Callable[[Chooser, Settings], Scenario]


def _with_restarts(choose: Chooser, settings: Settings) -> Scenario:
    return random_scenario(choose, settings, restarts=True)


def _scenario(make: Make, profile: str, number: int, **fixed: object) -> Scenario:
    choose = SeededChooser(f"real-servers/{profile}/{make.__name__}/{number}")
    return make(choose, settings_of(choose, profile, binlog_row_event_max_size=ROWS_EVENT_BYTES, **fixed))


@pytest.fixture(scope="module")
def runner(product: Product, server_folder, template_of) -> Iterator[Runner]:
    """Return what runs scenarios on a server, which runs until the module's tests with it end."""
    options = [f"--binlog-row-event-max-size={ROWS_EVENT_BYTES}", "--binlog-format=ROW"]
    with running(product, server_folder / product.name, options=options, template=template_of(product)) as server:
        yield Runner(server)


def _compare(runner: Runner, numbers: range, make: Make) -> None:
    product = runner.server.product
    fixed = {"server_uuid": runner.server.value("select @@server_uuid")} if product.dialect.uuid else {}
    for number in numbers:
        scenario = _scenario(make, product.profile.name, number, **fixed)
        assert difference(runner, scenario) == "", f"scenario {number}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_server_logs_what_the_model_logs(runner, block):
    _compare(runner, range(block * BLOCK, (block + 1) * BLOCK), random_scenario)


def test_a_server_that_restarts_logs_what_the_model_logs(runner):
    _compare(runner, range(WITH_RESTARTS), _with_restarts)


def test_a_server_logs_statements_on_both_engines_and_two_sessions_as_the_model_does(runner):
    _compare(runner, range(OF_BOTH), scenario_of_both)
