"""Ends at the third request of each process, whatever it is."""

import sys
from itertools import count

from speaker import converse, honest, write

requests = count(1)


def answer_twice_and_end(seq, stream):
    if next(requests) == 3:
        sys.exit(4)
    write(honest(seq, stream))


converse(answer_twice_and_end)
