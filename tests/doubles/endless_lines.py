"""Answers, and goes on with lines that nobody asked for."""

from speaker import converse, honest, say


def flood(seq, stream):
    say(honest(seq, stream))
    while True:
        say("{}")


converse(flood)
