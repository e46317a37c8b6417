"""The pace: how many cases the next wave takes. It affects how long a run takes, never its result."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from conformance.corpus.failing_cases import SHARD
from conformance.corpus.worker import Stretch

#: Tasks of a wave for each core: enough that a wave is not as slow as its slowest core.
_TASKS: Final = 4
#: Seconds that a wave should take: long compared with the second that it costs to start one, and short enough that a
#: killed run loses little.
_SHORTEST: Final = 5.0
_LONGEST: Final = 60.0


@dataclass(slots=True)
class Pace:
    """Chooses the size of waves from the time that the earlier ones took.

    Attributes:
        cores: Tasks that run at once.
        seconds: The time that the waves of this process took so far.
        rate: Cases in a second of the last wave; the first ones are slow, while Spark warms up.
    """

    cores: int
    seconds: float = 0.0
    rate: float = 0.0

    def done(self, cases: int, seconds: float) -> None:
        """Record a finished wave."""
        self.seconds += seconds
        self.rate = cases / max(seconds, 0.001)

    def seconds_of(self, cases: int) -> float:
        """Return how many seconds some cases will take; 0 before the first wave is done."""
        return cases / self.rate if self.rate else 0.0

    def stretch(self, first: int, *, goal: int | None, seconds_left: float | None = None) -> Stretch:
        """Return the next stretch of cases.

        Args:
            first: The number of its first case.
            goal: The number to stop before, None for no limit.
            seconds_left: The time that is left for the run, None for no limit.
        """
        if not self.rate:
            # The first wave is short, to measure the rate.
            cases = self.cores * SHARD
        else:
            seconds = min(max(self.seconds, _SHORTEST), _LONGEST)
            if seconds_left is not None:
                seconds = min(seconds, seconds_left)
            cases = ceil(self.rate * seconds)
        shards = max(ceil(cases / SHARD), 1)
        end = (first // SHARD + shards) * SHARD
        if goal is not None:
            end = min(end, goal)
        size = ceil(ceil((end - first) / SHARD) / (self.cores * _TASKS)) * SHARD
        return Stretch(first, end, size)
