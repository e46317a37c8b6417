"""Gives each right answer twice."""

from headers import answer, converse
from speaker import write


def twice(seq, stream):
    write(answer(seq, stream))
    write(answer(seq, stream))


converse(twice)
