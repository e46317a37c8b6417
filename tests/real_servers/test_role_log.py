"""Real servers in the role `log`: servers of the profile meet what the oracles require."""

from collections.abc import Iterator

import pytest

from conformance.binlog.servers import server_of
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Crash, Disconnect, Restart
from conformance.oracles.judge import Judge
from conformance.protocol.answered_streams import observed_streams
from conformance.reference.implementation import ReferenceImplementation
from conformance.servers.products import Product
from conformance.servers.real_server import running
from conformance.servers.scenario_runner import Runner
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.witnesses import witnessed_in_case

CASES = 12


def families_of(profile: str) -> list[str]:
    return [each.name for each in families().values() if "log" in each.focus and profile in each.profiles]


@pytest.fixture(scope="module")
def runner(product: Product, server_folder, template_of) -> Iterator[Runner]:
    """Return what runs scenarios on a server, which runs until the module's tests with it end."""
    folder, uuid = server_folder / f"{product.name}-log", Settings().server_uuid
    with running(product, folder, options=["--binlog-format=ROW"], uuid=uuid, template=template_of(product)) as server:
        yield Runner(server)


def _can_be_run(scenario):
    """Return whether every statement of a scenario has SQL or can be done by the runner."""
    return all(sql_of(each) or isinstance(each, Disconnect | Restart | Crash) for each in scenario.statements)


def test_a_server_meets_the_requirements_of_its_profile(runner, family):
    profile = runner.server.product.profile.name
    judge = Judge(ReferenceImplementation().declaration.roles["log"])
    judged = 0
    for index in range(CASES):
        case = case_of(CaseId(family, profile, seed=17, index=index, role="log"))
        scenario = Scenario.from_json(case.settings["scenario"])
        if not _can_be_run(scenario):
            continue
        _, streams = runner.run(scenario)
        verdicts = judge.judge(case, observed_streams(streams, server_of(profile).rules))
        assert [each for each in verdicts if each.status != "pass"] == [], case.id
        witnessed_in_case(profile, case)
        judged += 1
    assert judged, "no case can be run"
