"""One test for each requirement: it fails if the implementation breaks the requirement."""

import pytest

from conformance.pytest_plugin.outcome import Outcome


def test_something_is_judged(outcome: Outcome) -> None:
    """The run judged a requirement; one that judged none shows nothing."""
    if not outcome.finished.tally.judged:
        pytest.fail("nothing judged: no case of this run shows whether any requirement holds", pytrace=False)


def test_requirement(requirement_id: str, outcome: Outcome) -> None:
    """The implementation meets the requirement in every generated case."""
    known, unknown = outcome.failures_of(requirement_id)
    if unknown:
        pytest.fail("\n\n".join(unknown), pytrace=False)
    if known:
        pytest.xfail("; ".join(known))
    unexpected_passes = outcome.unexpected_passes_of(requirement_id)
    if unexpected_passes:
        pytest.fail("\n".join(unexpected_passes), pytrace=False)
    unanswered = outcome.unanswered(requirement_id)
    if unanswered is not None:
        pytest.fail(unanswered, pytrace=False)
    reason = outcome.reason_not_judged(requirement_id)
    if reason is not None:
        pytest.skip(reason)
