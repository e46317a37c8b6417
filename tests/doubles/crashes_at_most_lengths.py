"""Crashes at 49 of 50 lengths of a stream, and answers rightly at the others."""

import os
import signal

from headers import answer, converse
from speaker import write


def most(seq, stream):
    if len(stream) % 50:
        os.kill(os.getpid(), signal.SIGSEGV)
    write(answer(seq, stream))


converse(most)
