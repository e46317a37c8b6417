"""One test for each requirement: it fails where the implementation breaks it."""

import pytest

from conformance.pytest_plugin import Outcome


def test_requirement(requirement_id: str, outcome: Outcome) -> None:
    """The implementation meets the requirement in every generated case."""
    known, unknown = outcome.failures_of(requirement_id)
    if unknown:
        pytest.fail("\n\n".join(unknown), pytrace=False)
    if known:
        pytest.xfail("; ".join(known))
    healed = outcome.unexpected_passes_of(requirement_id)
    if healed:
        pytest.fail("\n".join(healed), pytrace=False)
    reason = outcome.why_not_judged(requirement_id)
    if reason is not None:
        pytest.skip(reason)
