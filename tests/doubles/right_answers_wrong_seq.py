"""Gives each right answer with the seq of another request."""

from headers import answer, converse
from speaker import write

converse(lambda seq, stream: write(answer(seq + 1, stream)))
