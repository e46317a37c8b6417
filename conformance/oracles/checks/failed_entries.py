"""The place at which an applier stops, where its last entry has it and its error does not."""

from dataclasses import replace

from conformance.protocol.observation import Observation
from conformance.strategies.grammar.case import Case


def with_place_of_failure(case: Case, answer: Observation) -> Observation:
    """Return an applier's answer whose error has the offset of the entry that failed, if it has none itself."""
    error, last = answer.error, answer.events[-1] if answer.events else {}
    if case.role != "apply" or error is None or error.at is not None or last.get("outcome") != "failed":
        return answer
    return replace(answer, error=replace(error, at=last["offset"]))
