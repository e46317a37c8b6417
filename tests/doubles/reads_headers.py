"""Reads headers rightly, and does nothing else."""

from headers import answer, converse
from speaker import write

converse(lambda seq, stream: write(answer(seq, stream)))
