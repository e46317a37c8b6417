"""Asks for 4 GiB."""

from speaker import converse, honest, write


def take(seq, stream):
    bytearray(4 << 30)
    write(honest(seq, stream))


converse(take)
