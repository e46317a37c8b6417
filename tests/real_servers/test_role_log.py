"""Real servers in the role `log`: servers of the profile meet what the oracles require."""

import pytest
from scenario_runs import Runner
from server import products, running

from conformance.binlog.servers import server_of
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.models.server.sql import sql_of
from conformance.models.server.statements import Crash, Disconnect, Restart
from conformance.oracles.judge import Judge
from conformance.protocol.answered_streams import observed_streams
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

#: Unpacked server -> its profile.
PROFILES = {"mysql": "mysql-9.x", "mariadb1011": "mariadb-10.x", "mariadb118": "mariadb-11.x"}
CASES = 12
SERVERS_AND_FAMILIES = [
    (name, family.name)
    for name, profile in PROFILES.items()
    for family in families().values()
    if "log" in family.focus and profile in family.profiles
]


@pytest.fixture(scope="module")
def runner_of(server_folder, template_of):
    """Return a function that returns the runner of a product's server."""
    opened = {}

    def find(name):
        product = products().get(name)
        if product is None:
            pytest.skip(f"the server {name} is not unpacked")
        if name not in opened:
            uuid = None if product.is_mariadb else Settings().server_uuid
            folder, template = server_folder / f"{name}-log", template_of(product)
            context = running(product, folder, options=["--binlog-format=ROW"], uuid=uuid, template=template)
            opened[name] = (context, context.__enter__())
        return Runner(opened[name][1])

    yield find
    for context, _ in opened.values():
        context.__exit__(None, None, None)


def _can_be_run(scenario):
    """Return whether every statement of a scenario has SQL or can be done by the runner."""
    return all(sql_of(each) or isinstance(each, Disconnect | Restart | Crash) for each in scenario.statements)


@pytest.mark.parametrize(("name", "family"), SERVERS_AND_FAMILIES)
def test_a_server_meets_the_requirements_of_its_profile(name, family, runner_of):
    runner, profile = runner_of(name), PROFILES[name]
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
        judged += 1
    assert judged, "no case can be run"
