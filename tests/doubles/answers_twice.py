"""Gives the same answer twice."""

from speaker import converse, honest, write


def twice(seq, stream):
    write(honest(seq, stream))
    write(honest(seq, stream))


converse(twice)
