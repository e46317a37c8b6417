"""Asks for 4 GiB."""

from speaker import converse, honest, say


def take(seq, stream):
    bytearray(4 << 30)
    say(honest(seq, stream))


converse(take)
