"""Answers well, then ends."""

import sys

from speaker import converse, honest, say


def answer_and_end(seq, stream):
    say(honest(seq, stream))
    sys.exit(0)


converse(answer_and_end)
