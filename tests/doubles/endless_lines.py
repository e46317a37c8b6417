"""Answers, and then writes lines without end."""

from speaker import converse, honest, write


def flood(seq, stream):
    write(honest(seq, stream))
    while True:
        write("{}")


converse(flood)
