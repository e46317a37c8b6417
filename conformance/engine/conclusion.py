"""The conclusion: what a run's counts and failures come to, the baseline considered."""

from collections.abc import Sequence

from conformance.engine.baseline import Baseline
from conformance.engine.events import RunFinished
from conformance.engine.failure import Failure
from conformance.engine.tally import Tally


def concluded(tally: Tally, failures: Sequence[Failure], baseline: Baseline) -> RunFinished:
    """Return how a run ended.

    Args:
        tally: What was exercised how often, with what verdicts.
        failures: Every kind of failure.
        baseline: The failures that are known.
    """
    reached = [each for each in tally.results if tally.verdict(each) != "not-reached"]
    unexpected, stale = baseline.unmet(failures, reached)
    conforming = not unexpected and not stale and all(each.known is not None for each in failures)
    return RunFinished(tally, failures, unexpected, stale, conforming)
