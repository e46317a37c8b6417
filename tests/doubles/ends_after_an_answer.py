"""Answers well, then ends."""

import sys

from speaker import converse, honest, write


def answer_and_end(seq, stream):
    write(honest(seq, stream))
    sys.exit(0)


converse(answer_and_end)
