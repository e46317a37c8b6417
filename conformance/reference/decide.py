"""The reference in the role `decide`: the model of `conformance.models.decision`, asked statement by statement."""

from typing import Any

from conformance.models.decision.statement import QuestionStatement
from conformance.protocol.observation import Observation, Request, Trouble


def decided(statement: QuestionStatement, profile: str) -> dict[str, Any]:
    """Return what is answered about one statement under a profile.

    Raises:
        ValueError: The flags of a table are not given, and its engine is unknown.
    """
    decision = statement.decide(profile)
    capability = statement.capability(profile)
    restricted = "row" if capability.row_restricted else "statement" if capability.statement_restricted else "none"
    return {
        "format": decision.format or "none",
        "message": decision.message.kind if decision.message else "none",
        "executed": "yes" if decision.executed else "no",
        "row_capable": "yes" if capability.row else "no",
        "statement_capable": "yes" if capability.statement else "no",
        "restricted": restricted,
    }


def answer(request: Request) -> Observation | Trouble:
    """Return the decisions about the statements of a request, in their order."""
    try:
        statements = [QuestionStatement.of_setting(each) for each in request.settings["statements"]]
        return Observation(tuple(decided(each, request.profile) for each in statements))
    except ValueError as error:
        return Trouble("unsupported", "declined", str(error))
