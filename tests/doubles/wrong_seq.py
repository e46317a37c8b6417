"""Answers with the seq of another request."""

from speaker import converse, honest, write

converse(lambda seq, stream: write(honest(seq + 1, stream)))
