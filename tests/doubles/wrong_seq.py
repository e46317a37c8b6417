"""Answers another question than it was asked."""

from speaker import converse, honest, say

converse(lambda seq, stream: say(honest(seq + 1, stream)))
