"""Ends at the third question of each process, whatever it is."""

import sys
from itertools import count

from speaker import converse, honest, say

asked = count(1)


def answer_twice_and_end(seq, stream):
    if next(asked) == 3:
        sys.exit(4)
    say(honest(seq, stream))


converse(answer_twice_and_end)
