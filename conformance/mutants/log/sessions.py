"""The mutants of the role `log` that confuse what is a session's own with what another one does."""

from collections.abc import Callable
from typing import Final

from conformance.models.server.execution import run
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.scenario import Scenario
from conformance.models.server.statements import (
    Commit,
    Disconnect,
    DropDatabase,
    SetSession,
    SetUserVariable,
    Statement,
)
from conformance.mutants.log.faults import Answer
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of, written

#: Changes a server before or after a statement.
_Change = Callable[[SourceServer, Statement], None]


def _nothing(server: SourceServer, statement: Statement) -> None:
    pass


def _run_with(*, before: _Change = _nothing, after: _Change = _nothing) -> Answer:
    """Return the answer of a server that is changed before or after each statement."""

    def answer(request: Request) -> Observation:
        scenario: Scenario = scenario_of(request)
        server = SourceServer(scenario.settings)
        for index, each in enumerate(scenario.statements):
            before(server, each)
            run(server, index, each)
            after(server, each)
        return written(request, server.logs)

    return answer


def _drop_default(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, DropDatabase) and statement.database not in server.databases:
        for each in server.sessions.values():
            each.database = "" if each.database == statement.database else each.database


def _share_variable(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, SetUserVariable):
        for each in server.sessions.values():
            each.user_variable = statement.value


def _share_format(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, SetSession) and statement.variable == "binlog_format":
        for each in server.sessions.values():
            each.binlog_format = server.session(statement.session).binlog_format


def _commit_at_end(server: SourceServer, statement: Statement) -> None:
    if isinstance(statement, Disconnect):
        run(server, server.at or 0, Commit(session=statement.session))


LOG_SESSION_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "logs-default-of-others-dropped",
        "FORMAT-LOG-STATEMENT",
        "a database that is dropped is no longer the default of other sessions",
        answer=_run_with(after=_drop_default),
    ),
    Mutant(
        "logs-variable-shared",
        "FORMAT-LOG-FIELDS",
        "a user variable that one session sets is set in all",
        answer=_run_with(after=_share_variable),
    ),
    Mutant(
        "logs-format-shared",
        "WL3303-LOG-AS-ROWS",
        "the format that one session sets holds in all",
        answer=_run_with(after=_share_format),
    ),
    Mutant(
        "logs-commit-at-disconnect",
        "FORMAT-LOG-EVENTS",
        "a session that ends commits its open transaction",
        answer=_run_with(before=_commit_at_end),
    ),
)
