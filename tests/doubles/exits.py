"""Ends with status 3 in the middle of an answer, after a message on standard error."""

import sys

from speaker import converse


def fall(seq, stream):
    sys.stderr.write("something is broken\n")
    sys.stdout.write('{"seq": 1, "eve')
    sys.stdout.flush()
    sys.exit(3)


converse(fall)
