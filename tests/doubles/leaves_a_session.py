"""Starts processes in sessions of their own, which ignore signals, and hangs."""

import os
import signal
import time

from sightings import note
from speaker import converse


def leave(seq, stream):
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            time.sleep(3600)
    note("asked")
    time.sleep(3600)


converse(leave)
