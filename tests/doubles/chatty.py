"""Writes far more to standard error than a pipe holds, before each answer."""

import sys

from speaker import converse, honest, write


def chat(seq, stream):
    for number in range(20000):
        sys.stderr.write(f"debug: step {number} of many\n")
    write(honest(seq, stream))


converse(chat)
