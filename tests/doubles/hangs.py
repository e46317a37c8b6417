"""Never answers, and does not end after a stop message."""

import signal
import time

from speaker import converse

signal.signal(signal.SIGTERM, signal.SIG_IGN)
converse(lambda seq, stream: time.sleep(3600))
