"""Stops the process that started it, and hangs."""

import os
import signal
import time

from sightings import note
from speaker import converse


def kill(seq, stream):
    note("asked")
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(3600)


converse(kill)
