"""The reference in the role `log`: the model of a logging server."""

from collections.abc import Iterable

from conformance.binlog.servers import server_of
from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.logged_event import PlannedLog
from conformance.models.server.scenario import Scenario
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Request


def answer(request: Request) -> Observation:
    """Return the logs that the model writes for a scenario."""
    return written(request, log_of(scenario_of(request)).logs)


def scenario_of(request: Request) -> Scenario:
    """Return the scenario of a request."""
    return Scenario.from_json(request.settings["scenario"])


def written(request: Request, logs: Iterable[PlannedLog]) -> Observation:
    """Return planned logs as an answer: their bytes, and what the kit reads in them."""
    return observed_streams([log_bytes(log) for log in logs], server_of(request.profile).rules)
