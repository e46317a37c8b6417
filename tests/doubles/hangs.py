"""Never answers, and does not end after a stop message."""

import signal
import time

from sightings import note
from speaker import converse


def hang(seq, stream):
    note("asked")
    time.sleep(3600)


signal.signal(signal.SIGTERM, signal.SIG_IGN)
converse(hang)
