"""The pace: how many cases the next wave takes. It decides how long a run takes, never what it comes to."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from conformance.corpus.failing_cases import SHARD
from conformance.corpus.worker import Stretch

#: Tasks of a wave for each core: many enough that a wave is not as slow as its slowest core.
_TASKS: Final = 4
#: Seconds that a wave is to take. What a wave costs besides - about one second - is little against that;
#: what a kill costs is the waves that are under way.
_SHORTEST: Final = 5.0
_LONGEST: Final = 60.0


@dataclass(slots=True)
class Pace:
    """Sizes waves by what the ones before took.

    Attributes:
        cores: Tasks that run at once.
        seconds: What the waves so far took, since this process began.
        rate: Cases in a second of the last wave; the first ones are slow, while Spark warms up.
    """

    cores: int
    seconds: float = 0.0
    rate: float = 0.0

    def done(self, cases: int, seconds: float) -> None:
        """Take note of a finished wave."""
        self.seconds += seconds
        self.rate = cases / max(seconds, 0.001)

    def seconds_of(self, cases: int) -> float:
        """Return how long cases will take; 0 seconds before the first wave is done."""
        return cases / self.rate if self.rate else 0.0

    def stretch(self, first: int, *, goal: int | None, seconds_left: float | None = None) -> Stretch:
        """Return the next stretch of cases.

        Args:
            first: The number of its first case.
            goal: The number to stop before, None for none.
            seconds_left: What is left of the time for the run, None for no limit.
        """
        if not self.rate:
            # The first wave is a short one, to learn from.
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
