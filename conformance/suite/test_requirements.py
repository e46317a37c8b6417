"""One test for each requirement: it fails if the implementation breaks the requirement."""

import pytest

from conformance.pytest_plugin import Outcome


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
    reason = outcome.reason_not_judged(requirement_id)
    if reason is not None:
        pytest.skip(reason)
