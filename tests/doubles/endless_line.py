"""Begins a line that never ends."""

import sys

from speaker import converse


def flood(seq, stream):
    while True:
        sys.stdout.write("[" * 65536)


converse(flood)
