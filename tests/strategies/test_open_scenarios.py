"""What the scenarios of the role `log` leave out, as WL#7592 does not say what a server does."""

import pytest

from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.statements import SetGtidPurged
from conformance.oracles.judge import request_of
from conformance.reference.log import scenario_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of


@pytest.fixture
def scenarios():
    cases = [case_of(CaseId("logged_chains", "worklog", seed=0, index=index, role="log")) for index in range(80)]
    made = [scenario_of(request_of(case)) for case in cases]
    return [each for each in made if any(isinstance(statement, SetGtidPurged) for statement in each.statements)]


def test_whether_a_restart_forgets_a_declared_set_is_not_judged_under_the_worklog(scenarios, monkeypatch):
    assert len(scenarios) > 5
    forgets = [[log_bytes(log) for log in log_of(each).logs] for each in scenarios]
    start_again = SourceServer.start_again

    def keeps(server, settings, *, stopped):
        purged = server.purged.gtids()
        start_again(server, settings, stopped=stopped)
        server.purged.add_set(purged)

    monkeypatch.setattr(SourceServer, "start_again", keeps)
    assert [[log_bytes(log) for log in log_of(each).logs] for each in scenarios] == forgets
