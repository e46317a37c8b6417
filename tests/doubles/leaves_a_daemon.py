"""Starts a daemon, by two forks with a session in between and all streams closed, and ends."""

import os
import sys
import time

from sightings import note
from speaker import converse


def leave(seq, stream):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in (0, 1, 2):
            os.close(number)
        time.sleep(3600)
    note("asked")
    time.sleep(1)
    sys.exit(3)


converse(leave)
