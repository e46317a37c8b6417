"""Gives the same answer twice."""

from speaker import converse, honest, say


def twice(seq, stream):
    say(honest(seq, stream))
    say(honest(seq, stream))


converse(twice)
