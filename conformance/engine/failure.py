"""A failure: one kind of failure, with the smallest case that shows it."""

from dataclasses import dataclass

from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Observation, Trouble
from conformance.strategies.grammar.case import Case


@dataclass(frozen=True, slots=True)
class Failure:
    """All failures of one (requirement, signature).

    Attributes:
        verdict: The verdict of the shrunk case.
        case: The shrunk case.
        answer: The implementation's answer to it.
        first_case: Id of the case that first showed the failure.
        count: Cases of the run that showed it.
        known: The reason in the baseline, None if the baseline does not have it.
    """

    verdict: Verdict
    case: Case
    answer: Observation | Trouble
    first_case: str
    count: int
    known: str | None = None
